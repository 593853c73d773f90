//===- TargetTest.cpp - Resolving targets -------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/tegula.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace {
/// A descriptor file that goes with the test.
struct TemporaryFile {
  std::string path = testing::TempDir() + "tegula-target-" + std::to_string(getpid()) + ".yaml";
  explicit TemporaryFile(const std::string &text) { std::ofstream(path) << text; }
  ~TemporaryFile() { unlink(path.c_str()); }
};

class Target : public testing::Test {
protected:
  void SetUp() override { unsetenv("TEGULA_TARGET"); }
  void TearDown() override {
    unsetenv("TEGULA_TARGET");
    tg_target_free(target);
    tg_status_free(status);
  }
  void resolve(const char *what) { status = tg_target_resolve(what, &target); }
  tg_target *target = nullptr;
  tg_status *status = nullptr;
};
} // namespace

static const char *const twoTargets = "schema: tegula.target/v1\ntargets:\n"
                                      "  - {id: one, backend: cpu, arch: native}\n"
                                      "  - {id: two, backend: cpu, arch: x86-64-v3}\n";

TEST_F(Target, BuiltIn) {
  resolve("cpu");
  ASSERT_EQ(status, nullptr) << tg_status_message(status);
  EXPECT_STREQ(tg_target_id(target), "cpu");
  EXPECT_STREQ(tg_target_backend(target), "cpu");
  EXPECT_STREQ(tg_target_arch(target), "native");
}

TEST_F(Target, DefaultIsTheBestDevice) {
  resolve(nullptr);
  ASSERT_EQ(status, nullptr) << tg_status_message(status);
  EXPECT_STREQ(tg_target_id(target), "cpu");
}

TEST_F(Target, FileAndId) {
  TemporaryFile file(twoTargets);
  resolve((file.path + ":two").c_str());
  ASSERT_EQ(status, nullptr) << tg_status_message(status);
  EXPECT_STREQ(tg_target_arch(target), "x86-64-v3");
}

TEST_F(Target, EnvironmentComesAfterTheArgument) {
  TemporaryFile file(twoTargets);
  setenv("TEGULA_TARGET", file.path.c_str(), 1);
  resolve(nullptr);
  ASSERT_EQ(status, nullptr) << tg_status_message(status);
  EXPECT_STREQ(tg_target_id(target), "one");
  tg_target_free(target);
  resolve("cpu");
  ASSERT_EQ(status, nullptr);
  EXPECT_STREQ(tg_target_id(target), "cpu");
}

TEST_F(Target, UnknownNameInEnvironment) {
  setenv("TEGULA_TARGET", "cpo", 1);
  resolve(nullptr);
  EXPECT_EQ(tg_status_code(status), TG_TARGET_ERROR);
  EXPECT_STREQ(tg_status_message(status), "TEGULA_TARGET: no target or file 'cpo'; did you mean "
                                          "'cpu'?; built-in targets: cpu");
  EXPECT_EQ(target, nullptr);
}

TEST_F(Target, FolderIsNoDescriptor) {
  resolve("/");
  EXPECT_EQ(tg_status_code(status), TG_TARGET_ERROR);
  EXPECT_STREQ(tg_status_message(status), "/: expected a target descriptor, got a folder");
}
