//===- KernelRecords.h - What kernels hand to the runtime -------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants that the compiler puts into a kernel and the runtime reads, little-
// endian, at 8-byte boundaries (docs/kernel-abi.md). Both halves include this.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CPU_KERNELRECORDS_H
#define TEGULA_CPU_KERNELRECORDS_H

#include "tegula/Runtime/PrintText.h"
#include <cstdint>

namespace tegula::cpu {

using runtime::PrintedKind;

/// What comes with the data of a print: `rank` extents of 32 bits follow, then the
/// prefix. The data is row-major; elements have `bits` bits, i1 a byte.
struct PrintRecord {
  uint32_t size; ///< of the record with all that follows
  PrintedKind kind;
  uint8_t bits;
  uint8_t hex;
  uint8_t reserved;
  uint32_t operand, numOperands;
  uint32_t rank;
  uint32_t prefixSize;
};

/// The same for an assertion; its data is one byte for each element, 0 where it
/// does not hold. Extents follow, then the place in the source, then the message.
struct AssertRecord {
  uint32_t size;
  uint32_t rank;
  uint32_t placeSize, messageSize;
};

/// Functions that kernels call. `assertion` does not return.
struct KernelServices {
  uint64_t size; ///< of this table
  void (*print)(void *context, const uint32_t pid[3], const void *record, const void *data);
  void (*assertion)(void *context, const uint32_t pid[3], const void *record, const void *data);
  /// Once per trip of a loop that may wait for other programs.
  void (*yield)(void *context);
};

/// What an entry gets as its last argument; the runtime's own data may follow.
struct KernelContext {
  void *scratch;
  uint64_t scratchBytes;
  const KernelServices *services;
};

} // namespace tegula::cpu

#endif // TEGULA_CPU_KERNELRECORDS_H
