//===- ServicesTest.cpp - Prints and assertions of kernels --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuRuntimeFixture.h"

#include <algorithm>
#include <map>

using namespace tegula::cpu::test;

namespace {
class Services : public CpuRuntime {
protected:
  std::string printed(const char *name, uint32_t programs) {
    load(name);
    std::vector<uint32_t> out(1);
    testing::internal::CaptureStdout();
    launch(programs, 1, 1, out);
    return testing::internal::GetCapturedStdout();
  }
};

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}
} // namespace

TEST_F(Services, EveryKindOfElement) {
  EXPECT_EQ(printed("print_kinds", 1), "pid (0, 0, 0) idx () a: -128\n"
                                       "pid (0, 0, 0) idx () b: 255\n"
                                       "pid (0, 0, 0) idx () c: 1\n"
                                       "pid (0, 0, 0) idx () d: 0xfffe\n"
                                       "pid (0, 0, 0) idx () e: -9223372036854775808\n"
                                       "pid (0, 0, 0) idx () f: (operand 1) 18446744073709551615\n"
                                       "pid (0, 0, 0) idx () g: -0.333333\n"
                                       "pid (0, 0, 0) idx () h: 10000000000000000000000.000000\n"
                                       "pid (0, 0, 0) idx () i: nan\n"
                                       "pid (0, 0, 0) idx () j: -inf\n"
                                       "pid (0, 0, 0) idx () k: 1.500000\n"
                                       "pid (0, 0, 0) idx () l: -0.000000\n"
                                       "pid (0, 0, 0) idx () m: 2.000000\n"
                                       "pid (0, 0, 0) idx () n: 0x1234\n"
                                       "pid (0, 0, 0) nothing\n");
}

TEST_F(Services, PlacesAreAlignedAndRowMajor) {
  const std::vector<std::string> lines = linesOf(printed("print_tile", 1));
  ASSERT_EQ(lines.size(), 24u);
  EXPECT_EQ(lines[0], "pid (0, 0, 0) idx (0,  0) t: -10");
  EXPECT_EQ(lines[11], "pid (0, 0, 0) idx (0, 11) t: 1");
  EXPECT_EQ(lines[12], "pid (0, 0, 0) idx (1,  0) t: 2");
}

TEST_F(Services, LinesOfProgramsDoNotMix) {
  artifact.options = {{"threads", "8"}};
  std::map<std::string, int> seen;
  const std::vector<std::string> lines = linesOf(printed("print_tile", 500));
  EXPECT_EQ(lines.size(), 24u * 500);
  for (const std::string &line : lines) {
    ++seen[line];
  }
  EXPECT_EQ(seen.size(), lines.size());
  EXPECT_EQ(seen["pid (499, 0, 0) idx (1, 11) t: 13"], 1);
}

TEST_F(Services, TheFirstFailingProgramIsReported) {
  for (const char *waits : {"false", "true"}) {
    artifact.facts = {{"waits", waits}};
    load("assert_less");
    for (int round = 0; round < 20; ++round) {
      std::vector<uint32_t> out(1);
      const Args args = {out.data(), 37};
      const uint32_t grid[3] = {100, 10, 1};
      tg_status *status = tg_kernel_launch(kernel, grid, &args, sizeof args, nullptr);
      ASSERT_NE(status, nullptr);
      EXPECT_STREQ(tg_status_id(status), "device-assert");
      EXPECT_EQ(failure(status, TG_ASSERTION),
                "kernel 'assert_less': k.py:7:5: assertion failed in program (37, 0, 0): "
                "too large");
      EXPECT_EQ(out[0], 37u); // all before it ran, none went on behind the assertion
    }
    // Nothing of it stays.
    std::vector<uint32_t> out(1);
    const Args args = {out.data(), 1000};
    const uint32_t grid[3] = {100, 10, 1};
    EXPECT_EQ(tg_kernel_launch(kernel, grid, &args, sizeof args, nullptr), nullptr);
    EXPECT_EQ(out[0], 1000u);
  }
}

TEST_F(Services, OneProgramAlone) {
  load("assert_less");
  std::vector<uint32_t> out(1);
  const Args args = {out.data(), 0};
  const uint32_t grid[3] = {1, 1, 1};
  failure(tg_kernel_launch(kernel, grid, &args, sizeof args, nullptr), TG_ASSERTION);
  EXPECT_EQ(out[0], 0u);
}

TEST_F(Services, TheFirstFailingElement) {
  load("assert_tile");
  std::vector<uint32_t> out(1);
  const Args args = {out.data(), 0};
  const uint32_t grid[3] = {1, 1, 1};
  EXPECT_EQ(failure(tg_kernel_launch(kernel, grid, &args, sizeof args, nullptr), TG_ASSERTION),
            "kernel 'assert_tile': assertion failed in program (0, 0, 0) at element (1, 0)");
}
