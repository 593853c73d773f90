//===- ExpandMath.h - math functions without a library ----------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the `math` dialect, `arith.remf` and the conversions of narrow floats
// out as plain `arith` arithmetic, so that the object code of a kernel needs
// neither libm nor compiler-rt.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_MATH_EXPANDMATH_H
#define TEGULA_CONVERSION_MATH_EXPANDMATH_H

#include "mlir/Support/LLVM.h"
#include "tegula/Conversion/Math/MathOptions.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class Operation;
class RewritePatternSet;
} // namespace mlir

namespace tegula::conversion {

/// Adds one pattern per operation that `expandMath` writes out for f32 and f64
/// scalars and vectors of any rank (scalable vectors are refused).
/// Results are within 2 ulp in f32 and 4 ulp in f64 over the whole range, with
/// the special cases of C99 Annex F. `math.sqrt`, `math.absf`,
/// `math.copysign` stay; `math.fma`, `math.floor`, `math.ceil`, `math.trunc`
/// and `math.roundeven` stay where `options` says they are instructions.
///
/// The created code is `arith`, the `math` operations above and, for remainders,
/// integer powers and huge arguments of sin, cos and tan, also `vector` and
/// `scf`: lanes that need it are then computed one by one in a loop.
/// Operations on narrower floats need `populateLegalizeFloatsPatterns` as well.
void populateExpandMathPatterns(mlir::RewritePatternSet &patterns, const MathOptions &options);

/// Legalises narrow floats (LegalizeFloats.h) and expands math functions in
/// all regions of `root`, each operation once and without a pattern driver.
/// Constants go to the start of the enclosing isolated region and are shared.
/// Runs before `scf` is lowered. Never fails on operations that it does not
/// know; fails, with an error at the operation, on a scalable vector.
/// Safe to call from several threads on disjoint isolated roots.
mlir::LogicalResult expandMath(mlir::Operation *root, const MathOptions &options);

/// Emits an error at every operation below `root` that would become a call of
/// a library: a `math` operation or `arith.remf` that is left, an `llvm.intr.*`
/// without an instruction on the target, `llvm.frem`, or a conversion of a
/// narrow float. Works on either level. Fails if there was one.
mlir::LogicalResult verifyNoLibraryCalls(mlir::Operation *root, const MathOptions &options);

/// Whether `name`, behind "llvm.intr.", is that of a mathematical function of a library.
bool isLibraryIntrinsic(llvm::StringRef name);

} // namespace tegula::conversion

#endif // TEGULA_CONVERSION_MATH_EXPANDMATH_H
