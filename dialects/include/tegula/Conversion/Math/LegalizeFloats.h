//===- LegalizeFloats.h - arithmetic on narrow floats -----------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16, bf16 and the 8-bit floats are storage formats here: arithmetic on them
// is done in f32 and rounded back, which is exact for + - * / and sqrt.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_MATH_LEGALIZEFLOATS_H
#define TEGULA_CONVERSION_MATH_LEGALIZEFLOATS_H

#include "mlir/Support/LLVM.h"
#include "tegula/Conversion/Math/FloatFormats.h"
#include "tegula/Conversion/Math/MathOptions.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace tegula::conversion {

/// Adds patterns that widen arithmetic, comparison, conversion and math
/// operations on f16, bf16 and MLIR's 8-bit floats to f32, and that write
/// `arith.extf` and `arith.truncf` out as integer arithmetic (f16 <-> f32 stays
/// when `options.hasF16C`). All rounding modes of `arith.truncf` are honoured,
/// f64 -> f32 included, and every conversion rounds once.
/// Selects, constants, loads, stores and shuffles stay on the narrow type.
void populateLegalizeFloatsPatterns(mlir::RewritePatternSet &patterns, const MathOptions &options);

} // namespace tegula::conversion

#endif // TEGULA_CONVERSION_MATH_LEGALIZEFLOATS_H
