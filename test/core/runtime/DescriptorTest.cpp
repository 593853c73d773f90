//===- DescriptorTest.cpp - Errors of target descriptors ----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/Target.h"

#include <gtest/gtest.h>

using tegula::runtime::parseDescriptor;

namespace {
struct Case {
  const char *name;
  const char *text;
  const char *expected; ///< the first line of the message, without the file
};

class DescriptorErrors : public testing::TestWithParam<Case> {};
} // namespace

#define HEAD "schema: tegula.target/v1\n"
#define TARGET HEAD "targets:\n  - {id: a, backend: cpu, arch: native}\n"

static const Case cases[] = {
    {"Empty", "", "1:1: error: expected a target descriptor, got an empty file"},
    {"NotAMap", "[1]\n", "1:1: error: expected a map with 'schema', 'targets', got a list"},
    {"Syntax", "a: [1\n", "2:1: error: expected ']' at the end of the list"},
    {"NoSchema", "targets:\n  - {id: a, backend: cpu, arch: native}\n",
     "1:1: error: expected the key 'schema', which is missing"},
    {"WrongSchema", "schema: tegula.target/v2\ntargets:\n  - {id: a, backend: cpu, arch: x}\n",
     "1:9: error: schema: expected 'tegula.target/v1', got 'tegula.target/v2'; did you mean "
     "'tegula.target/v1'?"},
    {"NoTargets", HEAD, "1:1: error: expected the key 'targets', which is missing"},
    {"EmptyTargets", HEAD "targets: []\n",
     "2:10: error: targets: expected at least one target, got an empty list"},
    {"TargetsNotAList", HEAD "targets: cpu\n",
     "2:10: error: targets: expected a list of targets, got 'cpu'"},
    {"UnknownTopKey", HEAD "target:\n  - x\n",
     "1:1: error: expected the key 'targets', which is missing"},
    {"UnknownTopKeySuggests", TARGET "numeric: {}\n",
     "4:1: error: numeric: unknown key 'numeric'; did you mean 'numerics'?"},
    {"DuplicateTopKey", HEAD "name: a\nname: b\n",
     "3:1: error: duplicate key 'name'; it is first set in line 2"},
    {"DuplicateTargetKey", HEAD "targets:\n  - {id: a, id: b, backend: cpu, arch: native}\n",
     "3:13: error: duplicate key 'id'; it is first set in line 3"},
    {"DuplicateOption",
     HEAD "targets:\n  - {id: a, backend: cpu, arch: native, options: {threads: 1, threads: 2}}\n",
     "3:63: error: duplicate key 'threads'; it is first set in line 3"},
    {"Anchor", HEAD "name: &x lab\n", "2:7: error: expected a value, got an anchor"},
    {"Tag", HEAD "name: !!str lab\n",
     "2:7: error: expected a value without a tag, got the tag tag:yaml.org,2002:str"},
    {"TwoDocuments", TARGET "---\nname: b\n",
     "4:1: error: expected one document, got a second one"},
    {"StrayComma", ", {id: a}\n", "1:1: error: expected a value, got a sign of flow style"},
    {"MissingArch", HEAD "targets:\n  - {id: a, backend: cpu}\n",
     "3:5: error: targets[0]: expected the key 'arch', which is missing"},
    {"ArchIsNumber", HEAD "targets:\n  - {id: a, backend: cpu, arch: 90}\n",
     "3:33: error: targets[0].arch: expected a string, got the number 90"},
    {"ArchIsNo", HEAD "targets:\n  - {id: a, backend: cpu, arch: no}\n",
     "3:33: error: targets[0].arch: expected a string, got 'no'"},
    {"ArchIsList", HEAD "targets:\n  - {id: a, backend: cpu, arch: [x]}\n",
     "3:33: error: targets[0].arch: expected a string, got a list"},
    {"ArchIsEmpty", HEAD "targets:\n  - {id: a, backend: cpu, arch: \"\"}\n",
     "3:33: error: targets[0].arch: expected a string, got an empty one"},
    {"BadId", HEAD "targets:\n  - {id: a b, backend: cpu, arch: native}\n",
     "3:10: error: targets[0].id: expected letters, digits, '_', '.' and '-', got 'a b'"},
    {"SameIds",
     HEAD "targets:\n  - {id: a, backend: cpu, arch: native}\n  - {id: a, backend: cpu, arch: x}\n",
     "4:10: error: targets[1].id: expected different ids, got 'a' twice"},
    {"BadBackend", HEAD "targets:\n  - {id: a, backend: CPU, arch: native}\n",
     "3:22: error: targets[0].backend: expected a plugin's id of small letters, digits and '-', "
     "got 'CPU'"},
    {"BadFeature", HEAD "targets:\n  - {id: a, backend: cpu, arch: native, features: [avx2]}\n",
     "3:52: error: targets[0].features[0]: expected '+name' or '-name', got 'avx2'"},
    {"FeaturesNotAList",
     HEAD "targets:\n  - {id: a, backend: cpu, arch: native, features: +avx2}\n",
     "3:51: error: targets[0].features: expected a list of strings, got '+avx2'"},
    {"EmptyEmit", HEAD "targets:\n  - {id: a, backend: cpu, arch: native, emit: []}\n",
     "3:47: error: targets[0].emit: expected at least one entry, got an empty list"},
    {"UnknownOption",
     HEAD "targets:\n  - {id: a, backend: cpu, arch: native, options: {thread: 2}}\n",
     "3:51: error: targets[0].options.thread: backend 'cpu' has no option 'thread'; did you mean "
     "'threads'?"},
    {"OptionOutOfRange",
     HEAD "targets:\n  - {id: a, backend: cpu, arch: native, options: {threads: -1}}\n",
     "3:60: error: targets[0].options.threads: expected a number from 0 to 4096, got the number "
     "-1"},
    {"OptionWrongKind",
     HEAD "targets:\n  - {id: a, backend: cpu, arch: native, options: {threads: many}}\n",
     "3:60: error: targets[0].options.threads: expected a number from 0 to 4096, got 'many'"},
    {"SelectUnknownTarget", TARGET "select:\n  - {match: {kind: cpu}, use: b}\n",
     "5:31: error: select[0].use: expected the id of a target, got 'b'"},
    {"SelectBadMemory", TARGET "select:\n  - {match: {memory_gb: lots}, use: a}\n",
     "5:25: error: select[0].match.memory_gb: expected a size such as \">=80\" or "
     "\">=40,<80\", got 'lots'"},
    {"SelectBadIndex", TARGET "select:\n  - {match: {index: [0, x]}, use: a}\n",
     "5:25: error: select[0].match.index[1]: expected a device number, got 'x'"},
    {"SelectUnknownKey", TARGET "select:\n  - {match: {kin: cpu}, use: a}\n",
     "5:14: error: select[0].match.kin: unknown key 'kin'; did you mean 'kind'?"},
    {"BadFma", TARGET "numerics: {fma: sometimes}\n",
     "4:17: error: numerics.fma: expected 'allow' or 'never', got 'sometimes'"},
    {"BadFallback", TARGET "runtime: {fallback: gpu}\n",
     "4:21: error: runtime.fallback: expected 'none' or 'cpu', got 'gpu'; did you mean 'cpu'?"},
};

