//===- DescriptorSelectTest.cpp - Which device gets which target --------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On made-up devices: a fake target serves every device but the CPU.
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/Select.h"

#include <gtest/gtest.h>

using namespace tegula::runtime;

static DeviceFacts device(const char *kind, int ordinal, const char *name, const char *arch,
                          const char *id, double gigabytes) {
  return {kind, ordinal, name, arch, id, uint64_t(gigabytes * 1e9), nullptr};
}

/// Four cards, two of them alike, and the CPU.
static std::vector<DeviceFacts> lab() {
  return {device("cuda", 0, "NVIDIA H200", "sm_90", "GPU-1f-aa", 150.7),
          device("cuda", 1, "NVIDIA A100-SXM4-40GB", "sm_80", "GPU-1f-ab", 42.4),
          device("cuda", 2, "NVIDIA H200", "sm_90", "GPU-1f-ac", 150.7),
          device("hip", 0, "AMD Instinct MI300X", "gfx942", "0000:c1:00.0", 206.1),
          device("cpu", 0, "Some Processor", "x86_64", "cpu:0", 16.9)};
}

#define TARGETS                                                                                    \
  "schema: tegula.target/v1\n"                                                                     \
  "targets:\n"                                                                                     \
  "  - {id: hopper, backend: fake, arch: sm_90a}\n"                                                \
  "  - {id: spare, backend: fake, arch: sm_90}\n"                                                  \
  "  - {id: ampere, backend: fake, arch: sm_80}\n"                                                 \
  "  - {id: mi300, backend: fake, arch: gfx942}\n"                                                 \
  "  - {id: host, backend: cpu, arch: native}\n"

static Explanation explain(const std::string &text,
                           const std::vector<DeviceFacts> &devices = lab()) {
  Explanation explanation;
  tg_status *status = explainDescriptor(text, "lab.yaml", devices, explanation);
  EXPECT_EQ(status, nullptr) << tg_status_message(status);
  tg_status_free(status);
  return explanation;
}

/// "hopper spare ampere - host": what each device got.
static std::string targets(const Explanation &explanation) {
  std::string text;
  for (const DeviceChoice &choice : explanation.devices) {
    text += (text.empty() ? "" : " ") + (choice.target.empty() ? "-" : choice.target);
  }
  return text;
}

static std::string select(const std::string &rules) {
  return targets(explain(TARGETS "select:\n" + rules));
}

TEST(Select, OneFileForFourDevicesAndTheCpu) {
  const Explanation explanation =
      explain(TARGETS "select:\n"
                      "  - {match: {kind: cuda, id: GPU-1f-ac}, use: spare}\n"
                      "  - {match: {kind: cuda, arch: sm_90, memory_gb: \">=80\"}, use: hopper}\n"
                      "  - {match: {kind: cuda, name: \"*A100*\", index: [0, 1]}, use: ampere}\n"
                      "  - {match: {kind: hip}, use: mi300}\n"
                      "  - {match: {kind: cpu}, use: host}\n");
  EXPECT_EQ(
      toText(explanation),
      "lab.yaml: which device gets which target\n"
      "  DEVICE  RULE                                                  TARGET  VERDICT\n"
      "  cuda:0  select[0] {kind: cuda, id: GPU-1f-ac}                 spare   no: id is "
      "GPU-1f-aa\n"
      "          select[1] {kind: cuda, arch: sm_90, memory_gb: >=80}  hopper  matches\n"
      "  cuda:1  select[0] {kind: cuda, id: GPU-1f-ac}                 spare   no: id is "
      "GPU-1f-ab\n"
      "          select[1] {kind: cuda, arch: sm_90, memory_gb: >=80}  hopper  no: arch is sm_80\n"
      "          select[2] {kind: cuda, name: *A100*, index: [0, 1]}   ampere  matches\n"
      "  cuda:2  select[0] {kind: cuda, id: GPU-1f-ac}                 spare   matches\n"
      "  hip:0   select[0] {kind: cuda, id: GPU-1f-ac}                 spare   no: kind is hip\n"
      "          select[1] {kind: cuda, arch: sm_90, memory_gb: >=80}  hopper  no: kind is hip\n"
      "          select[2] {kind: cuda, name: *A100*, index: [0, 1]}   ampere  no: kind is hip\n"
      "          select[3] {kind: hip}                                 mi300   matches\n"
      "  cpu:0   select[0] {kind: cuda, id: GPU-1f-ac}                 spare   no: kind is cpu\n"
      "          select[1] {kind: cuda, arch: sm_90, memory_gb: >=80}  hopper  no: kind is cpu\n"
      "          select[2] {kind: cuda, name: *A100*, index: [0, 1]}   ampere  no: kind is cpu\n"
      "          select[3] {kind: hip}                                 mi300   no: kind is cpu\n"
      "          select[4] {kind: cpu}                                 host    matches\n"
      "  cuda:0 (NVIDIA H200, sm_90, 150.7 GB) gets target 'hopper'\n"
      "  cuda:1 (NVIDIA A100-SXM4-40GB, sm_80, 42.4 GB) gets target 'ampere'\n"
      "  cuda:2 (NVIDIA H200, sm_90, 150.7 GB) gets target 'spare'\n"
      "  hip:0 (AMD Instinct MI300X, gfx942, 206.1 GB) gets target 'mi300'\n"
      "  cpu:0 (Some Processor, x86_64, 16.9 GB) gets target 'host'\n"
      "  work without arrays: cuda:0 with target 'hopper'\n");
}

