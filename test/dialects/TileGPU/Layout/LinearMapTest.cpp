//===- LinearMapTest.cpp - Maps against element by element ----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutFixture.h"
#include "tegula/TileGPU/Layout/Layout.h"

#include <set>

using namespace tegula::tilegpu;
using testing::ElementsAre;

//===----------------------------------------------------------------------===//
// Bit vectors
//===----------------------------------------------------------------------===//

/// All sums of the vectors.
static std::set<uint64_t> spanOf(llvm::ArrayRef<uint64_t> vectors) {
  std::set<uint64_t> sums;
  for (uint64_t c = 0; c < uint64_t(1) << vectors.size(); ++c) {
    sums.insert(multiply(vectors, c));
  }
  return sums;
}

static BitVectors randomVectors(Random &random, unsigned count, unsigned bits) {
  BitVectors vectors;
  for (unsigned i = 0; i < count; ++i) {
    vectors.push_back(pick(random, 0, (1u << bits) - 1));
  }
  return vectors;
}

TEST(BitVectors, SpansSolveWhatTheyContain) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const BitVectors vectors = randomVectors(random, pick(random, 0, 7), 6);
    const BitSpan span(vectors);
    const std::set<uint64_t> sums = spanOf(vectors);
    EXPECT_EQ(sums.size(), size_t(1) << span.getDimension());
    for (uint64_t v = 0; v < 64; ++v) {
      EXPECT_EQ(span.contains(v), sums.count(v) != 0);
      const std::optional<uint64_t> solution = span.solve(v);
      ASSERT_EQ(solution.has_value(), sums.count(v) != 0);
      if (solution) {
        EXPECT_EQ(multiply(vectors, *solution), v);
      }
    }
    EXPECT_EQ(span.getKernel().size() + span.getDimension(), vectors.size());
    for (uint64_t coefficients : span.getKernel()) {
      EXPECT_NE(coefficients, 0u);
      EXPECT_EQ(multiply(vectors, coefficients), 0u);
    }
  }
}

TEST(BitVectors, IntersectionsAndComplements) {
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    const BitVectors a = randomVectors(random, pick(random, 0, 5), 6);
    const BitVectors b = randomVectors(random, pick(random, 0, 5), 6);
    std::set<uint64_t> common;
    const std::set<uint64_t> sumsA = spanOf(a), sumsB = spanOf(b);
    std::set_intersection(sumsA.begin(), sumsA.end(), sumsB.begin(), sumsB.end(),
                          std::inserter(common, common.end()));
    const BitVectors basis = intersect(a, b);
    EXPECT_EQ(spanOf(basis), common);
    EXPECT_EQ(BitSpan(basis).getDimension(), basis.size());
    BitVectors whole = a;
    for (uint64_t v : complete(a, unitVectors(6))) {
      whole.push_back(v);
    }
    EXPECT_EQ(BitSpan(whole).getDimension(), 6u);
  }
}

TEST(BitVectors, InversesExistExactlyForFullRank) {
  Random random(3);
  int found = 0;
  for (int round = 0; round < 300; ++round) {
    const BitVectors columns = randomVectors(random, 4, 4);
    const std::optional<BitVectors> inverse = invert(columns);
    ASSERT_EQ(inverse.has_value(), BitSpan(columns).getDimension() == 4);
    if (inverse) {
      ++found;
      for (uint64_t v = 0; v < 16; ++v) {
        EXPECT_EQ(multiply(columns, multiply(*inverse, v)), v);
        EXPECT_EQ(multiply(*inverse, multiply(columns, v)), v);
      }
    }
  }
  EXPECT_GT(found, 50);
}

//===----------------------------------------------------------------------===//
// Linear maps
//===----------------------------------------------------------------------===//

