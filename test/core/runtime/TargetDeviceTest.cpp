//===- TargetDeviceTest.cpp - Targets of devices that are there ---------===//
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
/// What the plugins read, before anything asks for devices.
const bool isSet = [] {
  setenv("TEGULA_PLUGIN_PATH", FAKE_FOLDER, 1);
  setenv("TEGULA_FAKE_DEVICES",
         "device fake-cuda name=\"Fake Max\" arch=f9 id=GPU-1234-a memory=80G\n"
         "device fake-cuda name=\"Fake Mini\" arch=f1 id=GPU-1234-b memory=8G\n"
         "device fake-cuda name=\"Fake Max\" arch=f9 id=GPU-1234-c memory=24G\n"
         "device fake-npu name=\"Fake NPU\" arch=n3 id=npu memory=4G\n",
         1);
  unsetenv("TEGULA_FAKE_VISIBLE");
  return true;
}();

class TargetDevice : public testing::Test {
protected:
  void SetUp() override { unsetenv("TEGULA_TARGET"); }
  void TearDown() override {
    unsetenv("TEGULA_TARGET");
    unlink(path.c_str());
  }
  void write(const std::string &text) {
    std::ofstream(path) << "schema: tegula.target/v1\n" + text;
  }

  /// "id arch" of the device's target, or the message.
  std::string of(const char *kind, int ordinal, const char *what) {
    tg_device *device = nullptr;
    EXPECT_EQ(tg_device_get(kind, ordinal, &device), nullptr);
    tg_target *target = nullptr;
    return take(tg_target_for_device(what, device, &target), target);
  }
  std::string of(const char *kind, int ordinal) { return of(kind, ordinal, path.c_str()); }

  /// The same of the best device, whose place comes first.
  std::string best(const char *what) {
    tg_device *device = nullptr;
    tg_target *target = nullptr;
    tg_status *status = tg_target_choose(what, &device, &target);
    const std::string place = status ? ""
                                     : std::string(tg_device_kind(device)) + ":" +
                                           std::to_string(tg_device_ordinal(device)) + " ";
    return place + take(status, target);
  }

  std::string take(tg_status *status, tg_target *target) {
    std::string text = status ? std::string(tg_status_message(status)) + " [" +
                                    tg_status_id(status) + "] " + tg_status_hint(status)
                              : std::string(tg_target_id(target)) + " " + tg_target_arch(target);
    EXPECT_EQ(tg_status_code(status), status ? TG_TARGET_ERROR : TG_OK) << text;
    // The path and the processor are not the same everywhere.
    for (size_t at; (at = text.find(path)) != std::string::npos;) {
      text.replace(at, path.size(), "FILE");
    }
    tg_status_free(status);
    tg_target_free(target);
    return text;
  }

  std::string path = testing::TempDir() + "tegula-lab-" + std::to_string(getpid()) + ".yaml";
};
} // namespace

#define TARGETS                                                                                    \
  "targets:\n"                                                                                     \
  "  - {id: max, backend: fake, arch: f9, emit: [fake]}\n"                                         \
  "  - {id: mini, backend: fake, arch: f1, emit: [fake]}\n"                                        \
  "  - {id: npu, backend: fake, arch: native, emit: [fake]}\n"                                     \
  "  - {id: other, backend: nosuch, arch: x}\n"                                                    \
  "  - {id: host, backend: cpu, arch: x86-64-v3}\n"

TEST_F(TargetDevice, EachDeviceGetsItsOwn) {
  write(TARGETS "select:\n"
                "  - {match: {kind: fake-cuda, memory_gb: \">=80\"}, use: max}\n"
                "  - {match: {kind: fake-cuda, index: [1, 2]}, use: mini}\n"
                "  - {match: {kind: fake-npu}, use: npu}\n"
                "  - {match: {kind: cpu}, use: host}\n");
  EXPECT_EQ(of("fake-cuda", 0), "max f9");
  EXPECT_EQ(of("fake-cuda", 1), "mini f1");
  EXPECT_EQ(of("fake-cuda", 2), "mini f1"); // the older architecture's code runs on it
  EXPECT_EQ(of("fake-npu", 0), "npu n3");   // devices say what `native` is
  EXPECT_EQ(of("cpu", 0), "host x86-64-v3");
  EXPECT_EQ(best(path.c_str()), "fake-cuda:0 max f9");
}