TEST(Select, TheFirstMatchWins) {
  EXPECT_EQ(select("  - {match: {kind: cuda}, use: ampere}\n"
                   "  - {match: {arch: sm_90}, use: hopper}\n"),
            "ampere ampere ampere - -");
}

TEST(Select, EveryConditionMustHold) {
  EXPECT_EQ(select("  - {match: {kind: cuda, arch: gfx942}, use: mi300}\n"
                   "  - {match: {name: \"NVIDIA*\", index: 1}, use: ampere}\n"),
            "- ampere - - -");
}

TEST(Select, Patterns) {
  EXPECT_EQ(select("  - {match: {name: \"NVIDIA H?00\"}, use: hopper}\n"), "hopper - hopper - -");
  EXPECT_EQ(select("  - {match: {name: \"NVIDIA\"}, use: hopper}\n"), "- - - - -");
  EXPECT_EQ(select("  - {match: {arch: \"*9*\"}, use: hopper}\n"), "hopper - hopper hopper -");
  EXPECT_EQ(select("  - {match: {name: \"*\"}, use: hopper}\n"), "hopper hopper hopper hopper -");
  // Brackets are text: names of cards have some.
  EXPECT_EQ(select("  - {match: {name: \"[NA]*\"}, use: hopper}\n"), "- - - - -");
}

TEST(Select, IdsThatLookAlike) {
  EXPECT_EQ(select("  - {match: {id: GPU-1f-a}, use: hopper}\n"), "- - - - -");
  EXPECT_EQ(select("  - {match: {id: GPU-1f-ab}, use: hopper}\n"), "- hopper - - -");
  EXPECT_EQ(select("  - {match: {id: \"GPU-1f-a*\"}, use: hopper}\n"), "hopper hopper hopper - -");
}

TEST(Select, MemoryIsInBillionsOfBytes) {
  const auto with = [](const std::string &bound) {
    return select("  - {match: {kind: cuda, memory_gb: \"" + bound + "\"}, use: hopper}\n");
  };
  EXPECT_EQ(with(">=42.4"), "hopper hopper hopper - -");
  EXPECT_EQ(with(">42.4"), "hopper - hopper - -");
  EXPECT_EQ(with("<=42.4"), "- hopper - - -");
  EXPECT_EQ(with("<42.4"), "- - - - -");
  EXPECT_EQ(with("<=0"), "- - - - -");
  EXPECT_EQ(with("42"), "- hopper - - -");
  EXPECT_EQ(with("=151"), "hopper - hopper - -");
  EXPECT_EQ(with(">=40, <80"), "- hopper - - -");
  EXPECT_EQ(select("  - {match: {memory_gb: 206}, use: mi300}\n"), "- - - mi300 -");
}

