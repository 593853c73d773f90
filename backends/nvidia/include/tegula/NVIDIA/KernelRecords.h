//===- KernelRecords.h - What kernels tell the runtime ----------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels with prints or assertions have the fact `records` and one more argument, the
// address of a buffer in memory that the host sees (docs/kernel-abi.md): the header,
// records of assertions, then records of prints. What all records of one op have in
// common is a constant of the module. Little-endian. Both halves include this.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_NVIDIA_KERNELRECORDS_H
#define TEGULA_NVIDIA_KERNELRECORDS_H

#include "tegula/Runtime/PrintText.h"
#include <cstdint>

namespace tegula::nvidia {

struct RecordsHeader {
  uint32_t used;         ///< words that prints have asked for
  uint32_t capacity;     ///< words there are for prints
  uint32_t lost;         ///< prints that did not fit
  uint32_t failuresUsed; ///< words that assertions have asked for
  uint64_t firstFailure; ///< the smallest key of an assertion that failed; all ones: none
  uint64_t reserved;
};

/// Words for assertions that failed. A record is only written for a key below those
/// before it, so that few are.
inline constexpr uint32_t kFailureWords = 4096;
/// Key of a failure: number of the program, then number of the element.
inline constexpr uint32_t kElementBits = 20;

/// A record; the indices of the element follow.
struct Record {
  uint32_t words;    ///< of the record with its indices
  uint32_t sequence; ///< of the print in its program
  uint64_t text;     ///< address of the TextRecord
  uint32_t program[3];
  uint32_t reserved;
  uint64_t value; ///< bits of the element; of an assertion its key
};
inline constexpr uint32_t kRecordWords = sizeof(Record) / 4;

using runtime::PrintedKind;
/// In place of a kind: the text is an assertion's.
inline constexpr auto kAssertion = PrintedKind(uint8_t(PrintedKind::Pointer) + 1);

/// `rank` extents of 32 bits follow, then the first text (prefix; place), then the second
/// (none; message).
struct TextRecord {
  uint32_t size; ///< with all that follows
  PrintedKind kind;
  uint8_t bits;
  uint8_t hex;
  uint8_t rank;
  uint32_t operand, numOperands;
  uint32_t firstSize, secondSize;
};

} // namespace tegula::nvidia

#endif // TEGULA_NVIDIA_KERNELRECORDS_H
