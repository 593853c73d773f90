//===- Launch.cpp - Programs of a grid on the processor's threads -------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads claim blocks of consecutive programs from one counter, in ascending
// order. Kernels whose programs may wait for others (fact `waits`) run otherwise:
// one program a thread, on as many threads as it takes.
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"
#include "tegula/Runtime/HostCode.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

using namespace tegula::cpu;

namespace {

//===----------------------------------------------------------------------===//
// State of one thread
//===----------------------------------------------------------------------===//

/// Scratch memory of one thread; grows, and is kept for later launches.
class Scratch {
public:
  ~Scratch() { std::free(memory); }
  /// Null when there is not enough memory.
  void *get(uint64_t bytes) {
    if (bytes > capacity) {
      std::free(memory);
      capacity = (bytes + 4095) / 4096 * 4096;
      memory = std::aligned_alloc(64, capacity);
      if (!memory) {
        capacity = 0;
      }
    }
    return memory;
  }

private:
  void *memory = nullptr;
  uint64_t capacity = 0;
};

//===----------------------------------------------------------------------===//
// One launch
//===----------------------------------------------------------------------===//

struct Work {
  const tg_function *function;
  const tg_launch *launch;
  uint64_t total, block;
  Failure failure;
  alignas(64) std::atomic<uint64_t> next{0};
  alignas(64) std::atomic<bool> noMemory{false};
  alignas(64) std::atomic<uint64_t> done{0}; ///< counted for waiting programs only
};

} // namespace

static thread_local Scratch scratch;

/// Runs programs `begin` to `end`, but none behind one that failed.
static void runPrograms(const Work &work, ThreadContext &context, uint64_t begin, uint64_t end) {
  context.program = begin;
  // A failed assertion leaves its program here. Nothing in the frames between has a
  // destructor, and of the variables here only those in `context` have changed.
  if (_setjmp(context.back) != 0) {
    ++context.program;
  }
  const uint32_t *grid = work.launch->grid;
  const uint64_t first = context.program, row = first / grid[0];
  uint32_t pid[3] = {uint32_t(first % grid[0]), uint32_t(row % grid[1]), uint32_t(row / grid[1])};
  for (uint64_t program = first; program < end && program < work.failure.program(); ++program) {
    context.program = program;
    // The kernel gets a copy: what it does to its memory must not move the grid.
    const uint32_t copy[3] = {pid[0], pid[1], pid[2]};
    work.function->entry(work.launch->args, copy, grid, &context);
    if (++pid[0] == grid[0]) {
      pid[0] = 0;
      if (++pid[1] == grid[1]) {
        pid[1] = 0;
        ++pid[2];
      }
    }
  }
}

