//===- Fragments.cpp - Layouts of tiles that instructions define ----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Layout/Fragments.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cassert>

namespace tegula::tilegpu {

/// 2^bits indices of `axis` along dimension `dim` of a matrix.
static LinearMap along(Axis axis, unsigned bits, unsigned dim) {
  return LinearMap::identity(axis, bits, dim, 2);
}

static LinearMap copies(Axis axis, unsigned bits) { return LinearMap::zero(axis, bits, 2); }

/// The map with rows and columns exchanged.
static LinearMap swapped(const LinearMap &map) { return map.transpose({1, 0}); }

//===----------------------------------------------------------------------===//
// Blocked layouts
//===----------------------------------------------------------------------===//

LinearMap blockedLayout(llvm::ArrayRef<unsigned> perLane, llvm::ArrayRef<unsigned> lanes,
                        llvm::ArrayRef<unsigned> warps, llvm::ArrayRef<unsigned> order) {
  const unsigned rank = order.size();
  LinearMap map(rank);
  const std::pair<Axis, llvm::ArrayRef<unsigned>> levels[] = {
      {Axis::Register, perLane}, {Axis::Lane, lanes}, {Axis::Warp, warps}};
  for (const auto &[axis, counts] : levels) {
    for (unsigned dim : order) {
      map = map * LinearMap::identity(axis, llvm::Log2_32(counts[dim]), dim, rank);
    }
  }
  return map;
}

LinearMap coverByRegisters(const LinearMap &map, llvm::ArrayRef<int64_t> shape,
                           llvm::ArrayRef<unsigned> order) {
  LinearMap result = map;
  for (unsigned dim : order) {
    const unsigned wanted = llvm::Log2_64(shape[dim]), have = map.getOutputBits()[dim];
    assert(wanted >= have && "the tile is too small");
    result = result * LinearMap::identity(Axis::Register, wanted - have, dim, map.getRank());
  }
  return result;
}

LinearMap blockedLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> perLane,
                        llvm::ArrayRef<unsigned> lanes, llvm::ArrayRef<unsigned> warps,
                        llvm::ArrayRef<unsigned> order) {
  const unsigned rank = order.size();
  LinearMap map(rank);
  const std::pair<Axis, llvm::ArrayRef<unsigned>> levels[] = {
      {Axis::Register, perLane}, {Axis::Lane, lanes}, {Axis::Warp, warps}};
  for (const auto &[axis, counts] : levels) {
    for (unsigned dim : order) {
      const unsigned wanted = llvm::Log2_32(counts[dim]);
      const unsigned room = llvm::Log2_64(shape[dim]) - map.getOutputBits()[dim];
      const unsigned bits = std::min(wanted, room);
      map = map * LinearMap::identity(axis, bits, dim, rank);
      // Registers that would be copies are left out, lanes and warps cannot be.
      if (axis != Axis::Register) {
        map = map * LinearMap::zero(axis, wanted - bits, rank);
      }
    }
  }
  return coverByRegisters(map, shape, order);
}

//===----------------------------------------------------------------------===//
// NVIDIA
//===----------------------------------------------------------------------===//

/// Operand A of m16n8: eight lanes down the rows, four along K, each with 32 bits of
/// neighbours; then eight rows further, then 16 bytes further.
static LinearMap mmaA(unsigned packedBits) {
  return along(Axis::Register, packedBits, 1) * along(Axis::Lane, 2, 1) * along(Axis::Lane, 3, 0) *
         along(Axis::Register, 1, 0) * along(Axis::Register, 1, 1);
}

LinearMap mmaFragment(Operand operand, unsigned bits) {
  if (bits == 64) { // m8n8k4
    switch (operand) {
    case Operand::A:
      return along(Axis::Lane, 2, 1) * along(Axis::Lane, 3, 0);
    case Operand::B:
      return along(Axis::Lane, 2, 0) * along(Axis::Lane, 3, 1);
    case Operand::Accumulator:
      return along(Axis::Register, 1, 1) * along(Axis::Lane, 2, 1) * along(Axis::Lane, 3, 0);
    }
  }
  const unsigned packedBits = llvm::Log2_32(32 / bits);
  switch (operand) {
  case Operand::A:
    return mmaA(packedBits);
  case Operand::B:
    return along(Axis::Register, packedBits, 0) * along(Axis::Lane, 2, 0) *
           along(Axis::Lane, 3, 1) * along(Axis::Register, 1, 0);
  case Operand::Accumulator:
    return along(Axis::Register, 1, 1) * along(Axis::Lane, 2, 1) * along(Axis::Lane, 3, 0) *
           along(Axis::Register, 1, 0);
  }
  return LinearMap(2);
}

