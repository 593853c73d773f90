//===- SharedMemory.h - Layouts of tiles in banked memory -------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory has banks of four bytes. An access of a warp runs in wavefronts, each of
// which takes one word from each bank at most; lanes that read the same word share it.
// Lanes with accesses of 8 and 16 bytes are served a half and a quarter of a warp at a
// time.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_LAYOUT_SHAREDMEMORY_H
#define TEGULA_TILEGPU_LAYOUT_SHAREDMEMORY_H

#include "tegula/TileGPU/Layout/LinearMap.h"

namespace tegula::tilegpu {

struct BankedMemory {
  unsigned numBanks = 32;
  unsigned maxAccessBytes = 16; ///< of one lane
};

/// Elements that a lane accesses at once under `memory` (a bijective map of offsets): the
/// largest power of two of neighbours in memory that registers of one lane hold, within
/// the limit.
unsigned getAccessElements(const LinearMap &distributed, const LinearMap &memory,
                           unsigned elementBits, const BankedMemory &banks = {});

/// What a whole warp's accesses of all its registers cost, counted element by element.
struct AccessCost {
  unsigned accesses = 0;   ///< instructions
  unsigned wavefronts = 0; ///< that they take
  unsigned needed = 0;     ///< that they would take without conflicts
  unsigned getConflicts() const { return wavefronts - needed; }
};
AccessCost countWavefronts(const LinearMap &distributed, const LinearMap &memory,
                           unsigned elementBits, bool isStore, const BankedMemory &banks = {});

/// A bijective map of offsets for a tile that is written as `source` and read as `target`:
/// first the widest accesses that both allow, then banks without conflicts for both.
LinearMap chooseMemoryLayout(const LinearMap &source, const LinearMap &target, unsigned elementBits,
                             const BankedMemory &banks = {});

/// The same for readers whose accesses are given: `piece`, independent images, becomes the
/// lowest offsets; `target` says which rows lanes read together. A multiple of 32 bits.
LinearMap arrangeMemory(const LinearMap &source, const LinearMap &target,
                        llvm::ArrayRef<uint64_t> piece, unsigned elementBits,
                        const BankedMemory &banks = {});

/// Offset (in elements) of what the indices of a distributed layout hold, as a map of the
/// same axes: images are offsets. `memory` must be bijective.
LinearMap getOffsets(const LinearMap &distributed, const LinearMap &memory);

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_LAYOUT_SHAREDMEMORY_H
