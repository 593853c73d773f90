//===- StoreInOrder.h - Stores of tiles, the last element stays -*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_TILEGPUTOTHREADS_STOREINORDER_H
#define TEGULA_CONVERSION_TILEGPUTOTHREADS_STOREINORDER_H

#include "tegula/Conversion/TileGPUToThreads/ThreadLowering.h"

namespace tegula::tilegpu {

/// A store of a tile, its operands as vectors; i1 as bytes already. No mask: null.
struct TileStore {
  tile::StoreOp op;
  Layout layout;
  mlir::Value pointers, values, masks;
};

/// Every thread stores what it has, in no order.
void storeAll(ThreadBuilder &thread, const TileStore &store);
/// One element after the other, in row-major order, with a barrier after each: slow.
void storeInOrder(ThreadBuilder &thread, const TileStore &store);
/// Stores, reads back and, if some element is not what stands in memory, stores in order.
/// 4 bytes for each warp at `scratch`.
void storeChecked(ThreadBuilder &thread, const TileStore &store, int64_t scratch);

} // namespace tegula::tilegpu

#endif // TEGULA_CONVERSION_TILEGPUTOTHREADS_STOREINORDER_H
