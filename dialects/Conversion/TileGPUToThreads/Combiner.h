//===- Combiner.h - Regions on scalars, run on registers ------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_TILEGPUTOTHREADS_COMBINER_H
#define TEGULA_CONVERSION_TILEGPUTOTHREADS_COMBINER_H

#include "tegula/Conversion/TileGPUToThreads/ThreadLowering.h"

namespace tegula::tilegpu {

/// One value of each operand of a reduction or scan: vectors of equal length.
using Group = llvm::SmallVector<mlir::Value, 2>;

/// A copy of the region's block at the insertion point with `arguments` for its own; what
/// it yields. Arguments that are pointers are given as threads hold them.
llvm::SmallVector<mlir::Value> inlineRegion(ThreadBuilder &tb, mlir::Region &region,
                                            mlir::ValueRange arguments);

/// Combines registers with the region of a reduction or scan.
class Combiner {
public:
  /// `simple`: the region's only op, done on whole vectors; or null.
  Combiner(ThreadBuilder &tb, mlir::Region &region, mlir::Operation *simple)
      : tb(tb), region(region), simple(simple) {}

  bool isCommutative() const { return simple; }
  /// Element by element.
  Group combine(const Group &left, const Group &right);
  /// All of them in order, neighbours first.
  Group combineAll(llvm::ArrayRef<Group> parts);

  ThreadBuilder &tb;

private:
  mlir::Region &region;
  mlir::Operation *simple;
};

//===-- Groups ------------------------------------------------------------===//

/// ThreadBuilder::pick and select of each member.
Group pick(ThreadBuilder &tb, const Group &group, llvm::ArrayRef<int64_t> indices);
Group select(ThreadBuilder &tb, mlir::Value condition, const Group &yes, const Group &no);
/// What the lane this ^ mask holds.
Group shuffleXor(ThreadBuilder &tb, const Group &group, unsigned mask);
/// i1: bit `bit` of an i32 is set.
mlir::Value testBit(ThreadBuilder &tb, mlir::Value index, unsigned bit);

/// for i in [first, last): the body yields what the next trip gets. No trip for empty
/// ranges; `first` and `last` are i32 and the same in all threads if the body has barriers.
llvm::SmallVector<mlir::Value>
makeLoop(ThreadBuilder &tb, mlir::Value first, mlir::Value last, mlir::Value step,
         mlir::ValueRange inits,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);
void makeIf(ThreadBuilder &tb, mlir::Value condition, llvm::function_ref<void()> body);

//===-- Patterns that addSortPatterns adds --------------------------------===//

void addGatherPatterns(ThreadPatterns &list);
void addHistogramPatterns(ThreadPatterns &list);
void addMapPatterns(ThreadPatterns &list);

/// On scalar ops with effects that run in every thread for elements of its own (in the
/// region of a tile.map), where others run once for the program.
inline constexpr llvm::StringLiteral kEachThreadAttr = "tilegpu.each_thread";
inline bool isOfEachThread(mlir::Operation *op) { return op->hasAttr(kEachThreadAttr); }
/// The threads that do an op on scalars: true for the first one; null, which is all that
/// come there, where each thread does the op for itself.
mlir::Value whoActs(ThreadBuilder &tb, mlir::Operation *op);

} // namespace tegula::tilegpu

#endif // TEGULA_CONVERSION_TILEGPUTOTHREADS_COMBINER_H
