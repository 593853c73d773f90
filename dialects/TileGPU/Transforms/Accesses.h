//===- Accesses.h - What accesses of memory want of layouts ------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_TRANSFORMS_ACCESSES_H
#define TEGULA_TILEGPU_TRANSFORMS_ACCESSES_H

#include "tegula/Tile/Analysis/AxisInfo.h"
#include "tegula/TileGPU/Analysis/Access.h"
#include "tegula/TileGPU/Analysis/InferLayout.h"

namespace tegula::tilegpu {

/// The tile of pointers of an access, and its mask if it has one.
struct PointerAccess {
  mlir::Value pointer, mask;
};
/// Nullopt for ops that access no memory, and for scalars.
std::optional<PointerAccess> getPointerAccess(mlir::Operation *op);

/// What one access would like best.
struct Wish {
  llvm::SmallVector<unsigned, 4> order; ///< of dimensions, the one along memory first
  unsigned perLane = 1;                 ///< elements in one access of a lane
  bool isFirm = false;                  ///< neighbours in memory are known
};
Wish getWish(mlir::Operation *op, const PointerAccess &access, const tile::AxisInfoAnalysis &axes,
             const Machine &machine);

/// The widest access along any dimension that pointers, mask (may be null) and layout allow.
Access planWidth(mlir::Value pointers, mlir::Value masks, const tile::AxisInfoAnalysis &facts,
                 unsigned maxBytes);

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_TRANSFORMS_ACCESSES_H
