//===- Waiting.cpp - Threads for programs that wait for each other ------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A barrier of all programs of a grid needs all of them at once; a lock needs
// only that its holder runs. Which of them a kernel has cannot be told from
// outside, so that threads are added when no program has ended for a while.
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <thread>
#include <vector>

void tegula::cpu::runWaiting(const std::function<void()> &body, uint64_t threads, uint64_t limit,
                             const std::atomic<uint64_t> &done) {
  constexpr auto patience = std::chrono::milliseconds(5);
  std::mutex lock;
  std::condition_variable changed;
  uint64_t running = 0;
  std::vector<std::thread> all;
  all.reserve(limit);
  const auto add = [&] {
    {
      const std::lock_guard<std::mutex> guard(lock);
      ++running;
    }
    all.emplace_back([&] {
      body();
      const std::lock_guard<std::mutex> guard(lock);
      --running;
      changed.notify_one();
    });
  };
  const auto addUpTo = [&](uint64_t count) {
    while (all.size() < count) {
      try {
        add();
      } catch (const std::exception &) {
        // No more threads on this system; those there are go on.
        const std::lock_guard<std::mutex> guard(lock);
        --running;
        return;
      }
    }
  };
  addUpTo(threads);
  if (all.empty()) {
    body();
  }
  uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock<std::mutex> guard(lock);
      if (changed.wait_for(guard, patience, [&] { return running == 0; })) {
        break;
      }
    }
    const uint64_t now = done.load(std::memory_order_relaxed);
    if (now == seen && all.size() < limit) {
      addUpTo(std::min<uint64_t>(2 * all.size(), limit));
    }
    seen = now;
  }
  for (std::thread &thread : all) {
    thread.join();
  }
}
