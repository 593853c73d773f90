//===- Edits.h - Ways to make IR smaller -------------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_REDUCE_EDITS_H
#define TEGULA_REDUCE_EDITS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"

#include <functional>
#include <vector>

namespace tegula::reduce {

/// One kind of change, at many places of a module.
struct Edit {
  const char *name;
  /// The places, in an order that is the same in each clone of the module. Calling one
  /// makes the change there; places further down the list stay good.
  std::function<std::vector<std::function<void()>>(mlir::ModuleOp)> places;
};

/// From the coarsest to the finest.
const std::vector<Edit> &allEdits();

/// Removes operations without effects whose results nobody uses.
void removeDead(mlir::ModuleOp module);

/// Operations below the module.
unsigned countOps(mlir::ModuleOp module);

/// How much there is to read: operations, and with less weight constants, operands,
/// arguments and attributes. Each step of a reduction makes it less, so that it ends.
unsigned costOf(mlir::ModuleOp module);

/// Gives MLIR's own reducer (--reduction-tree) patterns that replace operations by
/// operands and constants; alone it only erases what nobody uses.
void registerReductionPatterns(mlir::DialectRegistry &registry);

} // namespace tegula::reduce

#endif // TEGULA_REDUCE_EDITS_H
