//===- Collectives.h - How ops that combine elements go about it -*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The coordinate along the axis of a reduction is a number of several digits, each of
// which is one bit of the register, lane or warp number or a repetition of registers.
// A step combines the elements that differ in one digit: registers with registers, lanes
// by shuffles. Digits that are left over are combined through shared memory.
//
// Elements of a combiner that is not commutative must stay in order: their digits are
// taken from the lowest on, so that each partial result covers neighbours.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_ANALYSIS_COLLECTIVES_H
#define TEGULA_TILEGPU_ANALYSIS_COLLECTIVES_H

#include "tegula/TileGPU/Analysis/Scratch.h"

namespace tegula::tilegpu {

struct AxisDigit {
  Axis axis;
  bool isRepetition; ///< of registers; else a bit
  unsigned index;    ///< of the bit or the repetition
  unsigned count;    ///< 2 for bits
};

/// The register's value of a digit of registers, and the register with another.
unsigned getDigit(const Layout &layout, const AxisDigit &digit, unsigned reg);
unsigned withDigit(const Layout &layout, const AxisDigit &digit, unsigned reg, unsigned value);

struct ReducePlan {
  /// Registers that are copies of others in the same thread are not in here.
  llvm::SmallVector<unsigned> registers;
  /// In this order, in registers or by shuffles.
  llvm::SmallVector<AxisDigit> steps;
  /// What threads hold then: the kept dimensions and one of partial results, in order.
  Layout partial;
  int64_t numPartials = 1;
  /// Layout of the result (rank 0 for scalars).
  Layout result;
  /// Partial results travel, or results lie elsewhere than the layout says.
  bool needsScratch = false;
};

/// `op` must have layouts.
ReducePlan planReduce(tile::ReduceOp op, const Machine &machine);

//===-- Scans -------------------------------------------------------------===//

/// Digits from the lowest on; neighbouring digits of warps are one run, the totals of
/// which go through shared memory.
struct ScanPlan {
  struct Run {
    unsigned numDigits;
    Layout written; ///< kept dimensions, higher digits, digits of the run
    Layout read;    ///< by each thread for the totals it has, all of the run
  };
  /// False: the tile goes through memory as a whole, lines are scanned one by one.
  bool isRegular = false;
  llvm::SmallVector<unsigned> registers; ///< no copies
  llvm::SmallVector<AxisDigit> digits;
  llvm::SmallVector<Run, 1> runs; ///< in the order of their digits
};
ScanPlan planScan(tile::ScanOp op);

//===-- Maps --------------------------------------------------------------===//

struct MapPlan {
  /// Registers of each pack, if threads hold whole ones and may all run the region.
  llvm::SmallVector<llvm::SmallVector<unsigned>> packs;
  bool needsScratch = false;
};
MapPlan planMap(tile::MapOp op);

//===-- Helpers -----------------------------------------------------------===//

/// Registers of a thread, without those that are copies of others.
llvm::SmallVector<unsigned> getOwnRegisters(const Layout &layout);
/// Layout of rank 0: every thread has it.
Layout makeScalarLayout(const Machine &machine);
/// The dimension `dim` moved to the end.
Layout moveDimLast(const Layout &layout, unsigned dim);
/// One more dimension at the end, of 2^bits, which the lowest registers count.
Layout addRegisterDim(const Layout &layout, unsigned bits);

/// One buffer per operand, aligned; where they begin, and the end.
struct Buffers {
  llvm::SmallVector<int64_t> offsets;
  int64_t bytes = 0;
  void add(int64_t size) {
    offsets.push_back(bytes);
    bytes += (size + 15) / 16 * 16;
  }
};
/// `count` elements of each type. Elements lie in shared memory as the threads write
/// them: i1 in a byte, pointers in eight.
Buffers makeBuffers(mlir::TypeRange elements, int64_t count);
unsigned getScratchElementBytes(mlir::Type element);

Buffers getReduceBuffers(tile::ReduceOp op, const ReducePlan &plan);
/// For each run one of each operand; or one of each operand.
Buffers getScanBuffers(tile::ScanOp op, const ScanPlan &plan);
/// The operands, and at the end places of elements (i32) along the axis.
Buffers getSortBuffers(tile::SortOp op);
Buffers getGatherBuffers(tile::GatherOp op);
Buffers getHistogramBuffers(tile::HistogramOp op);
/// Operands, then results, row-major.
Buffers getMapBuffers(tile::MapOp op, const MapPlan &plan);

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_ANALYSIS_COLLECTIVES_H
