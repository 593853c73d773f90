//===- CpuRuntimeTest.cpp - Grids on the CPU's runtime half -------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuRuntimeFixture.h"
#include "tegula/Runtime/PluginHost.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>
#include <tuple>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace tegula::cpu::test;

TEST_F(CpuRuntime, EveryProgramRunsOnce) {
  load("visit");
  for (const auto &[x, y, z] : {std::tuple{1u, 1u, 1u},
                                {7u, 1u, 1u},
                                {5u, 3u, 2u},
                                {1u, 1u, 9u},
                                {1000u, 7u, 3u},
                                {1u, 65535u, 1u},
                                {100003u, 1u, 1u}}) {
    std::vector<uint32_t> out(uint64_t(x) * y * z);
    launch(x, y, z, out);
    EXPECT_EQ(out, std::vector<uint32_t>(out.size(), 1)) << x << " " << y << " " << z;
  }
}

TEST_F(CpuRuntime, EmptyGridsDoNothing) {
  load("count");
  std::vector<uint32_t> out(1);
  launch(0, 1, 1, out);
  launch(1, 0, 1, out);
  launch(4, 4, 0, out);
  EXPECT_EQ(out[0], 0u);
}

TEST_F(CpuRuntime, GridLimits) {
  load("count");
  std::vector<uint32_t> out(1);
  const Args args = {out.data(), 1};
  const uint32_t tall[3] = {1, 65536, 1}, wide[3] = {0x80000000u, 1, 1};
  EXPECT_NE(
      failure(tg_kernel_launch(kernel, tall, &args, sizeof args, nullptr), TG_OUT_OF_RESOURCES)
          .find("got 1 x 65536 x 1"),
      std::string::npos);
  failure(tg_kernel_launch(kernel, wide, &args, sizeof args, nullptr), TG_OUT_OF_RESOURCES);
  EXPECT_EQ(out[0], 0u);
}

TEST_F(CpuRuntime, ArgumentsTooShort) {
  load("count");
  const uint32_t grid[3] = {1, 1, 1};
  EXPECT_EQ(failure(tg_kernel_launch(kernel, grid, "12345678", 8, nullptr), TG_INVALID),
            "kernel 'count': expected 16 bytes of arguments, got 8");
}

TEST_F(CpuRuntime, UnalignedArguments) {
  load("visit");
  std::vector<uint32_t> out(3);
  const Args args = {out.data(), 3};
  alignas(8) char block[sizeof args + 1];
  memcpy(block + 1, &args, sizeof args);
  const uint32_t grid[3] = {3, 1, 1};
  ASSERT_EQ(tg_kernel_launch(kernel, grid, block + 1, sizeof args, nullptr), nullptr);
  EXPECT_EQ(out, std::vector<uint32_t>(3, 1));
}

TEST_F(CpuRuntime, ScratchIsPrivateAndAligned) {
  for (const char *bytes : {"64", "100000", "128", "3000000"}) {
    artifact.facts = {{"scratch_bytes", bytes}};
    load("scratch");
    std::vector<uint32_t> out(1);
    launch(64, 1, 1, out);
    EXPECT_EQ(out[0], 0u) << bytes;
  }
}

TEST_F(CpuRuntime, FactsThatAreNoNumbersAreRefused) {
  for (const char *bytes : {"-1", "x", "", "64k", "18446744073709551616"}) {
    artifact.facts = {{"scratch_bytes", bytes}};
    tg_kernel *none = nullptr;
    const std::string text = failure(tg_kernel_load(&artifact, device, &none), TG_INVALID);
    EXPECT_NE(text.find(std::string("expected a number as the fact 'scratch_bytes', got '") +
                        bytes + "'"),
              std::string::npos)
        << text;
    EXPECT_EQ(none, nullptr);
  }
}

