//===- MatrixLoad.cpp - When operands can be read by load_matrix
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row of a matrix is 16 bytes of memory. Read straight, it is held by four neighbouring
// lanes, 32 bits each, and the rows by groups of four lanes. Read transposed, it is held by
// eight lanes that lie four apart, and the two elements that a lane gets are from two rows.
// Any layout with such lanes will do: memory is arranged so that rows are together in it.
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Analysis/DotPlan.h"
#include "tegula/TileGPU/Layout/SharedMemory.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tegula::tilegpu;

/// Wavefronts and instructions.
static unsigned addCost(const AccessCost &cost, unsigned times = 1) {
  return (cost.wavefronts + cost.accesses) * times;
}

namespace {
struct Priced {
  MatrixLoadPlan plan;
  unsigned cost;
};
} // namespace

/// The plan for one of the two ways to read, and what a warp pays for it.
static std::optional<Priced> planOne(const LinearMap &from, const LinearMap &to,
                                     unsigned elementBits, bool isTransposed) {
  ArrayRef<uint64_t> lanes = to.getImages(Axis::Lane);
  ArrayRef<uint64_t> registers = to.getImages(Axis::Register);
  MatrixLoadPlan plan;
  plan.isTransposed = isTransposed;
  plan.packedBits = elementBits < 32 ? llvm::Log2_32(32 / elementBits) : 0;
  if (registers.size() < plan.packedBits) {
    return std::nullopt;
  }
  BitVectors row, rows;
  if (isTransposed) {
    row.append({lanes[2], lanes[3], lanes[4]});
    rows.append({registers[0], lanes[0], lanes[1]});
  } else {
    row.append(registers.begin(), registers.begin() + plan.packedBits);
    row.append({lanes[0], lanes[1]});
    rows.append({lanes[2], lanes[3], lanes[4]});
  }
  BitVectors matrix = row;
  llvm::append_range(matrix, rows);
  if (BitSpan(matrix).getDimension() != matrix.size()) {
    return std::nullopt; // lanes with copies
  }
  for (unsigned bit = plan.packedBits; bit < registers.size() && plan.matrixBits.size() < 2;
       ++bit) {
    plan.matrixBits.push_back(bit);
    plan.count *= 2;
  }
  // What lanes give the addresses of, as if they read whole rows.
  LinearMap reader(to.getOutputBits());
  for (uint64_t image : row) {
    reader.addPackedBit(Axis::Register, image);
  }
  for (uint64_t image : rows) {
    reader.addPackedBit(Axis::Lane, image);
  }
  for (unsigned bit : plan.matrixBits) {
    reader.addPackedBit(Axis::Lane, registers[bit]);
  }
  for (uint64_t image : to.getImages(Axis::Warp)) {
    reader.addPackedBit(Axis::Warp, image);
  }
  plan.memory = arrangeMemory(from, reader, row, elementBits);
  // Rows must begin where 16 bytes do.
  const LinearMap offsets = getOffsets(reader, plan.memory);
  const LinearMap all = getOffsets(to, plan.memory);
  uint64_t starts = 0;
  for (Axis axis : {Axis::Lane, Axis::Warp}) {
    for (uint64_t image : offsets.getImages(axis)) {
      starts |= image;
    }
  }
  for (uint64_t image : all.getImages(Axis::Register).drop_front(plan.packedBits)) {
    starts |= image;
  }
  if (starts & ((uint64_t(1) << row.size()) - 1)) {
    return std::nullopt;
  }
  plan.storeElements = getAccessElements(from, plan.memory, elementBits);
  const unsigned loads = 1u << (registers.size() - plan.packedBits - plan.matrixBits.size());
  const unsigned cost =
      addCost(countWavefronts(from, plan.memory, elementBits, /*isStore=*/true)) +
      addCost(countWavefronts(reader, plan.memory, elementBits, /*isStore=*/false), loads);
  return Priced{plan, cost};
}

std::optional<MatrixLoadPlan> tegula::tilegpu::planMatrixLoad(const Layout &from, const Layout &to,
                                                              unsigned elementBits,
                                                              const Machine &machine) {
  const bool isWidth = elementBits == 8 || elementBits == 16 || elementBits == 32;
  if (!machine.capabilities.getLoadMatrix() || machine.warpSize != 32 || !isWidth ||
      !from.isLinear() || !to.isLinear()) {
    return std::nullopt;
  }
  const LinearMap &source = from.getInner(), &target = to.getInner();
  if (target.getInputBits(Axis::Lane) != 5 || target.getInputBits(Axis::Block) != 0 ||
      source.getOutputBits() != target.getOutputBits() || !source.isSurjective()) {
    return std::nullopt;
  }
  std::optional<Priced> best = planOne(source, target, elementBits, false);
  if (elementBits == 16 && target.getInputBits(Axis::Register) > 0) {
    std::optional<Priced> other = planOne(source, target, elementBits, true);
    if (other && (!best || other->cost < best->cost)) {
      best = other;
    }
  }
  if (!best) {
    return std::nullopt;
  }
  // Plain loads are as good where lanes hold neighbours of what the source holds.
  const LinearMap memory = chooseMemoryLayout(source, target, elementBits);
  const unsigned plain = addCost(countWavefronts(source, memory, elementBits, true)) +
                         addCost(countWavefronts(target, memory, elementBits, false));
  if (plain < best->cost) {
    return std::nullopt;
  }
  return best->plan;
}
