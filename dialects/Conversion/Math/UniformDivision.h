//===- UniformDivision.h - many dividends, one divisor ----------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_MATH_UNIFORMDIVISION_H
#define TEGULA_CONVERSION_MATH_UNIFORMDIVISION_H

#include "mlir/IR/Operation.h"

namespace tegula::conversion {

/// Writes out the f32 divisions of threads below `root` that divide several registers by
/// one scalar: one reciprocal and three operations per register, and the division itself
/// where operands are beyond what these round correctly. The quotients are the same.
void expandUniformDivisions(mlir::Operation *root);

} // namespace tegula::conversion

#endif // TEGULA_CONVERSION_MATH_UNIFORMDIVISION_H
