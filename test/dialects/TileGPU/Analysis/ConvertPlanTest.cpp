//===- ConvertPlanTest.cpp - How elements get where a layout wants them -------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Analysis/ConvertPlan.h"

#include "gtest/gtest.h"
#include <algorithm>
#include <random>

using namespace tegula::tilegpu;

namespace {

constexpr unsigned kLaneBits = 3, kWarpBits = 1;

/// 16 x 16 elements, each bit somewhere, some lanes and warps with copies; perhaps 16 x 48.
Layout makeLayout(std::mt19937 &random, bool isOdd) {
  BitVectors bits = unitVectors(8);
  std::shuffle(bits.begin(), bits.end(), random);
  for (unsigned i = random() % 3; i > 0; --i) {
    bits[random() % 4] ^= bits[4 + random() % 4];
  }
  LinearMap map(llvm::ArrayRef<unsigned>{4, 4});
  for (auto [axis, count] : {std::pair(Axis::Lane, kLaneBits), std::pair(Axis::Warp, kWarpBits)}) {
    for (unsigned i = 0; i < count; ++i) {
      const bool isCopy = random() % 8 == 0;
      map.addPackedBit(axis, isCopy ? 0 : bits.pop_back_val());
    }
  }
  for (uint64_t bit : bits) {
    map.addPackedBit(Axis::Register, bit);
  }
  Layout layout(map);
  return isOdd ? layout.repeat(Axis::Register, 1, 3) : layout;
}

unsigned same(llvm::ArrayRef<int64_t> coordinates, llvm::SmallVectorImpl<int64_t> &origin) {
  origin.assign(coordinates.begin(), coordinates.end());
  return 0;
}

TEST(ConvertPlan, RegistersHoldInEveryThread) {
  std::mt19937 random(7);
  unsigned found = 0;
  for (unsigned trial = 0; trial < 300; ++trial) {
    const bool isOdd = trial % 3 == 0;
    const Layout from = makeLayout(random, isOdd);
    // Layouts that have nothing in common prove little: registers alone differ in most.
    Layout to = makeLayout(random, isOdd);
    if (trial % 4 != 0) {
      LinearMap map(from.getInner().getOutputBits());
      BitVectors registers(from.getInner().getImages(Axis::Register));
      std::shuffle(registers.begin(), registers.end(), random);
      for (uint64_t image : registers) {
        map.addPackedBit(Axis::Register, image);
      }
      for (Axis axis : {Axis::Lane, Axis::Warp}) {
        for (uint64_t image : from.getInner().getImages(axis)) {
          map.addPackedBit(axis, image);
        }
      }
      to = isOdd ? Layout(map).repeat(Axis::Register, 1, 3) : Layout(map);
    }
    const auto quick = findRegisters(from, to, same, /*isLinear=*/true);
    const auto thorough = findRegisters(from, to, same, /*isLinear=*/false);
    ASSERT_EQ(quick.has_value(), thorough.has_value()) << from.str() << "\n" << to.str();
    if (!quick) {
      continue;
    }
    ++found;
    ASSERT_EQ(quick->size(), getNumRegisters(to));
    for (uint32_t warp = 0; warp < 1u << kWarpBits; ++warp) {
      for (uint32_t lane = 0; lane < 1u << kLaneBits; ++lane) {
        for (uint32_t reg = 0; reg < quick->size(); ++reg) {
          ASSERT_EQ(from.apply({uint32_t((*quick)[reg].index), lane, warp, 0, 0}),
                    to.apply({reg, lane, warp, 0, 0}));
        }
      }
    }
  }
  EXPECT_GT(found, 100u);
  EXPECT_LT(found, 300u);
}

TEST(ConvertPlan, OperandsAreToldApart) {
  // Two tiles of one element for each lane, joined along registers.
  LinearMap one(llvm::ArrayRef<unsigned>{3}), both(llvm::ArrayRef<unsigned>{4});
  for (uint64_t bit : {1, 2, 4}) {
    one.addPackedBit(Axis::Lane, bit);
    both.addPackedBit(Axis::Lane, bit);
  }
  both.addPackedBit(Axis::Register, 8);
  auto cat = [](llvm::ArrayRef<int64_t> coordinates, llvm::SmallVectorImpl<int64_t> &origin) {
    origin.assign({coordinates[0] % 8});
    return unsigned(coordinates[0] / 8);
  };
  const Layout from[] = {Layout(one), Layout(one)};
  const auto registers = findRegisters(from, Layout(both), cat, /*isLinear=*/false);
  ASSERT_TRUE(registers);
  ASSERT_EQ(registers->size(), 2u);
  EXPECT_EQ((*registers)[0].operand, 0u);
  EXPECT_EQ((*registers)[1].operand, 1u);

  // A lane that holds the second tile alone cannot say so by registers.
  LinearMap other(llvm::ArrayRef<unsigned>{4});
  for (uint64_t bit : {1, 2, 8}) {
    other.addPackedBit(Axis::Lane, bit);
  }
  other.addPackedBit(Axis::Register, 4);
  EXPECT_FALSE(findRegisters(from, Layout(other), cat, /*isLinear=*/false));
}

} // namespace
