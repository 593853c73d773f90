//===- TileComputeOps.cpp - Defined arithmetic, dot, foreign code --------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/CommonFolders.h"
#include "mlir/IR/Matchers.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/Tile/IR/Tile.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace tegula::tile;

//===----------------------------------------------------------------------===//
// div, rem, shl, shr, fp_to_int
//===----------------------------------------------------------------------===//

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getRhs(), m_One())) {
    return getLhs();
  }
  bool isSigned = getSignedness() == Signedness::Signed;
  return constFoldBinaryOp<IntegerAttr, APInt, void>(
      adaptor.getOperands(), [isSigned](const APInt &a, const APInt &b) -> APInt {
        if (b.isZero()) {
          return APInt::getZero(a.getBitWidth());
        }
        if (!isSigned) {
          return a.udiv(b);
        }
        return a.isMinSignedValue() && b.isAllOnes() ? a : a.sdiv(b);
      });
}

OpFoldResult RemOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getRhs(), m_One())) {
    return Builder(getContext()).getZeroAttr(getType());
  }
  bool isSigned = getSignedness() == Signedness::Signed;
  return constFoldBinaryOp<IntegerAttr, APInt, void>(
      adaptor.getOperands(), [isSigned](const APInt &a, const APInt &b) -> APInt {
        if (b.isZero()) {
          return a;
        }
        if (!isSigned) {
          return a.urem(b);
        }
        return b.isAllOnes() ? APInt::getZero(a.getBitWidth()) : a.srem(b);
      });
}

OpFoldResult ShlOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getRhs(), m_Zero())) {
    return getLhs();
  }
  return constFoldBinaryOp<IntegerAttr, APInt, void>(
      adaptor.getOperands(), [](const APInt &a, const APInt &b) -> APInt {
        unsigned width = a.getBitWidth();
        return b.uge(width) ? APInt::getZero(width) : a.shl(b);
      });
}

OpFoldResult ShrOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getRhs(), m_Zero())) {
    return getLhs();
  }
  bool isSigned = getSignedness() == Signedness::Signed;
  return constFoldBinaryOp<IntegerAttr, APInt, void>(
      adaptor.getOperands(), [isSigned](const APInt &a, const APInt &b) -> APInt {
        unsigned width = a.getBitWidth();
        if (b.uge(width)) {
          return isSigned && a.isNegative() ? APInt::getAllOnes(width) : APInt::getZero(width);
        }
        return isSigned ? a.ashr(b) : a.lshr(b);
      });
}

OpFoldResult FpToIntOp::fold(FoldAdaptor adaptor) {
  bool isUnsigned = getSignedness() == Signedness::Unsigned;
  unsigned width = getElementTypeOrSelf(getType()).getIntOrFloatBitWidth();
  return constFoldCastOp<FloatAttr, IntegerAttr, APFloat, APInt, void>(
      adaptor.getOperands(), getType(), [=](const APFloat &x, bool &) -> APInt {
        // APFloat saturates and makes NaN 0, which is what this op is defined to do.
        APSInt result(width, isUnsigned);
        bool exact = false;
        (void)x.convertToInteger(result, APFloat::rmTowardZero, &exact);
        return result;
      });
}

//===----------------------------------------------------------------------===//
// dot
//===----------------------------------------------------------------------===//

