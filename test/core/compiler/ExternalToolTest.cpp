//===- ExternalToolTest.cpp - Programs that a backend calls -----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Compiler/ExternalTool.h"

#include "gtest/gtest.h"

using namespace std::chrono_literals;
using tegula::compiler::runExternalTool;
using tegula::compiler::ToolResult;

static ToolResult shell(const char *script, std::chrono::milliseconds limit = 20s) {
  return runExternalTool({"sh", "-c", script}, limit);
}

TEST(ExternalTool, OutputAndStatus) {
  ToolResult result = shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.output, "out\nerr\n");
  EXPECT_EQ(result.describe(), "exited with status 3");
  EXPECT_FALSE(result.succeeded());
  EXPECT_TRUE(shell("true").succeeded());
}

TEST(ExternalTool, StandardInputIsEmpty) { EXPECT_EQ(shell("wc -c").output, "0\n"); }

TEST(ExternalTool, HangingToolIsKilledWithItsChildren) {
  const auto start = std::chrono::steady_clock::now();
  ToolResult result = shell("echo begun; sleep 60 & sleep 60", 300ms);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
  EXPECT_EQ(result.end, ToolResult::End::TimedOut);
  EXPECT_EQ(result.describe(), "did not end within 0.3 s");
  EXPECT_EQ(result.output, "begun\n");
}

TEST(ExternalTool, ToolThatClosesItsOutputIsStillKilled) {
  ToolResult result = shell("exec >&- 2>&-; sleep 60", 300ms);
  EXPECT_EQ(result.end, ToolResult::End::TimedOut);
}

TEST(ExternalTool, CrashingTool) {
  ToolResult result = shell("kill -SEGV $$");
  EXPECT_EQ(result.describe(), "was killed by signal 11 (Segmentation fault)");
}

TEST(ExternalTool, MissingTool) {
  EXPECT_EQ(runExternalTool({"/no/such/tool"}, 1s).describe(),
            "cannot be started: No such file or directory");
  EXPECT_EQ(runExternalTool({}, 1s).describe(), "cannot be started: Invalid argument");
}

TEST(ExternalTool, EndlessOutputIsCut) {
  ToolResult result = shell("yes", 500ms);
  EXPECT_EQ(result.end, ToolResult::End::TimedOut);
  EXPECT_EQ(result.output.size(), size_t(1) << 20);
}