TEST_F(CpuRuntime, ScratchTooLarge) {
  artifact.facts = {{"scratch_bytes", "4611686018427387904"}};
  load("scratch");
  std::vector<uint32_t> out(1);
  const Args args = {out.data(), 1};
  const uint32_t grid[3] = {1, 1, 1};
  failure(tg_kernel_launch(kernel, grid, &args, sizeof args, nullptr), TG_OUT_OF_MEMORY);
}

#if defined(__x86_64__)
TEST_F(CpuRuntime, FloatEnvironmentIsTheDefaultAndRestored) {
  load("environment");
  const unsigned before = _mm_getcsr();
  const unsigned odd = 0x1f80 | 0x8040 | 0x6000; // denormals flushed, rounding to zero
  for (const uint32_t programs : {1u, 33u}) {
    std::vector<uint32_t> out(programs);
    _mm_setcsr(odd);
    launch(programs, 1, 1, out);
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    EXPECT_EQ(after & ~0x3fu, odd);
    EXPECT_EQ(out, std::vector<uint32_t>(programs, 1));
  }
}
#endif

TEST_F(CpuRuntime, AsManyProgramsAsThreadsRunTogether) {
  for (const char *threads : {"2", "5"}) {
    artifact.options = {{"threads", threads}};
    load("barrier");
    for (int i = 0; i < 20; ++i) {
      std::vector<uint32_t> out(1);
      launch(uint32_t(atoi(threads)), 1, 1, out);
    }
  }
}

TEST_F(CpuRuntime, AllProgramsOfAGridMayWaitForEachOther) {
  for (const char *threads : {"1", "2", "0"}) {
    artifact.facts = {{"waits", "true"}};
    artifact.options = {{"threads", threads}};
    load("barrier");
    for (const uint32_t programs : {2u, 33u, 300u}) {
      std::vector<uint32_t> out(1);
      launch(programs, 1, 1, out);
      EXPECT_EQ(out[0], programs);
    }
  }
}

TEST_F(CpuRuntime, ProgramsMayWaitForEarlierOnes) {
  for (const char *threads : {"1", "0", "4"}) {
    artifact.options = {{"threads", threads}};
    load("chain");
    std::vector<uint32_t> out(1);
    launch(500, 1, 1, out);
    EXPECT_EQ(out[0], 500u);
  }
}

TEST_F(CpuRuntime, ConcurrentLaunchesOfOneKernel) {
  for (const bool independent : {false, true}) {
    artifact.facts = {};
    if (independent) {
      artifact.facts.push_back({"waits", "false"});
    }
    load("visit");
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 200; ++i) {
          std::vector<uint32_t> out(1 + (i * 37 + t) % 500);
          const Args args = {out.data(), int32_t(out.size())};
          const uint32_t grid[3] = {uint32_t(out.size()), 1, 1};
          tg_status *status = tg_kernel_launch(kernel, grid, &args, sizeof args, nullptr);
          wrong += status != nullptr || out != std::vector<uint32_t>(out.size(), 1);
          tg_status_free(status);
        }
      });
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
    EXPECT_EQ(wrong, 0);
  }
}

TEST_F(CpuRuntime, ManyModulesAtOnce) {
  // More than files are kept open for; each must be a library of its own.
  std::vector<tg_kernel *> kernels(200);
  artifact.kernel = "count";
  for (int round = 0; round < 2; ++round) {
    for (tg_kernel *&made : kernels) {
      ASSERT_EQ(tg_kernel_load(&artifact, device, &made), nullptr);
    }
    std::vector<uint32_t> out(1);
    const Args args = {out.data(), 1};
    const uint32_t grid[3] = {1, 1, 1};
    for (tg_kernel *made : kernels) {
      ASSERT_EQ(tg_kernel_launch(made, grid, &args, sizeof args, nullptr), nullptr);
      tg_kernel_free(made);
    }
    EXPECT_EQ(out[0], kernels.size());
  }
}

/// An ELF header and one segment whose bytes are missing.
static std::string cutOff() {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_phoff = sizeof header;
  header.e_phnum = 1;
  Elf64_Phdr segment = {};
  segment.p_type = PT_LOAD;
  segment.p_offset = segment.p_filesz = 4096;
  return std::string(reinterpret_cast<const char *>(&header), sizeof header) +
         std::string(reinterpret_cast<const char *>(&segment), sizeof segment);
}