LogicalResult DotOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType());
  auto b = cast<RankedTensorType>(getB().getType());
  auto acc = cast<RankedTensorType>(getAcc().getType());
  int64_t rank = a.getRank();
  if (rank != 2 && rank != 3) {
    return emitOpError() << "expected operands of rank 2 or 3, got rank " << rank
                         << diagID("tile_dot_c1");
  }
  if (b.getRank() != rank || acc.getRank() != rank) {
    return emitOpError() << "expected operands of equal rank, got " << rank << ", " << b.getRank()
                         << " and " << acc.getRank() << diagID("tile_dot_c1");
  }
  SmallVector<int64_t> bShape(b.getShape()), accShape(a.getShape());
  bShape[rank - 2] = a.getDimSize(rank - 1);
  if (rank == 3) {
    bShape[0] = a.getDimSize(0);
  }
  if (b.getShape() != ArrayRef(bShape)) {
    return emitOpError() << "expected b of shape [" << bShape << "], got [" << b.getShape() << "]"
                         << diagID("tile_dot_c2");
  }
  accShape[rank - 1] = b.getDimSize(rank - 1);
  if (acc.getShape() != ArrayRef(accShape)) {
    return emitOpError() << "expected an accumulator of shape [" << accShape << "], got ["
                         << acc.getShape() << "]" << diagID("tile_dot_c2");
  }
  Type aElement = a.getElementType(), bElement = b.getElementType();
  if (aElement != bElement) {
    return emitOpError() << "expected operands of equal element type, got " << aElement << " and "
                         << bElement << diagID("tile_dot_c3");
  }
  if (getAFp8().has_value() != getBFp8().has_value()) {
    return emitOpError() << "expected both of 'a_fp8' and 'b_fp8' or neither, got one"
                         << diagID("tile_dot_c3");
  }
  bool isFp8 = getAFp8().has_value();
  if (isFp8 && !aElement.isInteger(8)) {
    return emitOpError() << "expected i8 operands for 8-bit floats, got " << aElement
                         << diagID("tile_dot_c3");
  }
  Type element = acc.getElementType();
  StringRef expected;
  bool fits = false;
  if (isFp8 || aElement.isF16()) {
    expected = "f32 or f16";
    fits = element.isF32() || element.isF16();
  } else if (isa<IntegerType>(aElement)) {
    expected = "i32";
    fits = element.isInteger(32);
  } else if (aElement.isBF16() || aElement.isF32()) {
    expected = "f32";
    fits = element.isF32();
  } else if (aElement.isF64()) {
    expected = "f64";
    fits = element.isF64();
  } else {
    return emitOpError() << "expected operands of integers, f16, bf16, f32 or f64, got " << aElement
                         << diagID("tile_dot_c4");
  }
  if (!fits) {
    InFlightDiagnostic diag = emitOpError()
                              << "expected an accumulator of " << expected << " for "
                              << (isFp8 ? "8-bit float" : "these") << " operands, got " << element
                              << diagID("tile_dot_c4");
    diag.attachNote(getAcc().getLoc()) << "accumulator made here";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// dot_scaled
//===----------------------------------------------------------------------===//

/// Values that one element of an operand holds.
static int64_t packed(ScaledFormat format) { return format == ScaledFormat::E2M1 ? 2 : 1; }

LogicalResult DotScaledOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType());
  auto b = cast<RankedTensorType>(getB().getType());
  auto acc = cast<RankedTensorType>(getAcc().getType());
  int64_t rank = acc.getRank();
  if ((rank != 2 && rank != 3) || a.getRank() != rank || b.getRank() != rank) {
    return emitOpError() << "expected operands of rank 2 or 3 alike, got ranks " << a.getRank()
                         << ", " << b.getRank() << " and " << acc.getRank()
                         << diagID("tile_dot_scaled_c1");
  }
  ArrayRef<int64_t> batch = acc.getShape().drop_back(2);
  if (a.getShape().drop_back(2) != batch || b.getShape().drop_back(2) != batch) {
    return emitOpError() << "expected as many matrices in all operands, got " << a << ", " << b
                         << " and " << acc << diagID("tile_dot_scaled_c1");
  }
  int64_t aPack = packed(getAFormat()), bPack = packed(getBFormat());
  int64_t m = a.getDimSize(rank - 2) * (getAKPack() ? 1 : aPack);
  int64_t k = a.getDimSize(rank - 1) * (getAKPack() ? aPack : 1);
  int64_t bK = b.getDimSize(rank - 2) * (getBKPack() ? bPack : 1);
  int64_t n = b.getDimSize(rank - 1) * (getBKPack() ? 1 : bPack);
  if (k != bK || acc.getDimSize(rank - 2) != m || acc.getDimSize(rank - 1) != n) {
    return emitOpError() << "expected operands that multiply to " << acc << ", got " << m << " x "
                         << k << " and " << bK << " x " << n << diagID("tile_dot_scaled_c1");
  }
  for (auto [type, format] : {std::pair(a, getAFormat()), std::pair(b, getBFormat())}) {
    Type element = type.getElementType();
    bool fits = format == ScaledFormat::BF16   ? element.isBF16()
                : format == ScaledFormat::FP16 ? element.isF16()
                                               : element.isInteger(8);
    if (!fits) {
      return emitOpError() << "expected operand elements of format "
                           << stringifyScaledFormat(format) << ", got " << element
                           << diagID("tile_dot_scaled_c2");
    }
  }
  if (!acc.getElementType().isF32()) {
    return emitOpError() << "expected an accumulator of f32, got " << acc.getElementType()
                         << diagID("tile_dot_scaled_c3");
  }
  int64_t groups = 0;
  for (auto [scale, rows] : {std::pair(getAScale(), m), std::pair(getBScale(), n)}) {
    if (!scale) {
      continue;
    }
    auto type = cast<RankedTensorType>(scale.getType());
    bool fits = type.getRank() == rank && type.getShape().drop_back(2) == batch &&
                type.getDimSize(rank - 2) == rows;
    if (!fits || type.getShape().back() == 0 || k % type.getShape().back() != 0) {
      return emitOpError() << "expected a scale of " << rows << " rows and a divisor of " << k
                           << " columns, got " << type << diagID("tile_dot_scaled_c1");
    }
    if (groups != 0 && type.getShape().back() != groups) {
      return emitOpError() << "expected scales with equal numbers of groups, got " << groups
                           << " and " << type.getShape().back() << diagID("tile_dot_scaled_c4");
    }
    groups = type.getShape().back();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// inline_asm, extern
//===----------------------------------------------------------------------===//

/// Whether all values have the shape of the first, scalars none.
static bool haveOneShape(ValueRange operands, ValueRange results) {
  std::optional<Type> first;
  for (ValueRange values : {operands, results}) {
    for (Value value : values) {
      Type shape = withShapeOf(IntegerType::get(value.getContext(), 1), value.getType());
      if (first && *first != shape) {
        return false;
      }
      first = shape;
    }
  }
  return true;
}

/// Code that is not pure may do anything.
static void
addForeignEffects(bool isPure,
                  SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (!isPure) {
    effects.emplace_back(MemoryEffects::Read::get());
    effects.emplace_back(MemoryEffects::Write::get());
  }
}

LogicalResult InlineAsmOp::verify() {
  if (!haveOneShape(getOperands(), getResults())) {
    return emitOpError() << "expected operands and results of one shape, got others"
                         << diagID("tile_inline_asm_c1");
  }
  if (getPack() < 1) {
    return emitOpError() << "expected a positive 'pack', got " << getPackAttr().getInt()
                         << diagID("tile_inline_asm_c2");
  }
  return success();
}

void InlineAsmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addForeignEffects(getIsPure(), effects);
}

LogicalResult ExternOp::verify() {
  if (!haveOneShape(getOperands(), (*this)->getResults())) {
    return emitOpError() << "expected operands and a result of one shape, got others"
                         << diagID("tile_extern_c1");
  }
  return success();
}

void ExternOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addForeignEffects(getIsPure(), effects);
}
