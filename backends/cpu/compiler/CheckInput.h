//===- CheckInput.h - What cpu-form-loops takes -----------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CPU_CHECKINPUT_H
#define TEGULA_CPU_CHECKINPUT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula::cpu {

/// Dimensions that a tile may have. Each costs code even where its size is 1.
inline constexpr unsigned kMaxTileRank = 32;

/// Whether the loop former can hold every value of `function` and every combiner
/// in it. Says at the first op what it cannot.
mlir::LogicalResult checkInput(mlir::func::FuncOp function);

} // namespace tegula::cpu

#endif // TEGULA_CPU_CHECKINPUT_H