TEST_F(CpuRuntime, LoadErrors) {
  tg_kernel *none = nullptr;
  artifact.kernel = "nope";
  EXPECT_EQ(failure(tg_kernel_load(&artifact, device, &none), TG_NOT_FOUND),
            "kernel 'nope': the code has no kernel 'nope'");
  artifact.features = {"+sse2", "+amx-complex-like-unknown"};
  artifact.triple = "sparc64-pc-linux-gnu";
  EXPECT_NE(failure(tg_kernel_load(&artifact, device, &none), TG_INCOMPATIBLE)
                .find("is for sparc64-pc-linux-gnu, this CPU is"),
            std::string::npos);
  artifact.triple = "";
  artifact.features = {"+tbm", "+fma4", "+xop"};
  EXPECT_NE(failure(tg_kernel_load(&artifact, device, &none), TG_INCOMPATIBLE)
                .find("which this CPU lacks"),
            std::string::npos);
  artifact.features = {};
  artifact.format = "cubin";
  EXPECT_EQ(failure(tg_kernel_load(&artifact, device, &none), TG_INCOMPATIBLE),
            "kernel 'nope': needs format elf-so");
  artifact.format = "elf-so";
  artifact.backend = "nvidia";
  tg_status *status = tg_kernel_load(&artifact, device, &none);
  EXPECT_STREQ(tg_status_id(status), "wrong-artifact");
  EXPECT_STREQ(tg_status_hint(status), "compile it for this device's target");
  EXPECT_NE(failure(status, TG_INCOMPATIBLE)
                .find("kernel 'nope': compiled by backend 'nvidia', which does not serve the "
                      "device cpu:0 "),
            std::string::npos);
  artifact.backend = "cpu";
  artifact.stages["object"] = "not a library";
  EXPECT_NE(failure(tg_kernel_load(&artifact, device, &none), TG_INCOMPATIBLE)
                .find("the kernel's code cannot be loaded: "),
            std::string::npos);
  artifact.stages["object"] = cutOff();
  EXPECT_EQ(failure(tg_kernel_load(&artifact, device, &none), TG_INVALID),
            "kernel 'nope': the kernel's code is cut off: expected at least 8192 bytes, got 120");
  artifact.stages.clear();
  EXPECT_EQ(failure(tg_kernel_load(&artifact, device, &none), TG_INVALID),
            "kernel 'nope': the artifact has no stage 'object'");
  EXPECT_EQ(none, nullptr);
}

TEST(Device, OnlyOneCpu) {
  tg_device *device = nullptr;
  tg_status *status = tg_device_get("cpu", 1, &device);
  EXPECT_EQ(tg_status_code(status), TG_UNAVAILABLE);
  EXPECT_STREQ(tg_status_message(status), "no device cpu:1; the only one of its kind is cpu:0");
  tg_status_free(status);
  status = tg_device_get("abacus", 0, &device);
  EXPECT_EQ(tg_status_code(status), TG_UNAVAILABLE);
  EXPECT_NE(std::string(tg_status_message(status)).find("kinds served: "), std::string::npos);
  tg_status_free(status);
}

//===----------------------------------------------------------------------===//
// What no host asks for, straight from the plugin's table
//===----------------------------------------------------------------------===//

namespace {
class CpuTable : public testing::Test {
protected:
  void SetUp() override {
    const tegula_plugin *plugin = nullptr;
    ASSERT_EQ(tegula::runtime::loadPlugin("cpu", TEGULA_RUNTIME, &plugin), nullptr);
    table = plugin->runtime;
    ASSERT_EQ(table->open(nullptr, 0, &driver), nullptr);
    ASSERT_EQ(table->create_context(driver, 0, &context), nullptr);
  }
  std::string failure(tg_plugin_status *status, uint32_t code) {
    if (!status) {
      return "no failure";
    }
    EXPECT_EQ(table->status_code(status), code);
    const std::string text = table->status_text(status);
    table->status_free(status);
    return text;
  }
  const tegula_runtime_v1 *table = nullptr;
  tg_driver *driver = nullptr;
  tg_context *context = nullptr;
};
} // namespace

