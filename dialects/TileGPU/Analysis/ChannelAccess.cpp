//===- ChannelAccess.cpp - How threads fill and read the slots of channels
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Analysis/ChannelAccess.h"
#include "tegula/TileGPU/Layout/SharedMemory.h"
#include "llvm/Support/MathExtras.h"
#include <vector>

using namespace mlir;
using namespace tegula::tilegpu;

/// All bits that any thread has in its offsets.
static uint64_t getThreadBits(const LinearMap &offsets) {
  uint64_t bits = 0;
  for (Axis axis : {Axis::Lane, Axis::Warp}) {
    for (uint64_t image : offsets.getImages(axis)) {
      bits |= image;
    }
  }
  return bits;
}

unsigned tegula::tilegpu::getCopyWidth(const Layout &from, const LinearMap &memory,
                                       const Access &access, unsigned bytes) {
  const LinearMap offsets = getOffsets(from.getInner(), memory);
  const uint64_t threads = getThreadBits(offsets);
  auto fits = [&](unsigned width) {
    if (threads & (width - 1)) {
      return false;
    }
    for (ArrayRef<int64_t> group : groupRegisters(from, access.dim, width)) {
      const uint64_t first = multiply(offsets.getImages(Axis::Register), uint64_t(group[0]));
      for (auto [i, index] : llvm::enumerate(group)) {
        if (first % width != 0 ||
            multiply(offsets.getImages(Axis::Register), uint64_t(index)) != first + i) {
          return false;
        }
      }
    }
    return true;
  };
  unsigned width = std::min(access.width, std::max(1u, 16 / bytes));
  while (width > 1 && (width * bytes > access.alignment || !fits(width))) {
    width /= 2;
  }
  return width;
}

/// Memory for `tilegpu.load_matrix`, straight or transposed: the lanes that are served
/// together while a slot is filled fill whole rows of banks, in which rows of matrices
/// take turns. Nullopt where lanes hold copies.
static std::optional<LinearMap> arrangeForMatrices(const LinearMap &from, const LinearMap &to,
                                                   bool isTransposed, unsigned elementBits) {
  ArrayRef<uint64_t> lanes = to.getImages(Axis::Lane);
  ArrayRef<uint64_t> registers = to.getImages(Axis::Register);
  const unsigned packedBits = elementBits < 32 ? llvm::Log2_32(32 / elementBits) : 0;
  if (lanes.size() != 5 || registers.size() < std::max(packedBits, unsigned(isTransposed))) {
    return std::nullopt;
  }
  BitVectors row, rows;
  if (isTransposed) {
    row.append({lanes[2], lanes[3], lanes[4]});
    rows.append({registers[0], lanes[0], lanes[1]});
  } else {
    row.append(registers.begin(), registers.begin() + packedBits);
    row.append({lanes[0], lanes[1]});
    rows.append({lanes[2], lanes[3], lanes[4]});
  }
  BitVectors matrix = row;
  llvm::append_range(matrix, rows);
  if (BitSpan(matrix).getDimension() != matrix.size()) {
    return std::nullopt;
  }
  LinearMap reader(to.getOutputBits());
  for (uint64_t image : row) {
    reader.addPackedBit(Axis::Register, image);
  }
  for (uint64_t image : rows) {
    reader.addPackedBit(Axis::Lane, image);
  }
  for (uint64_t image : registers.drop_front(packedBits)) {
    reader.addPackedBit(Axis::Lane, image);
  }
  for (uint64_t image : to.getImages(Axis::Warp)) {
    reader.addPackedBit(Axis::Warp, image);
  }
  // As if it was written by who reads it: lanes of the second map come first in memory.
  return arrangeMemory(reader, from, row, elementBits);
}

