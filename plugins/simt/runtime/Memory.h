//===- Memory.h - Atomic accesses of host memory --------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_SIMT_MEMORY_H
#define TEGULA_SIMT_MEMORY_H

#include <cstdint>
#include <vector>

namespace tegula::simt {

/// A piece that the device has allocated, with what lies around it and belongs to nobody.
struct Piece {
  uint64_t begin, end; ///< that may be accessed
  uint64_t outerBegin, outerEnd;
};

/// All pieces there are now, by address.
std::vector<Piece> listPieces();
/// Memory aligned to 256 bytes; null when there is none.
void *allocatePiece(uint64_t size);
void releasePiece(void *memory);

/// As the table of services has them.
uint64_t atomicRMW(uint32_t kind, uint32_t type, uint32_t bits, void *address, uint64_t value);
uint64_t atomicCAS(uint32_t bits, void *address, uint64_t expected, uint64_t value);

} // namespace tegula::simt

#endif // TEGULA_SIMT_MEMORY_H
