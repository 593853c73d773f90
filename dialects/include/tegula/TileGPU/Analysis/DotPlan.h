//===- DotPlan.h - How products are formed --------------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products without a matrix instruction: both operands lie in shared memory, a stretch of
// K at a time, and each thread multiplies what its accumulators need. Products with one
// read nothing but registers; how their operands get there from memory is said here too.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_ANALYSIS_DOTPLAN_H
#define TEGULA_TILEGPU_ANALYSIS_DOTPLAN_H

#include "tegula/TileGPU/Analysis/InferLayout.h"
#include "tegula/TileGPU/Layout/Fragments.h"

namespace tegula::tilegpu {

/// Where element by element products keep their operands. Offsets and strides count
/// elements of the type that products are formed in; B begins at `bStart`.
///   A: [batch][m][k - first k of the stretch], rows `aRow` apart.
///   B: [batch][k - first k of the stretch][n], rows `bRow` apart.
struct FmaPlan {
  int64_t batch = 1, m = 1, n = 1, k = 1;
  int64_t chunk = 1;  ///< elements of K at a time
  int64_t unroll = 1; ///< elements of K in 16 bytes, which one read of A takes
  int64_t aRow = 1, bRow = 1;
  int64_t bStart = 0;
  unsigned elementBytes = 4;
  uint32_t bytes = 0; ///< of all

  int64_t getNumChunks() const { return (k + chunk - 1) / chunk; }
};
/// `aShape`: [batch x] M x K.
FmaPlan planFmaDot(llvm::ArrayRef<int64_t> aShape, int64_t n, mlir::Type accElement,
                   const Machine &machine);
/// The type in which products of an accumulator's type are formed: f32 for f16.
mlir::Type getProductType(mlir::Type accElement);

//===-- Matrix instructions -----------------------------------------------===//

/// How many warps share a product along each dimension: powers of two. Warps beyond their
/// product hold copies.
struct MmaWarps {
  unsigned batch = 1, m = 1, n = 1;
};
/// Tiles of warps that read least; `alongRows`: along M as far as it goes, so that a result
/// can be the first operand of another product without leaving its warp.
MmaWarps chooseMmaWarps(MmaAttr instruction, llvm::ArrayRef<int64_t> accShape, unsigned numWarps,
                        bool alongRows);
/// Layout of a tile of `shape` (rank 2 or 3, multiples of the instruction's sizes): the
/// fragment, then warps, then registers. Warps that share a tile hold copies.
Layout makeMmaLayout(MmaAttr instruction, Operand operand, llvm::ArrayRef<int64_t> shape,
                     const MmaWarps &warps, unsigned numWarps);

/// A conversion that stores a tile to shared memory and reads it by `tilegpu.load_matrix`.
struct MatrixLoadPlan {
  LinearMap memory; ///< offsets, bijective
  bool isTransposed = false;
  unsigned count = 1;         ///< matrices of one load: 1, 2 or 4
  unsigned storeElements = 1; ///< elements of one store
  /// Register bits (of the target) that number the matrices of one load.
  llvm::SmallVector<unsigned, 2> matrixBits;
  /// Register bits within the 32 bits of one matrix.
  unsigned packedBits = 0;
};
/// The plan, where `to` allows it and the target has such loads; memory is as large as the
/// tile. `elementBits`: 8, 16 or 32.
std::optional<MatrixLoadPlan> planMatrixLoad(const Layout &from, const Layout &to,
                                             unsigned elementBits, const Machine &machine);

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_ANALYSIS_DOTPLAN_H
