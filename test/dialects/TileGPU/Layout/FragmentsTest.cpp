//===- FragmentsTest.cpp - Layouts against the vendors' formulas ----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Layout/Fragments.h"
#include "LayoutFixture.h"

using namespace tegula::tilegpu;
using testing::ElementsAre;

/// Checks row and column of register r of lane l (of warp w) by a formula.
template <typename Fn>
static void expectFragment(const Layout &layout, unsigned registers, unsigned lanes, unsigned warps,
                           Fn &&formula) {
  ASSERT_EQ(layout.getSize(Axis::Register), registers);
  ASSERT_EQ(layout.getSize(Axis::Lane), lanes);
  ASSERT_EQ(layout.getSize(Axis::Warp), warps);
  for (unsigned w = 0; w < warps; ++w) {
    for (unsigned l = 0; l < lanes; ++l) {
      for (unsigned r = 0; r < registers; ++r) {
        const std::pair<int64_t, int64_t> want = formula(int64_t(r), int64_t(l), int64_t(w));
        EXPECT_THAT(layout.apply({r, l, w, 0, 0}), ElementsAre(want.first, want.second))
            << "register " << r << ", lane " << l << ", warp " << w;
      }
    }
  }
}

// PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type": groupID = lane / 4,
// threadID_in_group = lane % 4.
TEST(Fragments, MmaOf16BitElements) {
  expectFragment(Layout(mmaFragment(Operand::A, 16)), 8, 32, 1, [](int64_t i, int64_t l, int64_t) {
    const int64_t row = (i < 2 || (i >= 4 && i < 6)) ? l / 4 : l / 4 + 8;
    return std::pair(row, (l % 4) * 2 + (i & 1) + (i >= 4 ? 8 : 0));
  });
  expectFragment(Layout(mmaFragment(Operand::B, 16)), 4, 32, 1, [](int64_t i, int64_t l, int64_t) {
    return std::pair((l % 4) * 2 + (i & 1) + (i >= 2 ? 8 : 0), l / 4);
  });
  expectFragment(Layout(mmaFragment(Operand::Accumulator, 16)), 4, 32, 1,
                 [](int64_t i, int64_t l, int64_t) {
                   return std::pair(i < 2 ? l / 4 : l / 4 + 8, (l % 4) * 2 + (i & 1));
                 });
}

TEST(Fragments, MmaOfTf32) {
  expectFragment(Layout(mmaFragment(Operand::A, 32)), 4, 32, 1, [](int64_t i, int64_t l, int64_t) {
    return std::pair(i % 2 == 0 ? l / 4 : l / 4 + 8, i < 2 ? l % 4 : l % 4 + 4);
  });
  expectFragment(Layout(mmaFragment(Operand::B, 32)), 2, 32, 1, [](int64_t i, int64_t l, int64_t) {
    return std::pair(i == 0 ? l % 4 : l % 4 + 4, l / 4);
  });
}

TEST(Fragments, MmaOf8BitElements) {
  expectFragment(Layout(mmaFragment(Operand::A, 8)), 16, 32, 1, [](int64_t i, int64_t l, int64_t) {
    const bool upper = i < 4 || (i >= 8 && i < 12);
    return std::pair(upper ? l / 4 : l / 4 + 8, (l % 4) * 4 + (i & 3) + (i >= 8 ? 16 : 0));
  });
  expectFragment(Layout(mmaFragment(Operand::B, 8)), 8, 32, 1, [](int64_t i, int64_t l, int64_t) {
    return std::pair((l % 4) * 4 + (i & 3) + (i >= 4 ? 16 : 0), l / 4);
  });
}

TEST(Fragments, MmaOfDoubles) {
  expectFragment(Layout(mmaFragment(Operand::A, 64)), 1, 32, 1,
                 [](int64_t, int64_t l, int64_t) { return std::pair(l / 4, l % 4); });
  expectFragment(Layout(mmaFragment(Operand::B, 64)), 1, 32, 1,
                 [](int64_t, int64_t l, int64_t) { return std::pair(l % 4, l / 4); });
  expectFragment(Layout(mmaFragment(Operand::Accumulator, 64)), 2, 32, 1,
                 [](int64_t i, int64_t l, int64_t) { return std::pair(l / 4, (l % 4) * 2 + i); });
}

TEST(Fragments, WgmmaAccumulatorsOfAnyWidth) {
  for (unsigned n : {8u, 24u, 64u, 128u, 176u, 192u, 256u}) {
    expectFragment(wgmmaAccumulator(n), n / 2, 32, 4, [](int64_t i, int64_t l, int64_t w) {
      return std::pair(16 * w + l / 4 + 8 * ((i / 2) & 1), 8 * (i / 4) + 2 * (l % 4) + (i & 1));
    });
  }
  EXPECT_TRUE(wgmmaAccumulator(128).isLinear());
  EXPECT_FALSE(wgmmaAccumulator(176).isLinear());
}

TEST(Fragments, WgmmaOperandsInRegisters) {
  expectFragment(Layout(wgmmaOperandA(16)), 8, 32, 4, [](int64_t i, int64_t l, int64_t w) {
    return std::pair(16 * w + l / 4 + 8 * ((i / 2) & 1), 2 * (l % 4) + (i & 1) + 8 * (i / 4));
  });
}

