//===- LoopFormerInlines.h - Loops over all chunks of a tile
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CPU_LOOPFORMERINLINES_H
#define TEGULA_CPU_LOOPFORMERINLINES_H

#include "LoopFormer.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace tegula::cpu {

/// Calls `body(chunk)` inside a nest over `shape`, vectors along the last
/// dimension that has several elements.
template <typename Body>
void LoopFormer::forEachChunk(Location loc, ArrayRef<int64_t> shape, unsigned lanes, Body body) {
  openNest(loc);
  Chunk chunk;
  chunk.at.assign(shape.size(), Coord::get(0));
  int dim = vectorDim(shape);
  for (int d = 0; d <= dim; ++d) {
    if (d == dim) {
      chunk.at[d] = nest->loop(0, shape[d], lanes);
    } else if (shape[d] > 1) {
      chunk.at[d] = nest->loop(0, shape[d], 1);
    }
  }
  if (lanes > 1) {
    chunk.dim = dim;
    chunk.lanes = lanes;
  }
  body(chunk);
  closeNest();
}

} // namespace tegula::cpu

#endif // TEGULA_CPU_LOOPFORMERINLINES_H
