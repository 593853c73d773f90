//===- FloatFormats.h - conversions of narrow floats ------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builders of the integer arithmetic that converts between f32 and narrower
// floats. They need no instruction beyond SSE2.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_MATH_FLOATFORMATS_H
#define TEGULA_CONVERSION_MATH_FLOATFORMATS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include <optional>

namespace tegula::conversion {

/// The 8-bit float formats. Names in comments are those of the kernel language.
enum class Fp8Kind {
  E4M3FN,   ///< float8e4nv: bias 7, no infinity, NaN is S.1111.111, largest 448.
  E5M2,     ///< float8e5: bias 15, IEEE-like, largest 57344.
  E4M3FNUZ, ///< float8e4b8: bias 8, one zero, NaN is 0x80, largest 240.
  E5M2FNUZ, ///< float8e5b16: bias 16, one zero, NaN is 0x80, largest 57344.
  E4B15,    ///< float8e4b15: bias 15, neither infinity nor NaN, largest 1.875.
};

/// The kind of an MLIR 8-bit float type; none for types that are not listed.
std::optional<Fp8Kind> getFp8Kind(mlir::Type elementType);

/// Widens `source`, an i8 scalar or vector that holds values of `kind`, to f32
/// of the same shape. Exact; NaN becomes a quiet NaN.
mlir::Value buildFp8ToF32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value source,
                          Fp8Kind kind);

/// Rounds `source`, an f32 or f64 scalar or vector, once to `kind` and returns
/// the bits as i8 of the same shape.
///
/// With `saturate` (the default, as the language and GPU hardware do) values
/// beyond the largest finite one, and infinities, become the largest finite
/// value of their sign. Without it they become infinity (E5M2) or NaN (the
/// rest), except that a directed mode which rounds towards zero stops finite
/// values at the largest one, as IEEE 754 says. NaN stays NaN, but E4B15, which
/// has none and always saturates, gives its largest value. Underflow is gradual.
mlir::Value
buildF32ToFp8(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value source, Fp8Kind kind,
              mlir::arith::RoundingMode rounding = mlir::arith::RoundingMode::to_nearest_even,
              bool saturate = true);

/// Widens an f16 or bf16 scalar or vector to f32 by integer arithmetic. Exact;
/// a NaN keeps its sign and payload.
mlir::Value buildHalfToF32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value source);

/// Rounds an f32 or f64 scalar or vector once to `elementType` (f16 or bf16),
/// by integer arithmetic. A NaN keeps its sign and the top bits of its payload.
mlir::Value
buildFloatToHalf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value source,
                 mlir::FloatType elementType,
                 mlir::arith::RoundingMode rounding = mlir::arith::RoundingMode::to_nearest_even);

/// Rounds an f64 scalar or vector to f32 in the given mode.
mlir::Value buildF64ToF32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value source,
                          mlir::arith::RoundingMode rounding);

} // namespace tegula::conversion

#endif // TEGULA_CONVERSION_MATH_FLOATFORMATS_H
