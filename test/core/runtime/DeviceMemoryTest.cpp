//===- DeviceMemoryTest.cpp - Buffers of devices ----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include <limits>
#include <numeric>

using namespace tegula::test;

namespace {
/// Runs on every kind of device there is: what the plugin lacks is made up for.
class Memory : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override { one = device(0, GetParam()); }
  tg_device *one = nullptr;
};
constexpr size_t largest = std::numeric_limits<size_t>::max();
} // namespace

INSTANTIATE_TEST_SUITE_P(Kinds, Memory, testing::Values("fake", "minimal", "cpu"),
                         [](const auto &info) { return std::string(info.param); });

TEST_P(Memory, IsAlignedAndKnowsItsSizeAndDevice) {
  for (const uint32_t kind : {TG_MEM_DEVICE, TG_MEM_PINNED, TG_MEM_MANAGED}) {
    tg_buffer *made = nullptr;
    ASSERT_EQ(textOf(tg_buffer_new(one, 1000, kind, &made)), "");
    EXPECT_EQ(tg_buffer_address(made) % 256, 0u);
    EXPECT_NE(tg_buffer_address(made), 0u);
    EXPECT_EQ(tg_buffer_size(made), 1000u);
    EXPECT_EQ(tg_buffer_device(made), one);
    tg_buffer_free(made);
  }
}

TEST_P(Memory, OfNoBytesIsDistinct) {
  tg_buffer *first = buffer(one, 0), *second = buffer(one, 0);
  EXPECT_NE(tg_buffer_address(first), tg_buffer_address(second));
  EXPECT_EQ(tg_buffer_size(first), 0u);
  EXPECT_EQ(textOf(tg_buffer_write(first, 0, nullptr, 0, nullptr)), "");
  EXPECT_EQ(textOf(tg_buffer_read(first, 0, nullptr, 0, nullptr)), "");
  EXPECT_EQ(textOf(tg_buffer_fill(first, 0, 7, 0, nullptr)), "");
  EXPECT_EQ(textOf(tg_buffer_copy(first, 0, second, 0, 0, nullptr)), "");
  EXPECT_EQ(failure(tg_buffer_fill(first, 0, 7, 1, nullptr), TG_INVALID),
            "fill a buffer: expected a range within 0 bytes, got 1 bytes at offset 0 "
            "[buffer-range]");
  tg_buffer_free(first);
  tg_buffer_free(second);
}

TEST_P(Memory, IsWrittenAndReadAtOffsets) {
  std::vector<uint8_t> data(1000), back(1000);
  std::iota(data.begin(), data.end(), 0);
  tg_buffer *made = buffer(one, 1000);
  ASSERT_EQ(textOf(tg_buffer_write(made, 0, data.data(), 1000, nullptr)), "");
  ASSERT_EQ(textOf(tg_buffer_write(made, 501, data.data(), 7, nullptr)), "");
  std::copy_n(data.begin(), 7, data.begin() + 501);
  ASSERT_EQ(textOf(tg_buffer_read(made, 3, back.data() + 3, 997, nullptr)), "");
  EXPECT_EQ(std::vector(back.begin() + 3, back.end()), std::vector(data.begin() + 3, data.end()));
  tg_buffer_free(made);
}

TEST_P(Memory, FillsWithAPatternAlsoInParts) {
  tg_buffer *made = buffer(one, 16);
  ASSERT_EQ(textOf(tg_buffer_fill(made, 0, 0, 16, nullptr)), "");
  ASSERT_EQ(textOf(tg_buffer_fill(made, 1, 0x04030201, 6, nullptr)), "");
  uint8_t back[16];
  ASSERT_EQ(textOf(tg_buffer_read(made, 0, back, 16, nullptr)), "");
  const uint8_t wanted[16] = {0, 1, 2, 3, 4, 1, 2};
  EXPECT_EQ(std::memcmp(back, wanted, 16), 0);
  tg_buffer_free(made);
}

// More than one piece of what goes through the host.
TEST_P(Memory, FillsLargeBuffers) {
  const size_t size = (size_t(9) << 20) + 2;
  tg_buffer *made = buffer(one, size);
  ASSERT_EQ(textOf(tg_buffer_fill(made, 0, 0x80818283, size, nullptr)), "");
  std::vector<uint8_t> back(size);
  ASSERT_EQ(textOf(tg_buffer_read(made, 0, back.data(), size, nullptr)), "");
  for (size_t i = 0; i < size; ++i) {
    ASSERT_EQ(back[i], 0x80 + (3 - i % 4)) << i;
  }
  tg_buffer_free(made);
}

