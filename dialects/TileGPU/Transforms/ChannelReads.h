//===- ChannelReads.h - Operands of products from slots --------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_TRANSFORMS_CHANNELREADS_H
#define TEGULA_TILEGPU_TRANSFORMS_CHANNELREADS_H

#include "mlir/IR/PatternMatch.h"
#include "tegula/TileGPU/Analysis/InferLayout.h"
#include "llvm/ADT/MapVector.h"

namespace tegula::tilegpu {

/// Where the tile of a load lies in a trip.
struct LoadedSlot {
  mlir::Value channel, position, token;
};

/// Computes what follows from loads again, a part at a time and in any layout.
class ChannelReads {
public:
  explicit ChannelReads(const llvm::MapVector<mlir::Value, LoadedSlot> &slots) : slots(slots) {}

  /// Whether `value` follows from loads (one at least) and constants, element by element or
  /// transposed.
  bool canRead(mlir::Value value) const;
  /// The part of `value` from `offsets` on, in `type`, whose layout is free.
  mlir::Value read(mlir::OpBuilder &builder, mlir::Value value, mlir::RankedTensorType type,
                   llvm::ArrayRef<int64_t> offsets) const;
  /// In which layouts the loads behind `value` are wanted, if it is wanted in `layout`.
  void findWanted(mlir::Value value, const Layout &layout,
                  llvm::MapVector<mlir::Value, Layout> &wanted) const;

private:
  const llvm::MapVector<mlir::Value, LoadedSlot> &slots;
};

/// The layout of the first `size` elements along `dim`: without the registers that step
/// beyond; nullopt where others do.
std::optional<Layout> cutLayout(const Layout &layout, unsigned dim, int64_t size);

/// Cuts a product with a matrix instruction along K. `read(k)`: the operands of one part.
/// Yields nothing, with nothing written, where it cannot be cut.
struct ProductParts {
  int64_t size = 0; ///< of K
  unsigned count = 0;
  Layout a, b;
};
std::optional<ProductParts> planParts(tile::DotOp dot);

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_TRANSFORMS_CHANNELREADS_H
