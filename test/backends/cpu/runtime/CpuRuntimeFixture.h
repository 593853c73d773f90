//===- CpuRuntimeFixture.h - Kernels of C on the CPU's runtime half -----===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TEST_CPURUNTIMEFIXTURE_H
#define TEGULA_TEST_CPURUNTIMEFIXTURE_H

#include "tegula/Runtime/Artifact.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

namespace tegula::cpu::test {
struct Args {
  uint32_t *out;
  int32_t n;
};

class CpuRuntime : public testing::Test {
protected:
  void SetUp() override {
    std::ifstream file(KERNELS, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    artifact.stages["object"] = bytes.str();
    artifact.backend = "cpu";
    artifact.format = "elf-so";
    artifact.argsSize = sizeof(Args);
    ASSERT_GT(artifact.stages["object"].size(), 1000u);
    ASSERT_EQ(tg_device_get("cpu", 0, &device), nullptr);
  }
  void TearDown() override { tg_kernel_free(kernel); }

  void load(const char *name) {
    artifact.kernel = name;
    tg_kernel_free(kernel);
    kernel = nullptr;
    tg_status *status = tg_kernel_load(&artifact, device, &kernel);
    ASSERT_EQ(status, nullptr) << tg_status_message(status);
  }
  void launch(uint32_t x, uint32_t y, uint32_t z, std::vector<uint32_t> &out) {
    const Args args = {out.data(), int32_t(out.size())};
    const uint32_t grid[3] = {x, y, z};
    tg_status *status = tg_kernel_launch(kernel, grid, &args, sizeof args, nullptr);
    ASSERT_EQ(status, nullptr) << tg_status_message(status);
  }
  /// The message of a launch or load that must fail.
  static std::string failure(tg_status *status, tg_code code) {
    EXPECT_EQ(tg_status_code(status), code);
    const std::string text = tg_status_message(status);
    tg_status_free(status);
    return text;
  }

  tg_artifact artifact;
  tg_device *device = nullptr;
  tg_kernel *kernel = nullptr;
};
} // namespace tegula::cpu::test

#endif // TEGULA_TEST_CPURUNTIMEFIXTURE_H