// Matrix i's row r comes from the address of lane 8 i + r; lane l receives elements
// 2 (l % 4) and the next of row l / 4.
TEST(Fragments, Ldmatrix) {
  expectFragment(Layout(ldmatrixFragment(4, false)), 8, 32, 1, [](int64_t i, int64_t l, int64_t) {
    return std::pair(8 * (i / 2) + l / 4, 2 * (l % 4) + (i & 1));
  });
  expectFragment(Layout(ldmatrixFragment(2, true)), 4, 32, 1, [](int64_t i, int64_t l, int64_t) {
    return std::pair(8 * (i / 2) + 2 * (l % 4) + (i & 1), l / 4);
  });
}

// The address bits that the copy engine exchanges: 4 to 6 by 7 to 9, 4 and 5 by 7 and 8, 4
// by 7.
TEST(Fragments, TmaSwizzles) {
  for (unsigned rowBytes : {32u, 64u, 128u}) {
    for (unsigned bits : {8u, 16u, 32u}) {
      const unsigned bytes = bits / 8, mask = rowBytes / 16 - 1;
      const LinearMap map = tmaSwizzle(rowBytes, bits);
      EXPECT_TRUE(map.isBijective());
      ASSERT_EQ(map.getInputBits(Axis::Offset),
                llvm::ArrayRef<uint64_t>(map.getImages(Axis::Offset)).size());
      for (unsigned row = 0; row < 8; ++row) {
        for (unsigned column = 0; column < rowBytes / bytes; ++column) {
          const unsigned address = row * rowBytes + column * bytes;
          const unsigned physical = address ^ (((address >> 7) & mask) << 4);
          EXPECT_THAT(map.apply({0, 0, 0, 0, physical / bytes}), ElementsAre(row, column))
              << rowBytes << " bytes a row, " << bits << " bits";
        }
      }
    }
  }
}

// CDNA3 ISA and the calculator's tables: V_MFMA_F32_32X32X8_F16, V_MFMA_F32_16X16X16_F16.
TEST(Fragments, Mfma) {
  expectFragment(Layout(mfmaFragment(Operand::A, 32, 4)), 4, 64, 1,
                 [](int64_t i, int64_t l, int64_t) { return std::pair(l % 32, 4 * (l / 32) + i); });
  expectFragment(Layout(mfmaFragment(Operand::B, 32, 4)), 4, 64, 1,
                 [](int64_t i, int64_t l, int64_t) { return std::pair(4 * (l / 32) + i, l % 32); });
  expectFragment(Layout(mfmaFragment(Operand::Accumulator, 32, 4)), 16, 64, 1,
                 [](int64_t i, int64_t l, int64_t) {
                   return std::pair(8 * (i / 4) + 4 * (l / 32) + i % 4, l % 32);
                 });
  expectFragment(Layout(mfmaFragment(Operand::A, 16, 8)), 8, 64, 1,
                 [](int64_t i, int64_t l, int64_t) { return std::pair(l % 16, 8 * (l / 16) + i); });
  expectFragment(Layout(mfmaFragment(Operand::Accumulator, 16, 4)), 4, 64, 1,
                 [](int64_t i, int64_t l, int64_t) { return std::pair(4 * (l / 16) + i, l % 16); });
}

TEST(Fragments, Wmma) {
  expectFragment(Layout(wmmaFragment(Operand::A, false)), 16, 32, 1,
                 [](int64_t i, int64_t l, int64_t) { return std::pair(l % 16, i); });
  expectFragment(Layout(wmmaFragment(Operand::Accumulator, false)), 8, 32, 1,
                 [](int64_t i, int64_t l, int64_t) { return std::pair(2 * i + l / 16, l % 16); });
  expectFragment(Layout(wmmaFragment(Operand::A, true)), 8, 32, 1,
                 [](int64_t i, int64_t l, int64_t) { return std::pair(l % 16, 8 * (l / 16) + i); });
  expectFragment(Layout(wmmaFragment(Operand::B, true)), 8, 32, 1,
                 [](int64_t i, int64_t l, int64_t) { return std::pair(8 * (l / 16) + i, l % 16); });
  expectFragment(Layout(wmmaFragment(Operand::Accumulator, true)), 8, 32, 1,
                 [](int64_t i, int64_t l, int64_t) { return std::pair(8 * (l / 16) + i, l % 16); });
}

TEST(Fragments, BlockedLayouts) {
  const LinearMap map = blockedLayout({2, 4}, {8, 4}, {1, 2}, {1, 0});
  EXPECT_THAT(map.getShape(), ElementsAre(16, 32));
  EXPECT_TRUE(map.isBijective());
  EXPECT_THAT(map.apply({5, 6, 1, 0, 0}), ElementsAre(2 * 1 + 1, 16 + 4 * 2 + 1));
  // A tile that is larger in rows and smaller in columns.
  const LinearMap covered =
      blockedLayout(llvm::ArrayRef<int64_t>{64, 8}, {2, 4}, {8, 4}, {1, 2}, {1, 0});
  EXPECT_THAT(covered.getShape(), ElementsAre(64, 8));
  EXPECT_TRUE(covered.isSurjective());
  EXPECT_EQ(covered.getFreeBits(Axis::Lane), 2u);
  EXPECT_EQ(covered.getFreeBits(Axis::Warp), 1u);
  EXPECT_EQ(covered.getInputBits(Axis::Register), 5u);
}