TEST_P(Memory, IsCopiedWithinADevice) {
  tg_buffer *from = buffer(one, 64), *to = buffer(one, 64);
  ASSERT_EQ(textOf(tg_buffer_fill(from, 0, 5, 64, nullptr)), "");
  ASSERT_EQ(textOf(tg_buffer_fill(to, 0, 1, 64, nullptr)), "");
  ASSERT_EQ(textOf(tg_buffer_copy(to, 32, from, 0, 16, nullptr)), "");
  EXPECT_EQ(wordsOf(to), (std::vector<uint32_t>{1, 1, 1, 1, 1, 1, 1, 1, 5, 5, 5, 5, 1, 1, 1, 1}));
  ASSERT_EQ(textOf(tg_buffer_copy(to, 0, to, 32, 32, nullptr)), "");
  EXPECT_EQ(wordsOf(to), (std::vector<uint32_t>{5, 5, 5, 5, 1, 1, 1, 1, 5, 5, 5, 5, 1, 1, 1, 1}));
  EXPECT_EQ(failure(tg_buffer_copy(to, 0, to, 31, 32, nullptr), TG_INVALID),
            "copy within a buffer: expected ranges that do not overlap, got 32 bytes at offsets 0 "
            "and 31 [buffer-range]");
  tg_buffer_free(from);
  tg_buffer_free(to);
}

TEST_P(Memory, RefusesRangesBeyondTheEnd) {
  tg_buffer *made = buffer(one, 100), *other = buffer(one, 50);
  char data[200] = {};
  const auto range = [](const std::string &what, size_t of, size_t size, size_t offset) {
    return what + ": expected a range within " + std::to_string(of) + " bytes, got " +
           std::to_string(size) + " bytes at offset " + std::to_string(offset) + " [buffer-range]";
  };
  const std::pair<size_t, size_t> wrong[] = {
      {0, 101}, {100, 1}, {101, 0}, {50, 51}, {largest, 1}, {1, largest}, {largest, largest}};
  for (const auto &[offset, size] : wrong) {
    EXPECT_EQ(failure(tg_buffer_write(made, offset, data, size, nullptr), TG_INVALID),
              range("write to a buffer", 100, size, offset));
    EXPECT_EQ(failure(tg_buffer_read(made, offset, data, size, nullptr), TG_INVALID),
              range("read from a buffer", 100, size, offset));
    EXPECT_EQ(failure(tg_buffer_fill(made, offset, 0, size, nullptr), TG_INVALID),
              range("fill a buffer", 100, size, offset));
    EXPECT_EQ(failure(tg_buffer_copy(made, offset, other, 0, size, nullptr), TG_INVALID),
              range("copy to a buffer", 100, size, offset));
  }
  EXPECT_EQ(failure(tg_buffer_copy(made, 0, other, 40, 11, nullptr), TG_INVALID),
            range("copy from a buffer", 50, 11, 40));
  EXPECT_EQ(textOf(tg_buffer_write(made, 100, data, 0, nullptr)), ""); // nothing, at the end
  tg_buffer_free(made);
  tg_buffer_free(other);
}

TEST_P(Memory, RefusesNullPointers) {
  tg_buffer *made = buffer(one, 8);
  char data[8] = {};
  const std::string buffer = "expected a buffer, got a null pointer [null-pointer]";
  EXPECT_EQ(textOf(tg_buffer_write(nullptr, 0, data, 8, nullptr)), buffer);
  EXPECT_EQ(textOf(tg_buffer_read(nullptr, 0, data, 8, nullptr)), buffer);
  EXPECT_EQ(textOf(tg_buffer_fill(nullptr, 0, 0, 8, nullptr)), buffer);
  EXPECT_EQ(textOf(tg_buffer_write(made, 0, nullptr, 8, nullptr)),
            "expected the data, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_buffer_read(made, 0, nullptr, 8, nullptr)),
            "expected a place for the data, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_buffer_copy(nullptr, 0, made, 0, 8, nullptr)),
            "expected a buffer to copy to, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_buffer_copy(made, 0, nullptr, 0, 8, nullptr)),
            "expected a buffer to copy from, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_buffer_new(nullptr, 8, TG_MEM_DEVICE, &made)),
            "expected a device, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_buffer_new(one, 8, TG_MEM_DEVICE, nullptr)),
            "expected a place for the buffer, got a null pointer [null-pointer]");
  tg_buffer_free(made);
  tg_buffer_free(nullptr);
  EXPECT_EQ(tg_buffer_address(nullptr), 0u);
  EXPECT_EQ(tg_buffer_size(nullptr), 0u);
  EXPECT_EQ(tg_buffer_device(nullptr), nullptr);
}

