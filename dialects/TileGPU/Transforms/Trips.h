//===- Trips.h - Trips of a loop computed ahead of their time -----*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_TRANSFORMS_TRIPS_H
#define TEGULA_TILEGPU_TRANSFORMS_TRIPS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tegula/Tile/IR/Tile.h"
#include "llvm/ADT/SetVector.h"

namespace tegula::tilegpu {

/// Ops of the loop's own block that may be run for any trip, even one that is never made.
bool canRepeat(mlir::Operation *op);
/// Adds what `value` follows from inside the loop.
void addCarried(mlir::Value value, mlir::scf::ForOp loop, llvm::SetVector<mlir::Value> &seen);
/// Whether the operands of `load` can be computed a trip ahead.
bool isKnownAhead(tile::LoadOp load, mlir::scf::ForOp loop);

/// Values of one trip, computed where the builder stands.
class Trip {
public:
  Trip(mlir::OpBuilder &builder, mlir::scf::ForOp loop) : builder(builder), loop(loop) {}

  void set(mlir::Value before, mlir::Value now) { mapping.map(before, now); }
  mlir::Value get(mlir::Value value);
  /// Where the load accesses memory: its mask, and `condition`.
  mlir::Value getMask(tile::LoadOp op, mlir::Value condition);
  /// The load, if `condition` holds; nothing is accessed else.
  mlir::Value load(tile::LoadOp op, mlir::Value condition);

private:
  mlir::OpBuilder &builder;
  mlir::scf::ForOp loop;
  mlir::IRMapping mapping;
};

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_TRANSFORMS_TRIPS_H
