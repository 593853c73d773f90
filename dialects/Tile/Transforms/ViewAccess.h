//===- ViewAccess.h - Pointers and masks of one access to a view ---------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_DIALECTS_TILE_TRANSFORMS_VIEWACCESS_H
#define TEGULA_DIALECTS_TILE_TRANSFORMS_VIEWACCESS_H

#include "mlir/IR/Builders.h"
#include "tegula/Tile/IR/Tile.h"

namespace tegula::tile {

/// What a view consists of, in the order in which its parts replace it: base,
/// sizes, strides, padding.
struct ViewParts {
  ViewParts(ViewType type, mlir::ValueRange parts)
      : base(parts[0]), sizes(parts.slice(1, type.getRank())),
        strides(parts.slice(1 + type.getRank(), type.getRank())), padding(parts.back()) {}

  mlir::Value base;
  mlir::ValueRange sizes, strides; ///< i64; no size is negative
  mlir::Value padding;             ///< a scalar of the element type
};

/// Builds the pointers and the mask of one access.
class ViewAccess {
public:
  ViewAccess(mlir::OpBuilder &builder, mlir::Location loc, ViewType type, const ViewParts &view)
      : builder(builder), loc(loc), type(type), view(view) {}

  /// The tile at `offsets`: base + sum of (offset + index) * stride.
  mlir::Value makePointers(mlir::ValueRange offsets);
  /// Which of its elements are inside in all dimensions of `checked`; null when
  /// there are none.
  mlir::Value makeMask(mlir::ValueRange offsets, llvm::ArrayRef<int32_t> checked);

  /// One row of the tile per index in `rows`, at `column`.
  mlir::Value makeRowPointers(mlir::Value rows, mlir::Value column);
  mlir::Value makeRowMask(mlir::Value rows, mlir::Value column);

  /// The padding as a tile of `shape`.
  mlir::Value makePadding(llvm::ArrayRef<int64_t> shape);

private:
  /// 0, 1, ... along a dimension of `size`, as a rank-1 tile of i32.
  mlir::Value makeIndices(int64_t size);
  mlir::Value makeIndices64(int64_t size);
  /// Whether each index of dimension `d` is inside, as a rank-1 tile of i1.
  mlir::Value makeInside(mlir::Value offset, int64_t d);
  /// The rank-1 tile `line` along dimension d of `shape`, repeated along all others.
  mlir::Value spread(mlir::Value line, llvm::ArrayRef<int64_t> shape, int64_t d);
  mlir::Value splat(mlir::Value scalar, llvm::ArrayRef<int64_t> shape);
  mlir::Value constant(int64_t value);
  /// `pointers` with `line * stride` added along dimension d.
  mlir::Value step(mlir::Value pointers, mlir::Value line, mlir::Value stride, int64_t d);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  ViewType type;
  const ViewParts &view;
};

} // namespace tegula::tile

#endif // TEGULA_DIALECTS_TILE_TRANSFORMS_VIEWACCESS_H
