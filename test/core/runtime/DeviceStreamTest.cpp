//===- DeviceStreamTest.cpp - Streams and events of devices -----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include <thread>

using namespace tegula::test;

namespace {
class Streams : public Devices {};
} // namespace

static bool isDone(tg_device_stream *stream) {
  int done = -1;
  EXPECT_EQ(textOf(tg_stream_is_done(stream, &done)), "");
  return done == 1;
}

static bool isDone(tg_device_event *event) {
  int done = -1;
  EXPECT_EQ(textOf(tg_event_is_done(event, &done)), "");
  return done == 1;
}

TEST_F(Streams, RunTheirWorkInOrder) {
  tg_device *one = device(3); // takes its time
  tg_buffer *words = buffer(one, 4 * 16);
  tg_device_stream *line = stream(one);
  tg_kernel *add = load("add", one), *check = load("check", one);
  ASSERT_EQ(textOf(tg_buffer_fill(words, 0, 1, 64, line)), "");
  for (uint32_t i = 0; i < 5; ++i) {
    ASSERT_EQ(textOf(run(check, words, 1 + i, 0, line)), "");
    ASSERT_EQ(textOf(run(add, words, 1, 16, line)), "");
  }
  EXPECT_FALSE(isDone(line));
  EXPECT_EQ(textOf(tg_stream_sync(line)), "");
  EXPECT_TRUE(isDone(line));
  EXPECT_EQ(wordsOf(words), std::vector<uint32_t>(16, 6));
  tg_kernel_free(add);
  tg_kernel_free(check);
  tg_stream_free(line);
  tg_buffer_free(words);
}

TEST_F(Streams, WriteTakesTheDataAtOnce) {
  tg_device *one = device(3);
  tg_buffer *words = buffer(one, 4);
  tg_device_stream *line = stream(one);
  uint32_t value = 5;
  ASSERT_EQ(textOf(tg_buffer_write(words, 0, &value, 4, line)), "");
  value = 6;
  EXPECT_EQ(wordsOf(words, line).front(), 5u);
  tg_stream_free(line);
  tg_buffer_free(words);
}

TEST_F(Streams, WaitForEventsOfOtherStreams) {
  tg_device *one = device(0);
  tg_buffer *words = buffer(one, 64);
  tg_device_stream *first = stream(one), *second = stream(one);
  tg_device_event *filled = event(one);
  tg_kernel *slow = load("slow", one), *add = load("add", one);
  ASSERT_EQ(textOf(run(slow, words, 10, 16, first)), "");
  ASSERT_EQ(textOf(tg_event_record(filled, first)), "");
  ASSERT_EQ(textOf(tg_stream_wait(second, filled)), "");
  ASSERT_EQ(textOf(run(add, words, 1, 16, second)), "");
  EXPECT_EQ(textOf(tg_stream_sync(second)), "");
  EXPECT_EQ(wordsOf(words), std::vector<uint32_t>(16, 11));
  EXPECT_LT(trace().find("run slow"), trace().find("run add"));
  tg_kernel_free(slow);
  tg_kernel_free(add);
  tg_event_free(filled);
  tg_stream_free(first);
  tg_stream_free(second);
  tg_buffer_free(words);
}

TEST_F(Streams, WaitForEventsOfOtherDevicesOfTheKind) {
  tg_device_stream *first = stream(device(0)), *second = stream(device(1));
  tg_device_stream *other = stream(device(0, "fake-npu"));
  tg_device_event *happened = event(device(0), 0);
  tg_kernel *slow = load("slow", device(0)), *say = load("empty", device(1));
  tg_buffer *words = buffer(device(0), 64);
  ASSERT_EQ(textOf(run(slow, words, 1, 16, first)), "");
  ASSERT_EQ(textOf(tg_event_record(happened, first)), "");
  ASSERT_EQ(textOf(tg_stream_wait(second, happened)), "");
  ASSERT_EQ(textOf(run(say, nullptr, 0, 0, second)), "");
  EXPECT_EQ(textOf(tg_stream_sync(second)), "");
  EXPECT_LT(trace().find("run slow"), trace().find("run empty"));
  EXPECT_EQ(failure(tg_stream_wait(other, happened), TG_INVALID),
            "expected an event of device fake-npu:0, got one of fake:0 [other-device]");
  tg_kernel_free(slow);
  tg_kernel_free(say);
  tg_buffer_free(words);
  tg_event_free(happened);
  tg_stream_free(first);
  tg_stream_free(second);
  tg_stream_free(other);
}

TEST_F(Streams, FreedEarlyStillRunTheirWork) {
  tg_device *one = device(3);
  tg_buffer *words = buffer(one, 64);
  tg_device_stream *line = stream(one);
  tg_kernel *fill = load("fill", one);
  ASSERT_EQ(textOf(run(fill, words, 77, 16, line)), "");
  tg_stream_free(line);
  EXPECT_EQ(textOf(tg_device_sync(one)), "");
  EXPECT_EQ(wordsOf(words), std::vector<uint32_t>(16, 77));
  tg_kernel_free(fill);
  tg_buffer_free(words);
}

