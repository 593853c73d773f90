//===- Rings.h - What was done with the slots of channels -----*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slot is a position and how far ahead of it the slot lies. Within a trip of a loop two
// slots of one position differ if their distances do; where the loop carries the position
// on by one, slots of a trip are those of the trip before it at one less. So a ring that
// is filled ahead of its reader is followed exactly, with one barrier a trip.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_TRANSFORMS_RINGS_H
#define TEGULA_TILEGPU_TRANSFORMS_RINGS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tegula/TileGPU/Analysis/Hazards.h"

namespace tegula::tilegpu {

/// Copies in flight, and accesses of slots since the last barrier.
class RingState {
public:
  /// Nothing that a barrier would order.
  bool isOrdered() const;
  /// A barrier was run: what has come can be read by all, what was read can be filled.
  void order();
  /// Whether something was new.
  bool add(const RingState &other);

  /// Whether `op` accesses a slot that another thread may still fill or read, or the
  /// memory of `shared`.
  bool needsBarrier(mlir::Operation *op, llvm::ArrayRef<SharedInterval> shared) const;
  /// Whether memory of `interval` was a slot's since the last barrier, or is being filled.
  bool touches(const SharedInterval &interval) const;
  void visit(mlir::Operation *op);

  /// Positions as the first trip of a loop sees them.
  void enter(mlir::scf::ForOp loop);
  /// What a trip left, as the next trip sees it.
  void repeat(mlir::scf::ForOp loop);
  /// What a trip would find, as it is behind the loop.
  void finish(mlir::scf::ForOp loop);
  /// Values of the region are gone; memory of its channels that is not ordered yet.
  llvm::SmallVector<SharedInterval> leave(mlir::Region &region);

private:
  enum class Kind { InFlight, Landed, Read };
  struct Entry {
    Kind kind;
    mlir::Value channel;
    mlir::Value position; ///< null: any
    unsigned ahead;
    bool operator==(const Entry &) const = default;
  };
  static Entry resolve(Kind kind, mlir::Value channel, mlir::Value position, unsigned ahead);
  static bool mayMeet(const Entry &a, const Entry &b);
  /// The argument of `loop` that carries `position` on by one, or nothing.
  static bool isCarriedOn(mlir::scf::ForOp loop, unsigned index);
  static SharedInterval getInterval(mlir::Value channel);
  bool insert(const Entry &entry);
  template <typename Fn> void rewrite(Fn &&fn);

  llvm::SmallVector<Entry> entries;
};

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_TRANSFORMS_RINGS_H
