//===- DeviceLossTest.cpp - Devices that are lost, and many threads ---------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device that is lost stays so, hence a process for each test.
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include <atomic>
#include <cstdio>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tegula::test;

static constexpr const char *twoDevices = "device fake lose=3 delay=1000; device fake";

static bool isLost(tg_device *device) {
  int lost = -1;
  EXPECT_EQ(textOf(tg_device_is_lost(device, &lost)), "");
  return lost == 1;
}

static bool saysLost(tg_status *status) {
  const std::string text = failure(status, TG_DEVICE_LOST);
  EXPECT_TRUE(text.ends_with("[device-lost]")) << text;
  return text.find("'Fake device' does not answer (FAKE_ERROR_DEVICE_LOST, code 999; ") !=
         std::string::npos;
}

// The third of five programs takes the device away. Everything of it fails from then
// on, freeing does not, and the other device goes on.
static void loseInMidStream() {
  tg_device *one = device(0), *other = device(1);
  tg_buffer *memory = buffer(one, 64), *theirs = buffer(other, 64);
  tg_kernel *add = load("add", one), *adds = load("add", other);
  tg_device_stream *line = stream(one);
  tg_device_event *point = event(one), *later = event(one);
  ASSERT_EQ(textOf(tg_buffer_fill(memory, 0, 0, 64, line)), "");
  ASSERT_EQ(textOf(tg_buffer_fill(theirs, 0, 0, 64, nullptr)), "");
  EXPECT_FALSE(isLost(one));
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(textOf(run(add, memory, 1, 16, line)), "");
    ASSERT_EQ(textOf(run(adds, theirs, 1, 16)), "");
  }
  ASSERT_EQ(textOf(tg_event_record(point, line)), "");
  const std::string first = failure(tg_stream_sync(line), TG_DEVICE_LOST);
  EXPECT_NE(first.find("; the kernel launched last was 'add'"), first.npos) << first;
  EXPECT_TRUE(isLost(one));
  EXPECT_EQ(count(0, "programs"), 3u); // the fourth and the fifth never ran

  int done = 0;
  uint64_t time = 0;
  uint32_t word = 0;
  tg_buffer *more = nullptr;
  tg_device_stream *stream = nullptr;
  tg_device_event *event = nullptr;
  tg_kernel *kernel = nullptr;
  const tg_artifact made = artifact("add");
  const uint32_t grid[3] = {1, 1, 1};
  const Args args = {};
  EXPECT_TRUE(saysLost(run(add, memory, 1, 16, line)));
  EXPECT_TRUE(saysLost(tg_kernel_launch(add, grid, &args, sizeof args, nullptr)));
  EXPECT_TRUE(saysLost(tg_kernel_load(&made, one, &kernel)));
  EXPECT_TRUE(saysLost(tg_buffer_new(one, 4, TG_MEM_DEVICE, &more)));
  EXPECT_TRUE(saysLost(tg_buffer_write(memory, 0, &word, 4, nullptr)));
  EXPECT_TRUE(saysLost(tg_buffer_read(memory, 0, &word, 4, line)));
  EXPECT_TRUE(saysLost(tg_buffer_fill(memory, 0, 0, 4, nullptr)));
  EXPECT_TRUE(saysLost(tg_buffer_copy(theirs, 0, memory, 0, 4, nullptr)));
  EXPECT_TRUE(saysLost(tg_buffer_copy(memory, 0, theirs, 0, 4, nullptr)));
  EXPECT_TRUE(saysLost(tg_stream_new(one, &stream)));
  EXPECT_TRUE(saysLost(tg_stream_wrap(one, nullptr, &stream)));
  EXPECT_TRUE(saysLost(tg_stream_sync(line)));
  EXPECT_TRUE(saysLost(tg_stream_is_done(line, &done)));
  EXPECT_TRUE(saysLost(tg_stream_wait(line, point)));
  EXPECT_TRUE(saysLost(tg_event_new(one, 0, &event)));
  EXPECT_TRUE(saysLost(tg_event_record(later, nullptr)));
  EXPECT_TRUE(saysLost(tg_event_sync(point)));
  EXPECT_TRUE(saysLost(tg_event_is_done(point, &done)));
  EXPECT_TRUE(saysLost(tg_event_elapsed(point, point, &time)));
  EXPECT_TRUE(saysLost(tg_device_sync(one)));
  EXPECT_TRUE(saysLost(tg_device_print(one)));
  EXPECT_EQ(more, nullptr);
  EXPECT_EQ(stream, nullptr);
  EXPECT_EQ(event, nullptr);
  EXPECT_EQ(kernel, nullptr);

  // It is still there to be named, and the other one works.
  tg_device_info info = {};
  info.struct_size = sizeof info;
  EXPECT_EQ(textOf(tg_device_info_get(one, &info)), "");
  size_t number = 0;
  EXPECT_EQ(textOf(tg_device_list("fake", nullptr, 0, &number)), "");
  EXPECT_EQ(number, 2u);
  EXPECT_EQ(wordsOf(theirs), std::vector<uint32_t>(16, 5));
  EXPECT_EQ(textOf(run(adds, theirs, 1, 16)), "");
  EXPECT_EQ(wordsOf(theirs), std::vector<uint32_t>(16, 6));
  EXPECT_FALSE(isLost(other));

  tg_event_free(point);
  tg_buffer_free(memory);
  tg_kernel_free(add);
  tg_stream_free(line);
  tg_event_free(later);
  tg_buffer_free(theirs);
  tg_kernel_free(adds);
  expectNothingLeft(0);
  expectNothingLeft(1);
}

