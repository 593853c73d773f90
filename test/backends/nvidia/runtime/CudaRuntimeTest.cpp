//===- CudaRuntimeTest.cpp - The device API on an NVIDIA GPU --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are PTX written by hand. Without a GPU all but the first test are skipped.
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/Artifact.h"
#include "tegula/Runtime/PluginHost.h"
#include "tegula/tegula.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <numeric>
#include <random>
#include <thread>
#include <unistd.h>

using testing::AnyOf;
using testing::HasSubstr;

namespace {

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

const char *const addText = R"ptx(
.version 7.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 px, .param .u64 py, .param .u64 pz, .param .u32 pn) {
  .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .pred %p;
  ld.param.u64 %rd1, [px]; ld.param.u64 %rd2, [py]; ld.param.u64 %rd3, [pz];
  ld.param.u32 %r1, [pn];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p, %r5, %r1;
  @%p bra done;
  mul.wide.s32 %rd4, %r5, 4;
  add.s64 %rd1, %rd1, %rd4; add.s64 %rd2, %rd2, %rd4; add.s64 %rd3, %rd3, %rd4;
  ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%rd3], %f3;
done:
  ret;
}
)ptx";

/// Adds one to a word, a number of times that takes a while.
const char *const countText = R"ptx(
.version 7.0
.target sm_80
.address_size 64
.visible .entry count(.param .u64 px, .param .u32 pn) {
  .reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .pred %p;
  ld.param.u64 %rd1, [px]; ld.param.u32 %r1, [pn];
  mov.u32 %r4, %tid.x;
  setp.ne.u32 %p, %r4, 0;
  @%p bra done;
loop:
  ld.volatile.global.u32 %r2, [%rd1];
  add.u32 %r2, %r2, 1;
  st.volatile.global.u32 [%rd1], %r2;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p, %r1, 0;
  @%p bra loop;
done:
  ret;
}
)ptx";

const char *const wildText = R"ptx(
.version 7.0
.target sm_80
.address_size 64
.visible .entry wild(.param .u64 px) {
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [px];
  st.global.u32 [%rd1], 7;
  ret;
}
)ptx";

tg_artifact makeArtifact(const char *name, std::string text, std::vector<unsigned> sizes) {
  tg_artifact artifact;
  artifact.kernel = name;
  artifact.backend = "nvidia";
  artifact.arch = "sm_80";
  artifact.format = "ptx";
  for (unsigned size : sizes) {
    const unsigned offset = (artifact.argsSize + size - 1) / size * size;
    artifact.args.push_back({"a" + std::to_string(artifact.args.size()),
                             size == 8 ? "*fp32" : "i32", offset, size, 1, ""});
    artifact.argsSize = offset + size;
  }
  artifact.stages["object"] = std::move(text);
  tegula::runtime::writeManifest(artifact);
  return artifact;
}

std::string take(tg_status *status) {
  std::string text =
      status ? std::string(tg_status_id(status)) + ": " + tg_status_message(status) : "";
  tg_status_free(status);
  return text;
}

#define ASSERT_FINE(call) ASSERT_EQ(take(call), "")
#define EXPECT_FINE(call) EXPECT_EQ(take(call), "")

//===----------------------------------------------------------------------===//
// The fixture
//===----------------------------------------------------------------------===//

/// Where the build puts the plugin, unless the environment says otherwise: beside this
/// program's folder, since the build may have moved to another machine.
void findPlugin() {
  char path[4096] = "";
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
  const std::string folder = std::filesystem::path(std::string(path, std::max<ssize_t>(size, 0)))
                                 .parent_path()
                                 .parent_path()
                                 .parent_path() /
                             "lib/tegula/plugins";
  setenv("TEGULA_PLUGIN_PATH", folder.c_str(), /*overwrite=*/0);
}

class CudaRuntime : public testing::Test {
protected:
  void SetUp() override {
    findPlugin();
    size_t count = 0;
    ASSERT_FINE(tg_device_list("cuda", &device, 1, &count));
    if (count == 0) {
      GTEST_SKIP() << "no NVIDIA device";
    }
  }

  tg_buffer *makeBuffer(size_t size, uint32_t kind = TG_MEM_DEVICE) {
    tg_buffer *buffer = nullptr;
    EXPECT_FINE(tg_buffer_new(device, size, kind, &buffer));
    buffers.emplace_back(buffer, tg_buffer_free);
    return buffer;
  }
  tg_kernel *load(const tg_artifact &artifact) {
    tg_kernel *kernel = nullptr;
    EXPECT_FINE(tg_kernel_load(&artifact, device, &kernel));
    kernels.emplace_back(kernel, tg_kernel_free);
    return kernel;
  }

