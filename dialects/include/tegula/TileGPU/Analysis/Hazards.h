//===- Hazards.h - Accesses of memory that need a barrier between -*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is in order (docs/semantics.md, store-order and load-first), its threads are
// not. Two accesses need a barrier between them when one writes, they may meet in one
// address, and not the same thread does both.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_ANALYSIS_HAZARDS_H
#define TEGULA_TILEGPU_ANALYSIS_HAZARDS_H

#include "tegula/TileGPU/Analysis/InferLayout.h"
#include "llvm/ADT/DenseMap.h"

namespace tegula::tilegpu {

/// The arguments of the kernel that a pointer may come from.
struct Roots {
  llvm::SmallVector<unsigned, 2> arguments; ///< in order
  bool unknown = false;                     ///< may lead anywhere
};

/// Which threads access what.
enum class Actors {
  First, ///< the first thread of the program
  All,   ///< every thread the same
  Spread ///< each thread its own elements
};

/// What one op does with global memory.
struct GlobalAccess {
  mlir::Operation *op = nullptr;
  mlir::Value pointer; ///< null: not known
  bool reads = false, writes = false;
  Actors actors = Actors::All;
  /// `pointer` as it was in an iteration that is over: where it comes from still holds.
  bool isStale = false;

  bool operator==(const GlobalAccess &other) const {
    return op == other.op && pointer == other.pointer && isStale == other.isStale;
  }
};

/// Places in shared memory, [begin, end).
struct SharedInterval {
  uint32_t begin, end;
  bool operator==(const SharedInterval &) const = default;
};

/// The facts of one kernel that hazards are judged by.
class Hazards {
public:
  explicit Hazards(mlir::Operation *function, const Machine &machine)
      : function(function), machine(machine) {}

  /// What `op` itself accesses (not what stands in its regions, save those of tile ops,
  /// which run as part of it). Empty for most.
  llvm::SmallVector<GlobalAccess, 1> getGlobal(mlir::Operation *op);
  /// The scratch of `op`.
  std::optional<SharedInterval> getShared(mlir::Operation *op);
  /// Whether `op` runs a barrier of its own behind its accesses of global memory. All ops
  /// with scratch do: they write it, wait, and read it.
  bool endsOrdered(mlir::Operation *op);

  /// Whether `first`, then `second` need a barrier between.
  bool conflict(const GlobalAccess &first, const GlobalAccess &second);

private:
  const Roots &getRoots(mlir::Value pointer);
  bool mayMeet(mlir::Value a, mlir::Value b);

  mlir::Operation *function;
  const Machine &machine;
  llvm::DenseMap<mlir::Value, Roots> roots;
  llvm::DenseMap<mlir::Operation *, SharedInterval> intervals; ///< asked for often
};

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_ANALYSIS_HAZARDS_H
