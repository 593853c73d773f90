//===- Layouts.h - What passes on layouts share ------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_TRANSFORMS_LAYOUTS_H
#define TEGULA_TILEGPU_TRANSFORMS_LAYOUTS_H

#include "mlir/IR/Builders.h"
#include "tegula/TileGPU/Analysis/InferLayout.h"

namespace tegula::tilegpu {

/// Elements for each thread if a tile (what is a power of two of it) is dealt out evenly, at
/// least 1.
int64_t getShare(const Machine &machine, llvm::ArrayRef<int64_t> shape);
/// The layout of tiles of which nothing is known: neighbouring threads hold neighbours of the
/// last dimension, up to four elements each once all threads have some.
Layout makeDefault(const Machine &machine, llvm::ArrayRef<int64_t> shape);

/// A blocked layout whose warps lie along the dimensions other than order[0] as far as those
/// reach: what is along order[0] is within one warp, where reductions are cheap.
Layout makeWarpsApart(const Machine &machine, llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<unsigned> order, unsigned perLane);

/// Elements of one run of the op's text or region (`pack`), 1 for most.
int64_t getPack(mlir::Operation *op);
/// A layout in which threads hold such runs; nullopt where the last dimension is not made of
/// them, or one is enough.
std::optional<Layout> makePacked(const Machine &machine, mlir::Operation *op);

/// Whether the value is a tile, which then has a layout.
inline bool isTile(mlir::Value value) { return llvm::isa<mlir::RankedTensorType>(value.getType()); }
inline Layout layoutOf(mlir::Value value) { return *getLayout(value.getType()); }

/// `value` under another layout; itself if that is the one it has.
mlir::Value convertTo(mlir::OpBuilder &builder, mlir::Value value, const Layout &layout);
/// Gives all tiles of an elementwise op (or scan, or sort) another layout, with conversions
/// before and after it.
void convertAround(mlir::Operation *op, const Layout &layout);
/// Gives a result another layout; its users get a conversion back.
void convertResult(mlir::OpResult result, const Layout &layout);
/// Gives the value of a constant the type that its result has; failure for a kind of value that
/// cannot change. Other ops stay.
llvm::LogicalResult retypeConstant(mlir::Operation *op);

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_TRANSFORMS_LAYOUTS_H
