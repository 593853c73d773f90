//===- TargetTest.cpp - Resolving targets -------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/Target.h"
#include "tegula/plugin.h"

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
                                          "'cpu'?; built-in targets: cpu, nvidia");
  EXPECT_EQ(target, nullptr);
}

TEST_F(Target, FolderIsNoDescriptor) {
  resolve("/");
  EXPECT_EQ(tg_status_code(status), TG_TARGET_ERROR);
  EXPECT_STREQ(tg_status_message(status), "/: expected a target descriptor, got a folder");
}

TEST_F(Target, VersionsOfPlugins) {
  tg_target wanted;
  wanted.backend = "cpu";
  const auto check = [&](const char *range) {
    wanted.pluginVersion = range;
    tg_status *found = tegula::runtime::checkPluginVersion(wanted, TEGULA_RUNTIME);
    const std::string text = found ? std::string(tg_status_message(found)) + " [" +
                                         tg_status_id(found) + "] " + tg_status_hint(found)
                                   : "";
    tg_status_free(found);
    return text;
  };
  for (const char *range : {"", "0.1", "0.1.0", "==0.1.0", ">=0.1,<0.2", "> 0.0.9 , <= 0.1.0"}) {
    EXPECT_EQ(check(range), "") << range;
  }
  EXPECT_EQ(check(">=0.10"),
            "expected a plugin of version >=0.10, got 0.1.0 [E191] "
            "install one of these versions, or change plugin.version of the target");
  for (const char *range : {"<0.1", ">0.1", "0.2", ">=0.1,<0.1"}) {
    EXPECT_NE(check(range), "") << range;
  }
}

TEST_F(Target, BuiltInArchitectures) {
  resolve("cpu/x86-64-v3");
  ASSERT_EQ(status, nullptr) << tg_status_message(status);
  EXPECT_STREQ(tg_target_id(target), "cpu-x86-64-v3");
  EXPECT_STREQ(tg_target_arch(target), "x86-64-v3");
  EXPECT_STREQ(tg_target_frozen_yaml(target), tg_target_yaml(target));
  // Of the text above: files that are around rely on it.
  EXPECT_STREQ(tg_target_hash(target),
               "aa989d0d1b9c4cbc7225043aa5316c2966a327ad15db5a4c6e1c25d0dde728ef");
}

TEST_F(Target, TheFrozenFormHasNoNative) {
  resolve("cpu");
  ASSERT_EQ(status, nullptr);
  const std::string frozen = tg_target_frozen_yaml(target), hash = tg_target_hash(target);
  EXPECT_NE(std::string(tg_target_yaml(target)).find("arch: \"native\""), std::string::npos);
  EXPECT_EQ(frozen.find("native"), std::string::npos) << frozen;
  EXPECT_EQ(hash.size(), 64u);
  TemporaryFile file(frozen);
  tg_target *again = nullptr;
  tg_status *problem = tg_target_resolve(file.path.c_str(), &again);
  ASSERT_EQ(problem, nullptr) << tg_status_message(problem);
  EXPECT_EQ(hash, tg_target_hash(again));
  tg_target_free(again);
}
