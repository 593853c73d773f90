//===- AxisTransfer.h - What each op does to axis facts ------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_ANALYSIS_AXISTRANSFER_H
#define TEGULA_TILE_ANALYSIS_AXISTRANSFER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tegula/Tile/Analysis/AxisInfo.h"
#include "tegula/Tile/IR/Tile.h"

namespace tegula::tile {

/// The largest power of two that divides `value`; AxisInfo::kMaxDivisibility at
/// most and for zero.
int64_t powerOfTwoOf(int64_t value);

/// Transfer functions: from facts about the operands of an op to facts about
/// one result.
class AxisTransfer {
public:
  using Infos = llvm::ArrayRef<AxisInfo>;

  explicit AxisTransfer(AxisInfoOptions options) : options(options) {}

  AxisInfo visit(mlir::Operation *op, mlir::Value result, Infos operands) const;
  /// The author has promised it of all elements.
  static void promiseNonNegative(AxisInfo &info) { info.nonNegative = true; }

  /// Facts about the induction variable of `loop`.
  AxisInfo getInduction(mlir::scf::ForOp loop, const AxisInfo &lower, const AxisInfo &upper,
                        const AxisInfo &step) const;

private:
  AxisInfo visitConstant(mlir::Attribute value, mlir::Type type) const;
  AxisInfo visitRange(RangeOp op) const;
  AxisInfo visitHint(HintOp op, const AxisInfo &source) const;
  AxisInfo visitAdd(mlir::Type type, const AxisInfo &a, const AxisInfo &b, int64_t scale) const;
  AxisInfo visitSub(mlir::Type type, const AxisInfo &a, const AxisInfo &b) const;
  AxisInfo visitMul(mlir::Type type, const AxisInfo &a, const AxisInfo &b) const;
  AxisInfo visitDiv(DivOp op, const AxisInfo &a, const AxisInfo &b) const;
  AxisInfo visitRem(RemOp op, const AxisInfo &a, const AxisInfo &b) const;
  AxisInfo visitShl(mlir::Type type, const AxisInfo &a, const AxisInfo &b) const;
  AxisInfo visitShr(ShrOp op, const AxisInfo &a, const AxisInfo &b) const;
  AxisInfo visitAnd(mlir::Type type, const AxisInfo &a, const AxisInfo &b) const;
  AxisInfo visitCompare(mlir::arith::CmpIOp op, const AxisInfo &a, const AxisInfo &b) const;
  AxisInfo visitSelect(mlir::Value result, Infos operands) const;
  AxisInfo visitReshape(ReshapeOp op, const AxisInfo &source) const;
  AxisInfo visitTranspose(TransposeOp op, const AxisInfo &source) const;
  AxisInfo visitBroadcast(BroadcastOp op, const AxisInfo &source) const;
  AxisInfo visitExpandDims(ExpandDimsOp op, const AxisInfo &source) const;

  AxisInfo extend(const AxisInfo &source, unsigned from, bool isSigned) const;
  AxisInfo truncate(const AxisInfo &source, mlir::Type to) const;
  AxisInfo castWidth(mlir::Type from, mlir::Type to, const AxisInfo &source, bool isSigned) const;
  AxisInfo castPointer(mlir::Type to, const AxisInfo &source) const;
  /// Elementwise without further knowledge: equal operands give equal results.
  AxisInfo elementwise(mlir::Type type, Infos operands) const;
  /// Whether arithmetic on `type` is taken not to leave its signed range.
  bool mustNotWrap(mlir::Type type) const;
  void limitRuns(AxisInfo &info, int64_t limit) const;

  AxisInfoOptions options;
};

} // namespace tegula::tile

#endif // TEGULA_TILE_ANALYSIS_AXISTRANSFER_H
