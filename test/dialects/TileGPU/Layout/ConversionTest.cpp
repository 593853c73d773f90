//===- ConversionTest.cpp - Conversions move every element ----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Layout/Conversion.h"
#include "LayoutFixture.h"
#include "tegula/TileGPU/Layout/Fragments.h"

#include <set>

using namespace tegula::tilegpu;

/// Whether each index of `target` finds its element among those of `source` whose
/// indices agree with it on the axes from `first` on.
static bool isReachable(const LinearMap &source, const LinearMap &target, unsigned first) {
  std::map<std::pair<std::vector<uint32_t>, uint64_t>, bool> held;
  const auto key = [&](const Indices &indices) {
    return std::vector<uint32_t>(indices.begin() + first, indices.begin() + 4);
  };
  forAllIndices(source, [&](const Indices &i) { held[{key(i), source.applyPacked(i)}] = true; });
  bool all = true;
  forAllIndices(target,
                [&](const Indices &i) { all &= held.count({key(i), target.applyPacked(i)}) != 0; });
  return all;
}

static void expectRight(const LinearMap &source, const LinearMap &target) {
  const std::optional<Conversion> plan = Conversion::plan(source, target);
  ASSERT_TRUE(plan) << source.str() << "\n" << target.str();
  const unsigned kept = unsigned(plan->getDistance()) > unsigned(Distance::Register)
                            ? unsigned(plan->getDistance())
                            : 1;
  forAllIndices(target, [&](const Indices &indices) {
    const Indices origin = plan->getOrigin(indices);
    EXPECT_EQ(source.applyPacked(origin), target.applyPacked(indices));
    for (unsigned axis = kept; axis < 4; ++axis) {
      EXPECT_EQ(origin[axis], indices[axis]) << "beyond the distance";
    }
    if (plan->getDistance() == Distance::None) {
      EXPECT_EQ(origin, indices);
    }
  });
}

TEST(Conversion, RandomMaps) {
  Random random(11);
  for (int round = 0; round < 300; ++round) {
    const llvm::SmallVector<unsigned> shape = {pick(random, 1, 3), pick(random, 1, 3)};
    expectRight(randomMap(random, shape, 2, 1, true), randomMap(random, shape, 2, 1, true));
  }
}

TEST(Conversion, TheDistanceIsTheLeast) {
  Random random(12);
  std::set<Distance> seen;
  for (int round = 0; round < 600; ++round) {
    const LinearMap source = randomMap(random, {1, 2}, 1, 1, true);
    LinearMap target = randomMap(random, {1, 2}, 1, 1, true);
    if (round % 3 == 0) { // the same but for the order of registers
      BitVectors registers(source.getImages(Axis::Register));
      std::shuffle(registers.begin(), registers.end(), random);
      target = source.withRegisterBits(0);
      for (uint64_t image : registers) {
        target.addPackedBit(Axis::Register, image);
      }
    }
    const Distance distance = Conversion::plan(source, target)->getDistance();
    seen.insert(distance);
    // From which axis on indices must agree: register 0, lane 1, warp 2.
    EXPECT_EQ(distance <= Distance::Register, isReachable(source, target, 1));
    EXPECT_EQ(distance <= Distance::Lane, isReachable(source, target, 2));
    EXPECT_EQ(distance <= Distance::Warp, isReachable(source, target, 3));
  }
  EXPECT_EQ(seen.size(), 4u); // None to Warp
}

TEST(Conversion, WhatDoesNotFit) {
  const LinearMap row = LinearMap::identity(Axis::Lane, 2, 1, 2);
  const LinearMap column = LinearMap::identity(Axis::Lane, 2, 0, 2);
  EXPECT_FALSE(Conversion::plan(row, column));
  // Elements that the source does not hold.
  LinearMap partial({0u, 2u});
  partial.addBit(Axis::Lane, {0, 1});
  EXPECT_FALSE(Conversion::plan(partial, row));
  EXPECT_TRUE(Conversion::plan(row, partial));
}

TEST(Conversion, CopiesAreFoundNearby) {
  // Each lane of the target wants what all lanes of the source have.
  const LinearMap everywhere =
      LinearMap::identity(Axis::Register, 2, 0, 1) * LinearMap::zero(Axis::Lane, 2, 1);
  const LinearMap spread = LinearMap::identity(Axis::Lane, 2, 0, 1);
  EXPECT_EQ(Conversion::plan(everywhere, spread)->getDistance(), Distance::Register);
  EXPECT_EQ(Conversion::plan(spread, everywhere)->getDistance(), Distance::Lane);
}

