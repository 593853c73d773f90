//===- LoadMatrix.cpp - Operands of matrix instructions from shared memory
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadMatrix.h"

#include "XorAddresses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tegula/TileGPU/Analysis/DotPlan.h"
#include "tegula/TileGPU/Layout/SharedMemory.h"

using namespace mlir;
using namespace tegula::tilegpu;

/// All of a tile, in accesses of `width` elements, by the first copies.
static void storeTile(ThreadBuilder &out, Value vector, const Layout &from, const LinearMap &memory,
                      unsigned width, unsigned bytes, int64_t scratch) {
  const LinearMap offsets = getOffsets(from.getInner(), memory);
  ArrayRef<uint64_t> registers = offsets.getImages(Axis::Register);
  // Registers that step through one access, and one of each access.
  const BitSpan span(registers);
  BitVectors inner, outer;
  BitSpan seen;
  for (unsigned unit = 1; unit < width; unit *= 2) {
    inner.push_back(*span.solve(unit));
    seen.insert(unit);
  }
  for (auto [bit, image] : llvm::enumerate(registers)) {
    if (seen.insert(image)) {
      outer.push_back(uint64_t(1) << bit);
    }
  }
  OpBuilder::InsertionGuard guard(out.builder);
  XorAddresses addresses(out, offsets, bytes, out.sharedAddress(scratch));
  const LinearMap &map = from.getInner();
  if (map.getFreeBits(Axis::Lane) || map.getFreeBits(Axis::Warp)) {
    auto branch = scf::IfOp::create(out.builder, out.loc, out.isFirstCopy(from));
    out.builder.setInsertionPointToStart(branch.thenBlock());
  }
  for (uint64_t group = 0; group < uint64_t(1) << outer.size(); ++group) {
    const uint64_t first = multiply(outer, group), at = multiply(registers, first);
    SmallVector<int64_t> picked;
    for (uint64_t i = 0; i < width; ++i) {
      picked.push_back(int64_t(first ^ multiply(inner, i ^ (at & (width - 1)))));
    }
    Value value = width == 1 ? out.unpack(out.pick(vector, picked))[0] : out.pick(vector, picked);
    out.storeShared(addresses.get(at & ~uint64_t(width - 1)), value);
  }
}

Value tegula::tilegpu::tryLoadMatrix(ThreadBuilder &out, Value vector, const Layout &from,
                                     const Layout &to, int64_t scratch) {
  auto type = cast<VectorType>(vector.getType());
  if (!type.getElementType().isIntOrFloat()) {
    return {};
  }
  const unsigned bits = type.getElementTypeBitWidth(), bytes = bits / 8;
  std::optional<MatrixLoadPlan> plan = planMatrixLoad(from, to, bits, out.machine);
  if (!plan) {
    return {};
  }
  storeTile(out, vector, from, plan->memory, plan->storeElements, bytes, scratch);
  out.barrier();

  // Lanes 8 i + r give row r of matrix i.
  const LinearMap target = getOffsets(to.getInner(), plan->memory);
  ArrayRef<uint64_t> lanes = target.getImages(Axis::Lane);
  ArrayRef<uint64_t> registers = target.getImages(Axis::Register);
  LinearMap reader(target.getOutputBits());
  for (uint64_t image : plan->isTransposed ? BitVectors{registers[0], lanes[0], lanes[1]}
                                           : BitVectors{lanes[2], lanes[3], lanes[4]}) {
    reader.addPackedBit(Axis::Lane, image);
  }
  for (unsigned bit : plan->matrixBits) {
    reader.addPackedBit(Axis::Lane, registers[bit]);
  }
  while (reader.getInputBits(Axis::Lane) < lanes.size()) {
    reader.addPackedBit(Axis::Lane, 0);
  }
  for (uint64_t image : target.getImages(Axis::Warp)) {
    reader.addPackedBit(Axis::Warp, image);
  }
  XorAddresses addresses(out, reader, bytes, out.sharedAddress(scratch));
  const unsigned perMatrix = 1u << plan->packedBits;
  const unsigned inOne = plan->packedBits + plan->matrixBits.size();
  auto piece = VectorType::get({int64_t(perMatrix) * plan->count}, type.getElementType());
  // The registers of one load are neighbours: packed ones, then those of its matrices.
  SmallVector<Value> parts;
  for (uint64_t first = 0; first < uint64_t(1) << registers.size(); first += uint64_t(1) << inOne) {
    Value address = addresses.get(multiply(registers, first));
    parts.push_back(LoadMatrixOp::create(out.builder, out.loc, piece, address, plan->count,
                                         plan->isTransposed));
  }
  return out.concat(parts);
}
