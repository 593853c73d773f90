//===- Watch.cpp - Which test crashes, ends the program or hangs -------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Watch.h"

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace tegula::cts;
using Clock = std::chrono::steady_clock;

static constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};

/// The test of this thread; a handler can do with nothing but a pointer.
static thread_local const char *currentTest = nullptr;
static volatile std::sig_atomic_t isWatching = 0;

static void say(const char *text) {
  for (size_t size = std::strlen(text); size > 0;) {
    const ssize_t written = write(STDERR_FILENO, text, size);
    if (written <= 0) {
      return;
    }
    text += written;
    size -= size_t(written);
  }
}

static void sayEnd(const char *test, const char *what) {
  say("FAIL ");
  say(test ? test : "(on a thread of the plugin's)");
  say(": the plugin ");
  say(what);
  say(", which ends the suite; --filter and --expectations can leave the test out\n");
}

/// Only what signal handlers may call.
static void onSignal(int signal) {
  char what[] = "crashed with signal 00";
  what[sizeof what - 3] = char('0' + signal / 10);
  what[sizeof what - 2] = char('0' + signal % 10);
  sayEnd(currentTest, what);
  _exit(1);
}

static void onExit() {
  if (isWatching) {
    sayEnd(currentTest, "called exit");
    _exit(1);
  }
}

struct Watch::State {
  struct Test {
    std::string name;
    Clock::time_point begin, noted;
  };
  std::chrono::seconds limit;
  std::mutex mutex;
  std::condition_variable wake;
  std::map<size_t, Test> tests;
  size_t next = 0;
  bool isDone = false;
  struct sigaction previous[std::size(kSignals)] = {};
  std::thread thread;

  void look() {
    std::unique_lock<std::mutex> lock(mutex);
    while (!isDone) {
      wake.wait_for(lock, std::chrono::milliseconds(200));
      const Clock::time_point now = Clock::now();
      for (auto &[slot, test] : tests) {
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - test.begin);
        if (limit.count() > 0 && seconds >= limit) {
          sayEnd(test.name.c_str(), "did not return within the time limit");
          _exit(1);
        }
        if (now - test.noted >= std::chrono::minutes(1)) {
          test.noted = now;
          say(("note " + test.name + ": has been running for " + std::to_string(seconds.count()) +
               " s\n")
                  .c_str());
        }
      }
    }
  }
};

Watch::Watch(unsigned limit) : state(std::make_unique<State>()) {
  state->limit = std::chrono::seconds(limit);
  static const int registered = std::atexit(onExit);
  (void)registered;
  isWatching = 1;
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK;
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], &action, &state->previous[i]);
  }
  state->thread = std::thread([this] { state->look(); });
}

Watch::~Watch() {
  isWatching = 0;
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], &state->previous[i], nullptr);
  }
  {
    const std::lock_guard<std::mutex> lock(state->mutex);
    state->isDone = true;
  }
  state->wake.notify_all();
  state->thread.join();
}

Watch::Running::Running(Watch &watch, const std::string &name) : watch(watch) {
  const std::lock_guard<std::mutex> lock(watch.state->mutex);
  slot = watch.state->next++;
  State::Test &test = watch.state->tests[slot];
  test = {name, Clock::now(), Clock::now()};
  currentTest = test.name.c_str(); // maps leave their elements where they are
  // For a stack that is full.
  static thread_local char signalStack[size_t(64) << 10];
  stack_t alternate = {};
  alternate.ss_sp = signalStack;
  alternate.ss_size = sizeof signalStack;
  sigaltstack(&alternate, nullptr);
}

Watch::Running::~Running() {
  const std::lock_guard<std::mutex> lock(watch.state->mutex);
  currentTest = nullptr;
  watch.state->tests.erase(slot);
}
