//===- SharedMemory.cpp - Layouts of tiles in banked memory ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Layout/SharedMemory.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cassert>

namespace tegula::tilegpu {

static constexpr Axis kThreads[] = {Axis::Lane, Axis::Warp, Axis::Block};

LinearMap getOffsets(const LinearMap &distributed, const LinearMap &memory) {
  const std::optional<BitVectors> inverse = invert(memory.getImages(Axis::Offset));
  assert(inverse && "memory must hold each element once");
  const unsigned bits = memory.getInputBits(Axis::Offset);
  LinearMap offsets(llvm::ArrayRef<unsigned>{bits});
  for (Axis axis : {Axis::Register, Axis::Lane, Axis::Warp, Axis::Block}) {
    for (uint64_t image : distributed.getImages(axis)) {
      offsets.addPackedBit(axis, multiply(*inverse, image));
    }
  }
  return offsets;
}

/// Registers (as coefficients of register bits) that step through the low offset bits;
/// as many as one access takes.
static BitVectors accessRegisters(const LinearMap &offsets, unsigned elementBits,
                                  const BankedMemory &banks) {
  uint64_t threads = 0;
  for (Axis axis : kThreads) {
    for (uint64_t image : offsets.getImages(axis)) {
      threads |= image;
    }
  }
  const BitSpan registers(offsets.getImages(Axis::Register));
  BitVectors access;
  for (unsigned bit = 0; bit < offsets.getTotalOutputBits(); ++bit) {
    const uint64_t unit = uint64_t(1) << bit;
    const std::optional<uint64_t> step = registers.solve(unit);
    // A lane must not start in the middle of a piece.
    if (!step || (threads & unit) || (elementBits << (bit + 1)) > banks.maxAccessBytes * 8) {
      break;
    }
    access.push_back(*step);
  }
  return access;
}

unsigned getAccessElements(const LinearMap &distributed, const LinearMap &memory,
                           unsigned elementBits, const BankedMemory &banks) {
  return 1u << accessRegisters(getOffsets(distributed, memory), elementBits, banks).size();
}

AccessCost countWavefronts(const LinearMap &distributed, const LinearMap &memory,
                           unsigned elementBits, bool isStore, const BankedMemory &banks) {
  const LinearMap offsets = getOffsets(distributed, memory);
  const BitVectors inner = accessRegisters(offsets, elementBits, banks);
  // Registers that are no copies of others, one of each access.
  BitVectors outer;
  BitSpan seen;
  for (uint64_t step : inner) {
    seen.insert(multiply(offsets.getImages(Axis::Register), step));
  }
  for (auto [bit, image] : llvm::enumerate(offsets.getImages(Axis::Register))) {
    if (seen.insert(image)) {
      outer.push_back(uint64_t(1) << bit);
    }
  }
  const unsigned accessBits = elementBits << inner.size();
  const unsigned lanes = 1u << offsets.getInputBits(Axis::Lane);
  const uint32_t copies = distributed.getFreeBits(Axis::Lane);
  const unsigned lanesAtOnce =
      std::clamp(banks.numBanks * 32 / accessBits, 1u, std::min(lanes, banks.numBanks));
  AccessCost cost;
  for (uint32_t group = 0; group < uint32_t(1) << outer.size(); ++group) {
    ++cost.accesses;
    Indices indices = {};
    indices[unsigned(Axis::Register)] = uint32_t(multiply(outer, group));
    for (unsigned first = 0; first < lanes; first += lanesAtOnce) {
      llvm::DenseMap<uint64_t, llvm::DenseSet<uint64_t>> wordsOfBank;
      llvm::DenseSet<uint64_t> words;
      for (unsigned lane = first; lane < first + lanesAtOnce; ++lane) {
        if (isStore && (lane & copies)) {
          continue; // one of the copies is enough
        }
        indices[unsigned(Axis::Lane)] = lane;
        const uint64_t start = offsets.applyPacked(indices) >> inner.size() << inner.size();
        const uint64_t firstWord = start * elementBits / 32;
        const uint64_t lastWord = (start * elementBits + accessBits - 1) / 32;
        for (uint64_t word = firstWord; word <= lastWord; ++word) {
          wordsOfBank[word % banks.numBanks].insert(word);
          words.insert(word);
        }
      }
      size_t most = 0;
      for (const auto &entry : wordsOfBank) {
        most = std::max<size_t>(most, entry.second.size());
      }
      cost.wavefronts += most;
      cost.needed += llvm::divideCeil(words.size(), banks.numBanks);
    }
  }
  return cost;
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

/// What the lanes that are served together span, beside the elements of one access.
static BitVectors wavefrontSpan(const LinearMap &map, llvm::ArrayRef<uint64_t> piece,
                                unsigned laneBits) {
  BitVectors span(piece.begin(), piece.end());
  llvm::append_range(span,
                     map.getImages(Axis::Lane)
                         .take_front(std::min<size_t>(laneBits, map.getInputBits(Axis::Lane))));
  return complete({}, span);
}

/// A layout whose lowest offsets are `piece`.
static LinearMap arrange(const LinearMap &source, const LinearMap &target, BitVectors piece,
                         unsigned elementBits, const BankedMemory &banks) {
  const unsigned total = source.getTotalOutputBits();
  BitVectors preferred;
  for (const LinearMap *map : {&target, &source}) {
    llvm::append_range(preferred, map->getImages(Axis::Lane));
  }
  for (const LinearMap *map : {&target, &source}) {
    llvm::append_range(preferred, map->getImages(Axis::Register));
    llvm::append_range(preferred, map->getImages(Axis::Warp));
  }
  llvm::append_range(preferred, unitVectors(total));

  const unsigned pieceBits = elementBits << piece.size();
  // Elements that share a word with others belong to the piece: a bank gives whole words.
  const unsigned wordElements = std::max(1u, 32 / elementBits);
  for (uint64_t next : complete(piece, preferred)) {
    if ((1u << piece.size()) >= wordElements) {
      break;
    }
    piece.push_back(next);
  }
  const unsigned rowBits = llvm::Log2_32(banks.numBanks * 32 / elementBits);
  const unsigned laneBits =
      llvm::Log2_32(std::clamp(banks.numBanks * 32 / pieceBits, 1u, banks.numBanks));
  const BitVectors p = wavefrontSpan(source, piece, laneBits);
  const BitVectors q = wavefrontSpan(target, piece, laneBits);

  // Rows of the memory: offsets that differ in these alone fall into one bank. No two
  // lanes that are served together may differ so: the rows must meet neither span.
  const BitVectors common = intersect(p, q);
  const BitVectors onlyP = complete(common, p), onlyQ = complete(common, q);
  BitVectors both = p;
  llvm::append_range(both, q);
  BitVectors rows = complete(both, preferred);
  for (auto [a, b] : llvm::zip(onlyP, onlyQ)) {
    rows.push_back(a ^ b);
  }
  const unsigned numRows = total > rowBits ? total - rowBits : 0;
  if (rows.size() > numRows) {
    rows.truncate(numRows);
  }
  BitVectors fixed = piece;
  llvm::append_range(fixed, rows);
  BitVectors images = piece;
  llvm::append_range(images, complete(fixed, preferred));
  llvm::append_range(images, rows);

  LinearMap memory(source.getOutputBits());
  for (uint64_t image : images) {
    memory.addPackedBit(Axis::Offset, image);
  }
  assert(memory.isBijective());
  return memory;
}

LinearMap arrangeMemory(const LinearMap &source, const LinearMap &target,
                        llvm::ArrayRef<uint64_t> piece, unsigned elementBits,
                        const BankedMemory &banks) {
  return arrange(source, target, BitVectors(piece.begin(), piece.end()), elementBits, banks);
}

LinearMap chooseMemoryLayout(const LinearMap &source, const LinearMap &target, unsigned elementBits,
                             const BankedMemory &banks) {
  assert(source.getOutputBits() == target.getOutputBits());
  const BitVectors registersOfBoth =
      intersect(source.getImages(Axis::Register), target.getImages(Axis::Register));
  const unsigned most = llvm::Log2_32(std::max(1u, banks.maxAccessBytes * 8 / elementBits));
  std::optional<LinearMap> best;
  uint64_t bestCost = 0;
  for (unsigned width = std::min<unsigned>(most, registersOfBoth.size());; --width) {
    const BitVectors piece(registersOfBoth.begin(), registersOfBoth.begin() + width);
    const LinearMap memory = arrange(source, target, piece, elementBits, banks);
    const uint64_t cost =
        countWavefronts(source, memory, elementBits, /*isStore=*/true, banks).wavefronts +
        countWavefronts(target, memory, elementBits, /*isStore=*/false, banks).wavefronts;
    if (!best || cost < bestCost) {
      best = memory;
      bestCost = cost;
    }
    if (width == 0) {
      return *best;
    }
  }
}

} // namespace tegula::tilegpu