TEST_F(TargetDevice, TheBestDeviceThatTheTargetServes) {
  write(TARGETS "select:\n  - {match: {kind: fake-npu}, use: npu}\n"
                "  - {match: {kind: cpu}, use: host}\n");
  EXPECT_EQ(best(path.c_str()), "fake-npu:0 npu n3");
  EXPECT_EQ(best((path + ":host").c_str()), "cpu:0 host x86-64-v3");
  EXPECT_EQ(best((path + ":mini").c_str()), "fake-cuda:0 mini f1");
  EXPECT_EQ(best("cpu/x86-64-v3"), "cpu:0 cpu-x86-64-v3 x86-64-v3");
  EXPECT_EQ(best(nullptr), "cpu:0 cpu native"); // fakes have no compiler
}

TEST_F(TargetDevice, TheVariableComesAfterTheArgument) {
  write(TARGETS "select:\n  - {match: {kind: cpu}, use: host}\n");
  setenv("TEGULA_TARGET", path.c_str(), 1);
  EXPECT_EQ(of("cpu", 0, nullptr), "host x86-64-v3");
  EXPECT_EQ(of("cpu", 0, ""), "host x86-64-v3");
  EXPECT_EQ(of("cpu", 0, "cpu"), "cpu native");
  unsetenv("TEGULA_TARGET");
  EXPECT_EQ(of("cpu", 0, nullptr), "cpu native");
}

