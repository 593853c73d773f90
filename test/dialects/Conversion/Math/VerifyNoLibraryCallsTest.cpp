//===- VerifyNoLibraryCallsTest.cpp - what the verifier reports -----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathFixture.h"
#include "tegula/Conversion/Math/ExpandMath.h"
#include "tegula/Conversion/Math/LegalizeFloats.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tegula::conversion;
using namespace tegula::conversion::test;

namespace {

OwningOpRef<ModuleOp> parse(const std::string &body) {
  return parseSourceString<ModuleOp>(
      "func.func @f(%x: f32, %d: f64, %h: f16, %b: bf16, %v: vector<4xf32>) {\n" + body +
          "\n  return\n}\n",
      &testContext());
}

/// The errors of `check` on `body`, joined.
std::string errors(const std::string &body, llvm::function_ref<LogicalResult(Operation *)> check) {
  std::string text;
  ScopedDiagnosticHandler handler(&testContext(), [&](Diagnostic &diagnostic) {
    text += diagnostic.str() + "\n";
    return success();
  });
  OwningOpRef<ModuleOp> module = parse(body);
  if (!module) {
    return "does not parse: " + text;
  }
  bool failed = mlir::failed(check(*module));
  EXPECT_EQ(failed, !text.empty());
  return text;
}

std::string verifyErrors(const std::string &body, MathOptions options) {
  return errors(body, [&](Operation *op) { return verifyNoLibraryCalls(op, options); });
}

std::string expected(const std::string &name) {
  return "expected an operation that is instructions on the target, got '" + name +
         "', which would call a library [math-library-call]\n";
}

TEST(Verify, ReportsEachCall) {
  const MathOptions all = {true, true, true};
  struct Case {
    const char *body, *name;
  };
  for (Case c : {Case{"%r = math.exp %x : f32", "math.exp"},
                 Case{"%r = math.tanh %v : vector<4xf32>", "math.tanh"},
                 Case{"%r = arith.remf %x, %x : f32", "arith.remf"},
                 Case{"%r = llvm.frem %x, %x : f32", "llvm.frem"},
                 Case{"%r = llvm.intr.log(%d) : (f64) -> f64", "llvm.intr.log"},
                 Case{"%r = llvm.intr.pow(%v, %v) : (vector<4xf32>, vector<4xf32>) -> "
                      "vector<4xf32>",
                      "llvm.intr.pow"},
                 Case{"%r = arith.truncf %d : f64 to f16", "arith.truncf"},
                 Case{"%r = llvm.fptrunc %x : f32 to bf16", "llvm.fptrunc"},
                 Case{"%r = llvm.fpext %b : bf16 to f32", "llvm.fpext"},
                 Case{"%r = arith.addf %b, %b : bf16", "arith.addf"},
                 Case{"%r = llvm.fadd %h, %h : f16", "llvm.fadd"}}) {
    EXPECT_EQ(verifyErrors(c.body, all), expected(c.name)) << c.body;
  }
}

TEST(Verify, KnowsTheTarget) {
  const MathOptions all = {true, true, true};
  struct Case {
    const char *body, *name;
  };
  for (Case c : {Case{"%r = math.fma %x, %x, %x : f32", "math.fma"},
                 Case{"%r = llvm.intr.fma(%x, %x, %x) : (f32, f32, f32) -> f32", "llvm.intr.fma"},
                 Case{"%r = math.floor %x : f32", "math.floor"},
                 Case{"%r = llvm.intr.roundeven(%x) : (f32) -> f32", "llvm.intr.roundeven"},
                 Case{"%r = arith.extf %h : f16 to f32", "arith.extf"}}) {
    EXPECT_EQ(verifyErrors(c.body, MathOptions()), expected(c.name)) << c.body;
    EXPECT_EQ(verifyErrors(c.body, all), "") << c.body;
  }
}

TEST(Verify, AcceptsInstructions) {
  for (const char *body : {"%r = math.sqrt %x : f32", "%r = math.absf %d : f64",
                           "%r = math.copysign %x, %x : f32", "%r = arith.mulf %d, %d : f64",
                           "%r = llvm.intr.sqrt(%v) : (vector<4xf32>) -> vector<4xf32>",
                           "%r = arith.truncf %d : f64 to f32", "%r = math.isnan %x : f32"}) {
    EXPECT_EQ(verifyErrors(body, MathOptions()), "") << body;
  }
}

TEST(Expand, RefusesScalableVectors) {
  EXPECT_EQ(
      errors("%c = arith.constant dense<1.0> : vector<[4]xf32>\n"
             "  %r = math.exp %c : vector<[4]xf32>",
             [](Operation *op) { return expandMath(op, MathOptions()); }),
      "expected scalars and vectors of fixed size, got 'vector<[4]xf32>' [math-vector-type]\n");
}

TEST(Expand, PatternsDoTheSame) {
  OwningOpRef<ModuleOp> module =
      parse("%r = math.exp %b : bf16\n  %s = arith.remf %x, %x : f32\n  %t = math.sin %v : "
            "vector<4xf32>\n  %u = arith.addf %h, %h : f16\n  %w = arith.truncf %d : f64 to bf16\n"
            "  \"test.use\"(%r, %s, %t, %u, %w) : (bf16, f32, vector<4xf32>, f16, bf16) -> ()");
  ASSERT_TRUE(module);
  RewritePatternSet patterns(&testContext());
  populateLegalizeFloatsPatterns(patterns, MathOptions());
  populateExpandMathPatterns(patterns, MathOptions());
  EXPECT_TRUE(succeeded(applyPatternsGreedily(*module, std::move(patterns))));
  EXPECT_TRUE(succeeded(verifyNoLibraryCalls(*module, MathOptions())));
}

} // namespace
