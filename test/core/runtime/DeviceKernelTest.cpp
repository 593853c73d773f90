//===- DeviceKernelTest.cpp - Kernels on devices ----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "DeviceFixture.h"
#include "Variant.h"

#include <cstddef>

using namespace tegula::test;

namespace {
class Kernels : public Devices {
protected:
  /// Loads and expects it to fail.
  static std::string loadFailure(const tg_artifact &artifact, tg_device *device, tg_code code) {
    tg_kernel *kernel = nullptr;
    const std::string text = failure(tg_kernel_load(&artifact, device, &kernel), code);
    EXPECT_EQ(kernel, nullptr);
    return text;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

TEST_F(Kernels, KnowWhatTheyAre) {
  tg_kernel *kernel = load("empty", device(0));
  EXPECT_STREQ(tg_kernel_name(kernel), "empty");
  EXPECT_EQ(tg_kernel_device(kernel), device(0));
  EXPECT_STREQ(tg_kernel_manifest(kernel), "{}");
  EXPECT_EQ(tg_kernel_args_size(kernel), 0u);
  tg_kernel_info info = {};
  info.struct_size = sizeof info;
  ASSERT_EQ(textOf(tg_kernel_info_get(kernel, &info)), "");
  EXPECT_EQ(info.registers, 12u);
  EXPECT_EQ(info.shared_dynamic_limit, 48u << 10);
  EXPECT_EQ(info.max_cluster, 8u);
  std::memset(&info, 0xee, sizeof info);
  info.struct_size = offsetof(tg_kernel_info, spill_bytes);
  ASSERT_EQ(textOf(tg_kernel_info_get(kernel, &info)), "");
  EXPECT_EQ(info.registers, 12u);
  EXPECT_EQ(info.spill_bytes, 0xeeeeeeeeu);
  info.struct_size = 3;
  EXPECT_EQ(failure(tg_kernel_info_get(kernel, &info), TG_INVALID),
            "expected struct_size to be set, got 3 [api-argument]");
  EXPECT_EQ(textOf(tg_kernel_info_get(kernel, nullptr)),
            "expected a place for the facts, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_kernel_info_get(nullptr, &info)),
            "expected a kernel, got a null pointer [null-pointer]");
  tg_kernel_free(kernel);
  tg_kernel_free(nullptr);
  EXPECT_STREQ(tg_kernel_name(nullptr), "");
  EXPECT_STREQ(tg_kernel_manifest(nullptr), "");
  EXPECT_EQ(tg_kernel_device(nullptr), nullptr);
}

TEST_F(Kernels, OutliveTheArtifact) {
  tg_kernel *kernel = nullptr;
  {
    const tg_artifact made = artifact("fill");
    ASSERT_EQ(textOf(tg_kernel_load(&made, device(0), &kernel)), "");
  }
  tg_buffer *words = buffer(device(0), 16);
  EXPECT_EQ(textOf(run(kernel, words, 8, 4)), "");
  EXPECT_EQ(wordsOf(words), std::vector<uint32_t>(4, 8));
  tg_kernel_free(kernel);
  tg_buffer_free(words);
}

TEST_F(Kernels, OfOtherBackendsFormatsAndChipsAreRefused) {
  EXPECT_EQ(loadFailure(artifact("empty", "any", "cpu"), device(0), TG_INCOMPATIBLE),
            "kernel 'empty': compiled by backend 'cpu', which does not serve the device fake:0 "
            "Fake One, f1, 1 compute units, 64 MiB [wrong-artifact]");
  EXPECT_EQ(loadFailure(artifact("empty", "f2"), device(0), TG_INCOMPATIBLE),
            "kernel 'empty': is for f2, this device is f1 [wrong-artifact]");
  EXPECT_EQ(loadFailure(artifact("empty", "f1", "fake", "cubin"), device(0), TG_INCOMPATIBLE),
            "kernel 'empty': does not accept cubin for f1 [wrong-artifact]");
}

TEST_F(Kernels, ThatAreDamagedAreRefused) {
  tg_artifact made = artifact("empty");
  made.stages["object"] = "fake-program 2\n";
  EXPECT_EQ(loadFailure(made, device(0), TG_INCOMPATIBLE),
            "kernel 'empty': the image is no program: expected it to start with 'fake-program 1' "
            "(FAKE_ERROR_INVALID_IMAGE, code 200; module_load of plugin 'fake') [wrong-artifact]");
  made.stages["object"] = "fake-program 1\nkernel empty\n  jump 3\n";
  EXPECT_EQ(loadFailure(made, device(0), TG_INVALID),
            "kernel 'empty': program, line 3: expected an instruction, got 'jump' "
            "(FAKE_ERROR_INVALID_IMAGE, code 200; module_load of plugin 'fake') [wrong-artifact]");
  made.stages["object"] = "fake-program 1\nkernel other\n";
  EXPECT_EQ(loadFailure(made, device(0), TG_NOT_FOUND),
            "kernel 'empty': there is no kernel 'empty' (FAKE_ERROR_NOT_FOUND, code 500; "
            "kernel_get of plugin 'fake') [wrong-artifact]");
  made.stages.clear();
  EXPECT_EQ(loadFailure(made, device(0), TG_INVALID),
            "kernel 'empty': the artifact has no stage 'object' [wrong-artifact]");
}

TEST_F(Kernels, LargerThanTheDeviceAreOutOfResources) {
  tg_artifact made = artifact("empty");
  made.stages["object"] = "fake-program 1\nkernel empty shared=60000\n";
  EXPECT_EQ(loadFailure(made, device(0), TG_OUT_OF_RESOURCES),
            "kernel 'empty': kernel 'empty' needs 60000 bytes of shared memory, the device has "
            "49152 (FAKE_ERROR_OUT_OF_RESOURCES, code 701; kernel_get of plugin 'fake') "
            "[out-of-resources]");
  tg_kernel *kernel = nullptr;
  EXPECT_EQ(textOf(tg_kernel_load(&made, device(1), &kernel)), "");
  tg_kernel_free(kernel);
}

TEST_F(Kernels, AreScoredByTheirPlugin) {
  using namespace tegula::runtime;
  const auto scored = [](const tg_artifact &made, tg_device *device) {
    int32_t score = 0;
    std::string why;
    const Variant variant(made);
    EXPECT_EQ(textOf(scoreVariant(*device, variant, score, why)), "");
    return std::to_string(score) + " " + why;
  };
  EXPECT_EQ(scored(artifact("empty", "f2"), device(1)), "100 made for f2");
  EXPECT_EQ(scored(artifact("empty", "f1"), device(1)), "70 made for f1, an older one than f2");
  EXPECT_EQ(scored(artifact("empty", "any"), device(1)), "10 runs on any device");
  EXPECT_EQ(scored(artifact("empty", "n1"), device(1)), "-1 is for n1, this device is f2");
  EXPECT_EQ(scored(artifact("empty", "f2", "cpu"), device(1)),
            "-1 is for backend 'cpu', not 'fake'");
}

// Devices that take code of others, with scores that tie or refuse; the first that fits
// counts.
TEST(KernelScores, FollowTheConfiguration) {
  IN_NEW_PROCESS("device fake arch=f2 accepts=cubin/sm_90:100,cubin:40,ptx:40,hsaco:-5", [] {
    using namespace tegula::runtime;
    const auto scored = [](const char *arch, const char *format) {
      int32_t score = 0;
      std::string why;
      const tg_artifact made = artifact("empty", arch, "fake", format);
      const Variant variant(made);
      EXPECT_EQ(textOf(scoreVariant(*device(0), variant, score, why)), "");
      return std::to_string(score) + " " + why;
    };
    EXPECT_EQ(scored("sm_90", "cubin"), "100 accepts cubin for sm_90");
    EXPECT_EQ(scored("sm_80", "cubin"), "40 accepts cubin for sm_80");
    EXPECT_EQ(scored("sm_80", "ptx"), "40 accepts ptx for sm_80");
    EXPECT_EQ(scored("gfx942", "hsaco"), "-5 refuses hsaco for gfx942");
    EXPECT_EQ(scored("f2", "fake"), "-1 does not accept fake for f2");
    // What such code computes is not known; that it ran is.
    const tg_artifact made = artifact("empty", "sm_90", "fake", "cubin");
    tg_kernel *kernel = nullptr;
    ASSERT_EQ(textOf(tg_kernel_load(&made, device(0), &kernel)), "");
    ASSERT_EQ(textOf(run(kernel, nullptr, 0, 0)), "");
    EXPECT_EQ(textOf(tg_device_sync(device(0))), "");
    EXPECT_EQ(trace(), "0.0 run empty\n");
    tg_kernel_free(kernel);
    expectNothingLeft(0);
  });
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

TEST_F(Kernels, RunWithTheirArguments) {
  tg_device *one = device(0);
  tg_buffer *from = buffer(one, 64), *to = buffer(one, 64);
  tg_kernel *fill = load("fill", one), *copy = load("copy", one);
  EXPECT_EQ(textOf(run(fill, from, 31, 16)), "");
  EXPECT_EQ(textOf(run(copy, to, 0, 16, nullptr, from)), "");
  EXPECT_EQ(wordsOf(to), std::vector<uint32_t>(16, 31));
  // The short way.
  const Args args = {tg_buffer_address(to), 32, 16, 0};
  const uint32_t grid[3] = {4, 1, 1};
  EXPECT_EQ(textOf(tg_kernel_launch(fill, grid, &args, sizeof args, nullptr)), "");
  EXPECT_EQ(wordsOf(to), std::vector<uint32_t>(16, 32));
  // A block of arguments at an odd address.
  alignas(8) char odd[sizeof args + 1];
  const Args others = {tg_buffer_address(to), 33, 16, 0};
  std::memcpy(odd + 1, &others, sizeof others);
  EXPECT_EQ(textOf(tg_kernel_launch(fill, grid, odd + 1, sizeof args, nullptr)), "");
  EXPECT_EQ(wordsOf(to), std::vector<uint32_t>(16, 33));
  tg_kernel_free(fill);
  tg_kernel_free(copy);
  tg_buffer_free(from);
  tg_buffer_free(to);
}

namespace {
/// A request to change, and what comes of it.
struct Request : tg_launch_request {
  Request() : tg_launch_request() {
    struct_size = sizeof(tg_launch_request);
    grid[0] = grid[1] = grid[2] = 1;
    args = &block;
    args_size = sizeof block;
  }
  Args block = {};
};
} // namespace

static tg_status *launch(tg_kernel *kernel, Request &request) {
  request.args = request.args ? &request.block : nullptr; // after copies, too
  return tg_kernel_launch_request(kernel, &request);
}

TEST_F(Kernels, RefuseWrongRequests) {
  tg_kernel *empty = load("empty", device(0)), *fill = load("fill", device(0));
  tg_device_stream *line = stream(device(0)), *foreign = stream(device(1));
  EXPECT_EQ(textOf(tg_kernel_launch_request(nullptr, nullptr)),
            "expected a kernel, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_kernel_launch_request(empty, nullptr)),
            "expected a request, got a null pointer [null-pointer]");
  Request request;
  request.struct_size = 8;
  EXPECT_EQ(failure(launch(empty, request), TG_INVALID),
            "expected struct_size to be set, got 8 [api-argument]");
  request = Request();
  request.args = nullptr;
  EXPECT_EQ(textOf(launch(fill, request)),
            "expected a block of arguments, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(launch(empty, request)), "");
  request = Request();
  request.args_size = 5;
  EXPECT_EQ(failure(launch(fill, request), TG_INVALID),
            "kernel 'fill': expected 24 bytes of arguments, got 5 [launch-arguments]");
  request = Request();
  request.block.pointer = 8;
  EXPECT_EQ(failure(launch(fill, request), TG_INVALID),
            "kernel 'fill': argument 'x': expected an address divisible by 16, as the kernel was "
            "compiled for, got 0x8 [misaligned]");
  request = Request();
  request.stream = foreign;
  EXPECT_EQ(failure(launch(empty, request), TG_INVALID),
            "expected the stream of device fake:0, got one of fake:1 [other-device]");
  request = Request();
  request.stream = line;
  request.native_stream = &request;
  EXPECT_EQ(failure(launch(empty, request), TG_INVALID),
            "kernel 'empty': expected one of stream and native_stream, got both "
            "[api-argument]");
  EXPECT_EQ(count(0, "launch"), 1u); // of the one that is right
  tg_kernel_free(empty);
  tg_kernel_free(fill);
  tg_stream_free(line);
  tg_stream_free(foreign);
}

TEST_F(Kernels, ReadNoMoreArgumentsThanTheyHave) {
  tg_kernel *fill = load("fill", device(0));
  tg_buffer *words = buffer(device(0), 16);
  std::vector<unsigned char> block(tg_kernel_args_size(fill) + 1); // nothing behind them
  const uint64_t pointer = tg_buffer_address(words);
  std::memcpy(block.data() + 1, &pointer, sizeof pointer);
  const uint32_t grid[3] = {1, 1, 1};
  EXPECT_EQ(textOf(tg_kernel_launch(fill, grid, block.data() + 1, SIZE_MAX, nullptr)), "");
  Request request;
  request.args_size = SIZE_MAX;
  request.args = block.data() + 1;
  EXPECT_EQ(textOf(tg_kernel_launch_request(fill, &request)), "");
  EXPECT_EQ(textOf(tg_device_sync(device(0))), "");
  tg_kernel_free(fill);
  tg_buffer_free(words);
}

TEST_F(Kernels, TellOfArgumentsOnlyWhoSaysHowMuch) {
  tg_kernel *fill = load("fill", device(0));
  tg_arg_info info = {};
  info.offset = 77;
  EXPECT_EQ(failure(tg_kernel_arg_get(fill, 0, &info), TG_INVALID),
            "expected struct_size to be set, got 0 [api-argument]");
  info.struct_size = offsetof(tg_arg_info, size);
  EXPECT_EQ(textOf(tg_kernel_arg_get(fill, 0, &info)), "");
  EXPECT_EQ(info.offset, 0u);
  EXPECT_EQ(info.name, nullptr);
  tg_kernel_free(fill);
}

TEST_F(Kernels, OlderRequestsAreLaunchesWithoutTheRest) {
  tg_kernel *empty = load("empty", device(0));
  Request request;
  request.struct_size = offsetof(tg_launch_request, cluster);
  request.shared_bytes = ~0u; // beyond the caller's struct
  request.native_stream = &request;
  EXPECT_EQ(textOf(launch(empty, request)), "");
  EXPECT_EQ(textOf(tg_device_sync(device(0))), "");
  EXPECT_EQ(count(0, "programs"), 1u);
  tg_kernel_free(empty);
}

TEST_F(Kernels, LaunchOnlyAsTheirDeviceCan) {
  tg_kernel *able = load("empty", device(0)), *unable = load("empty", device(1));
  Request request;
  request.flags = TG_LAUNCH_COOPERATIVE | TG_LAUNCH_DEPENDENT;
  request.cluster[0] = 4;
  request.cluster[1] = 2;
  request.shared_bytes = 48 << 10;
  EXPECT_EQ(textOf(launch(able, request)), "");
  EXPECT_EQ(failure(launch(unable, request), TG_UNAVAILABLE),
            "kernel 'empty': device fake:1 cannot launch cooperatively [not-offered]");
  request.flags = TG_LAUNCH_DEPENDENT;
  EXPECT_EQ(failure(launch(unable, request), TG_UNAVAILABLE),
            "kernel 'empty': device fake:1 cannot launch dependently [not-offered]");
  request.flags = 0;
  EXPECT_EQ(failure(launch(unable, request), TG_UNAVAILABLE),
            "kernel 'empty': device fake:1 cannot launch clusters [not-offered]");
  request.cluster[0] = request.cluster[1] = 1;
  EXPECT_EQ(textOf(launch(unable, request)), "");
  request.flags = 12;
  EXPECT_EQ(failure(launch(able, request), TG_UNAVAILABLE),
            "kernel 'empty': device fake:0 cannot launch with the flags 12 [not-offered]");
  request.flags = 0;
  request.cluster[0] = 9;
  EXPECT_EQ(failure(launch(able, request), TG_OUT_OF_RESOURCES),
            "kernel 'empty': expected a cluster of at most 8 programs, got 9 [out-of-resources]");
  request.cluster[0] = request.cluster[1] = request.cluster[2] = ~0u;
  EXPECT_TRUE(failure(launch(able, request), TG_OUT_OF_RESOURCES)
                  .starts_with("kernel 'empty': expected a cluster of at most 8 programs"));
  request = Request();
  request.shared_bytes = (48 << 10) + 1;
  EXPECT_EQ(failure(launch(able, request), TG_OUT_OF_RESOURCES),
            "kernel 'empty': expected at most 49152 bytes of dynamic shared memory, got 49153 "
            "[out-of-resources]");
  request = Request();
  request.grid[1] = 1001;
  EXPECT_EQ(failure(launch(unable, request), TG_OUT_OF_RESOURCES),
            "kernel 'empty': expected a grid of at most 1000 x 1000 x 1000, got 1 x 1001 x 1 "
            "[invalid-grid]");
  tg_kernel_free(able);
  tg_kernel_free(unable);
}

TEST_F(Kernels, WithoutProgramsDoNothing) {
  tg_kernel *empty = load("empty", device(0));
  for (int i = 0; i < 3; ++i) {
    Request request;
    request.grid[i] = 0;
    EXPECT_EQ(textOf(launch(empty, request)), "");
    EXPECT_EQ(textOf(tg_kernel_launch(empty, request.grid, nullptr, 0, nullptr)), "");
  }
  EXPECT_EQ(count(0, "launch"), 0u);
  tg_kernel_free(empty);
}

TEST_F(Kernels, OfPluginsThatCannotBeAskedHaveNoFlags) {
  tg_device *minimal = device(0, "minimal");
  tg_kernel *kernel = load("empty", minimal);
  Request request;
  request.flags = TG_LAUNCH_COOPERATIVE;
  EXPECT_EQ(failure(launch(kernel, request), TG_UNAVAILABLE),
            "kernel 'empty': device minimal:0 cannot launch cooperatively [not-offered]");
  tg_kernel_free(kernel);
}

TEST_F(Kernels, PrintWhenAskedTo) {
  tg_kernel *say = load("say", device(0));
  const uint32_t grid[3] = {1, 1, 1};
  testing::internal::CaptureStdout();
  EXPECT_EQ(textOf(tg_kernel_launch(say, grid, nullptr, 0, nullptr)), "");
  EXPECT_EQ(textOf(tg_device_sync(device(0))), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "hello from a fake\n");
  testing::internal::CaptureStdout();
  EXPECT_EQ(textOf(tg_device_print(device(0))), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), ""); // once
  tg_kernel_free(say);
  EXPECT_EQ(textOf(tg_device_print(device(0, "minimal"))), "");
}

// What belongs to a device may be freed in any order, also while it is in use.
TEST_F(Kernels, AreFreedInAnyOrder) {
  tg_device *one = device(0);
  for (int order = 0; order < 6; ++order) {
    tg_buffer *words = buffer(one, 64);
    tg_device_stream *line = stream(one);
    tg_kernel *slow = load("slow", one);
    ASSERT_EQ(textOf(run(slow, words, 1, 16, line)), "");
    const int sequences[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (const int what : sequences[order]) {
      if (what == 0) {
        tg_buffer_free(words);
      } else if (what == 1) {
        tg_stream_free(line);
      } else {
        tg_kernel_free(slow);
      }
    }
    EXPECT_EQ(textOf(tg_device_sync(one)), "");
    expectNothingLeft(0);
  }
}

/// The example of docs/devices.md.
extern "C" tg_status *add_on_device(tg_device *device, const tg_artifact *artifact, int32_t *data,
                                    int32_t value, int32_t count, uint64_t *nanoseconds);

TEST_F(Kernels, OfTheDocumentationAdd) {
  tg_artifact made = artifact("add");
  made.argsSize = 16;
  std::vector<int32_t> data = {1, 2, 3, -4};
  uint64_t time = 0;
  EXPECT_EQ(textOf(add_on_device(device(0), &made, data.data(), 10, 4, &time)), "");
  EXPECT_EQ(data, (std::vector<int32_t>{11, 12, 13, 6}));
  EXPECT_GT(time, 0u);
  expectNothingLeft(0);
  for (const char *slot : {"kernel_get", "alloc", "copy", "event_create", "event_record", "launch",
                           "event_elapsed_ns"}) {
    control(std::string("fail ") + slot + " device=0");
    EXPECT_NE(textOf(add_on_device(device(0), &made, data.data(), 10, 4, &time)), "") << slot;
    expectNothingLeft(0);
  }
}