TEST(Select, TheCpuNeedsARuleOrTheFallback) {
  const std::string rules = TARGETS "select:\n  - {match: {kind: hip}, use: mi300}\n";
  EXPECT_EQ(targets(explain(rules)), "- - - mi300 -");
  EXPECT_EQ(targets(explain(rules + "runtime: {fallback: none}\n")), "- - - mi300 -");
  const Explanation with = explain(rules + "runtime: {fallback: cpu}\n");
  EXPECT_EQ(targets(with), "- - - mi300 host");
  EXPECT_EQ(with.chosen, 3); // no fallback where a rule serves a device
  const std::vector<DeviceFacts> onlyCpu = {lab().back()};
  EXPECT_EQ(explain(rules, onlyCpu).chosen, -1);
  EXPECT_EQ(toText(explain(rules + "runtime: {fallback: cpu}\n", onlyCpu)),
            "lab.yaml: which device gets which target\n"
            "  DEVICE  RULE                      TARGET  VERDICT\n"
            "  cpu:0   select[0] {kind: hip}     mi300   no: kind is cpu\n"
            "          runtime: {fallback: cpu}  host    matches\n"
            "  cpu:0 (Some Processor, x86_64, 16.9 GB) gets target 'host'\n"
            "  work without arrays: cpu:0 with target 'host'\n");
}

TEST(Select, TheFallbackNeedsNoTargetOfItsOwn) {
  const Explanation explanation =
      explain("schema: tegula.target/v1\ntargets: [{id: a, backend: fake, arch: x}]\n"
              "select: [{match: {kind: hip}, use: a}]\nruntime: {fallback: cpu}\n");
  EXPECT_EQ(targets(explanation), "- - - a cpu");
}

TEST(Select, ARuleWhoseTargetDoesNotFitEndsTheSearch) {
  const Explanation explanation =
      explain(TARGETS "select:\n  - {match: {kind: cpu}, use: hopper}\n"
                      "  - {match: {kind: cpu}, use: host}\nruntime: {fallback: cpu}\n");
  EXPECT_EQ(targets(explanation), "- - - - -");
  ASSERT_EQ(explanation.devices.back().rules.size(), 1u);
  EXPECT_EQ(explanation.devices.back().rules[0].why, "backend 'fake' does not serve kind 'cpu'");
}

TEST(Select, WithoutRulesTheFirstTargetThatFits) {
  const Explanation explanation = explain(TARGETS);
  EXPECT_EQ(targets(explanation), "hopper hopper hopper hopper host");
  EXPECT_EQ(explanation.devices.back().rules.size(), 5u);
}

TEST(Select, NoDevices) {
  const Explanation explanation = explain(TARGETS, {});
  EXPECT_EQ(toText(explanation), "lab.yaml: there are no devices\n");
  EXPECT_EQ(toJson(explanation),
            "{\"what\": \"lab.yaml\",\n \"devices\": [\n  ],\n \"chosen\": null}\n");
}

TEST(Select, Json) {
  const std::vector<DeviceFacts> one = {lab()[3]};
  EXPECT_EQ(toJson(explain(TARGETS "select: [{match: {kind: cuda}, use: hopper}, "
                                   "{match: {kind: hip}, use: mi300}]\n",
                           one)),
            "{\"what\": \"lab.yaml\",\n \"devices\": [\n  {\"device\": \"hip:0\", \"name\": \"AMD "
            "Instinct MI300X\", \"arch\": \"gfx942\", \"id\": \"0000:c1:00.0\", \"memory\": "
            "206100000000, \"target\": \"mi300\",\n   \"rules\": [{\"rule\": \"select[0] {kind: "
            "cuda}\", \"target\": \"hopper\", \"matches\": false, \"why\": \"kind is hip\"}, "
            "{\"rule\": \"select[1] {kind: hip}\", \"target\": \"mi300\", \"matches\": true, "
            "\"why\": \"\"}]}],\n \"chosen\": {\"device\": \"hip:0\", \"target\": \"mi300\"}}\n");
}