TEST_P(Memory, RefusesKindsThatAreNone) {
  for (const uint32_t kind : {uint32_t(TG_MEM_HOST), 4u, ~0u}) {
    tg_buffer *made = nullptr;
    EXPECT_EQ(failure(tg_buffer_new(one, 8, kind, &made), TG_INVALID),
              "expected a kind of memory that is TG_MEM_DEVICE, TG_MEM_PINNED or TG_MEM_MANAGED, "
              "got " +
                  std::to_string(kind) + " [api-argument]");
    EXPECT_EQ(made, nullptr);
  }
}

TEST_P(Memory, RunsOutAndIsUsableAfterwards) {
  for (const size_t size : {largest, largest - 100, size_t(1) << 50}) {
    tg_buffer *made = nullptr;
    const std::string text =
        failure(tg_buffer_new(one, size, TG_MEM_DEVICE, &made), TG_OUT_OF_MEMORY);
    EXPECT_NE(text.find("no memory for " + std::to_string(size) + " bytes, "), std::string::npos)
        << text;
    EXPECT_TRUE(text.ends_with("[out-of-memory]")) << text;
    EXPECT_EQ(made, nullptr);
    tg_buffer *small = buffer(one, 64);
    EXPECT_EQ(textOf(tg_buffer_fill(small, 0, 3, 64, nullptr)), "");
    EXPECT_EQ(wordsOf(small), std::vector<uint32_t>(16, 3));
    tg_buffer_free(small);
  }
}

//===----------------------------------------------------------------------===//
// Between devices
//===----------------------------------------------------------------------===//

TEST_F(Devices, RunOutWhenFullAndServeWhatIsFreed) {
  tg_buffer *all = buffer(device(0), 60u << 20), *more = nullptr;
  EXPECT_EQ(failure(tg_buffer_new(device(0), 8u << 20, TG_MEM_DEVICE, &more), TG_OUT_OF_MEMORY),
            "device fake:0: no memory for 8388608 bytes, 4194304 are free "
            "(FAKE_ERROR_OUT_OF_MEMORY, code 2; alloc of plugin 'fake') [out-of-memory]");
  tg_buffer_free(all);
  EXPECT_EQ(textOf(tg_buffer_new(device(0), 8u << 20, TG_MEM_DEVICE, &more)), "");
  tg_buffer_free(more);
}

/// Copies between the two devices and checks what arrives.
static void copyBetween(tg_device *from, tg_device *to) {
  const size_t words = (size_t(9) << 20) / 4;
  tg_buffer *source = buffer(from, words * 4), *target = buffer(to, words * 4);
  std::vector<uint32_t> data(words);
  std::iota(data.begin(), data.end(), 1);
  ASSERT_EQ(textOf(tg_buffer_write(source, 0, data.data(), words * 4, nullptr)), "");
  ASSERT_EQ(textOf(tg_buffer_fill(target, 0, 0, words * 4, nullptr)), "");
  ASSERT_EQ(textOf(tg_device_sync(from)), ""); // the target's stream does not wait for it
  ASSERT_EQ(textOf(tg_buffer_copy(target, 4, source, 8, words * 4 - 8, nullptr)), "");
  const std::vector<uint32_t> back = wordsOf(target);
  EXPECT_EQ(back.front(), 0u);
  EXPECT_EQ(back.back(), 0u);
  EXPECT_TRUE(std::equal(data.begin() + 2, data.end(), back.begin() + 1));
  tg_buffer_free(source);
  tg_buffer_free(target);
}

