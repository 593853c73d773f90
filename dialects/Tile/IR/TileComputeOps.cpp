//===- TileComputeOps.cpp - Defined arithmetic, dot, reduce --------------===//
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
// reduce
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  if (getOperands().empty()) {
    return emitOpError() << "expected at least one operand, got none" << diagID("tile_reduce_c1");
  }
  auto first = cast<RankedTensorType>(getOperands().front().getType());
  for (Value operand : getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getShape() != first.getShape()) {
      InFlightDiagnostic diag = emitOpError()
                                << "expected operands of shape [" << first.getShape() << "], got ["
                                << type.getShape() << "]" << diagID("tile_reduce_c1");
      diag.attachNote(operand.getLoc()) << "operand made here";
      return diag;
    }
  }
  if (first.getRank() == 0) {
    return emitOpError() << "expected operands of rank 1 or more, got rank 0"
                         << diagID("tile_reduce_c2");
  }
  int64_t axis = getAxisAttr().getInt();
  if (axis < 0 || axis >= first.getRank()) {
    return emitOpError() << "expected an axis from 0 to " << first.getRank() - 1 << ", got " << axis
                         << diagID("tile_reduce_c2");
  }
  if (getNumResults() != getNumOperands()) {
    return emitOpError() << "expected " << getNumOperands() << " results, got " << getNumResults()
                         << diagID("tile_reduce_c3");
  }
  SmallVector<int64_t> shape(first.getShape());
  shape.erase(shape.begin() + axis);
  SmallVector<Type> elements;
  for (auto [operand, result] : llvm::zip_equal(getOperands(), getResults())) {
    Type element = cast<RankedTensorType>(operand.getType()).getElementType();
    Type expected = shape.empty() ? element : RankedTensorType::get(shape, element);
    auto tensor = dyn_cast<RankedTensorType>(result.getType());
    // Encodings are the business of the dialects that define them.
    bool fits = tensor ? !shape.empty() && tensor.getShape() == ArrayRef(shape) &&
                             tensor.getElementType() == element
                       : result.getType() == expected;
    if (!fits) {
      return emitOpError() << "expected result " << expected << ", got " << result.getType()
                           << diagID("tile_reduce_c3");
    }
    elements.push_back(element);
  }
  SmallVector<Type> arguments(elements);
  llvm::append_range(arguments, elements);
  Block &block = getCombiner().front();
  if (block.getArgumentTypes() != TypeRange(arguments)) {
    return emitOpError() << "expected a region with arguments (" << arguments << "), got ("
                         << block.getArgumentTypes() << ")" << diagID("tile_reduce_c4");
  }
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield) {
    return emitOpError() << "expected a region that ends in tile.yield, got another"
                         << diagID("tile_reduce_c4");
  }
  if (yield.getValues().getTypes() != TypeRange(elements)) {
    InFlightDiagnostic diag = emitOpError()
                              << "expected a region that yields (" << elements << "), got ("
                              << yield.getValues().getTypes() << ")" << diagID("tile_reduce_c4");
    diag.attachNote(yield.getLoc()) << "yielded here";
    return diag;
  }
  return success();
}

Operation *ReduceOp::getSimpleCombiner() {
  Block &block = getCombiner().front();
  if (getNumOperands() != 1 || !llvm::hasNItems(block, 2)) {
    return nullptr;
  }
  Operation &op = block.front();
  if (!isa<arith::AddFOp, arith::AddIOp, arith::AndIOp, arith::MaximumFOp, arith::MaxNumFOp,
           arith::MaxSIOp, arith::MaxUIOp, arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp,
           arith::MinUIOp, arith::MulFOp, arith::MulIOp, arith::OrIOp, arith::XOrIOp>(op)) {
    return nullptr;
  }
  Value left = block.getArgument(0), right = block.getArgument(1);
  bool onArguments = (op.getOperand(0) == left && op.getOperand(1) == right) ||
                     (op.getOperand(0) == right && op.getOperand(1) == left);
  return onArguments && block.back().getOperand(0) == op.getResult(0) ? &op : nullptr;
}
