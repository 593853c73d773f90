//===- EmitTest.cpp - Messages of the CPU backend's emission --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What only a caller of the C++ interface can do wrong; what a kernel can do
// wrong is in test/wrong/cpu-limits.case.
//
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace tegula::cpu;

/// The messages of emitting function `k` of an empty kernel for `target`.
static std::string emissionOf(llvm::function_ref<mlir::Attribute(mlir::MLIRContext &)> target,
                              llvm::StringRef kernel) {
  CpuBackend backend;
  mlir::DialectRegistry registry;
  backend.registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>("llvm.func @k() { llvm.return }", &context);
  auto artifact = backend.emit(*module, target(context), tegula::compiler::Stage::Object, kernel);
  return mlir::succeeded(artifact) ? "emitted\n" : messages;
}

static mlir::Attribute targetOf(mlir::MLIRContext &context, llvm::StringRef triple) {
  return TargetAttr::get(&context, "x86-64", triple, "x86-64", "", 128, true, {});
}

static mlir::Attribute x86(mlir::MLIRContext &context) {
  return targetOf(context, "x86_64-unknown-linux-gnu");
}

TEST(Emit, EmptyKernel) { EXPECT_EQ(emissionOf(x86, "k"), "emitted\n"); }

TEST(Emit, NoKernel) {
  EXPECT_EQ(emissionOf(x86, "other"), "expected kernel 'other' in the module [cpu-no-kernel]\n");
}

TEST(Emit, TargetOfAnotherBackend) {
  auto unit = [](mlir::MLIRContext &context) { return mlir::UnitAttr::get(&context); };
  EXPECT_EQ(emissionOf(unit, "k"), "expected a target of the CPU backend [cpu-target-kind]\n");
  auto none = [](mlir::MLIRContext &) { return mlir::Attribute(); };
  EXPECT_EQ(emissionOf(none, "k"), "expected a target of the CPU backend [cpu-target-kind]\n");
}

TEST(Emit, NoCodeGenerator) {
  auto nonsense = [](mlir::MLIRContext &context) { return targetOf(context, "nonsense"); };
  EXPECT_EQ(emissionOf(nonsense, "k"), "no code generator for nonsense [cpu-code-generation]\n");
}
