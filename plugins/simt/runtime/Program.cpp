//===- Program.cpp - Turns of the threads of one program ------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "tegula/Runtime/PrintText.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace tegula::simt;

static thread_local Stacks stacks;

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

std::string tegula::simt::sourceOf(const Place *place) {
  const char *end = std::strchr(place->text, '\n');
  return end ? end + 1 : "";
}

std::string tegula::simt::describePlace(const Place *place) {
  const char *end = std::strchr(place->text, '\n');
  const std::string source = sourceOf(place);
  const std::string op(place->text, end ? size_t(end - place->text) : 0);
  return "'" + op + "'" + (source.empty() ? "" : " (" + source + ")");
}

std::string Machine::describe(const Thread &thread) const {
  return "thread " + std::to_string(thread.thread);
}

std::string Machine::describeWait(const Thread &thread) const {
  return describe(thread) + (thread.state == State::Ended
                                 ? std::string(" has ended")
                                 : " waits at " + describePlace(thread.place));
}

//===----------------------------------------------------------------------===//
// Beginning and end
//===----------------------------------------------------------------------===//

static bool hasVariable(const char *name, const char *value) {
  const char *text = std::getenv(name);
  return text && std::strcmp(text, value) == 0;
}

Machine::Machine(const tg_function &function, const tg_launch &launch)
    : function(function), launch(launch), isReversed(hasVariable("TEGULA_SIMT_ORDER", "reverse")),
      threads(function.numThreads), pieces(listPieces()) {
  if (!stacks.reserve(function.numThreads)) {
    throw std::bad_alloc();
  }
  // Aligned to 1024 bytes.
  sharedMemory.reset(new uint8_t[function.sharedBytes + 1024]);
  const auto address = reinterpret_cast<uintptr_t>(sharedMemory.get());
  shared = sharedMemory.get() + (1024 - address % 1024) % 1024;
  if (hasVariable("TEGULA_SIMT_RACES", "1")) {
    races = std::make_unique<Races>(function.sharedBytes);
  }
}

Machine::~Machine() = default;

void Machine::start(void *argument) {
  auto &thread = *static_cast<Thread *>(argument);
  Machine &machine = *thread.machine;
  machine.function.entry(machine.launch.args, &thread);
  machine.wait(thread, State::Ended, nullptr);
}

void Machine::begin(const uint32_t program[3]) {
  // What is read before it is written must not look like a result.
  std::memset(shared, isReversed ? 0xa7 : 0xfb, function.sharedBytes);
  if (races) {
    races->barrier();
  }
  for (uint32_t i = 0; i < threads.size(); ++i) {
    Thread &thread = threads[i];
    thread.services = &kServices;
    thread.shared = shared;
    thread.thread = i;
    thread.warpSize = function.warpSize;
    thread.numThreads = function.numThreads;
    std::copy_n(program, 3, thread.program);
    std::copy_n(launch.grid, 3, thread.grid);
    std::memset(thread.zeros, 0, sizeof thread.zeros);
    thread.machine = this;
    thread.state = State::Ready;
    thread.place = nullptr;
    thread.prints.clear();
    thread.copies.clear();
    thread.groups.clear();
    thread.stack = prepareFiber(stacks.top(i), start, &thread);
  }
}

