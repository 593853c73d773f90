//===- ChannelAccess.h - How threads fill and read the slots of channels ---===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_ANALYSIS_CHANNELACCESS_H
#define TEGULA_TILEGPU_ANALYSIS_CHANNELACCESS_H

#include "tegula/TileGPU/Analysis/Access.h"
#include "tegula/TileGPU/Analysis/InferLayout.h"

namespace tegula::tilegpu {

/// Elements of one copy: as many of those that an access of global memory takes as lie
/// together in a slot, begin at a multiple of that number and take at most 16 bytes.
unsigned getCopyWidth(const Layout &from, const LinearMap &memory, const Access &access,
                      unsigned bytes);
/// How a slot lies in memory that threads fill as `from` holds it, by `access`, and read as
/// `to` does: the widest copies, then matrices for `tilegpu.load_matrix`, without conflicts
/// of banks as far as can be. Linear layouts of one shape.
struct SlotMemory {
  LinearMap memory;
  unsigned width = 1; ///< elements of one copy
};
SlotMemory chooseSlotMemory(const Layout &from, const Layout &to, const Access &access,
                            unsigned elementBits, const Machine &machine);
/// Whether `width` elements of `bytes` are a copy that runs beside the program.
inline bool isAsyncWidth(unsigned width, unsigned bytes) {
  return width * bytes == 4 || width * bytes == 8 || width * bytes == 16;
}

/// Where the registers of a part of a slot are.
struct ChannelPart {
  LinearMap offsets;  ///< of the bits of registers, lanes and warps, from the part's first
  uint64_t start = 0; ///< of the part's first element
};
ChannelPart getChannelPart(const LinearMap &memory, const Layout &part,
                           llvm::ArrayRef<int64_t> offsets);

/// How `tilegpu.load_matrix` reads a part.
struct ChannelMatrixPlan {
  bool isTransposed = false;
  unsigned packedBits = 0;                   ///< register bits within 32 bits
  unsigned count = 1;                        ///< matrices of one load
  llvm::SmallVector<unsigned, 2> matrixBits; ///< register bits that number them
};
/// Nullopt: registers are to be read by plain accesses.
std::optional<ChannelMatrixPlan> planMatrixRead(const LinearMap &offsets, unsigned elementBits,
                                                const Machine &machine);

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_ANALYSIS_CHANNELACCESS_H