  tg_device *device = nullptr;
  std::vector<std::unique_ptr<tg_buffer, void (*)(tg_buffer *)>> buffers;
  std::vector<std::unique_ptr<tg_kernel, void (*)(tg_kernel *)>> kernels;
};

} // namespace

TEST(CudaRuntimeWithoutDevice, TheListSaysWhatIsThere) {
  findPlugin();
  size_t count = 99;
  ASSERT_FINE(tg_device_list("cuda", nullptr, 0, &count));
  const char *problems = nullptr;
  ASSERT_FINE(tg_device_problems(&problems));
  if (count == 0) {
    // Without a driver the list tells what was tried; with one and no device all is well.
    EXPECT_THAT(problems, AnyOf(HasSubstr("libcuda.so.1"), testing::StrEq("[]")));
  }
  // The processor is there in any case.
  ASSERT_FINE(tg_device_list("cpu", nullptr, 0, &count));
  EXPECT_EQ(count, 1u);
}

TEST_F(CudaRuntime, IsDescribed) {
  tg_device_info info = {};
  info.struct_size = sizeof info;
  ASSERT_FINE(tg_device_info_get(device, &info));
  EXPECT_STREQ(info.kind, "cuda");
  EXPECT_THAT(info.arch, testing::StartsWith("sm_"));
  EXPECT_THAT(info.id, testing::StartsWith("GPU-"));
  EXPECT_EQ(std::strlen(info.id), 40u);
  EXPECT_EQ(info.warp_size, 32u);
  EXPECT_GT(info.memory_total, uint64_t(1) << 30);
  EXPECT_GT(info.compute_units, 0u);
  EXPECT_GE(info.shared_memory_per_block, 48u << 10);
  EXPECT_EQ(info.max_grid[0], 0x7fffffffu);
}

TEST_F(CudaRuntime, AddsVectors) {
  tg_kernel *kernel = load(makeArtifact("add", addText, {8, 8, 8, 4}));
  tg_kernel_info facts = {};
  facts.struct_size = sizeof facts;
  ASSERT_FINE(tg_kernel_info_get(kernel, &facts));
  EXPECT_GT(facts.registers, 0u);
  EXPECT_EQ(facts.local_bytes, 0u);
  EXPECT_GT(facts.blocks_per_unit, 0u);
  for (unsigned n : {1u, 127u, 128u, 129u, 100003u}) {
    std::vector<float> x(n), y(n), z(n, NAN);
    std::mt19937 random(n);
    for (unsigned i = 0; i < n; ++i) {
      x[i] = float(random() % 1000), y[i] = float(random() % 1000);
    }
    tg_buffer *bx = makeBuffer(n * 4), *by = makeBuffer(n * 4), *bz = makeBuffer(n * 4);
    ASSERT_FINE(tg_buffer_write(bx, 0, x.data(), n * 4, nullptr));
    ASSERT_FINE(tg_buffer_write(by, 0, y.data(), n * 4, nullptr));
    struct {
      uint64_t x, y, z;
      uint32_t n;
    } args = {tg_buffer_address(bx), tg_buffer_address(by), tg_buffer_address(bz), n};
    const uint32_t grid[3] = {(n + 127) / 128, 1, 1};
    ASSERT_FINE(tg_kernel_launch(kernel, grid, &args, 28, nullptr));
    ASSERT_FINE(tg_buffer_read(bz, 0, z.data(), n * 4, nullptr));
    for (unsigned i = 0; i < n; ++i) {
      ASSERT_EQ(z[i], x[i] + y[i]) << i << " of " << n;
    }
  }
}

TEST_F(CudaRuntime, MemoryOfAllKinds) {
  std::mt19937 random(3);
  for (uint32_t kind : {TG_MEM_DEVICE, TG_MEM_PINNED, TG_MEM_MANAGED}) {
    const size_t size = 4099;
    tg_buffer *a = makeBuffer(size, kind), *b = makeBuffer(size);
    std::vector<unsigned char> want(size), got(size);
    for (unsigned char &byte : want) {
      byte = static_cast<unsigned char>(random());
    }
    ASSERT_FINE(tg_buffer_write(a, 0, want.data(), size, nullptr));
    for (int round = 0; round < 20; ++round) {
      const size_t offset = random() % size, count = random() % (size - offset + 1);
      const uint32_t pattern = uint32_t(random());
      ASSERT_FINE(tg_buffer_fill(a, offset, pattern, count, nullptr));
      for (size_t i = 0; i < count; ++i) {
        want[offset + i] = static_cast<unsigned char>(pattern >> (8 * (i % 4)));
      }
    }
    ASSERT_FINE(tg_buffer_copy(b, 0, a, 0, size, nullptr));
    ASSERT_FINE(tg_buffer_read(b, 0, got.data(), size, nullptr));
    EXPECT_EQ(got, want);
  }
  tg_buffer *nothing = makeBuffer(0);
  EXPECT_EQ(tg_buffer_size(nothing), 0u);
  EXPECT_FINE(tg_buffer_fill(nothing, 0, 1, 0, nullptr));
}

