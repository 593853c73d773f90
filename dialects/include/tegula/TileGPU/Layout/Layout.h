//===- Layout.h - Linear maps, repeated any number of times -----*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles whose sizes are no powers of two (192 rows for three warpgroups, 176 columns)
// are a linear map, the inner part, that is repeated: each repetition makes the tile
// `count` times as large along one dimension and is counted by one axis, above what is
// there already. Repetitions by a power of two that touch nothing irregular below them
// are folded into the inner part, so that equal layouts compare equal.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_LAYOUT_LAYOUT_H
#define TEGULA_TILEGPU_LAYOUT_LAYOUT_H

#include "tegula/TileGPU/Layout/LinearMap.h"

namespace tegula::tilegpu {

struct Repetition {
  Axis axis;
  unsigned dim;
  unsigned count; ///< at least 1

  bool operator==(const Repetition &) const = default;
};

class Layout {
public:
  Layout() = default;
  explicit Layout(LinearMap inner, llvm::ArrayRef<Repetition> repetitions = {});

  const LinearMap &getInner() const { return inner; }
  /// Those that are not folded into the inner part, the innermost first.
  llvm::ArrayRef<Repetition> getRepetitions() const { return repetitions; }
  bool isLinear() const { return repetitions.empty(); }

  unsigned getRank() const { return inner.getRank(); }
  llvm::SmallVector<int64_t> getShape() const;
  /// Number of indices of an axis.
  uint32_t getSize(Axis axis) const;
  llvm::SmallVector<int64_t> apply(const Indices &indices) const;

  /// This layout, repeated once more on the outside.
  Layout repeat(Axis axis, unsigned dim, unsigned count) const;

  bool operator==(const Layout &) const = default;
  /// The text of the inner part, then ", repeat = [(warp, 0, 3)]".
  std::string str() const;

private:
  LinearMap inner;
  llvm::SmallVector<Repetition, 2> repetitions;
};

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_LAYOUT_LAYOUT_H
