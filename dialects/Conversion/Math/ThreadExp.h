//===- ThreadExp.h - e^x of many registers ----------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_MATH_THREADEXP_H
#define TEGULA_CONVERSION_MATH_THREADEXP_H

#include "mlir/IR/Operation.h"
#include "tegula/Conversion/Math/MathOptions.h"

namespace tegula::conversion {

/// Where 2^x is an instruction: writes out e^x of several f32 registers of a thread at once,
/// in a way for arguments of which none is between -87 and -110, and in the usual one for others.
/// The `math.exp2` of the former have the attribute `tegula.normal`: no result is between
/// zero and the normal numbers.
void expandThreadExp(mlir::Operation *root, const MathOptions &options);

} // namespace tegula::conversion

#endif // TEGULA_CONVERSION_MATH_THREADEXP_H