TEST_F(CudaRuntime, StreamsKeepTheirOrderAndEventsTheirTimes) {
  tg_kernel *kernel = load(makeArtifact("count", countText, {8, 4}));
  tg_buffer *buffer = makeBuffer(4);
  ASSERT_FINE(tg_buffer_fill(buffer, 0, 0, 4, nullptr));
  tg_device_stream *first = nullptr, *second = nullptr;
  ASSERT_FINE(tg_stream_new(device, &first));
  ASSERT_FINE(tg_stream_new(device, &second));
  tg_device_event *begin = nullptr, *end = nullptr, *untimed = nullptr;
  ASSERT_FINE(tg_event_new(device, TG_EVENT_TIMING, &begin));
  ASSERT_FINE(tg_event_new(device, TG_EVENT_TIMING, &end));
  ASSERT_FINE(tg_event_new(device, 0, &untimed));
  struct {
    uint64_t x;
    uint32_t n;
  } args = {tg_buffer_address(buffer), 20000};
  tg_launch_request request = {};
  request.struct_size = sizeof request;
  request.grid[0] = request.grid[1] = request.grid[2] = 1;
  request.args = &args;
  request.args_size = 12;
  ASSERT_FINE(tg_event_record(begin, first));
  // Each takes up where the last has ended, in whichever stream.
  for (int i = 0; i < 6; ++i) {
    request.stream = i % 2 ? second : first;
    ASSERT_FINE(tg_kernel_launch_request(kernel, &request));
    tg_device_event *event = i == 5 ? end : untimed;
    ASSERT_FINE(tg_event_record(event, request.stream));
    ASSERT_FINE(tg_stream_wait(i % 2 ? first : second, event));
  }
  ASSERT_FINE(tg_event_sync(end));
  int done = 0;
  ASSERT_FINE(tg_event_is_done(end, &done));
  EXPECT_EQ(done, 1);
  uint32_t count = 0;
  ASSERT_FINE(tg_buffer_read(buffer, 0, &count, 4, nullptr));
  EXPECT_EQ(count, 6u * 20000);
  uint64_t nanoseconds = 0;
  ASSERT_FINE(tg_event_elapsed(begin, end, &nanoseconds));
  EXPECT_GT(nanoseconds, 1000u);
  EXPECT_THAT(take(tg_event_elapsed(begin, untimed, &nanoseconds)), HasSubstr("event-not-timed"));
  for (tg_device_event *event : {begin, end, untimed}) {
    tg_event_free(event);
  }
  tg_stream_free(first);
  tg_stream_free(second);
}

