//===- DescriptorMutationTest.cpp - Whatever a descriptor's bytes are ---===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/Target.h"

#include <gtest/gtest.h>
#include <random>

using tegula::runtime::parseDescriptor;

static const std::string full =
    "schema: tegula.target/v1\nname: \"lab \\u00e4\"\ntargets:\n"
    "  - {id: gpu, backend: nosuch, arch: sm_90a, emit: [cubin, ptx], options: {w: 8}}\n"
    "  - id: host\n    backend: cpu\n    arch: x86-64-v3\n    triple: x86_64-pc-linux-gnu\n"
    "    features: [\"+avx2\", -avx512f]\n    emit: [elf-so]\n    options: {threads: 3}\n"
    "    plugin: {version: \">=0.1,<0.2\"}\n"
    "select:\n  - {match: {kind: cuda, name: '*H200*', memory_gb: \">=80\"}, use: gpu}\n"
    "  - match:\n      kind: cpu\n      index: [0, 1]\n    use: host\n"
    "numerics: {fma: never, denormals: preserve, tf32: false, fast_math: []}\n"
    "runtime: {fallback: cpu, library: {nosuch: libx.so}}\n";

/// Reads it both ways; what is accepted must read as itself.
static void check(const std::string &text) {
  for (const char *id : {"host", ""}) {
    tg_target target, again;
    if (tg_status *status = parseDescriptor(text, "f.yaml", id, target)) {
      EXPECT_EQ(tg_status_code(status), TG_TARGET_ERROR) << tg_status_message(status) << text;
      EXPECT_STRNE(tg_status_message(status), "") << text;
      EXPECT_STRNE(tg_status_id(status), "") << text;
      tg_status_free(status);
      continue;
    }
    tg_status *status = parseDescriptor(target.yaml, "g.yaml", target.id, again);
    EXPECT_EQ(status, nullptr) << tg_status_message(status) << text;
    EXPECT_EQ(target.yaml, again.yaml);
    tg_status_free(status);
  }
}

TEST(DescriptorMutation, TheWholeIsRight) {
  tg_target target;
  tg_status *status = parseDescriptor(full, "f.yaml", "host", target);
  EXPECT_EQ(status, nullptr) << tg_status_message(status);
  tg_status_free(status);
}

TEST(DescriptorMutation, CutAnywhere) {
  for (size_t i = 0; i <= full.size(); ++i) {
    check(full.substr(0, i));
    check(full.substr(i));
  }
}

TEST(DescriptorMutation, OneByteOtherwise) {
  static const char bytes[] = {'\0', '\t', '\n', '\r', ' ', '"', '#', '&', '\'', '*', ',',
                               '-',  '0',  ':',  '>',  '?', '[', ']', '{', '|',  '}', '\xc3'};
  for (size_t i = 0; i < full.size(); ++i) {
    std::string text = full;
    text[i] = bytes[i % sizeof bytes];
    check(text);
    text.insert(i, 1, bytes[(i * 7 + 3) % sizeof bytes]);
    check(text);
  }
}

TEST(DescriptorMutation, RandomEdits) {
  std::mt19937 random(7);
  const auto below = [&](size_t bound) { return random() % bound; };
  for (int i = 0; i < 4000; ++i) {
    std::string text = full;
    for (size_t edits = 1 + below(8); edits > 0; --edits) {
      const size_t at = below(text.size() + 1);
      switch (below(4)) {
      case 0:
        text.insert(at, 1, char(below(256)));
        break;
      case 1:
        text.erase(at, below(20));
        break;
      case 2: // a piece again, elsewhere
        text.insert(at, text.substr(below(text.size() + 1), below(60)));
        break;
      default:
        text.insert(at, std::string(1 + below(40), "[{-:\"& \n"[below(8)]));
        break;
      }
    }
    check(text);
  }
}

/// Depth and numbers of things are what naive readers die of, or take hours for.
TEST(DescriptorMutation, Masses) {
  std::string keys, list = "targets: [", rules = full.substr(0, full.find("select:")) + "select:\n";
  for (int i = 0; i < 60000; ++i) {
    keys += "k" + std::to_string(i) + ": 1\n";
    list += "a, ";
  }
  for (int i = 0; i < 5000; ++i) {
    rules += "  - {match: {kind: cuda, index: " + std::to_string(i) + "}, use: gpu}\n";
  }
  check(keys);
  check(list + "]");
  check(rules);
  for (const char *opening : {"[", "{", "- ", "{a: ", "? ", "\"", "&a ", "!t "}) {
    std::string text;
    for (int i = 0; i < 20000; ++i) {
      text += opening;
    }
    check(text);
    check("a: " + text);
  }
  check(std::string(1 << 20, ' '));
  check(std::string(1 << 20, 'a'));
  check("a: \"" + std::string(1 << 20, 'b'));
}