TEST_P(DescriptorErrors, Places) {
  tg_target target;
  tg_status *status = parseDescriptor(GetParam().text, "f.yaml", "", target);
  ASSERT_NE(status, nullptr);
  const std::string message = tg_status_message(status);
  EXPECT_EQ(message.substr(0, message.find('\n')),
            std::string("f.yaml:") + GetParam().expected + " [E190]");
  EXPECT_EQ(tg_status_code(status), TG_TARGET_ERROR);
  EXPECT_STREQ(tg_status_id(status), "E190");
  tg_status_free(status);
}

INSTANTIATE_TEST_SUITE_P(All, DescriptorErrors, testing::ValuesIn(cases),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Descriptor, ShowsLineAndCaret) {
  tg_target target;
  tg_status *status = parseDescriptor(TARGET "numerics: {fma: x}\n", "f.yaml", "", target);
  ASSERT_NE(status, nullptr);
  EXPECT_STREQ(tg_status_message(status),
               "f.yaml:4:17: error: numerics.fma: expected 'allow' or 'never', got 'x' [E190]\n"
               "numerics: {fma: x}\n"
               "                ^");
  EXPECT_NE(std::string(tg_status_diagnostics_json(status)).find("\"line\": 4, \"column\": 17"),
            std::string::npos);
  tg_status_free(status);
}