TEST_F(CudaRuntime, ManyThreadsLaunchOneKernel) {
  tg_kernel *kernel = load(makeArtifact("add", addText, {8, 8, 8, 4}));
  constexpr unsigned n = 1000;
  std::vector<std::thread> threads;
  std::vector<std::string> problems(8);
  for (unsigned t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      tg_buffer *x = nullptr, *z = nullptr;
      problems[t] += take(tg_buffer_new(device, n * 4, TG_MEM_DEVICE, &x));
      problems[t] += take(tg_buffer_new(device, n * 4, TG_MEM_DEVICE, &z));
      const std::vector<float> ones(n, float(t));
      problems[t] += take(tg_buffer_write(x, 0, ones.data(), n * 4, nullptr));
      for (int i = 0; i < 200; ++i) {
        struct {
          uint64_t x, y, z;
          uint32_t n;
        } args = {tg_buffer_address(x), tg_buffer_address(x), tg_buffer_address(z), n};
        const uint32_t grid[3] = {8, 1, 1};
        problems[t] += take(tg_kernel_launch(kernel, grid, &args, 28, nullptr));
      }
      std::vector<float> got(n);
      problems[t] += take(tg_buffer_read(z, 0, got.data(), n * 4, nullptr));
      if (got != std::vector<float>(n, float(2 * t))) {
        problems[t] += "wrong sums";
      }
      tg_buffer_free(x);
      tg_buffer_free(z);
    });
  }
  for (unsigned t = 0; t < 8; ++t) {
    threads[t].join();
    EXPECT_EQ(problems[t], "");
  }
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(CudaRuntime, CodeThatDoesNotFit) {
  tg_kernel *kernel = nullptr;
  tg_artifact artifact = makeArtifact("add", addText, {8, 8, 8, 4});
  artifact.arch = "sm_999";
  EXPECT_THAT(take(tg_kernel_load(&artifact, device, &kernel)), HasSubstr("is for sm_999"));
  artifact.arch = "gfx942";
  EXPECT_THAT(take(tg_kernel_load(&artifact, device, &kernel)), HasSubstr("no NVIDIA arch"));
  artifact.arch = "sm_80";
  artifact.format = "elf-so";
  EXPECT_THAT(take(tg_kernel_load(&artifact, device, &kernel)), HasSubstr("cubin or ptx"));
  artifact.format = "ptx";
  artifact.facts = {{"ptx_version", "99.0"}};
  EXPECT_THAT(take(tg_kernel_load(&artifact, device, &kernel)), HasSubstr("needs PTX 99.0"));
  artifact.facts.clear();
  artifact.stages["object"] = ".version 7.0\n.target sm_80\n.address_size 64\nnonsense;\n";
  EXPECT_THAT(take(tg_kernel_load(&artifact, device, &kernel)), HasSubstr("nonsense"));
  artifact.stages["object"] =
      std::string(addText).replace(std::string(addText).find("7.0"), 3, "9.9");
  EXPECT_THAT(take(tg_kernel_load(&artifact, device, &kernel)), HasSubstr("PTX"));
  artifact.stages["object"] = "";
  EXPECT_NE(take(tg_kernel_load(&artifact, device, &kernel)), "");
  artifact.stages["object"] = addText;
  artifact.kernel = "subtract";
  EXPECT_THAT(take(tg_kernel_load(&artifact, device, &kernel)), HasSubstr("subtract"));
  artifact.kernel = "add";
  artifact.facts = {{"shared_bytes", "900000"}};
  EXPECT_THAT(take(tg_kernel_load(&artifact, device, &kernel)), HasSubstr("shared memory"));
  artifact.facts = {{"threads", "4096"}};
  EXPECT_THAT(take(tg_kernel_load(&artifact, device, &kernel)), HasSubstr("threads"));
  artifact.facts.clear();
  load(artifact);
}

TEST_F(CudaRuntime, OutOfMemoryLeavesTheRest) {
  tg_buffer *buffer = nullptr;
  EXPECT_THAT(take(tg_buffer_new(device, size_t(1) << 50, TG_MEM_DEVICE, &buffer)),
              testing::AllOf(HasSubstr("out-of-memory"), HasSubstr("are free")));
  EXPECT_EQ(buffer, nullptr);
  EXPECT_FINE(tg_buffer_fill(makeBuffer(64), 0, 1, 64, nullptr));
}

TEST_F(CudaRuntime, GridsBeyondTheDevice) {
  tg_kernel *kernel = load(makeArtifact("count", countText, {8, 4}));
  const uint64_t args[2] = {};
  const uint32_t grid[3] = {1, 70000, 1};
  EXPECT_THAT(take(tg_kernel_launch(kernel, grid, args, 16, nullptr)), HasSubstr("invalid-grid"));
}

/// In a process of its own, since the fault takes the device away from it.
static void meetFault(tg_device *device) {
  tg_artifact wild = makeArtifact("wild", wildText, {8}),
              add = makeArtifact("add", addText, {8, 8, 8, 4});
  tg_kernel *kernel = nullptr, *other = nullptr;
  tg_status_free(tg_kernel_load(&wild, device, &kernel));
  tg_status_free(tg_kernel_load(&add, device, &other));
  const uint64_t address = 16;
  const uint32_t grid[3] = {1, 1, 1};
  std::string first = take(tg_kernel_launch(kernel, grid, &address, 8, nullptr));
  first += take(tg_device_sync(device));
  const uint64_t args[4] = {};
  const std::string second = take(tg_kernel_launch(other, grid, args, 28, nullptr));
  tg_buffer *buffer = nullptr;
  const std::string third = take(tg_buffer_new(device, 16, TG_MEM_DEVICE, &buffer));
  int lost = 0;
  tg_status_free(tg_device_is_lost(device, &lost));
  tg_kernel_free(kernel);
  tg_kernel_free(other);
  tg_device *cpu = nullptr;
  const std::string fourth = take(tg_device_get("cpu", 0, &cpu));
  std::fprintf(stderr, "first <%s> second <%s> third <%s> lost %d cpu <%s>\n", first.c_str(),
               second.c_str(), third.c_str(), lost, fourth.c_str());
  std::exit(first.find("CUDA_ERROR_ILLEGAL_ADDRESS") != std::string::npos &&
                    second.find("device-lost") == 0 && third.find("device-lost") == 0 &&
                    lost == 1 && fourth.empty()
                ? 0
                : 1);
}

TEST_F(CudaRuntime, AFaultIsNamedOnceAndTheDeviceIsLost) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(meetFault(device), testing::ExitedWithCode(0), "first <");
}