TEST(DeviceLoss, InMidStreamLeavesTheOthers) { IN_NEW_PROCESS(twoDevices, loseInMidStream); }

// A fault tells what it was, and only what comes after it finds the device gone.
TEST(DeviceLoss, FollowsAFaultOfAKernel) {
  IN_NEW_PROCESS("device fake", [] {
    tg_kernel *fault = load("fault", device(0));
    ASSERT_EQ(textOf(run(fault, nullptr, 0, 0)), "");
    const std::string cause = "device fake:0: kernel 'fault': fault (FAKE_ERROR_ILLEGAL_ADDRESS, "
                              "code 700; stream_sync of plugin 'fake')";
    EXPECT_EQ(failure(tg_device_sync(device(0)), TG_LAUNCH_FAILED), cause + " [device-failure]");
    EXPECT_EQ(failure(run(fault, nullptr, 0, 0), TG_DEVICE_LOST),
              "kernel 'fault': device fake:0 is lost: " + cause + " [device-lost]");
    tg_status *status = tg_device_sync(device(0));
    EXPECT_STREQ(tg_status_hint(status), "use another device, or start the process again");
    tg_status_free(status);
    tg_kernel_free(fault);
    expectNothingLeft(0);
  });
}

// A kernel on memory of another device, or on memory that is freed, is a fault.
TEST(DeviceLoss, FollowsMemoryOfAnotherDevice) {
  IN_NEW_PROCESS("device fake; device fake", [] {
    tg_kernel *fill = load("fill", device(0));
    tg_buffer *theirs = buffer(device(1), 64);
    ASSERT_EQ(textOf(run(fill, theirs, 1, 16)), "");
    EXPECT_TRUE(failure(tg_device_sync(device(0)), TG_LAUNCH_FAILED)
                    .starts_with("device fake:0: kernel 'fill': an illegal address"));
    EXPECT_TRUE(isLost(device(0)));
    EXPECT_FALSE(isLost(device(1)));
    tg_kernel_free(fill);
    tg_buffer_free(theirs);
  });
}

// The plugin may say it when asked, with no call having failed.
TEST(DeviceLoss, IsSeenByAsking) {
  IN_NEW_PROCESS("device fake", [] {
    tg_buffer *memory = buffer(device(0), 4);
    EXPECT_FALSE(isLost(device(0)));
    control("lose 0");
    EXPECT_TRUE(isLost(device(0)));
    EXPECT_EQ(failure(tg_device_sync(device(0)), TG_DEVICE_LOST),
              "device fake:0 is lost: its driver says so [device-lost]");
    tg_buffer_free(memory);
    expectNothingLeft(0);
  });
}

TEST(DeviceLoss, OfAContextThatIsNotThereYet) {
  IN_NEW_PROCESS(
      "device fake; device fake; fail adopt_primary_context device=0 code=device-lost", [] {
        tg_buffer *made = nullptr;
        EXPECT_EQ(failure(tg_buffer_new(device(0), 4, TG_MEM_DEVICE, &made), TG_DEVICE_LOST),
                  "device fake:0: planned failure (FAKE_ERROR_PLANNED, code 913; "
                  "adopt_primary_context of plugin 'fake') [device-lost]");
        EXPECT_TRUE(isLost(device(0)));
        tg_buffer_free(buffer(device(1), 4));
      });
}