TEST(Descriptor, RefusesAliases) {
  tg_target target;
  tg_status *status = parseDescriptor(HEAD "name: &x lab\nruntime: *x\n", "f.yaml", "", target);
  ASSERT_NE(status, nullptr);
  EXPECT_NE(std::string(tg_status_message(status))
                .find("f.yaml:3:10: error: expected a value, got an alias"),
            std::string::npos);
  tg_status_free(status);
}

TEST(Descriptor, ReportsEveryProblem) {
  tg_target target;
  tg_status *status = parseDescriptor(HEAD "name: 1\ntargets: []\n", "f.yaml", "", target);
  ASSERT_NE(status, nullptr);
  EXPECT_NE(std::string(tg_status_message(status)).find("f.yaml:2:7: "), std::string::npos);
  EXPECT_NE(std::string(tg_status_message(status)).find("f.yaml:3:10: "), std::string::npos);
  tg_status_free(status);
}

TEST(Descriptor, ReadsEverything) {
  tg_target target;
  tg_status *status = parseDescriptor(
      HEAD "name: lab\ntargets:\n"
           "  - {id: gpu, backend: nosuch, arch: sm_90a, emit: [cubin], options: {w: 8}}\n"
           "  - id: host\n    backend: cpu\n    arch: x86-64-v3\n    triple: x86_64-pc-linux-gnu\n"
           "    features: [\"+avx2\", -avx512f]\n    emit: [elf-so]\n    options: {threads: 3}\n"
           "select:\n  - {match: {kind: cpu, index: [0, 1], memory_gb: \">=0.1\"}, use: host}\n"
           "numerics: {fma: never}\nruntime: {fallback: cpu}\n",
      "f.yaml", "", target);
  ASSERT_EQ(status, nullptr) << tg_status_message(status);
  EXPECT_EQ(target.id, "host"); // by the rule, since this machine has a CPU
  EXPECT_EQ(target.arch, "x86-64-v3");
  EXPECT_EQ(target.features, (std::vector<std::string>{"+avx2", "-avx512f"}));
  ASSERT_EQ(target.options.size(), 1u);
  EXPECT_EQ(target.options[0].second, "3");
  EXPECT_FALSE(target.allowFma);
}

TEST(Descriptor, ResolvedFormIsAFixedPoint) {
  tg_target first, second;
  ASSERT_EQ(parseDescriptor(HEAD "targets:\n  - {id: a, backend: cpu, arch: native, features: "
                                 "[\"+a\\\"b\"], options: {threads: 2}}\nnumerics: {fma: never}\n",
                            "f.yaml", "", first),
            nullptr);
  tg_status *status = parseDescriptor(first.yaml, "g.yaml", "a", second);
  ASSERT_EQ(status, nullptr) << tg_status_message(status);
  EXPECT_EQ(first.yaml, second.yaml);
  EXPECT_EQ(second.features, first.features);
}

TEST(Descriptor, UnknownTargetId) {
  tg_target target;
  tg_status *status = parseDescriptor(HEAD "targets:\n  - {id: host, backend: cpu, arch: native}\n",
                                      "f.yaml", "hots", target);
  ASSERT_NE(status, nullptr);
  EXPECT_EQ(tg_status_code(status), TG_TARGET_ERROR);
  EXPECT_STREQ(tg_status_message(status),
               "f.yaml: no target 'hots'; did you mean 'host'?; the file has: host");
  tg_status_free(status);
}