/// What one thread does for a launch: blocks until there are none left.
static void runBlocks(Work &work) {
  ThreadContext context;
  context.scratch = nullptr;
  context.scratchBytes = work.function->scratchBytes;
  context.services = &kernelServices;
  context.failure = &work.failure;
  uint64_t begin = work.next.fetch_add(work.block, std::memory_order_relaxed);
  if (begin >= work.total) {
    return;
  }
  if (context.scratchBytes > 0) {
    context.scratch = scratch.get(context.scratchBytes);
    if (!context.scratch) {
      work.noMemory.store(true, std::memory_order_relaxed);
      return;
    }
  }
  const tegula::runtime::FloatEnvironment environment;
  while (begin < work.total) {
    const uint64_t end = std::min(begin + work.block, work.total);
    runPrograms(work, context, begin, end);
    if (work.function->waits) {
      work.done.fetch_add(end - begin, std::memory_order_relaxed);
    }
    begin = work.next.fetch_add(work.block, std::memory_order_relaxed);
  }
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

static int defaultThreads() {
  static const int number = tbb::info::default_concurrency();
  return number;
}

/// More threads than processors only come when asked for.
static void allowThreads(int threads) {
  static std::atomic<int> allowed{defaultThreads()};
  if (threads <= allowed.load(std::memory_order_relaxed)) {
    return;
  }
  static std::mutex lock;
  static tbb::global_control *control = nullptr;
  std::lock_guard<std::mutex> guard(lock);
  if (threads > allowed.load(std::memory_order_relaxed)) {
    auto *larger = new tbb::global_control(tbb::global_control::max_allowed_parallelism, threads);
    delete control;
    control = larger;
    allowed.store(threads, std::memory_order_relaxed);
  }
}

/// Each launching thread has an arena of its own, so that launches neither take
/// each other's places nor run each other's programs while they wait.
static tbb::task_arena &arenaFor(int threads) {
  static thread_local std::unique_ptr<tbb::task_arena> arena;
  static thread_local int size = 0;
  if (!arena || size != threads) {
    allowThreads(threads);
    arena = std::make_unique<tbb::task_arena>(threads);
    size = threads;
  }
  return *arena;
}

/// Programs took so little time that waking other threads would take longer.
static bool isTiny(const tg_function &function, uint64_t total) {
  constexpr uint64_t wakeNanoseconds = 8000;
  const uint32_t estimate = __atomic_load_n(&function.programNanoseconds, __ATOMIC_RELAXED);
  return estimate > 0 && total < wakeNanoseconds && estimate * total < wakeNanoseconds;
}

/// Programs that may wait for any other: each becomes a thread's only one, and
/// threads are added while none of them gets on.
static void runWaitingPrograms(Work &work, int threads) {
  constexpr uint64_t mostThreads = 1024, mostScratch = uint64_t(4) << 30;
  const uint64_t scratchBytes = std::max<uint64_t>(work.function->scratchBytes, 1);
  const uint64_t limit = std::min({work.total, mostThreads, mostScratch / scratchBytes});
  const uint64_t first = std::min<uint64_t>(threads, work.total);
  work.block = 1;
  runWaiting([&] { runBlocks(work); }, first, std::max(first, limit), work.done);
}

static void runMany(Work &work, int threads) {
  if (threads == 1) {
    work.block = work.total;
    runBlocks(work);
    return;
  }
  const int places = int(std::min<uint64_t>(threads, work.total));
  work.block = std::clamp<uint64_t>(work.total / (uint64_t(threads) * 8), 1, 1024);
  arenaFor(threads).execute([&] {
    // One task per place and nothing smaller, so that every place can be taken by
    // a thread of its own even while the others are inside programs that wait.
    tbb::parallel_for(
        tbb::blocked_range<int>(0, places, 1),
        [&](const tbb::blocked_range<int> &range) {
          for (int i = range.begin(); i != range.end(); ++i) {
            runBlocks(work);
          }
        },
        tbb::simple_partitioner());
  });
}

tg_plugin_status *tegula::cpu::launch(tg_function *function, const tg_launch *launch, tg_stream *) {
  return guarded([&]() -> tg_plugin_status * {
    if (launch->flags != 0) {
      return fail(TG_UNAVAILABLE, "cooperative and dependent launches are not for CPUs");
    }
    if (launch->args_size < function->argsSize) {
      return fail(TG_INVALID, "expected " + std::to_string(function->argsSize) +
                                  " bytes of arguments, got " + std::to_string(launch->args_size));
    }
    for (int i = 0; i < 3; ++i) {
      if (launch->grid[i] > maxGrid[i]) {
        return fail(TG_OUT_OF_RESOURCES,
                    "expected a grid of at most 2147483647 x 65535 x 65535, got " +
                        std::to_string(launch->grid[0]) + " x " + std::to_string(launch->grid[1]) +
                        " x " + std::to_string(launch->grid[2]));
      }
    }
    Work work;
    work.function = function;
    work.launch = launch;
    work.total = uint64_t(launch->grid[0]) * launch->grid[1] * launch->grid[2];
    if (work.total == 0) {
      return nullptr;
    }
    const int threads = function->threads > 0 ? function->threads : defaultThreads();
    if (work.total == 1) {
      work.block = 1;
      runBlocks(work);
    } else if (function->waits) {
      runWaitingPrograms(work, threads);
    } else {
      const bool tiny = isTiny(*function, work.total);
      const auto start = std::chrono::steady_clock::now();
      runMany(work, tiny ? 1 : threads);
      const uint64_t spent =
          std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
      // Time of one program, as if one thread had done all.
      const uint64_t each =
          spent * (tiny ? 1 : std::min<uint64_t>(threads, work.total)) / work.total;
      __atomic_store_n(&function->programNanoseconds,
                       uint32_t(std::clamp<uint64_t>(each, 1, 1u << 30)), __ATOMIC_RELAXED);
    }
    if (work.noMemory.load(std::memory_order_relaxed)) {
      return fail(TG_OUT_OF_MEMORY, "no memory for " + std::to_string(function->scratchBytes) +
                                        " bytes of scratch per thread");
    }
    if (work.failure.program() != Failure::none) {
      return fail(TG_ASSERTION, work.failure.message());
    }
    return nullptr;
  });
}