bool Machine::run(const uint32_t program[3]) {
  begin(program);
  const uint32_t numWarps = function.numThreads / function.warpSize;
  do {
    for (uint32_t i = 0; i < numWarps && code == 0; ++i) {
      const uint32_t warp = isReversed ? numWarps - 1 - i : i;
      do {
        runReady(warp);
      } while (code == 0 && completeWarp(warp));
    }
  } while (code == 0 && completeProgram());
  flushPrints();
  return code == 0;
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

void Machine::runReady(uint32_t warp) {
  Thread *lanes = &threads[warp * function.warpSize];
  for (uint32_t i = 0; i < function.warpSize && code == 0; ++i) {
    Thread &thread = lanes[isReversed ? function.warpSize - 1 - i : i];
    if (thread.state == State::Ready) {
      tegula_simt_switch(&scheduler, thread.stack);
    }
  }
}

void Machine::wait(Thread &thread, State state, const Place *place) {
  thread.state = state;
  thread.place = place;
  tegula_simt_switch(&thread.stack, scheduler);
}

void Machine::failAt(const Thread &thread, std::string why, const Place *place) {
  const std::string source = sourceOf(place);
  failWith(TG_LAUNCH_FAILED, (source.empty() ? "" : source + ": ") + "kernel '" + function.name +
                                 "', program " + tegula::runtime::describeProgram(thread.program) +
                                 ", " + describe(thread) + ": " + std::move(why));
}

void Machine::failWith(uint32_t newCode, std::string why) {
  if (code == 0) {
    code = newCode;
    text = std::move(why);
  }
}

void Machine::reportDivergence(const std::vector<const Thread *> &group, const char *what) {
  const Thread &first = *group.front();
  const auto other = std::find_if(group.begin(), group.end(), [&](const Thread *thread) {
    return thread->state != first.state || thread->place != first.place;
  });
  failWith(TG_LAUNCH_FAILED, "kernel '" + function.name + "', program " +
                                 tegula::runtime::describeProgram(first.program) +
                                 ": threads of one " + what +
                                 " have gone different ways: " + describeWait(first) + ", " +
                                 describeWait(other == group.end() ? first : **other));
}

bool Machine::completeWarp(uint32_t warp) {
  Thread *lanes = &threads[warp * function.warpSize];
  std::vector<const Thread *> group;
  bool isAny = false, isSame = true;
  for (uint32_t i = 0; i < function.warpSize; ++i) {
    group.push_back(&lanes[i]);
    isAny |= lanes[i].state == State::Warp;
    isSame &= lanes[i].state == lanes[0].state && lanes[i].place == lanes[0].place;
  }
  if (!isAny) {
    return false;
  }
  if (!isSame) {
    reportDivergence(group, "warp");
    return false;
  }
  switch (lanes[0].wish) {
  case Thread::Wish::Shuffle:
    completeShuffle(lanes);
    break;
  case Thread::Wish::Mma:
    completeMma(lanes);
    break;
  case Thread::Wish::LoadMatrix:
    if (!completeLoadMatrix(lanes)) {
      return false;
    }
    break;
  }
  for (uint32_t i = 0; i < function.warpSize; ++i) {
    lanes[i].state = State::Ready;
  }
  return true;
}

bool Machine::completeProgram() {
  std::vector<const Thread *> group;
  bool isSame = true;
  for (const Thread &thread : threads) {
    group.push_back(&thread);
    isSame &= thread.state == threads[0].state && thread.place == threads[0].place;
  }
  if (!isSame) {
    const bool ended = std::all_of(group.begin(), group.end(), [](const Thread *thread) {
      return thread->state == State::Ended;
    });
    if (!ended) {
      reportDivergence(group, "program");
    }
    return false;
  }
  switch (threads[0].state) {
  case State::Barrier:
    break;
  case State::Ended:
    checkCopies();
    return false;
  case State::Assertion:
    if (!checkAssertion()) {
      return false;
    }
    break;
  default:
    return false;
  }
  if (races) {
    races->barrier();
  }
  for (Thread &thread : threads) {
    thread.state = State::Ready;
  }
  return true;
}

void Machine::checkCopies() {
  for (const Thread &thread : threads) {
    if (!thread.groups.empty() || !thread.copies.empty()) {
      const Copy &copy =
          thread.copies.empty() ? thread.groups.front().front() : thread.copies.front();
      failAt(thread,
             "expected a wait for each copy, got an end before one for " +
                 describePlace(copy.place),
             copy.place);
      return;
    }
  }
}

bool Machine::checkAssertion() {
  const Thread *first = nullptr;
  for (const Thread &thread : threads) {
    if (!thread.holds && (!first || thread.index < first->index)) {
      first = &thread;
    }
  }
  if (!first) {
    return true;
  }
  failAssertion(*first, first->place);
  return false;
}

void Machine::failAssertion(const Thread &thread, const Place *place) {
  const AssertRecord &record = *thread.assertion;
  const auto *extents = reinterpret_cast<const char *>(&record + 1);
  const std::string message(extents + sizeof(uint32_t) * record.rank, record.messageSize);
  std::string text = sourceOf(place);
  text += (text.empty() ? "assertion failed in program " : ": assertion failed in program ") +
          tegula::runtime::describeProgram(thread.program);
  if (record.rank > 0) {
    text += " at element " + tegula::runtime::describeIndices(extents, record.rank, thread.index,
                                                              /*isAligned=*/false);
  }
  failWith(TG_ASSERTION, text + (message.empty() ? "" : ": ") + message);
}

void Machine::assertAlone(Thread &thread, const Place *place) {
  if (!thread.holds) {
    failAssertion(thread, place);
    wait(thread, State::Ended, place);
  }
}