TEST_F(CpuTable, OneDevice) {
  tg_device_info info = {};
  info.struct_size = sizeof info;
  EXPECT_EQ(failure(table->device_info(driver, 3, &info), TG_NOT_FOUND),
            "expected CPU device 0, got 3");
  int32_t score = 0;
  char why[8];
  tg_variant variant = {};
  EXPECT_EQ(failure(table->score(driver, -1, &variant, &score, why, sizeof why), TG_NOT_FOUND),
            "expected CPU device 0, got -1");
}

TEST_F(CpuTable, MemoryRanges) {
  tg_mem mem = {};
  EXPECT_THAT(failure(table->alloc(context, SIZE_MAX / 2, 0, &mem), TG_OUT_OF_MEMORY),
              testing::MatchesRegex("no memory for 9223372036854775807 bytes, [0-9]+ are free"));
  ASSERT_EQ(table->alloc(context, 100, 0, &mem), nullptr);
  EXPECT_EQ(failure(table->copy(context, mem, 90, mem, 0, 20, nullptr), TG_INVALID),
            "copy to: expected a range within 100 bytes, got 20 bytes at offset 90");
  EXPECT_EQ(failure(table->copy(context, mem, 0, mem, SIZE_MAX, 2, nullptr), TG_INVALID),
            "copy from: expected a range within 100 bytes, got 2 bytes at offset "
            "18446744073709551615");
  EXPECT_EQ(failure(table->fill(context, mem, 101, 0, 0, nullptr), TG_INVALID),
            "fill: expected a range within 100 bytes, got 0 bytes at offset 101");
  EXPECT_EQ(table->release(context, mem), nullptr);
}

TEST_F(CpuTable, FormatsAndLaunchKinds) {
  tg_variant variant = {};
  tg_module *module = nullptr;
  EXPECT_EQ(failure(table->module_load(context, "", 0, &variant, &module), TG_INCOMPATIBLE),
            "expected code of format elf-so, got none");
  variant.format = "cubin";
  EXPECT_EQ(failure(table->module_load(context, "", 0, &variant, &module), TG_INCOMPATIBLE),
            "expected code of format elf-so, got cubin");
  std::ifstream file(KERNELS, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  const std::string code = bytes.str();
  variant.format = "elf-so";
  const tg_kv facts[] = {{"args_size", "16"}, {"scratch_bytes", "1000000000000000000"}};
  variant.facts = facts;
  variant.num_facts = 2;
  ASSERT_EQ(table->module_load(context, code.data(), code.size(), &variant, &module), nullptr);
  tg_function *function = nullptr;
  ASSERT_EQ(table->kernel_get(module, "count", &function, nullptr), nullptr);
  tg_launch launch = {};
  launch.struct_size = sizeof launch;
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  EXPECT_EQ(failure(table->launch(function, &launch, nullptr), TG_INVALID),
            "expected 16 bytes of arguments, got 0");
  const uint64_t args[2] = {};
  launch.args = args;
  launch.args_size = sizeof args;
  EXPECT_EQ(failure(table->launch(function, &launch, nullptr), TG_OUT_OF_MEMORY),
            "no memory for 1000000000000000000 bytes of scratch per thread");
  launch.grid[2] = 65536;
  EXPECT_EQ(failure(table->launch(function, &launch, nullptr), TG_OUT_OF_RESOURCES),
            "expected a grid of at most 2147483647 x 65535 x 65535, got 1 x 1 x 65536");
  launch.flags = 1;
  EXPECT_EQ(failure(table->launch(function, &launch, nullptr), TG_UNAVAILABLE),
            "cooperative and dependent launches are not for CPUs");
  table->module_unload(module);
}
