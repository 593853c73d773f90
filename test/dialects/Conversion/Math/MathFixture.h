//===- MathFixture.h - compiles and runs one operation ----------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the text of a loop body into machine code for a chosen set of features.
// The code is linked against nothing, so that a call of a library fails a test.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TEST_BACKENDS_CPU_COMPILER_MATH_MATHFIXTURE_H
#define TEGULA_TEST_BACKENDS_CPU_COMPILER_MATH_MATHFIXTURE_H

#include "mlir/IR/Builders.h"
#include "tegula/Conversion/Math/MathOptions.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace tegula::conversion::test {

/// A context with the dialects that kernels of the tests use.
mlir::MLIRContext &testContext();

/// A compiled function on arrays.
class Kernel {
public:
  /// `body` computes %r of `outType` from %a, %b, %c of `inType`, all vectors of
  /// the same `lanes`, or scalars for 0. Element types are the last arguments.
  /// An empty `error` means success.
  struct Spec {
    std::string body;
    std::string inType = "f32";
    std::string outType = "f32";
    /// Type of %b where it is another one.
    std::string secondType = {};
    /// As in `vector<SHAPExf32>`; empty for a scalar.
    std::string shape = "16";
    int64_t lanes = 16;
    MathOptions options;
    /// Replaces operations "test.build" of one operand in the body.
    std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value)> build = {};
  };
  static std::unique_ptr<Kernel> compile(const Spec &spec, std::string &error);
  ~Kernel();

  /// `count` is rounded up to whole vectors: arrays need that much room.
  void run(const void *a, const void *b, const void *c, void *out, int64_t count) const {
    entry(a, b, c, out, count);
  }
  /// Bytes of machine code, for a look at sizes.
  size_t objectSize = 0;

private:
  void (*entry)(const void *, const void *, const void *, void *, int64_t) = nullptr;
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

/// Baseline x86-64 (or whatever the machine has, elsewhere), and all features
/// of this machine.
MathOptions baselineOptions();
MathOptions nativeOptions();

} // namespace tegula::conversion::test

#endif // TEGULA_TEST_BACKENDS_CPU_COMPILER_MATH_MATHFIXTURE_H
