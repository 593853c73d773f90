//===- LayoutFixture.h - Random layouts, and indices to try them ----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TEST_TILEGPU_LAYOUTFIXTURE_H
#define TEGULA_TEST_TILEGPU_LAYOUTFIXTURE_H

#include "tegula/TileGPU/Layout/LinearMap.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>

namespace tegula::tilegpu {

using Random = std::mt19937;

inline unsigned pick(Random &random, unsigned least, unsigned most) {
  return std::uniform_int_distribution<unsigned>(least, most)(random);
}

/// Calls fn with all indices of a map.
template <typename Fn> void forAllIndices(const LinearMap &map, Fn &&fn) {
  Indices indices = {};
  for (uint64_t all = 0; all < uint64_t(1) << map.getTotalInputBits(); ++all) {
    uint64_t rest = all;
    for (unsigned axis = 0; axis < kNumAxes; ++axis) {
      const unsigned bits = map.getInputBits(Axis(axis));
      indices[axis] = uint32_t(rest & ((uint64_t(1) << bits) - 1));
      rest >>= bits;
    }
    fn(indices);
  }
}

/// A surjective map on a tile of these logarithms: its images are a random basis, spread
/// over `lanes` lane bits, `warps` warp bits and registers for the rest, some images
/// mixed with others, and with some copies.
inline LinearMap randomMap(Random &random, llvm::ArrayRef<unsigned> outputBits, unsigned lanes,
                           unsigned warps, bool withCopies) {
  LinearMap map(outputBits);
  BitVectors basis = unitVectors(map.getTotalOutputBits());
  std::shuffle(basis.begin(), basis.end(), random);
  for (size_t i = 1; i < basis.size(); ++i) {
    if (pick(random, 0, 2) == 0) {
      basis[i] ^= basis[pick(random, 0, unsigned(i) - 1)];
    }
  }
  size_t at = 0;
  const auto fill = [&](Axis axis, unsigned bits) {
    for (unsigned i = 0; i < bits; ++i) {
      const bool isCopy = at == basis.size() || (withCopies && pick(random, 0, 4) == 0);
      map.addPackedBit(axis, isCopy ? 0 : basis[at++]);
    }
  };
  fill(Axis::Lane, lanes);
  fill(Axis::Warp, warps);
  while (at < basis.size()) {
    map.addPackedBit(Axis::Register, basis[at++]);
  }
  return map;
}

} // namespace tegula::tilegpu

#endif // TEGULA_TEST_TILEGPU_LAYOUTFIXTURE_H
