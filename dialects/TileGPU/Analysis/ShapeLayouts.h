//===- ShapeLayouts.h - Layouts through changes of shape -----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function takes the layout of one tile and yields that of the tile on the other side of
// an op, such that every element stays in its thread. Nullopt: there is none.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_ANALYSIS_SHAPELAYOUTS_H
#define TEGULA_TILEGPU_ANALYSIS_SHAPELAYOUTS_H

#include "tegula/TileGPU/Layout/Layout.h"

namespace tegula::tilegpu {

using OptionalLayout = std::optional<Layout>;
using Shape = llvm::ArrayRef<int64_t>;

/// Without dimension `dim`. What told elements along it apart holds copies; registers that
/// would be copies go, unless `keepCopies`.
OptionalLayout dropDim(const Layout &layout, unsigned dim, bool keepCopies = false);
/// A dimension of size 1 put in at `dim`.
Layout insertDim(const Layout &layout, unsigned dim);

/// The operand of a broadcast, from the layout of its result.
OptionalLayout unbroadcast(const Layout &layout, Shape sourceShape, Shape resultShape);
/// A result of a broadcast: lanes, then warps that held copies take the new elements, then
/// registers.
OptionalLayout broadcast(const Layout &layout, Shape sourceShape, Shape resultShape);

/// Dimension i of the result is dimension order[i].
Layout transpose(const Layout &layout, llvm::ArrayRef<int32_t> order);
Layout untranspose(const Layout &layout, llvm::ArrayRef<int32_t> order);

/// The same elements in row-major order.
OptionalLayout reshape(const Layout &layout, Shape from, Shape to);

/// Two tiles in a new last dimension, which the lowest register bit counts.
Layout join(const Layout &layout);
/// The reverse, for any register bit.
OptionalLayout unjoin(const Layout &layout);

/// Two tiles of one shape after each other along `axis`: registers of the first come first.
Layout concatenate(const Layout &layout, unsigned axis);
OptionalLayout unconcatenate(const Layout &layout, unsigned axis);

/// Where a slice lies: element i is offsets + i * steps.
struct SliceBounds {
  Shape sourceShape, resultShape, offsets, steps;
};
OptionalLayout slice(const Layout &layout, const SliceBounds &bounds);
/// The source of a slice: registers hold what the slice leaves out.
OptionalLayout unslice(const Layout &layout, const SliceBounds &bounds);

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_ANALYSIS_SHAPELAYOUTS_H