// A thread that waits wakes up when another loses the device.
TEST(DeviceLoss, WakesThoseThatWait) {
  IN_NEW_PROCESS("device fake delay=50000", [] {
    tg_kernel *empty = load("empty", device(0));
    for (int i = 0; i < 100; ++i) { // five seconds of work
      ASSERT_EQ(textOf(run(empty, nullptr, 0, 0)), "");
    }
    const auto start = std::chrono::steady_clock::now();
    std::thread other([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      control("lose 0");
    });
    EXPECT_TRUE(saysLost(tg_device_sync(device(0))));
    other.join();
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
    tg_kernel_free(empty);
  });
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

static constexpr int numThreads = 8, numDevices = 4, numRounds = 200;

/// One thread: each of its rounds on every device, in streams and buffers of its own.
static void work(std::atomic<int> &wrong) {
  for (int ordinal = 0; ordinal < numDevices; ++ordinal) {
    tg_device *one = device(ordinal);
    tg_device_stream *line = stream(one);
    tg_buffer *memory = buffer(one, 64);
    tg_kernel *add = load("add", one);
    tg_device_event *point = event(one);
    EXPECT_EQ(textOf(tg_buffer_fill(memory, 0, 0, 64, line)), "");
    for (int i = 0; i < numRounds; ++i) {
      EXPECT_EQ(textOf(run(add, memory, 1, 16, line)), "");
      if (i % 50 == 0) {
        EXPECT_EQ(textOf(tg_event_record(point, line)), "");
        EXPECT_EQ(textOf(tg_event_sync(point)), "");
      }
    }
    wrong += wordsOf(memory, line) != std::vector<uint32_t>(16, numRounds);
    tg_event_free(point);
    tg_kernel_free(add);
    tg_buffer_free(memory);
    tg_stream_free(line);
  }
}

TEST(DeviceThreads, UseAllDevicesAtOnce) {
  IN_NEW_PROCESS("device fake; device fake; device fake; device fake", [] {
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < numThreads; ++i) {
      threads.emplace_back([&] { work(wrong); });
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
    EXPECT_EQ(wrong, 0);
    for (int i = 0; i < numDevices; ++i) {
      EXPECT_EQ(count(i, "programs"), uint64_t(numThreads * numRounds));
      EXPECT_EQ(count(i, "live-contexts"), 1u);
      expectNothingLeft(i);
    }
  });
}

// One kernel, one device, many threads, and a failure now and then: each goes to the
// thread whose call it was.
TEST(DeviceThreads, GetTheirOwnErrors) {
  IN_NEW_PROCESS("device fake", [] {
    tg_kernel *empty = load("empty", device(0));
    control("fail launch device=0 at=100 times=10 code=timeout");
    std::atomic<int> failed{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < numThreads; ++i) {
      threads.emplace_back([&] {
        const uint32_t grid[3] = {1, 1, 1};
        for (int k = 0; k < numRounds; ++k) {
          tg_status *status = tg_kernel_launch(empty, grid, nullptr, 0, nullptr);
          failed += status != nullptr;
          tg_status_free(status);
        }
      });
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
    EXPECT_EQ(failed, 10);
    EXPECT_EQ(textOf(tg_device_sync(device(0))), "");
    EXPECT_EQ(count(0, "programs"), uint64_t(numThreads * numRounds - 10));
    tg_kernel_free(empty);
  });
}

// The first calls of a process, from many threads.
TEST(DeviceThreads, MakeEachDeviceOnce) {
  IN_NEW_PROCESS("device fake; device fake", [] {
    std::vector<std::thread> threads;
    std::atomic<tg_device *> first{nullptr};
    for (int i = 0; i < numThreads; ++i) {
      threads.emplace_back([&] {
        tg_device *mine = device(1), *none = nullptr;
        EXPECT_TRUE(first.compare_exchange_strong(none, mine) || none == mine);
        tg_buffer_free(buffer(mine, 16));
      });
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
    EXPECT_EQ(count(-1, "open"), 1u);
    EXPECT_EQ(count(1, "live-contexts"), 1u);
  });
}

// A child has none of the threads that may be opening plugins and drivers.
static void forkWhileOpening() {
  for (int round = 0; round < 20; ++round) {
    const pid_t process = fork();
    if (process == 0) { // in which nothing is open yet
      alarm(20);
      std::thread thread([] { device(0); });
      usleep(useconds_t(round) * 200);
      const pid_t child = fork();
      if (child == 0) {
        alarm(10);
        device(0);
        _exit(0);
      }
      int status = 1;
      waitpid(child, &status, 0);
      thread.join();
      _exit(status != 0);
    }
    int status = 1;
    waitpid(process, &status, 0);
    EXPECT_EQ(status, 0) << "round " << round;
  }
}

TEST(DeviceThreads, MayBeAtItWhileTheProcessForks) {
  IN_NEW_PROCESS("device fake", forkWhileOpening);
}
