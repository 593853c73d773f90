//===- Mma.h - Products by matrix instructions ----------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_TILEGPUTOTHREADS_MMA_H
#define TEGULA_CONVERSION_TILEGPUTOTHREADS_MMA_H

#include "tegula/Conversion/TileGPUToThreads/ThreadLowering.h"

namespace tegula::tilegpu {

/// What a thread holds of a tile.
struct HeldTile {
  mlir::Value vector;
  const Layout &layout;
};

/// acc + a * b (rank 2 or 3), one `tilegpu.mma` for each piece of the warp's tile. All
/// layouts must be made of the instruction's fragments, with copies in the warps that
/// share rows or columns. Null, with nothing written, where they are not.
mlir::Value buildMma(ThreadBuilder &out, MmaAttr instruction, const HeldTile &a, const HeldTile &b,
                     const HeldTile &acc);

} // namespace tegula::tilegpu

#endif // TEGULA_CONVERSION_TILEGPUTOTHREADS_MMA_H
