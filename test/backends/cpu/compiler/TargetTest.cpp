//===- TargetTest.cpp - Messages about targets of the CPU backend ---------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What descriptors cannot say, since the runtime checks them first; the rest is
// in test/wrong/cpu-target.case.
//
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "gtest/gtest.h"

using namespace tegula::cpu;
using tegula::compiler::TargetSpec;

/// The message about a target, or "right".
static std::string messageOf(const TargetSpec &spec) {
  CpuBackend backend;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string message;
  mlir::Attribute target =
      backend.parseTarget(context, spec, [&](const llvm::Twine &text) { message += text.str(); });
  return target ? "right" : message;
}

static TargetSpec plain() {
  TargetSpec spec;
  spec.arch = "x86-64";
  spec.triple = "x86_64-linux-gnu";
  return spec;
}

TEST(Target, Right) {
  TargetSpec spec = plain();
  spec.features = {"+avx2"};
  spec.options = {{"threads", "0"}};
  spec.emit = {"elf-so"};
  EXPECT_EQ(messageOf(spec), "right");
}

TEST(Target, Features) {
  for (const char *feature : {"", "+", "-", "avx2"}) {
    TargetSpec spec = plain();
    spec.features = {feature};
    EXPECT_EQ(messageOf(spec), std::string("expected a feature as '+name' or '-name', got '") +
                                   feature + "' [cpu-target-feature]");
  }
}

TEST(Target, OptionNames) {
  TargetSpec spec = plain();
  spec.options = {{"thread", "1"}};
  EXPECT_EQ(messageOf(spec),
            "expected option 'threads' or 'skip_passes', got 'thread' [cpu-target-option]");
}

TEST(Target, SkipPasses) {
  TargetSpec spec = plain();
  spec.options = {{"skip_passes", "cse,canonicalize,cse"}};
  EXPECT_EQ(messageOf(spec), "right");
  for (const char *name : {"inline", " cse", "CSE"}) {
    spec.options = {{"skip_passes", std::string("cse,") + name}};
    EXPECT_EQ(messageOf(spec),
              "expected names of optional passes for option 'skip_passes' (canonicalize, cse, "
              "llvm-optimize, loop-invariant-code-motion, tile-uniform-advance), got '" +
                  std::string(name) + "' [cpu-target-option]");
  }
}

TEST(Target, OptionValues) {
  for (const char *value : {"", "-1", "many", "1.5", "99999999999", "1 "}) {
    TargetSpec spec = plain();
    spec.options = {{"threads", value}};
    EXPECT_EQ(messageOf(spec),
              std::string("expected a number of at least 0 for option 'threads', got '") + value +
                  "' [cpu-target-option]");
  }
}

TEST(Target, Formats) {
  TargetSpec spec = plain();
  spec.emit = {"elf-so", "cubin"};
  EXPECT_EQ(messageOf(spec), "expected artifact format 'elf-so', got 'cubin' [cpu-target-format]");
}