TEST_F(TargetDevice, NoRuleMatches) {
  write(TARGETS "select:\n  - {match: {kind: fake-npu, index: 1}, use: npu}\n"
                "runtime: {fallback: cpu}\n");
  const std::string message = of("fake-npu", 0);
  EXPECT_EQ(message.substr(0, message.find('\n')),
            "FILE gives no target to the device fake-npu:0 (Fake NPU, n3)");
  EXPECT_NE(message.find("\n  fake-npu:0   select[0] {kind: fake-npu, index: 1}  npu     no: index "
                         "is 0\n"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("gets target 'host'\n  work without arrays: cpu:0 with target 'host' "
                         "[no-rule-matches] add a rule that matches it"),
            std::string::npos)
      << message;
  EXPECT_EQ(of("cpu", 0), "host x86-64-v3");
  EXPECT_EQ(best(path.c_str()), "cpu:0 host x86-64-v3");
}

TEST_F(TargetDevice, NoRuleForTheCpu) {
  write(TARGETS "select:\n  - {match: {kind: fake-npu}, use: npu}\n");
  const std::string message = of("cpu", 0);
  EXPECT_EQ(message.substr(0, message.find('(')), "FILE gives no target to the device cpu:0 ");
  EXPECT_TRUE(message.ends_with("add a rule for it, or `runtime: {fallback: cpu}`")) << message;
}

TEST_F(TargetDevice, NothingFits) {
  write(TARGETS "select:\n  - {match: {kind: cuda}, use: max}\n");
  const std::string message = best(path.c_str());
  EXPECT_EQ(message.substr(0, message.find('\n')), "FILE: no device of this machine gets a target");
  EXPECT_NE(message.find("\nFILE: which device gets which target\n  DEVICE       RULE"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("\n  work without arrays: no device [no-rule-matches] "
                         "add a rule for one of them, or `runtime: {fallback: cpu}`"),
            std::string::npos)
      << message;
  setenv("TEGULA_TARGET", path.c_str(), 1);
  EXPECT_EQ(best(nullptr).substr(0, 50), "TEGULA_TARGET: FILE: no device of this machine get");
}

TEST_F(TargetDevice, ATargetThatCannotServeTheDevice) {
  write(TARGETS "select:\n  - {match: {kind: fake-cuda}, use: max}\n"
                "  - {match: {kind: fake-npu}, use: other}\n  - {match: {kind: cpu}, use: max}\n");
  const auto first = [](const std::string &message) {
    return message.substr(0, message.find('\n'));
  };
  EXPECT_EQ(first(of("fake-cuda", 1)),
            "target 'max' cannot serve the device fake-cuda:1 (Fake Mini, "
            "f1): is for f9, this device is f1");
  EXPECT_EQ(first(of("fake-npu", 0)),
            "target 'other' cannot serve the device fake-npu:0 (Fake NPU, "
            "n3): no plugin of backend 'nosuch' is installed");
  EXPECT_NE(of("cpu", 0).find(": backend 'fake' does not serve kind 'cpu'\n"), std::string::npos);
  // Devices whose target does not fit are passed over.
  EXPECT_EQ(best(path.c_str()), "fake-cuda:0 max f9");
  EXPECT_EQ(of("fake-npu", 0, (path + ":host").c_str()),
            "target 'host' cannot serve the device fake-npu:0 (Fake NPU, n3): backend 'cpu' does "
            "not serve kind 'fake-npu' [target-device] "
            "choose a target for devices of kind 'fake-npu'");
  EXPECT_EQ(
      of("fake-npu", 0, nullptr),
      "target 'fake' cannot serve the device fake-npu:0 (Fake NPU, n3): backend 'fake' has no "
      "compiler here [target-device] choose a target for devices of kind 'fake-npu'");
}

TEST_F(TargetDevice, AnOnlyTargetIsMeant) {
  write("targets: [{id: mini, backend: fake, arch: f1, emit: [fake]}]\n");
  EXPECT_EQ(of("fake-cuda", 2), "mini f1");
  EXPECT_NE(of("cpu", 0).find("target 'mini' cannot serve the device cpu:0 ("), std::string::npos);
  write("targets: [{id: mini, backend: fake, arch: f1, emit: [fake]}]\nruntime: {fallback: cpu}\n");
  EXPECT_EQ(of("cpu", 0), "cpu native");
}

TEST_F(TargetDevice, ADriverKeepsItsLibrary) {
  size_t count = 0;
  ASSERT_EQ(tg_device_list(nullptr, nullptr, 0, &count), nullptr); // opens the drivers
  write(TARGETS "runtime: {library: {fake: /none/libfake.so.2}}\n");
  tg_target *target = nullptr;
  tg_status *status = tg_target_resolve(path.c_str(), &target);
  ASSERT_NE(status, nullptr);
  EXPECT_EQ(std::string(tg_status_message(status)),
            path + ": runtime.library.fake: driver of plugin 'fake': expected the library "
                   "'/none/libfake.so.2', but it is open with the default one");
  tg_status_free(status);
}

TEST_F(TargetDevice, ExplainsAsText) {
  write(TARGETS "select:\n  - {match: {kind: fake-npu}, use: npu}\n");
  const char *text = nullptr;
  ASSERT_EQ(tg_target_explain(path.c_str(), &text), nullptr);
  EXPECT_NE(std::string(text).find("  fake-npu:0 (Fake NPU, n3, 4.3 GB) gets target 'npu'\n"),
            std::string::npos)
      << text;
}

TEST_F(TargetDevice, NullPointers) {
  tg_device *device = nullptr;
  tg_target *target = nullptr;
  for (tg_status *status :
       {tg_target_for_device("cpu", nullptr, &target), tg_target_choose("cpu", nullptr, &target),
        tg_target_choose("cpu", &device, nullptr), tg_target_explain("cpu", nullptr)}) {
    EXPECT_STREQ(tg_status_id(status), "null-pointer");
    tg_status_free(status);
  }
  EXPECT_STREQ(tg_target_hash(nullptr), "");
  EXPECT_STREQ(tg_target_frozen_yaml(nullptr), "");
}