TEST_F(Streams, OfTheDefaultAndOthersEndWithTheDevice) {
  tg_device *one = device(3);
  tg_buffer *words = buffer(one, 128);
  tg_device_stream *line = stream(one);
  tg_kernel *fill = load("fill", one);
  ASSERT_EQ(textOf(run(fill, words, 1, 16, line)), "");
  ASSERT_EQ(textOf(run(fill, words, 2, 8)), "");
  EXPECT_EQ(textOf(tg_device_sync(one)), "");
  EXPECT_TRUE(isDone(line));
  EXPECT_EQ(count(3, "programs"), 2u);
  tg_kernel_free(fill);
  tg_stream_free(line);
  tg_buffer_free(words);
}

TEST_F(Streams, MayBeWrapped) {
  int native = 0;
  tg_device_stream *line = nullptr;
  ASSERT_EQ(textOf(tg_stream_wrap(device(0), &native, &line)), "");
  EXPECT_EQ(textOf(tg_stream_sync(line)), "");
  tg_stream_free(line);
  tg_stream_free(nullptr);
}

TEST_F(Streams, RefuseNullPointers) {
  tg_device_stream *line = stream(device(0));
  tg_device_event *point = event(device(0));
  int done = 0;
  const std::string noStream = "expected a stream, got a null pointer [null-pointer]";
  const std::string noEvent = "expected an event, got a null pointer [null-pointer]";
  const std::string noDevice = "expected a device, got a null pointer [null-pointer]";
  const std::string noAnswer = "expected a place for the answer, got a null pointer [null-pointer]";
  tg_device_stream *made = nullptr;
  tg_device_event *other = nullptr;
  uint64_t time = 0;
  EXPECT_EQ(textOf(tg_stream_new(nullptr, &made)), noDevice);
  EXPECT_EQ(textOf(tg_stream_new(device(0), nullptr)),
            "expected a place for the stream, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_stream_wrap(nullptr, nullptr, &made)), noDevice);
  EXPECT_EQ(textOf(tg_stream_sync(nullptr)), noStream);
  EXPECT_EQ(textOf(tg_stream_is_done(nullptr, &done)), noStream);
  EXPECT_EQ(textOf(tg_stream_is_done(line, nullptr)), noAnswer);
  EXPECT_EQ(textOf(tg_stream_wait(nullptr, point)), noStream);
  EXPECT_EQ(textOf(tg_stream_wait(line, nullptr)), noEvent);
  EXPECT_EQ(textOf(tg_event_new(nullptr, 0, &other)), noDevice);
  EXPECT_EQ(textOf(tg_event_new(device(0), 0, nullptr)),
            "expected a place for the event, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_event_record(nullptr, line)), noEvent);
  EXPECT_EQ(textOf(tg_event_sync(nullptr)), noEvent);
  EXPECT_EQ(textOf(tg_event_is_done(nullptr, &done)), noEvent);
  EXPECT_EQ(textOf(tg_event_is_done(point, nullptr)), noAnswer);
  EXPECT_EQ(textOf(tg_event_elapsed(point, nullptr, &time)), noEvent);
  EXPECT_EQ(textOf(tg_event_elapsed(point, point, nullptr)),
            "expected a place for the time, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_device_sync(nullptr)), noDevice);
  EXPECT_EQ(textOf(tg_device_print(nullptr)), noDevice);
  tg_stream_free(line);
  tg_event_free(point);
  tg_event_free(nullptr);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

TEST_F(Streams, EventsHappenInTheirPlace) {
  tg_device *one = device(0);
  tg_buffer *words = buffer(one, 64);
  tg_device_event *point = event(one, 0);
  tg_kernel *slow = load("slow", one);
  EXPECT_TRUE(isDone(point)); // nothing to wait for
  EXPECT_EQ(textOf(tg_event_sync(point)), "");
  ASSERT_EQ(textOf(run(slow, words, 4, 16)), "");
  ASSERT_EQ(textOf(tg_event_record(point, nullptr)), "");
  EXPECT_FALSE(isDone(point));
  EXPECT_EQ(textOf(tg_event_sync(point)), "");
  EXPECT_TRUE(isDone(point));
  EXPECT_EQ(wordsOf(words).front(), 4u);
  tg_kernel_free(slow);
  tg_event_free(point);
  tg_buffer_free(words);
}

TEST_F(Streams, EventsTellTheTimeBetween) {
  tg_device *one = device(0);
  tg_buffer *words = buffer(one, 64);
  tg_device_event *start = event(one), *end = event(one);
  tg_kernel *slow = load("slow", one);
  uint64_t time = 0;
  ASSERT_EQ(textOf(tg_event_record(start, nullptr)), "");
  ASSERT_EQ(textOf(run(slow, words, 4, 16)), "");
  ASSERT_EQ(textOf(tg_event_record(end, nullptr)), "");
  ASSERT_EQ(textOf(tg_event_sync(start)), "");
  EXPECT_EQ(failure(tg_event_elapsed(start, end, &time), TG_INVALID),
            "expected events that have happened, got the second still waited for [event-not-done]");
  ASSERT_EQ(textOf(tg_event_sync(end)), "");
  ASSERT_EQ(textOf(tg_event_elapsed(start, end, &time)), "");
  EXPECT_GE(time, 20'000'000u);
  ASSERT_EQ(textOf(tg_event_elapsed(end, start, &time)), "");
  EXPECT_EQ(time, 0u); // never negative
  tg_kernel_free(slow);
  tg_event_free(start);
  tg_event_free(end);
  tg_buffer_free(words);
}

TEST_F(Streams, EventsWithoutATimeTellNone) {
  tg_device_event *timed = event(device(0)), *plain = event(device(0), 0);
  tg_device_event *foreign = event(device(1));
  uint64_t time = 0;
  EXPECT_EQ(failure(tg_event_elapsed(timed, plain, &time), TG_INVALID),
            "expected events with TG_EVENT_TIMING, got the second without it [event-not-timed]");
  EXPECT_EQ(failure(tg_event_elapsed(plain, timed, &time), TG_INVALID),
            "expected events with TG_EVENT_TIMING, got the first without it [event-not-timed]");
  EXPECT_EQ(failure(tg_event_elapsed(timed, timed, &time), TG_INVALID),
            "expected events that have happened, got the first not recorded [event-not-done]");
  EXPECT_EQ(failure(tg_event_elapsed(timed, foreign, &time), TG_INVALID),
            "expected the second event of device fake:0, got one of fake:1 [other-device]");
  tg_device_stream *line = stream(device(1));
  EXPECT_EQ(failure(tg_event_record(timed, line), TG_INVALID),
            "expected the stream of device fake:0, got one of fake:1 [other-device]");
  EXPECT_EQ(hintOf(tg_event_elapsed(timed, plain, &time)), "make both with TG_EVENT_TIMING");
  EXPECT_EQ(hintOf(tg_event_elapsed(timed, timed, &time)),
            "record both, and wait for the second with tg_event_sync");
  EXPECT_EQ(hintOf(tg_event_record(timed, line)), "make one for each device");
  tg_device_event *made = nullptr;
  EXPECT_EQ(failure(tg_event_new(device(0), 6, &made), TG_INVALID),
            "expected the flags of an event to be 0 or TG_EVENT_TIMING, got 6 [api-argument]");
  tg_stream_free(line);
  tg_event_free(timed);
  tg_event_free(plain);
  tg_event_free(foreign);
}

TEST_F(Streams, EventsMayBeFreedWhileAwaited) {
  tg_device *one = device(0);
  tg_device_stream *first = stream(one), *second = stream(one);
  tg_device_event *point = event(one);
  tg_kernel *slow = load("slow", one);
  tg_buffer *words = buffer(one, 64);
  ASSERT_EQ(textOf(run(slow, words, 1, 16, first)), "");
  ASSERT_EQ(textOf(tg_event_record(point, first)), "");
  ASSERT_EQ(textOf(tg_stream_wait(second, point)), "");
  tg_event_free(point);
  EXPECT_EQ(textOf(tg_stream_sync(second)), "");
  tg_stream_free(first);
  tg_stream_free(second);
  tg_kernel_free(slow);
  tg_buffer_free(words);
}

//===----------------------------------------------------------------------===//
// The processor, which has finished when a call returns
//===----------------------------------------------------------------------===//

TEST(CpuStreams, AreDoneAtOnceAndKeepTime) {
  tg_device *cpu = device(0, "cpu");
  tg_device_stream *line = stream(cpu), *wrapped = nullptr;
  ASSERT_EQ(textOf(tg_stream_wrap(cpu, nullptr, &wrapped)), "");
  tg_device_event *start = event(cpu), *end = event(cpu);
  ASSERT_EQ(textOf(tg_event_record(start, line)), "");
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  ASSERT_EQ(textOf(tg_event_record(end, line)), "");
  EXPECT_TRUE(isDone(line));
  EXPECT_TRUE(isDone(end));
  EXPECT_EQ(textOf(tg_stream_wait(wrapped, end)), "");
  EXPECT_EQ(textOf(tg_stream_sync(wrapped)), "");
  EXPECT_EQ(textOf(tg_event_sync(end)), "");
  EXPECT_EQ(textOf(tg_device_sync(cpu)), "");
  uint64_t time = 0;
  ASSERT_EQ(textOf(tg_event_elapsed(start, end, &time)), "");
  EXPECT_GE(time, 2'000'000u);
  int lost = 1;
  EXPECT_EQ(textOf(tg_device_is_lost(cpu, &lost)), "");
  EXPECT_EQ(lost, 0);
  tg_event_free(start);
  tg_event_free(end);
  tg_stream_free(line);
  tg_stream_free(wrapped);
}
