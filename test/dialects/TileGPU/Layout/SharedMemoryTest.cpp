//===- SharedMemoryTest.cpp - Memory layouts and their bank conflicts -----===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Layout/SharedMemory.h"
#include "LayoutFixture.h"
#include "tegula/TileGPU/Layout/Fragments.h"

using namespace tegula::tilegpu;

/// Memory in row-major order.
static LinearMap rowMajor(llvm::ArrayRef<unsigned> bits) {
  LinearMap map(bits);
  for (uint64_t image : unitVectors(map.getTotalOutputBits())) {
    map.addPackedBit(Axis::Offset, image);
  }
  return map;
}

static LinearMap rows32(unsigned perLane) { // a warp across a row, 32 rows in registers
  return blockedLayout(llvm::ArrayRef<int64_t>{32, 32 * int64_t(perLane)}, {1, perLane}, {1, 32},
                       {1, 1}, {1, 0});
}

TEST(SharedMemory, KnownConflicts) {
  const LinearMap memory = rowMajor({5, 5});
  const LinearMap across = rows32(1), down = across.transpose({1, 0});
  AccessCost cost = countWavefronts(across, memory, 32, false);
  EXPECT_EQ(cost.accesses, 32u);
  EXPECT_EQ(cost.wavefronts, 32u);
  EXPECT_EQ(cost.getConflicts(), 0u);
  // Down a column of 32 words all lanes meet one bank.
  cost = countWavefronts(down, memory, 32, false, {.maxAccessBytes = 4});
  EXPECT_EQ(cost.wavefronts, 32u * 32u);
  EXPECT_EQ(cost.getConflicts(), 32u * 31u);
  // Four words at a time, eight lanes in a wavefront, all in the same four banks.
  EXPECT_EQ(countWavefronts(down, memory, 32, false).wavefronts, 8u * 4 * 8);
  // Rows of 64 bytes: two of them lie in different banks.
  EXPECT_EQ(countWavefronts(down, memory, 16, false, {.maxAccessBytes = 2}).wavefronts, 32u * 16u);
}

TEST(SharedMemory, WideAccesses) {
  const LinearMap memory = rowMajor({5, 7});
  const LinearMap map = rows32(4);
  EXPECT_EQ(getAccessElements(map, memory, 32), 4u);
  EXPECT_EQ(getAccessElements(map, memory, 8), 4u);
  EXPECT_EQ(getAccessElements(map, memory, 64), 2u);
  EXPECT_EQ(getAccessElements(rows32(1), rowMajor({5, 5}), 32), 1u);
  const AccessCost cost = countWavefronts(map, memory, 32, true);
  EXPECT_EQ(cost.accesses, 32u);
  EXPECT_EQ(cost.wavefronts, 32u * 4); // 512 bytes
  EXPECT_EQ(cost.getConflicts(), 0u);
}

TEST(SharedMemory, CopiesAreStoredOnceAndReadTogether) {
  const LinearMap map =
      LinearMap::identity(Axis::Lane, 3, 0, 1) * LinearMap::zero(Axis::Lane, 2, 1);
  const LinearMap memory = rowMajor({3});
  EXPECT_EQ(countWavefronts(map, memory, 32, false).wavefronts, 1u);
  EXPECT_EQ(countWavefronts(map, memory, 32, true).wavefronts, 1u);
}

/// No conflicts on either side, and accesses as wide as can be.
static void expectFree(const LinearMap &source, const LinearMap &target, unsigned bits,
                       unsigned width) {
  const LinearMap memory = chooseMemoryLayout(source, target, bits);
  EXPECT_TRUE(memory.isBijective());
  EXPECT_EQ(countWavefronts(source, memory, bits, true).getConflicts(), 0u) << memory.str();
  EXPECT_EQ(countWavefronts(target, memory, bits, false).getConflicts(), 0u) << memory.str();
  EXPECT_GE(getAccessElements(source, memory, bits), width) << memory.str();
  EXPECT_GE(getAccessElements(target, memory, bits), width) << memory.str();
}

TEST(SharedMemory, TransposesAreFree) {
  for (unsigned bits : {8u, 16u, 32u, 64u}) {
    for (unsigned perLane : {1u, 4u}) {
      const LinearMap map =
          blockedLayout(llvm::ArrayRef<int64_t>{64, 64}, {1, perLane}, {4, 8}, {4, 1}, {1, 0});
      expectFree(map, map.transpose({1, 0}), bits, 1);
    }
  }
}

TEST(SharedMemory, FragmentsAreFree) {
  for (unsigned bits : {8u, 16u, 32u}) {
    // From coalesced loads of 16 bytes to the operands of mma.
    const unsigned perLane = 128 / bits;
    const int64_t columns = 4 * perLane;
    const LinearMap blocked =
        blockedLayout(llvm::ArrayRef<int64_t>{64, columns}, {1, perLane}, {8, 4}, {4, 1}, {1, 0});
    const LinearMap a =
        coverByRegisters(mmaFragment(Operand::A, bits) * LinearMap::identity(Axis::Warp, 2, 0, 2),
                         {64, columns}, {1, 0});
    expectFree(blocked, a, bits, std::max(1u, 32 / bits));
  }
  // From accumulators to rows that are stored 16 bytes at a time.
  const LinearMap accumulator = coverByRegisters(mmaFragment(Operand::Accumulator, 16) *
                                                     LinearMap::identity(Axis::Warp, 2, 0, 2),
                                                 {64, 64}, {1, 0});
  const LinearMap rows =
      blockedLayout(llvm::ArrayRef<int64_t>{64, 64}, {1, 4}, {2, 16}, {4, 1}, {1, 0});
  expectFree(accumulator, rows, 32, 2);
  expectFree(accumulator, accumulator, 32, 2);
}

TEST(SharedMemory, RandomMapsAreNeverWrong) {
  Random random(21);
  unsigned conflicts = 0;
  for (int round = 0; round < 200; ++round) {
    const llvm::SmallVector<unsigned> shape = {pick(random, 2, 5), pick(random, 3, 5)};
    const LinearMap source = randomMap(random, shape, 5, 0, round % 4 == 0);
    const LinearMap target = randomMap(random, shape, 5, 0, round % 4 == 0);
    const unsigned bits = 8u << pick(random, 0, 3);
    const LinearMap memory = chooseMemoryLayout(source, target, bits);
    ASSERT_TRUE(memory.isBijective());
    conflicts += countWavefronts(source, memory, bits, true).getConflicts() +
                 countWavefronts(target, memory, bits, false).getConflicts();
    // Offsets name the elements.
    const LinearMap offsets = getOffsets(target, memory);
    forAllIndices(target, [&](const Indices &i) {
      EXPECT_EQ(memory.applyPacked({0, 0, 0, 0, uint32_t(offsets.applyPacked(i))}),
                target.applyPacked(i));
    });
  }
  EXPECT_EQ(conflicts, 0u);
}