Layout wgmmaAccumulator(unsigned n) {
  assert(n % 8 == 0 && n >= 8);
  const LinearMap column = mmaFragment(Operand::Accumulator, 16) * along(Axis::Warp, 2, 0);
  return Layout(column, {{Axis::Register, 1, n / 8}});
}

LinearMap wgmmaOperandA(unsigned bits) {
  return mmaA(llvm::Log2_32(32 / bits)) * along(Axis::Warp, 2, 0);
}

LinearMap ldmatrixFragment(unsigned count, bool transposed) {
  const LinearMap matrix =
      along(Axis::Register, 1, 1) * along(Axis::Lane, 2, 1) * along(Axis::Lane, 3, 0);
  return (transposed ? swapped(matrix) : matrix) * along(Axis::Register, llvm::Log2_32(count), 0);
}

LinearMap tmaSwizzle(unsigned rowBytes, unsigned bits) {
  const unsigned columnBits = llvm::Log2_32(rowBytes * 8 / bits);
  const unsigned pieceBits = llvm::Log2_32(16 * 8 / bits); // elements of 16 bytes
  LinearMap map({3u, columnBits});
  for (unsigned i = 0; i < columnBits; ++i) {
    map.addBit(Axis::Offset, {0, int64_t(1) << i});
  }
  // The hardware exchanges address bits 4 to 6 by bits 7 to 9: of rows of 64 bytes two lie
  // in 128 bytes, of 32 bytes four.
  const unsigned pieces = columnBits - pieceBits; // bits that number a row's pieces
  const unsigned rowsIn128 = llvm::Log2_32(128 / rowBytes);
  for (unsigned i = 0; i < 3; ++i) {
    int64_t column = 0;
    if (i >= rowsIn128 && i - rowsIn128 < pieces) {
      column = int64_t(1) << (pieceBits + i - rowsIn128);
    }
    map.addBit(Axis::Offset, {int64_t(1) << i, column});
  }
  return map;
}

//===----------------------------------------------------------------------===//
// AMD
//===----------------------------------------------------------------------===//

LinearMap mfmaFragment(Operand operand, unsigned size, unsigned perLane) {
  assert(size == 16 || size == 32);
  const unsigned sizeBits = llvm::Log2_32(size), groupBits = 6 - sizeBits;
  switch (operand) {
  case Operand::A:
    return along(Axis::Register, llvm::Log2_32(perLane), 1) * along(Axis::Lane, sizeBits, 0) *
           along(Axis::Lane, groupBits, 1);
  case Operand::B:
    return swapped(mfmaFragment(Operand::A, size, perLane));
  case Operand::Accumulator:
    // Four rows in a lane, the groups of lanes below each other, then again.
    return along(Axis::Register, 2, 0) * along(Axis::Lane, sizeBits, 1) *
           along(Axis::Lane, groupBits, 0) * along(Axis::Register, sizeBits - 2 - groupBits, 0);
  }
  return LinearMap(2);
}

LinearMap wmmaFragment(Operand operand, bool isGfx12) {
  switch (operand) {
  case Operand::A:
    return isGfx12 ? along(Axis::Register, 3, 1) * along(Axis::Lane, 4, 0) * along(Axis::Lane, 1, 1)
                   : along(Axis::Register, 4, 1) * along(Axis::Lane, 4, 0) * copies(Axis::Lane, 1);
  case Operand::B:
    return swapped(wmmaFragment(Operand::A, isGfx12));
  case Operand::Accumulator:
    return isGfx12
               ? along(Axis::Register, 3, 0) * along(Axis::Lane, 4, 1) * along(Axis::Lane, 1, 0)
               : along(Axis::Lane, 4, 1) * along(Axis::Lane, 1, 0) * along(Axis::Register, 3, 0);
  }
  return LinearMap(2);
}

} // namespace tegula::tilegpu
