//===- KernelServices.h - What kernels and the simulator share --*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is `void name(const void *args, Context *context)`, called once for each
// thread of each program, on a stack of its own. What a thread cannot do alone it asks
// of the table in its context. Both halves include this. Values travel as the low bits
// of 64. `Place` is a constant of the kernel: one for each op that asks, so that equal
// addresses mean the same op.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_SIMT_KERNELSERVICES_H
#define TEGULA_SIMT_KERNELSERVICES_H

#include <cstdint>

namespace tegula::simt {

struct Context;

/// An op of the kernel; zero-terminated text follows: its name, a line feed, and
/// FILE:LINE:COL or nothing.
struct Place {
  char text[1];
};

/// Element types of matrices, atomics and prints.
enum class Element : uint8_t {
  Signed,
  Unsigned,
  Float16,
  BFloat16,
  TF32,
  Float32,
  Float64,
  E4M3FN,
  E5M2,
  Pointer,
};

/// A matrix instruction: this, then for A, B and the accumulator in turn the row and
/// column (16 bits each) of each register of each lane, lanes outside.
struct MatrixRecord {
  uint32_t m, n, k, warpSize;
  uint32_t registers[3]; ///< of A, B and the accumulator in one lane, in elements
  Element types[3];
  uint8_t bits[3]; ///< of an element in memory
  uint8_t reserved[2];
};

/// A print of one element; the tile's `rank` extents of 32 bits follow, then the prefix.
struct PrintRecord {
  Element type;
  uint8_t bits;
  uint8_t hex;
  uint8_t isTextOnly; ///< there is no value
  uint32_t operand, numOperands;
  uint32_t rank;
  uint32_t prefixSize;
};

/// An assertion; extents and the message follow.
struct AssertRecord {
  uint32_t rank;
  uint32_t isAlone; ///< by one thread, not by all together
  uint32_t messageSize;
};

/// How an access touches memory: bits of `how` in `access`.
enum AccessBits : uint32_t {
  kAccessBytes = 0xff,   ///< how many
  kAccessAlignShift = 8, ///< logarithm of the alignment, 4 bits
  kAccessWrite = 1u << 12,
  kAccessAtomic = 1u << 13,
  kAccessShared = 1u << 14,
};

enum class Shuffle : uint32_t { Xor, Up, Down, Index };

/// Numbers of tile::AtomicKind, and compare-and-swap.
enum class Atomic : uint32_t { Add, FAdd, Max, Min, UMax, UMin, FMax, FMin, And, Or, Xor, Xchg };

struct Services {
  uint64_t size; ///< of this table
  void (*barrier)(Context *context, const Place *place);
  uint64_t (*shuffle)(Context *context, const Place *place, uint32_t mode, uint64_t value,
                      int32_t argument, int32_t width);
  void (*mma)(Context *context, const Place *place, const MatrixRecord *record, const void *a,
              const void *b, const void *acc, void *result);
  void (*loadMatrix)(Context *context, const Place *place, const void *row, uint32_t count,
                     uint32_t transposed, void *result);
  /// Before each access; `how` as above.
  void (*access)(Context *context, const Place *place, const void *address, uint32_t how);
  uint64_t (*atomicRMW)(uint32_t kind, uint32_t type, uint32_t bits, void *address, uint64_t value);
  uint64_t (*atomicCAS)(uint32_t bits, void *address, uint64_t expected, uint64_t value);
  void (*print)(Context *context, const PrintRecord *record, const int32_t *indices,
                uint64_t value);
  /// Does not return where the program ends.
  void (*assertion)(Context *context, const Place *place, const AssertRecord *record,
                    uint32_t holds, uint32_t index);
  /// Copies of 4, 8 or 16 bytes to shared memory; `isOn` 0: zeros. They come at a wait.
  void (*asyncCopy)(Context *context, const Place *place, void *shared, const void *global,
                    uint32_t bytes, uint32_t isOn);
  void (*asyncCommit)(Context *context);
  /// For all groups but the last `pending`.
  void (*asyncWait)(Context *context, const Place *place, uint32_t pending);
};

/// What a thread gets; the simulator's own data follow.
struct Context {
  const Services *services;
  void *shared; ///< where shared memory begins
  uint32_t thread, warpSize;
  uint32_t program[3], grid[3];
  uint32_t numThreads, reserved;
  /// Masked-off accesses go here: read as zeros, and written by anybody.
  alignas(16) uint8_t zeros[16];
  alignas(16) uint8_t sink[16];
};

/// The start of the names of entries.
inline constexpr char kEntryPrefix[] = "tegula_simt_";

} // namespace tegula::simt

#endif // TEGULA_SIMT_KERNELSERVICES_H
