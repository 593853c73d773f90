//===- Passes.h - Passes on the tile dialect ------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_TRANSFORMS_PASSES_H
#define TEGULA_TILE_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tegula::tile {

#define GEN_PASS_DECL
#include "tegula/Tile/Transforms/TilePasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "tegula/Tile/Transforms/TilePasses.h.inc"

/// MLIR's canonicalizer without its patterns that round once where the program rounds twice.
/// What backends run instead of `createCanonicalizerPass()`. Numerics: unchanged.
std::unique_ptr<mlir::Pass> createTileCanonicalizerPass();

/// MLIR's inliner, which canonicalizes what it touches, with that canonicalizer.
std::unique_ptr<mlir::Pass> createTileInlinerPass();

} // namespace tegula::tile

#endif // TEGULA_TILE_TRANSFORMS_PASSES_H
