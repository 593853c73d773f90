//===- CrashRecoveryTest.cpp - Work that crashes leaves the process alone ---===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Compiler/CrashRecovery.h"

#include "llvm/Support/ErrorHandling.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <sys/mman.h>
#include <thread>
#include <vector>

using tegula::compiler::CallingThread;
using tegula::compiler::runProtected;

TEST(CrashRecovery, SuccessIsNullopt) {
  int value = 0;
  EXPECT_EQ(runProtected([&] { value = 7; }), std::nullopt);
  EXPECT_EQ(value, 7);
}

TEST(CrashRecovery, ReasonsAreNamed) {
  EXPECT_EQ(runProtected([] { std::abort(); }), "abort");
  EXPECT_EQ(runProtected([] { raise(SIGSEGV); }), "invalid memory access or stack overflow");
  EXPECT_EQ(runProtected([] { raise(SIGFPE); }), "arithmetic fault");
  EXPECT_EQ(runProtected([] { raise(SIGILL); }), "a failed internal check");
  EXPECT_EQ(runProtected([] { llvm::report_fatal_error("no such thing"); }), "no such thing");
  EXPECT_EQ(runProtected([] { llvm::report_fatal_error("exits", false); }), "exits");
}

__attribute__((noinline)) static int recurse(volatile int *above) {
  volatile int here[1024];
  here[0] = *above + 1;
  return *above < 0 ? 0 : recurse(here) + here[1];
}

TEST(CrashRecovery, StackOverflow) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(runProtected([] {
                volatile int zero = 0;
                recurse(&zero);
              }),
              "invalid memory access or stack overflow");
  }
}

/// Frames far larger than a page, of which only the lower end is touched.
__attribute__((noinline)) static int stride(volatile int *above) {
  volatile int here[(256 << 10) / sizeof(int)];
  here[0] = *above + 1;
  return *above < 0 ? 0 : stride(here) + here[1];
}

TEST(CrashRecovery, AnOverflowStaysOffItsNeighbours) {
  constexpr size_t size = size_t(16) << 20;
  for (int i = 0; i < 3; ++i) {
    // The newest mapping lies below the others, so next to the stack.
    void *neighbour = MAP_FAILED;
    EXPECT_EQ(runProtected([&] {
                neighbour =
                    mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                volatile int zero = 0;
                stride(&zero);
              }),
              "invalid memory access or stack overflow");
    ASSERT_NE(neighbour, MAP_FAILED);
    const char *bytes = static_cast<const char *>(neighbour);
    EXPECT_EQ(std::count(bytes, bytes + size, 0), ptrdiff_t(size));
    munmap(neighbour, size);
  }
}

TEST(CrashRecovery, StackSizeIsHonoured) {
  EXPECT_EQ(runProtected(
                [] {
                  volatile char big[48 << 20];
                  for (size_t i = 0; i < sizeof big; i += 4096) {
                    big[i] = 1;
                  }
                },
                nullptr, size_t(64) << 20),
            std::nullopt);
}

TEST(CrashRecovery, HandlersOfTheProcessComeBack) {
  struct sigaction before, after;
  sigaction(SIGSEGV, nullptr, &before);
  EXPECT_NE(runProtected([] { raise(SIGSEGV); }), std::nullopt);
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST(CrashRecovery, CallbacksRunOnTheCallingThread) {
  const std::thread::id here = std::this_thread::get_id();
  std::vector<std::thread::id> seen;
  CallingThread caller;
  EXPECT_EQ(runProtected(
                [&] {
                  EXPECT_NE(std::this_thread::get_id(), here);
                  for (int i = 0; i < 100; ++i) {
                    caller.run([&] { seen.push_back(std::this_thread::get_id()); });
                  }
                },
                &caller),
            std::nullopt);
  EXPECT_EQ(seen, std::vector<std::thread::id>(100, here));
  // Outside of protected work a task just runs.
  caller.run([&] { seen.clear(); });
  EXPECT_TRUE(seen.empty());
}

TEST(CrashRecovery, CrashAfterCallbacks) {
  CallingThread caller;
  int calls = 0;
  EXPECT_EQ(runProtected(
                [&] {
                  caller.run([&] { ++calls; });
                  std::abort();
                },
                &caller),
            "abort");
  EXPECT_EQ(calls, 1);
}

TEST(CrashRecovery, ManyAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> crashed = 0, fine = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 20; ++k) {
        std::optional<std::string> crash = runProtected([&] {
          if ((i + k) % 2) {
            std::abort();
          }
        });
        ++(crash ? crashed : fine);
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(crashed, 80);
  EXPECT_EQ(fine, 80);
}

TEST(CrashRecovery, NestedCrashStaysInside) {
  EXPECT_EQ(runProtected([] { EXPECT_EQ(runProtected([] { std::abort(); }), "abort"); }),
            std::nullopt);
}