SlotMemory tegula::tilegpu::chooseSlotMemory(const Layout &from, const Layout &to,
                                             const Access &access, unsigned elementBits,
                                             const Machine &machine) {
  const unsigned bytes = elementBits / 8;
  // As matrices are read, and so that copies are widest.
  std::vector<LinearMap> ways;
  if (machine.capabilities.getLoadMatrix() && machine.warpSize == 32 && elementBits <= 32) {
    for (bool isTransposed : {false, true}) {
      if (isTransposed && elementBits != 16) {
        continue;
      }
      std::optional<LinearMap> memory =
          arrangeForMatrices(from.getInner(), to.getInner(), isTransposed, elementBits);
      if (memory && planMatrixRead(getOffsets(to.getInner(), *memory), elementBits, machine)) {
        ways.push_back(*memory);
      }
    }
  }
  BitVectors piece;
  const SmallVector<SmallVector<int64_t>> groups = groupRegisters(from, access.dim, access.width);
  for (unsigned i = 1; i < access.width && i * bytes < 16; i *= 2) {
    piece.push_back(
        multiply(from.getInner().getImages(Axis::Register), uint64_t(groups[0][i] ^ groups[0][0])));
  }
  ways.push_back(arrangeMemory(to.getInner(), from.getInner(), piece, elementBits));
  SlotMemory best;
  for (const LinearMap &memory : ways) {
    const unsigned width = getCopyWidth(from, memory, access, bytes);
    if (best.memory.getRank() == 0 || width > best.width) {
      best = {memory, width};
    }
  }
  return best;
}

ChannelPart tegula::tilegpu::getChannelPart(const LinearMap &memory, const Layout &part,
                                            ArrayRef<int64_t> offsets) {
  const LinearMap &inner = part.getInner();
  LinearMap wide(memory.getOutputBits());
  for (Axis axis : {Axis::Register, Axis::Lane, Axis::Warp}) {
    for (uint64_t image : inner.getImages(axis)) {
      wide.addPackedBit(axis, wide.pack(inner.unpack(image)));
    }
  }
  const std::optional<BitVectors> inverse = invert(memory.getImages(Axis::Offset));
  return {getOffsets(wide, memory), multiply(*inverse, memory.pack(offsets))};
}

std::optional<ChannelMatrixPlan> tegula::tilegpu::planMatrixRead(const LinearMap &offsets,
                                                                 unsigned elementBits,
                                                                 const Machine &machine) {
  const bool isWidth = elementBits == 8 || elementBits == 16 || elementBits == 32;
  if (!machine.capabilities.getLoadMatrix() || machine.warpSize != 32 || !isWidth ||
      offsets.getInputBits(Axis::Lane) != 5) {
    return std::nullopt;
  }
  ArrayRef<uint64_t> lanes = offsets.getImages(Axis::Lane);
  ArrayRef<uint64_t> registers = offsets.getImages(Axis::Register);
  const unsigned rowBits = llvm::Log2_32(128 / elementBits);
  for (bool isTransposed : {false, true}) {
    ChannelMatrixPlan plan;
    plan.isTransposed = isTransposed;
    plan.packedBits = elementBits < 32 ? llvm::Log2_32(32 / elementBits) : 0;
    if ((isTransposed && elementBits != 16) || registers.size() < plan.packedBits) {
      continue;
    }
    // 16 bytes of memory, and everything else, which begins where such do.
    BitVectors row, others;
    if (isTransposed) {
      row.append({lanes[2], lanes[3], lanes[4]});
      others.append({registers[0], lanes[0], lanes[1]});
    } else {
      row.append(registers.begin(), registers.begin() + plan.packedBits);
      row.append({lanes[0], lanes[1]});
      others.append({lanes[2], lanes[3], lanes[4]});
    }
    bool fits = row.size() == rowBits;
    for (auto [i, image] : llvm::enumerate(row)) {
      fits &= image == uint64_t(1) << i;
    }
    llvm::append_range(others, registers.drop_front(plan.packedBits));
    llvm::append_range(others, offsets.getImages(Axis::Warp));
    for (uint64_t image : others) {
      fits &= (image & ((uint64_t(1) << rowBits) - 1)) == 0;
    }
    if (!fits) {
      continue;
    }
    for (unsigned bit = plan.packedBits; bit < registers.size() && plan.matrixBits.size() < 2;
         ++bit) {
      plan.matrixBits.push_back(bit);
      plan.count *= 2;
    }
    return plan;
  }
  return std::nullopt;
}
