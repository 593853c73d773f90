//===- MmaOperands.h - Tiles as matrix instructions can read them ---*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_TRANSFORMS_MMAOPERANDS_H
#define TEGULA_TILEGPU_TRANSFORMS_MMAOPERANDS_H

#include "mlir/IR/Builders.h"

namespace tegula::tilegpu {

/// A tile of zeros.
mlir::Value buildZero(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type);
/// f32 rounded to tf32, to nearest and ties away from zero; NaN stays NaN though the
/// instruction drops the low bits.
mlir::Value roundTf32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tile);

/// f32 as a sum of two tiles of which the instruction's tf32 loses at most the last bits.
/// The low part of what is not finite is 0.
struct SplitTile {
  mlir::Value high, low;
};
SplitTile splitTf32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tile);
mlir::Value zeroUnlessFinite(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tile);

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_TRANSFORMS_MMAOPERANDS_H
