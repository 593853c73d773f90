//===- EmitTest.cpp - Messages of the NVIDIA backend's emission -----------===//
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

using namespace tegula::nvidia;

static const NvidiaBackend backend;

static mlir::Attribute targetFor(mlir::MLIRContext &context, llvm::StringRef arch,
                                 llvm::StringRef format, std::string &messages) {
  return tegula::test::targetFor(backend, "nvidia", context, arch, format, messages);
}

static std::string emissionOf(llvm::StringRef source, llvm::StringRef kernel,
                              tegula::test::MakeTarget make) {
  return tegula::test::emissionOf(backend, source, kernel, make);
}

static mlir::Attribute hopper(mlir::MLIRContext &context, std::string &messages) {
  return targetFor(context, "sm_90a", "ptx", messages);
}

static constexpr llvm::StringLiteral kEmpty = "llvm.func @k() { llvm.return }";

TEST(NvidiaEmit, EmptyKernel) { EXPECT_EQ(emissionOf(kEmpty, "k", hopper), "emitted\n"); }

TEST(NvidiaEmit, NoKernel) {
  EXPECT_EQ(emissionOf(kEmpty, "other", hopper),
            "expected kernel 'other' in the module [nvidia-no-kernel]\n");
}

TEST(NvidiaEmit, TargetOfAnotherBackend) {
  auto unit = [](mlir::MLIRContext &context, std::string &) -> mlir::Attribute {
    return mlir::UnitAttr::get(&context);
  };
  EXPECT_EQ(emissionOf(kEmpty, "k", unit),
            "expected a target of the NVIDIA backend [nvidia-target-kind]\n");
}

TEST(NvidiaEmit, WrongFormat) {
  mlir::DialectRegistry registry;
  NvidiaBackend().registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string messages;
  EXPECT_FALSE(targetFor(context, "sm_90a", "elf-so", messages));
  EXPECT_EQ(messages, "expected artifact format 'cubin' or 'ptx', got 'elf-so' "
                      "[nvidia-target-format]\n");
}

TEST(NvidiaEmit, NotOfTheLLVMDialect) {
  std::string messages =
      emissionOf("llvm.func @k() { %0 = arith.constant 1 : i32  llvm.return }", "k", hopper);
  EXPECT_NE(messages.find("translation to LLVM IR failed [nvidia-translation]"), std::string::npos)
      << messages;
}

TEST(NvidiaEmit, NoCodeGenerator) {
  auto nonsense = [](mlir::MLIRContext &context, std::string &) -> mlir::Attribute {
    return TargetAttr::get(&context, "sm_90a", "nonsense", "+ptx80", 80, true, "", "ptx");
  };
  EXPECT_EQ(emissionOf(kEmpty, "k", nonsense),
            "no code generator for nonsense [nvidia-code-generation]\n");
}
