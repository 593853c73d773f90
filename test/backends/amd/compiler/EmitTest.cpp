//===- EmitTest.cpp - Messages of the AMD backend's emission -----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What only a caller of the C++ interface can do wrong.
//
//===----------------------------------------------------------------------===//

#include "../../Emission.h"
#include "Backend.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "gtest/gtest.h"

using namespace tegula::amd;

static const AmdBackend backend;

static mlir::Attribute targetFor(mlir::MLIRContext &context, llvm::StringRef arch,
                                 llvm::StringRef format, std::string &messages) {
  return tegula::test::targetFor(backend, "amd", context, arch, format, messages);
}

static std::string emissionOf(llvm::StringRef source, llvm::StringRef kernel,
                              tegula::test::MakeTarget make) {
  return tegula::test::emissionOf(backend, source, kernel, make);
}

static mlir::Attribute mi300(mlir::MLIRContext &context, std::string &messages) {
  return targetFor(context, "gfx942", "hsaco", messages);
}

static constexpr llvm::StringLiteral kEmpty = "llvm.func @k() { llvm.return }";

TEST(AmdEmit, EmptyKernel) { EXPECT_EQ(emissionOf(kEmpty, "k", mi300), "emitted\n"); }

TEST(AmdEmit, NoKernel) {
  EXPECT_EQ(emissionOf(kEmpty, "other", mi300),
            "expected kernel 'other' in the module [amd-no-kernel]\n");
}

TEST(AmdEmit, TargetOfAnotherBackend) {
  auto unit = [](mlir::MLIRContext &context, std::string &) -> mlir::Attribute {
    return mlir::UnitAttr::get(&context);
  };
  EXPECT_EQ(emissionOf(kEmpty, "k", unit),
            "expected a target of the AMD backend [amd-target-kind]\n");
}

TEST(AmdEmit, WrongFormat) {
  mlir::DialectRegistry registry;
  AmdBackend().registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string messages;
  EXPECT_FALSE(targetFor(context, "gfx942", "elf-so", messages));
  EXPECT_EQ(messages, "expected artifact format 'hsaco', got 'elf-so' [amd-target-format]\n");
}

TEST(AmdEmit, NotOfTheLLVMDialect) {
  std::string messages =
      emissionOf("llvm.func @k() { %0 = arith.constant 1 : i32  llvm.return }", "k", mi300);
  EXPECT_NE(messages.find("translation to LLVM IR failed [amd-translation]"), std::string::npos)
      << messages;
}

TEST(AmdEmit, NoCodeGenerator) {
  auto nonsense = [](mlir::MLIRContext &context, std::string &) -> mlir::Attribute {
    return TargetAttr::get(&context, "gfx942", "nonsense", "", true);
  };
  const std::string messages = emissionOf(kEmpty, "k", nonsense);
  EXPECT_EQ(messages.find("no code generator for this chip: "), 0u) << messages;
  EXPECT_NE(messages.find("[amd-code-generation]"), std::string::npos) << messages;
}

TEST(AmdEmit, OptionOfNobody) {
  tegula::compiler::TargetSpec spec;
  spec.arch = "gfx942";
  spec.options = {{"speed", "1"}};
  mlir::DialectRegistry registry;
  AmdBackend().registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string messages;
  EXPECT_FALSE(AmdBackend().parseTarget(context, spec,
                                        [&](const llvm::Twine &text) { messages += text.str(); }));
  EXPECT_EQ(messages, "expected no options, got 'speed' [amd-target-option]");
}

TEST(AmdEmit, NothingBehindACall) {
  const std::string messages = emissionOf(
      "llvm.func @other()  llvm.func @k() { llvm.call @other() : () -> ()  llvm.return }", "k",
      mi300);
  EXPECT_EQ(messages.find("linking failed: "), 0u) << messages;
  EXPECT_NE(messages.find("undefined symbol: other"), std::string::npos) << messages;
  EXPECT_NE(messages.find("[amd-link]"), std::string::npos) << messages;
}
