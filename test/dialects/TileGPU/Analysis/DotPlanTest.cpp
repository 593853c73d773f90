//===- DotPlanTest.cpp - Tiles made of fragments, and how they are read ---===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Analysis/DotPlan.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "tegula/TileGPU/Layout/SharedMemory.h"
#include "gtest/gtest.h"
#include <map>

using namespace mlir;
using namespace tegula::tilegpu;

namespace {
class DotPlan : public ::testing::Test {
protected:
  DotPlan() : builder(&context) { context.loadDialect<TileGPUDialect>(); }

  MmaAttr half() {
    return MmaAttr::get(&context, MmaFamily::MmaSync, 16, 8, 16, builder.getF16Type(),
                        builder.getF16Type(), builder.getF32Type());
  }
  MmaAttr tf32() {
    return MmaAttr::get(&context, MmaFamily::MmaSync, 16, 8, 8, builder.getTF32Type(),
                        builder.getTF32Type(), builder.getF32Type());
  }
  MmaAttr bytes() {
    Type i8 = builder.getIntegerType(8, true);
    return MmaAttr::get(&context, MmaFamily::MmaSync, 16, 8, 32, i8, i8, builder.getI32Type());
  }
  MmaAttr doubles() {
    Type f64 = builder.getF64Type();
    return MmaAttr::get(&context, MmaFamily::MmaSync, 8, 8, 4, f64, f64, f64);
  }
  Machine machine(unsigned warps, uint32_t sharedBytes = 232448) {
    Machine machine;
    machine.numWarps = warps;
    machine.capabilities =
        CapabilitiesAttr::get(&context, 32, 1024, sharedBytes, 16, /*load_matrix=*/true, {});
    return machine;
  }

  MLIRContext context;
  Builder builder;
};
} // namespace

/// How often each element of a tile is held.
static std::map<SmallVector<int64_t>, unsigned> countHolders(const Layout &layout) {
  std::map<SmallVector<int64_t>, unsigned> counts;
  for (unsigned w = 0; w < layout.getSize(Axis::Warp); ++w) {
    for (unsigned l = 0; l < layout.getSize(Axis::Lane); ++l) {
      for (unsigned r = 0; r < layout.getSize(Axis::Register); ++r) {
        ++counts[layout.apply({r, l, w, 0, 0})];
      }
    }
  }
  return counts;
}

static void expectHeld(const Layout &layout, ArrayRef<int64_t> shape, unsigned copies) {
  ASSERT_EQ(ArrayRef<int64_t>(layout.getShape()), shape);
  const auto counts = countHolders(layout);
  int64_t elements = 1;
  for (int64_t size : shape) {
    elements *= size;
  }
  EXPECT_EQ(int64_t(counts.size()), elements);
  for (const auto &[place, count] : counts) {
    ASSERT_EQ(count, copies);
  }
}

TEST_F(DotPlan, FragmentsAndWarpsHoldEachElementOnce) {
  struct Case {
    MmaAttr instruction;
    int64_t batch, m, n, k;
    unsigned numWarps;
  };
  const Case cases[] = {
      {half(), 0, 128, 128, 32, 4}, {half(), 0, 64, 256, 64, 8}, {half(), 0, 16, 8, 16, 4},
      {half(), 0, 48, 24, 48, 4},   {half(), 2, 32, 32, 16, 8},  {half(), 3, 16, 16, 16, 2},
      {tf32(), 0, 64, 32, 24, 4},   {bytes(), 0, 32, 64, 96, 4}, {doubles(), 0, 40, 16, 12, 2},
      {half(), 0, 16, 256, 16, 1},  {half(), 0, 112, 80, 16, 16}};
  for (const Case &one : cases) {
    auto shape = [&](int64_t rows, int64_t columns) {
      SmallVector<int64_t> sizes;
      if (one.batch) {
        sizes.push_back(one.batch);
      }
      sizes.append({rows, columns});
      return sizes;
    };
    for (bool alongRows : {false, true}) {
      const MmaWarps warps =
          chooseMmaWarps(one.instruction, shape(one.m, one.n), one.numWarps, alongRows);
      const unsigned idle = one.numWarps / (warps.batch * warps.m * warps.n);
      auto make = [&](Operand operand, ArrayRef<int64_t> sizes) {
        return makeMmaLayout(one.instruction, operand, sizes, warps, one.numWarps);
      };
      expectHeld(make(Operand::Accumulator, shape(one.m, one.n)), shape(one.m, one.n), idle);
      expectHeld(make(Operand::A, shape(one.m, one.k)), shape(one.m, one.k), idle * warps.n);
      expectHeld(make(Operand::B, shape(one.k, one.n)), shape(one.k, one.n), idle * warps.m);
    }
  }
}

TEST_F(DotPlan, WarpsReadLittle) {
  const MmaWarps square = chooseMmaWarps(half(), {128, 128}, 4, false);
  EXPECT_EQ(square.m, 2u);
  EXPECT_EQ(square.n, 2u);
  const MmaWarps wide = chooseMmaWarps(half(), {16, 256}, 4, false);
  EXPECT_EQ(wide.m, 1u);
  EXPECT_EQ(wide.n, 4u);
  const MmaWarps rows = chooseMmaWarps(half(), {128, 128}, 4, true);
  EXPECT_EQ(rows.m, 4u);
  const MmaWarps both = chooseMmaWarps(half(), {32, 128}, 4, true);
  EXPECT_EQ(both.m, 2u);
  EXPECT_EQ(both.n, 2u);
}