TEST_F(Devices, OfOneDriverCopyToEachOther) {
  copyBetween(device(0), device(1));
  EXPECT_EQ(count(1, "peer_copy"), 1u);
  copyBetween(device(0, "fake-npu"), device(0));
  EXPECT_EQ(count(0, "peer_copy"), 1u);
}

TEST_F(Devices, ThatDoNotReachEachOtherCopyThroughTheHost) {
  copyBetween(device(1), device(2));
  EXPECT_EQ(count(2, "peer_copy"), 1u);
  EXPECT_GE(count(2, "copy"), 3u);
}

TEST_F(Devices, WithoutPeerCopyCopyThroughTheHost) {
  copyBetween(device(0, "minimal"), device(1, "minimal"));
}

TEST_F(Devices, OfTwoPluginsCopyThroughTheHost) {
  copyBetween(device(0), device(0, "cpu"));
  copyBetween(device(0, "cpu"), device(0, "minimal"));
  copyBetween(device(0, "minimal"), device(1));
}

// What is queued for the target, and what that waits for, comes before the copy.
TEST_F(Devices, CopyThroughTheHostInTheOrderOfTheStream) {
  tg_device *from = device(1), *to = device(2);
  tg_buffer *source = buffer(from, 64), *target = buffer(to, 64);
  tg_device_stream *first = stream(from), *second = stream(to);
  tg_device_event *filled = event(from, 0);
  tg_kernel *slow = load("slow", from);
  ASSERT_EQ(textOf(run(slow, source, 9, 16, first)), "");
  ASSERT_EQ(textOf(tg_event_record(filled, first)), "");
  ASSERT_EQ(textOf(tg_stream_wait(second, filled)), "");
  ASSERT_EQ(textOf(tg_buffer_copy(target, 0, source, 0, 64, second)), "");
  EXPECT_EQ(wordsOf(target, second), std::vector<uint32_t>(16, 9));
  tg_kernel_free(slow);
  tg_event_free(filled);
  tg_stream_free(first);
  tg_stream_free(second);
  tg_buffer_free(source);
  tg_buffer_free(target);
}

TEST_F(Devices, WaitForThoseThatCopyFromMemoryBeforeItIsFreed) {
  tg_buffer *source = buffer(device(0), 64), *target = buffer(device(3), 64);
  ASSERT_EQ(textOf(tg_buffer_fill(source, 0, 6, 64, nullptr)), "");
  ASSERT_EQ(textOf(tg_device_sync(device(0))), "");
  ASSERT_EQ(textOf(tg_buffer_copy(target, 0, source, 0, 64, nullptr)), ""); // takes its time
  tg_buffer_free(source);
  EXPECT_EQ(wordsOf(target), std::vector<uint32_t>(16, 6));
  EXPECT_EQ(count(3, "stream_sync"), 1u);
  tg_buffer_free(target);
}

TEST_F(Devices, RefuseTheStreamsOfOthers) {
  tg_buffer *made = buffer(device(0), 8), *other = buffer(device(1), 8);
  tg_device_stream *foreign = stream(device(1));
  char data[8] = {};
  const std::string text = "expected the stream of device fake:0, got one of fake:1 [other-device]";
  EXPECT_EQ(failure(tg_buffer_write(made, 0, data, 8, foreign), TG_INVALID), text);
  EXPECT_EQ(failure(tg_buffer_read(made, 0, data, 8, foreign), TG_INVALID), text);
  EXPECT_EQ(failure(tg_buffer_fill(made, 0, 0, 8, foreign), TG_INVALID), text);
  EXPECT_EQ(failure(tg_buffer_copy(made, 0, other, 0, 8, foreign), TG_INVALID), text);
  EXPECT_EQ(textOf(tg_buffer_copy(other, 0, made, 0, 8, foreign)), ""); // the target's
  tg_stream_free(foreign);
  tg_buffer_free(made);
  tg_buffer_free(other);
}

// Wrong ranges never reach the driver.
TEST_F(Devices, CheckRangesBeforeTheDriverIsCalled) {
  tg_buffer *made = buffer(device(0), 8);
  char data[16] = {};
  textOf(tg_buffer_write(made, 1, data, 8, nullptr));
  textOf(tg_buffer_read(made, largest, data, 2, nullptr));
  textOf(tg_buffer_fill(made, 8, 0, 1, nullptr));
  EXPECT_EQ(count(0, "copy") + count(0, "fill"), 0u);
  tg_buffer_free(made);
}