TEST(LinearMap, TextAndFacts) {
  LinearMap map({2u, 3u});
  map.addBit(Axis::Register, {0, 1});
  map.addBit(Axis::Lane, {1, 4});
  map.addBit(Axis::Lane, {0, 0});
  EXPECT_EQ(map.str(), "register = [(0, 1)], lane = [(1, 4), (0, 0)]");
  EXPECT_THAT(map.getShape(), ElementsAre(4, 8));
  EXPECT_EQ(map.getFreeBits(Axis::Lane), 2u);
  EXPECT_EQ(map.getFreeBits(Axis::Register), 0u);
  EXPECT_FALSE(map.isSurjective());
  EXPECT_FALSE(map.isInjective());
  EXPECT_THAT(map.apply({1, 1, 0, 0, 0}), ElementsAre(1, 5));
  EXPECT_EQ(LinearMap(2).str(), "");
}

TEST(LinearMap, SurjectiveAndInjectiveAsCounted) {
  Random random(4);
  for (int round = 0; round < 200; ++round) {
    LinearMap map({pick(random, 0, 2), pick(random, 0, 2)});
    for (unsigned i = pick(random, 0, 5); i > 0; --i) {
      map.addPackedBit(Axis(pick(random, 0, 3)),
                       pick(random, 0, (1u << map.getTotalOutputBits()) - 1));
    }
    std::map<uint64_t, int> holders;
    forAllIndices(map, [&](const Indices &i) { ++holders[map.applyPacked(i)]; });
    EXPECT_EQ(map.isSurjective(), holders.size() == size_t(1) << map.getTotalOutputBits());
    EXPECT_EQ(map.isInjective(), llvm::all_of(holders, [](auto &e) { return e.second == 1; }));
  }
}

TEST(LinearMap, ProductsTileOneMapByAnother) {
  Random random(5);
  for (int round = 0; round < 100; ++round) {
    const LinearMap inner = randomMap(random, {pick(random, 0, 2), pick(random, 0, 3)}, 2, 1, true);
    const LinearMap outer = randomMap(random, {pick(random, 0, 2), pick(random, 0, 2)}, 1, 1, true);
    const LinearMap product = inner * outer;
    forAllIndices(product, [&](const Indices &indices) {
      Indices low = {}, high = {};
      for (unsigned axis = 0; axis < kNumAxes; ++axis) {
        const unsigned bits = inner.getInputBits(Axis(axis));
        low[axis] = indices[axis] & ((1u << bits) - 1);
        high[axis] = indices[axis] >> bits;
      }
      const auto a = inner.apply(low), b = outer.apply(high), c = product.apply(indices);
      for (unsigned dim = 0; dim < 2; ++dim) {
        EXPECT_EQ(c[dim], a[dim] + inner.getShape()[dim] * b[dim]);
      }
    });
    EXPECT_EQ(product.divideLeft(inner), outer);
  }
}

TEST(LinearMap, QuotientsExistOnlyOfProducts) {
  const LinearMap columns = LinearMap::identity(Axis::Register, 2, 1, 2);
  const LinearMap rows = LinearMap::identity(Axis::Register, 2, 0, 2);
  EXPECT_EQ((columns * rows).divideLeft(columns), rows);
  EXPECT_FALSE((columns * rows).divideLeft(rows));
  EXPECT_FALSE(columns.divideLeft(columns * rows));
  EXPECT_FALSE(LinearMap(1).divideLeft(LinearMap(2)));
  // Coordinates that mix with those of the inner part.
  LinearMap mixed({1u, 1u});
  mixed.addBit(Axis::Register, {0, 1});
  mixed.addBit(Axis::Lane, {1, 1});
  EXPECT_FALSE(mixed.divideLeft(LinearMap::identity(Axis::Register, 1, 1, 2)));
}

