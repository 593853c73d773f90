//===- Rewrites.h - one operation to its replacement ------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables behind the patterns and the walk: both only choose where to apply
// these two functions.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_MATH_REWRITES_H
#define TEGULA_CONVERSION_MATH_REWRITES_H

#include "Functions.h"

namespace tegula::conversion {

/// Builds the expansion of `op` at `builder`'s insertion point and returns the
/// replacements of its results; empty if `op` stays as it is.
llvm::SmallVector<mlir::Value> expandOperation(mlir::Operation *op, mlir::OpBuilder &builder,
                                               const MathOptions &options, ConstantPool *pool);

/// The same for an operation on narrow floats. The wide operation it creates is
/// expanded right away when `expandWide` is set.
llvm::SmallVector<mlir::Value> legalizeOperation(mlir::Operation *op, mlir::OpBuilder &builder,
                                                 const MathOptions &options, ConstantPool *pool,
                                                 bool expandWide);

/// f16, bf16 or one of the 8-bit floats that can be converted.
bool isNarrowFloat(mlir::Type elementType);

/// A quick test before the two above: false for operations that both leave.
bool mayRewrite(mlir::Operation *op);

/// Calls `visit` with the name of every operation that `expandOperation`
/// knows, whatever the target.
void forEachExpanded(llvm::function_ref<void(llvm::StringRef)> visit);

} // namespace tegula::conversion

#endif // TEGULA_CONVERSION_MATH_REWRITES_H