TEST_F(DotPlan, ProductsWithoutInstructionsFitIntoMemory) {
  const Machine large = machine(4), small = machine(4, 49152);
  const FmaPlan whole = planFmaDot({64, 64}, 64, builder.getF32Type(), large);
  EXPECT_EQ(whole.getNumChunks(), 1);
  const FmaPlan parts = planFmaDot({256, 256}, 256, builder.getF32Type(), small);
  EXPECT_GT(parts.getNumChunks(), 1);
  EXPECT_LE(parts.bytes, 24576u);
  EXPECT_EQ(parts.chunk % parts.unroll, 0);
  // One element of K at a time is the least.
  EXPECT_EQ(planFmaDot({1024, 64}, 8192, builder.getF64Type(), small).chunk, 1);
}

//===----------------------------------------------------------------------===//
// load_matrix
//===----------------------------------------------------------------------===//

/// What each lane gets by the instruction's definition is what the target holds.
static void expectLoads(const MatrixLoadPlan &plan, const Layout &to, unsigned elementBits) {
  const LinearMap &target = to.getInner();
  const LinearMap offsets = getOffsets(target, plan.memory);
  const unsigned perMatrix = 1u << plan.packedBits;
  const uint64_t rowElements = 128 / elementBits;
  for (uint32_t w = 0; w < to.getSize(Axis::Warp); ++w) {
    for (uint32_t r = 0; r < to.getSize(Axis::Register); ++r) {
      const uint32_t packed = r % perMatrix, first = r - packed;
      for (uint32_t lane = 0; lane < 32; ++lane) {
        const uint32_t row = plan.isTransposed ? lane % 4 * 2 + packed : lane / 4;
        const uint32_t column = plan.isTransposed ? lane / 4 : lane % 4 * perMatrix + packed;
        // Where the row begins: the lanes and registers that stand for it.
        const uint32_t rowLane = plan.isTransposed ? row / 2 : row * 4;
        const uint32_t rowRegister = first | (plan.isTransposed ? row % 2 : 0);
        const uint64_t start = offsets.applyPacked({rowRegister, rowLane, w, 0, 0});
        ASSERT_EQ(start % rowElements, 0u);
        Indices at = {};
        at[unsigned(Axis::Offset)] = uint32_t(start + column);
        ASSERT_EQ(plan.memory.applyPacked(at), target.applyPacked({r, lane, w, 0, 0}));
      }
    }
  }
}

TEST_F(DotPlan, OperandsAreReadAsMatrices) {
  const Machine four = machine(4);
  struct Case {
    MmaAttr instruction;
    Operand operand;
    SmallVector<int64_t> shape;
    SmallVector<unsigned> order;
    unsigned bits;
    bool isTransposed;
  };
  const Case cases[] = {
      {half(), Operand::A, {128, 32}, {1, 0}, 16, false},
      {half(), Operand::A, {128, 32}, {0, 1}, 16, true},
      {half(), Operand::B, {32, 128}, {1, 0}, 16, true},
      {half(), Operand::B, {32, 128}, {0, 1}, 16, false},
      {half(), Operand::A, {64, 64}, {1, 0}, 16, false},
      {half(), Operand::B, {64, 64}, {1, 0}, 16, true},
      {tf32(), Operand::A, {64, 32}, {1, 0}, 32, false},
      {tf32(), Operand::B, {32, 64}, {0, 1}, 32, false},
      {bytes(), Operand::A, {64, 64}, {1, 0}, 8, false},
      {bytes(), Operand::B, {64, 64}, {0, 1}, 8, false},
  };
  for (const Case &one : cases) {
    const MmaWarps warps = chooseMmaWarps(one.instruction, {64, 64}, 4, false);
    const Layout to = makeMmaLayout(one.instruction, one.operand, one.shape, warps, 4);
    const Layout from = makeBlocked(four, one.shape, one.order, 128 / one.bits);
    const auto plan = planMatrixLoad(from, to, one.bits, four);
    ASSERT_TRUE(plan.has_value()) << to.str();
    EXPECT_EQ(plan->isTransposed, one.isTransposed) << to.str();
    EXPECT_EQ(plan->count, 4u);
    EXPECT_EQ(plan->storeElements, 128 / one.bits) << from.str() << " to " << to.str();
    EXPECT_EQ(countWavefronts(from.getInner(), plan->memory, one.bits, true).getConflicts(), 0u)
        << from.str() << " to " << to.str();
    expectLoads(*plan, to, one.bits);
  }
}

TEST_F(DotPlan, NoMatricesWhereRowsAreNotTogether) {
  const Machine four = machine(4);
  const Layout blocked = makeBlocked(four, {64, 64}, {1, 0}, 8);
  // Wide loads of neighbours do as well.
  EXPECT_FALSE(planMatrixLoad(blocked, makeBlocked(four, {64, 64}, {1, 0}, 4), 16, four));
  const Layout odd = makeMmaLayout(half(), Operand::A, {64, 48}, {1, 2, 2}, 4);
  EXPECT_FALSE(planMatrixLoad(makeBlocked(four, {64, 48}, {1, 0}, 8), odd, 16, four));
  Machine without = four;
  without.capabilities = CapabilitiesAttr::get(&context, 32, 1024, 65536, 16, false, {});
  const Layout to = makeMmaLayout(half(), Operand::A, {64, 64}, {1, 2, 2}, 4);
  EXPECT_FALSE(planMatrixLoad(blocked, to, 16, without));
}
