//===- ChannelAccessTest.cpp - Slots are filled and read without conflicts ===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Analysis/ChannelAccess.h"
#include "tegula/TileGPU/Analysis/DotPlan.h"
#include "tegula/TileGPU/Layout/SharedMemory.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir;
using namespace tegula::tilegpu;

namespace {
class ChannelAccess : public ::testing::Test {
protected:
  ChannelAccess() : builder(&context) {
    context.loadDialect<TileGPUDialect>();
    half = MmaAttr::get(&context, MmaFamily::MmaSync, 16, 8, 16, builder.getF16Type(),
                        builder.getF16Type(), builder.getF32Type());
  }
  Machine machine(unsigned warps) {
    Machine machine;
    machine.numWarps = warps;
    machine.capabilities =
        CapabilitiesAttr::get(&context, 32, 1024, 232448, 16, /*load_matrix=*/true, {}, true);
    return machine;
  }

  MLIRContext context;
  Builder builder;
  MmaAttr half;
};
} // namespace

/// 16-byte pieces at `offsets` (elements of two bytes) lie in different banks.
static bool areApart(ArrayRef<uint64_t> offsets) {
  std::set<uint64_t> banks;
  for (uint64_t offset : offsets) {
    banks.insert(offset / 8 % 8);
  }
  return banks.size() == offsets.size();
}

TEST_F(ChannelAccess, ProductsOfHalvesHaveNoConflicts) {
  struct Case {
    Operand operand;
    int64_t rows, columns;
    unsigned alongMemory; ///< the dimension whose neighbours are neighbours in memory
    int64_t m, n;         ///< of the product
    unsigned warps;
  };
  const Case cases[] = {
      {Operand::A, 128, 64, 1, 128, 128, 4}, {Operand::B, 64, 128, 1, 128, 128, 4},
      {Operand::A, 128, 32, 1, 128, 128, 4}, {Operand::B, 32, 128, 1, 128, 128, 4},
      {Operand::A, 128, 64, 1, 128, 256, 8}, {Operand::B, 64, 256, 1, 128, 256, 8},
      {Operand::A, 128, 64, 0, 128, 128, 4}, {Operand::B, 64, 128, 0, 128, 128, 4},
      {Operand::A, 64, 32, 1, 64, 64, 4},    {Operand::B, 32, 64, 0, 64, 64, 4},
      {Operand::B, 128, 64, 0, 64, 64, 4},   {Operand::B, 64, 128, 1, 64, 128, 4},
  };
  for (const Case &one : cases) {
    SCOPED_TRACE(std::to_string(one.rows) + "x" + std::to_string(one.columns) + " along " +
                 std::to_string(one.alongMemory));
    const Machine gpu = machine(one.warps);
    const int64_t shape[] = {one.rows, one.columns}, result[] = {one.m, one.n};
    const unsigned order[] = {one.alongMemory, 1 - one.alongMemory};
    const Layout from = makeBlocked(gpu, shape, order, 8);
    const MmaWarps warps = chooseMmaWarps(half, result, one.warps, false);
    const Layout to = makeMmaLayout(half, one.operand, shape, warps, one.warps);
    const SlotMemory slot = chooseSlotMemory(from, to, {one.alongMemory, 8, 16}, 16, gpu);
    EXPECT_EQ(slot.width, 8u);

    // Eight lanes at a time write 16 bytes each: one row of banks.
    const LinearMap written = getOffsets(from.getInner(), slot.memory);
    for (unsigned first = 0; first < 32; first += 8) {
      SmallVector<uint64_t> offsets;
      for (unsigned lane = first; lane < first + 8; ++lane) {
        offsets.push_back(written.applyPacked({0, lane, 0, 0, 0}));
      }
      EXPECT_TRUE(areApart(offsets)) << "copies of lanes from " << first;
      for (uint64_t offset : offsets) {
        EXPECT_EQ(offset / 64, offsets[0] / 64) << "copies of lanes from " << first;
      }
    }

    const ChannelPart part = getChannelPart(slot.memory, to, {0, 0});
    const std::optional<ChannelMatrixPlan> plan = planMatrixRead(part.offsets, 16, gpu);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->count, 4u);
    ArrayRef<uint64_t> lanes = part.offsets.getImages(Axis::Lane);
    ArrayRef<uint64_t> registers = part.offsets.getImages(Axis::Register);
    const BitVectors rows = plan->isTransposed ? BitVectors{registers[0], lanes[0], lanes[1]}
                                               : BitVectors{lanes[2], lanes[3], lanes[4]};
    SmallVector<uint64_t> offsets;
    for (uint64_t row = 0; row < 8; ++row) {
      offsets.push_back(multiply(rows, row));
    }
    EXPECT_TRUE(areApart(offsets)) << "rows of a matrix";
  }
}

TEST_F(ChannelAccess, NarrowAccessesAreNoCopies) {
  const Machine gpu = machine(4);
  const int64_t shape[] = {64, 32};
  const unsigned order[] = {1, 0};
  const Layout from = makeBlocked(gpu, shape, order, 1);
  const SlotMemory slot = chooseSlotMemory(from, from, {0, 1, 2}, 16, gpu);
  EXPECT_EQ(slot.width, 1u);
  EXPECT_FALSE(isAsyncWidth(slot.width, 2));
  EXPECT_TRUE(isAsyncWidth(2, 2));
  EXPECT_TRUE(isAsyncWidth(1, 4));
  EXPECT_FALSE(isAsyncWidth(4, 8));
}

TEST_F(ChannelAccess, PartsBeginWhereTheirOffsetsSay) {
  const Machine gpu = machine(4);
  const int64_t shape[] = {64, 32}, half[] = {64, 16};
  const unsigned order[] = {1, 0};
  const Layout from = makeBlocked(gpu, shape, order, 8);
  const MmaWarps warps = chooseMmaWarps(this->half, {64, 64}, 4, false);
  const Layout whole = makeMmaLayout(this->half, Operand::A, shape, warps, 4);
  const Layout piece = makeMmaLayout(this->half, Operand::A, half, warps, 4);
  const SlotMemory slot = chooseSlotMemory(from, whole, {1, 8, 16}, 16, gpu);
  const std::optional<BitVectors> inverse = invert(slot.memory.getImages(Axis::Offset));
  ASSERT_TRUE(inverse);
  const ChannelPart part = getChannelPart(slot.memory, piece, {0, 16});
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned r = 0; r < piece.getSize(Axis::Register); ++r) {
      SmallVector<int64_t> at = piece.apply({r, lane, 3, 0, 0});
      at[1] += 16;
      EXPECT_EQ(part.offsets.applyPacked({r, lane, 3, 0, 0}) ^ part.start,
                multiply(*inverse, slot.memory.pack(at)));
    }
  }
}