TEST(LinearMap, ShapesChangeAsTilesDo) {
  Random random(6);
  for (int round = 0; round < 60; ++round) {
    const LinearMap map = randomMap(random, {1, 2, 2}, 2, 1, true);
    const LinearMap turned = map.transpose({2, 0, 1}), flat = map.reshape({5u});
    const LinearMap wider = map.expandDims(1), dropped = map.dropDim(1);
    const LinearMap reduced = map.reduceDim(2);
    forAllIndices(map, [&](const Indices &i) {
      const auto c = map.apply(i);
      EXPECT_THAT(turned.apply(i), ElementsAre(c[2], c[0], c[1]));
      EXPECT_THAT(flat.apply(i), ElementsAre(c[0] * 16 + c[1] * 4 + c[2]));
      EXPECT_THAT(wider.apply(i), ElementsAre(c[0], 0, c[1], c[2]));
      EXPECT_THAT(dropped.apply(i), ElementsAre(c[0], c[2]));
    });
    EXPECT_EQ(reduced.getFreeBits(Axis::Register), 0u);
    EXPECT_TRUE(reduced.isSurjective());
  }
}

//===----------------------------------------------------------------------===//
// Repetitions
//===----------------------------------------------------------------------===//

TEST(Layout, ThreeWarpgroupsOf64Rows) {
  const LinearMap warpgroup =
      LinearMap::identity(Axis::Lane, 5, 0, 2) * LinearMap::identity(Axis::Warp, 1, 0, 2);
  const Layout layout = Layout(warpgroup).repeat(Axis::Warp, 0, 3).repeat(Axis::Register, 1, 22);
  EXPECT_THAT(layout.getShape(), ElementsAre(192, 22));
  EXPECT_EQ(layout.getSize(Axis::Warp), 6u);
  EXPECT_EQ(layout.getSize(Axis::Register), 22u);
  EXPECT_THAT(layout.apply({21, 3, 5, 0, 0}), ElementsAre(3 + 32 + 64 * 2, 21));
  EXPECT_EQ(layout.str(), warpgroup.str() + ", repeat = [(warp, 0, 3), (register, 1, 22)]");
}

TEST(Layout, RegularRepetitionsAreFolded) {
  const LinearMap lanes = LinearMap::identity(Axis::Lane, 5, 0, 1);
  const Layout folded = Layout(lanes).repeat(Axis::Register, 0, 4);
  EXPECT_TRUE(folded.isLinear());
  EXPECT_EQ(folded, Layout(lanes * LinearMap::identity(Axis::Register, 2, 0, 1)));
  // Above an irregular one nothing is folded, but neighbours are one.
  const Layout kept = Layout(lanes).repeat(Axis::Register, 0, 3).repeat(Axis::Register, 0, 2);
  EXPECT_EQ(kept, Layout(lanes).repeat(Axis::Register, 0, 6));
  EXPECT_EQ(Layout(lanes).repeat(Axis::Register, 0, 1), Layout(lanes));
}

TEST(Layout, EveryElementOnce) {
  Random random(7);
  for (int round = 0; round < 60; ++round) {
    Layout layout(randomMap(random, {pick(random, 0, 2), pick(random, 0, 2)}, 2, 1, false));
    for (unsigned i = pick(random, 1, 3); i > 0; --i) {
      layout = layout.repeat(pick(random, 0, 1) ? Axis::Register : Axis::Warp, pick(random, 0, 1),
                             pick(random, 1, 3));
    }
    std::map<std::pair<int64_t, int64_t>, int> holders;
    Indices size = {};
    uint64_t total = 1;
    for (unsigned axis = 0; axis < kNumAxes; ++axis) {
      size[axis] = layout.getSize(Axis(axis));
      total *= size[axis];
    }
    for (uint64_t all = 0; all < total; ++all) {
      Indices indices = {};
      uint64_t rest = all;
      for (unsigned axis = 0; axis < kNumAxes; ++axis) {
        indices[axis] = uint32_t(rest % size[axis]);
        rest /= size[axis];
      }
      const auto c = layout.apply(indices);
      ++holders[{c[0], c[1]}];
    }
    const auto shape = layout.getShape();
    EXPECT_EQ(holders.size(), size_t(shape[0] * shape[1]));
    const unsigned copies = layout.getInner().isInjective() ? 1 : 0;
    for (const auto &[element, count] : holders) {
      EXPECT_LT(element.first, shape[0]);
      EXPECT_LT(element.second, shape[1]);
      if (copies) {
        EXPECT_EQ(count, 1);
      }
    }
  }
}
