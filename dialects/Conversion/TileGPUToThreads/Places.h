//===- Places.h - Where the registers of a thread lie ---------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The coordinate of register r is (thread ^ inner) + outer: thread depends on the thread
// alone, inner and outer on r alone. Bits of inner that no thread has can be added, so
// that registers are a few bases with constants behind them, which addresses fold.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_TILEGPUTOTHREADS_PLACES_H
#define TEGULA_CONVERSION_TILEGPUTOTHREADS_PLACES_H

#include "tegula/Conversion/TileGPUToThreads/ThreadLowering.h"
#include "llvm/ADT/BitVector.h"
#include <vector>

namespace tegula::tilegpu {

/// Numbers of the elements in a thread's registers, as base + constant.
class Places {
public:
  /// Row-major numbers of the layout's own shape.
  explicit Places(const Layout &layout) : Places(layout, {}, 0) {}
  /// Numbers under strides (one for each dimension, 0 and negative ones too), from `origin`.
  Places(const Layout &layout, llvm::ArrayRef<int64_t> strides, int64_t origin);
  /// Coordinate `dim` alone.
  static Places ofDimension(const Layout &layout, unsigned dim);

  unsigned size() const { return registers.size(); }
  int64_t getConstant(unsigned index) const { return registers[index].constant; }
  /// Registers with one key have one base.
  unsigned getKey(unsigned index) const { return registers[index].key; }
  unsigned getNumKeys() const { return keys.size(); }
  /// The base of a key: i32, nothing if it is always 0.
  mlir::Value getBase(ThreadBuilder &build, unsigned key) const;
  /// Numbers of all registers: vector<N x i32>.
  mlir::Value getVector(ThreadBuilder &build) const;
  /// Registers in groups of one size, a power of two of at most `limit`, whose numbers are
  /// consecutive and begin at a multiple of it. A group lists its registers in that order;
  /// what registers hold twice is there once, unless each is a group of its own.
  std::vector<llvm::SmallVector<unsigned, 4>> getRuns(unsigned limit) const;

private:
  struct Register {
    unsigned key;
    int64_t constant;
  };
  struct Dimension {
    llvm::SmallVector<uint64_t> images; ///< of the bits of the thread's number
    uint64_t mask = 0;                  ///< bits that any of them has
    int64_t stride = 1;
  };
  void addRegisters(const Layout &layout, llvm::ArrayRef<unsigned> dims);

  llvm::SmallVector<Dimension> dimensions;
  llvm::SmallVector<Register> registers;
  /// Bits of registers that meet those of threads, for each dimension.
  llvm::SmallVector<llvm::SmallVector<uint64_t>> keys;
};

/// Images of the bits of a thread's number (lanes, then warps) under `layout`, packed.
BitVectors getThreadImages(const Layout &layout);
/// Bits of a thread's number that only make copies of what registers and lower bits have.
uint32_t getCopyBits(const Layout &layout);
/// For each register whether it only repeats what lower registers hold.
llvm::BitVector getCopiedRegisters(const Layout &layout);

} // namespace tegula::tilegpu

#endif // TEGULA_CONVERSION_TILEGPUTOTHREADS_PLACES_H