/// Runs the plan on numbered elements, lane by lane.
static void expectShuffles(const LinearMap &source, const LinearMap &target,
                           const ShufflePlan &plan) {
  const unsigned lanes = 1u << target.getInputBits(Axis::Lane);
  const unsigned registers = 1u << target.getInputBits(Axis::Register);
  for (unsigned warp = 0; warp < 1u << target.getInputBits(Axis::Warp); ++warp) {
    std::vector<std::vector<uint64_t>> got(lanes, std::vector<uint64_t>(registers, ~uint64_t(0)));
    for (const ShufflePlan::Round &round : plan.getRounds()) {
      std::set<uint32_t> senders;
      for (uint32_t lane = 0; lane < lanes; ++lane) {
        const uint32_t sender = plan.getSender(round, lane);
        EXPECT_TRUE(senders.insert(sender).second);
        const Indices sent = {plan.getSourceRegister(round, sender), sender, warp, 0, 0};
        got[lane][plan.getTargetRegister(round, lane)] = source.applyPacked(sent);
      }
    }
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      for (uint32_t reg = 0; reg < registers; ++reg) {
        EXPECT_EQ(got[lane][reg], target.applyPacked({reg, lane, warp, 0, 0}));
      }
    }
  }
}

TEST(ShufflePlan, RandomMapsOfOneWarp) {
  Random random(13);
  for (int round = 0; round < 400; ++round) {
    const llvm::SmallVector<unsigned> shape = {pick(random, 1, 3), pick(random, 2, 3)};
    const LinearMap source = randomMap(random, shape, 3, 0, false);
    const LinearMap target = randomMap(random, shape, 3, 0, false);
    const std::optional<ShufflePlan> plan = ShufflePlan::make(source, target);
    ASSERT_TRUE(plan) << source.str() << "\n" << target.str();
    EXPECT_EQ(plan->getRounds().size(), size_t(1) << target.getInputBits(Axis::Register));
    expectShuffles(source, target, *plan);
  }
}

TEST(ShufflePlan, CopiesAreRightOrRefused) {
  Random random(14);
  unsigned made = 0;
  for (int round = 0; round < 400; ++round) {
    const LinearMap source = randomMap(random, {2, 2}, 2, 0, true);
    const LinearMap target = randomMap(random, {2, 2}, 2, 0, true);
    if (std::optional<ShufflePlan> plan = ShufflePlan::make(source, target)) {
      expectShuffles(source, target, *plan);
      ++made;
    }
  }
  EXPECT_GT(made, 100u);
}

TEST(ShufflePlan, CopiesInWarpsThatDiffer) {
  // Which register a warp needs depends on its number: no plan says that.
  const LinearMap lanes = LinearMap::identity(Axis::Lane, 2, 0, 1);
  const LinearMap source =
      lanes * LinearMap::identity(Axis::Register, 1, 0, 1) * LinearMap::zero(Axis::Warp, 1, 1);
  const LinearMap target = lanes * LinearMap::identity(Axis::Warp, 1, 0, 1);
  EXPECT_EQ(Conversion::plan(source, target)->getDistance(), Distance::Register);
  EXPECT_FALSE(ShufflePlan::make(source, target));

  Random random(15);
  for (int round = 0; round < 400; ++round) {
    const LinearMap a = randomMap(random, {2, 2}, 2, 1, true);
    const LinearMap b = randomMap(random, {2, 2}, 2, 1, true);
    if (std::optional<ShufflePlan> plan = ShufflePlan::make(a, b)) {
      expectShuffles(a, b, *plan);
    }
  }
}

TEST(ShufflePlan, NotBeyondTheWarp) {
  const LinearMap a =
      LinearMap::identity(Axis::Lane, 1, 0, 1) * LinearMap::identity(Axis::Warp, 1, 0, 1);
  const LinearMap b =
      LinearMap::identity(Axis::Warp, 1, 0, 1) * LinearMap::identity(Axis::Lane, 1, 0, 1);
  EXPECT_EQ(Conversion::plan(a, b)->getDistance(), Distance::Warp);
  EXPECT_FALSE(ShufflePlan::make(a, b));
}

TEST(ShufflePlan, AccumulatorToOperand) {
  // What attention does between its two products: for 16-bit elements it is free.
  const LinearMap accumulator =
      mmaFragment(Operand::Accumulator, 16) * LinearMap::identity(Axis::Register, 1, 1, 2);
  EXPECT_LE(Conversion::plan(accumulator, mmaFragment(Operand::A, 16))->getDistance(),
            Distance::Register);
  // For 8 bits lanes exchange.
  const LinearMap wide =
      mmaFragment(Operand::Accumulator, 16) * LinearMap::identity(Axis::Register, 2, 1, 2);
  const std::optional<ShufflePlan> plan = ShufflePlan::make(wide, mmaFragment(Operand::A, 8));
  ASSERT_TRUE(plan);
  expectShuffles(wide, mmaFragment(Operand::A, 8), *plan);
}
