//===- TileOps.td - All ops of the tile dialect -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_OPS
#define TEGULA_TILE_OPS

include "tegula/Tile/IR/TileAtomicOps.td"
include "tegula/Tile/IR/TileCollectiveOps.td"
include "tegula/Tile/IR/TileComputeOps.td"
include "tegula/Tile/IR/TileMemoryOps.td"
include "tegula/Tile/IR/TileProgramOps.td"
include "tegula/Tile/IR/TileShapeOps.td"
include "tegula/Tile/IR/TileViewOps.td"

#endif // TEGULA_TILE_OPS
