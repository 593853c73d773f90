//===- SemanticsFixture.h - A function to emit tile IR into ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TEST_FRONTEND_SEMANTICSFIXTURE_H
#define TEGULA_TEST_FRONTEND_SEMANTICSFIXTURE_H

#include "Semantics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "tegula/Frontend/Frontend.h"
#include "tegula/Tile/IR/Tile.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <gtest/gtest.h>

namespace tegula::frontend {

/// A jit function as the tests need it: code in C++.
struct TestFunction {
  std::function<Value(const CallArgs &)> body;

  /// What FunctionRef really is, only the walker knows.
  Value value() { return Value::function(reinterpret_cast<FunctionRef *>(this)); }
};

class SemanticsTest : public ::testing::Test, public SemanticsClient {
protected:
  SemanticsTest() : builder(&context) {
    context.disableMultithreading();
    context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                        mlir::func::FuncDialect>();
    module = mlir::ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
    function = mlir::func::FuncOp::create(builder, builder.getUnknownLoc(), "f",
                                          builder.getFunctionType({}, {}));
    builder.setInsertionPointToStart(function.addEntryBlock());
  }

  // SemanticsClient
  void reportError(DiagID, const llvm::Twine &message, int argument) override {
    errors.push_back(message.str());
    lastArgument = argument;
  }
  void reportNote(const llvm::Twine &) override {}
  mlir::Location getLocation() override { return builder.getUnknownLoc(); }
  Value callFunction(FunctionRef *function, const CallArgs &args) override {
    return reinterpret_cast<TestFunction *>(function)->body(args);
  }
  std::string getFunctionName(FunctionRef *) override { return "helper"; }
  std::optional<Value> lookupLibrary(llvm::StringRef name) override {
    return name == "sum" ? std::optional<Value>(library.value()) : std::nullopt;
  }
  std::vector<std::string> listLibrary() override { return {"sum"}; }
  Value importFunction(const HostValue &) override { return Value::poison(); }
  void staticPrint(llvm::StringRef text) override { printed += text; }

  /// A run-time value of a type written as `float32[64, 32]`.
  Value runtime(DType dtype, llvm::ArrayRef<int64_t> shape = {}) {
    LangType type(dtype, shape);
    mlir::Block &block = function.getBody().front();
    return Value::runtime(block.addArgument(type.getMLIRType(&context), builder.getUnknownLoc()),
                          type);
  }

  Value callFunctionOf(llvm::StringRef path, std::vector<Value> positional,
                       std::vector<std::pair<std::string, Value>> keywords = {}) {
    CallArgs args;
    args.positional.append(positional.begin(), positional.end());
    args.keywords.append(keywords.begin(), keywords.end());
    return semantics.callBuiltin(path, args);
  }

  /// The IR made so far.
  std::string ir() {
    std::string text;
    llvm::raw_string_ostream os(text);
    // The function is not finished: without this it would print in generic form.
    function.print(os, mlir::OpPrintingFlags().assumeVerified());
    // Runs of blanks are of no interest.
    size_t at;
    while ((at = text.find("  ")) != std::string::npos) {
      text.erase(at, 1);
    }
    return text;
  }
  unsigned countOps(llvm::StringRef name) {
    unsigned count = 0;
    function.walk([&](mlir::Operation *op) { count += op->getName().getStringRef() == name; });
    return count;
  }
  /// The last error, which is forgotten.
  std::string takeError() {
    std::string text = errors.empty() ? "" : errors.back();
    errors.clear();
    return text;
  }
  void TearDown() override {
    EXPECT_TRUE(errors.empty()) << errors.back();
    // The terminator is missing until here.
    mlir::OpBuilder end = mlir::OpBuilder::atBlockEnd(&function.getBody().front());
    mlir::func::ReturnOp::create(end, end.getUnknownLoc());
    llvm::SmallVector<mlir::Type> inputs(function.getBody().front().getArgumentTypes());
    function.setType(builder.getFunctionType(inputs, {}));
    EXPECT_TRUE(mlir::succeeded(mlir::verify(*module))) << ir();
  }

  mlir::MLIRContext context;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  std::vector<std::string> errors;
  int lastArgument = -1;
  std::string printed;
  TestFunction library{[](const CallArgs &args) {
    return Value::tuple(std::vector<Value>(args.positional.begin(), args.positional.end()));
  }};
  Semantics semantics{builder, *this};
};

} // namespace tegula::frontend

#endif // TEGULA_TEST_FRONTEND_SEMANTICSFIXTURE_H
