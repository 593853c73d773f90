//===- AddressForm.h - Tiles of uniform strides -----------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many tiles of addresses are base + sum over dimensions of stride * index, where strides
// are numbers or scalars of the run time. Then few scalars say whether two elements
// can have one address.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_ANALYSIS_ADDRESSFORM_H
#define TEGULA_TILEGPU_ANALYSIS_ADDRESSFORM_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace tegula::tilegpu {

/// constant + sum of scalars times numbers. Scalars are integers of any width, as signed.
struct Stride {
  int64_t constant = 0;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>, 2> terms;

  bool isConstant() const { return terms.empty(); }
  bool isZero() const { return terms.empty() && constant == 0; }
  bool operator==(const Stride &) const = default;
  Stride plus(const Stride &other, int64_t factor) const; ///< this + factor * other
};

/// One stride for each dimension (none for a scalar); of pointers in bytes.
using AddressForm = llvm::SmallVector<Stride, 3>;

/// Finds forms by following what computes a value, through loops and branches. That
/// numbers do not wrap between the elements of a tile is taken for granted
/// (docs/semantics.md, offset-wrap). Results hold until the IR changes.
class AddressForms {
public:
  /// nullopt: not of uniform strides, or not known to be.
  std::optional<AddressForm> get(mlir::Value value);

private:
  std::optional<AddressForm> compute(mlir::Value value);
  std::optional<AddressForm> computeOp(mlir::Operation *op, mlir::Value value);
  std::optional<AddressForm> computeArgument(mlir::BlockArgument argument);
  std::optional<AddressForm> multiply(mlir::Value a, mlir::Value b);

  llvm::DenseMap<mlir::Value, std::optional<AddressForm>> known;
  llvm::DenseSet<mlir::Value> irregular; ///< carried variables whose form changes
};

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_ANALYSIS_ADDRESSFORM_H
