//===- Fp8.cpp - 8-bit floats -------------------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fp8.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tegula/Conversion/Math/FloatFormats.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

/// `element`, as often as `like` has it.
static Type withElement(Type like, Type element) {
  auto vector = dyn_cast<VectorType>(like);
  return vector ? Type(vector.clone(element)) : element;
}

namespace {
struct FromFp8Pattern : ThreadPattern<tile::FromFp8Op> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::FromFp8Op op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = getTypeConverter()->convertType(op.getType());
    Value wide = conversion::buildFp8ToF32(rewriter, loc, adaptor.getSource(),
                                           conversion::Fp8Kind(int(op.getKind())));
    Type element = getElementTypeOrSelf(type);
    if (element.isF64()) {
      wide = arith::ExtFOp::create(rewriter, loc, type, wide);
    } else if (!element.isF32()) {
      wide = arith::TruncFOp::create(rewriter, loc, type, wide);
    }
    rewriter.replaceOp(op, wide);
    return success();
  }
};

struct ToFp8Pattern : ThreadPattern<tile::ToFp8Op> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::ToFp8Op op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value number = adaptor.getSource();
    Type from = getElementTypeOrSelf(number.getType());
    if (!from.isF32() && !from.isF64()) {
      number = arith::ExtFOp::create(rewriter, loc,
                                     withElement(number.getType(), rewriter.getF32Type()), number);
    }
    auto rounding = op.getRounding() == tile::Rounding::RTZ ? arith::RoundingMode::toward_zero
                                                            : arith::RoundingMode::to_nearest_even;
    rewriter.replaceOp(op,
                       conversion::buildF32ToFp8(rewriter, loc, number,
                                                 conversion::Fp8Kind(int(op.getKind())), rounding));
    return success();
  }
};
} // namespace

void tegula::tilegpu::addFp8Patterns(ThreadPatterns &list) {
  list.add<FromFp8Pattern, ToFp8Pattern>();
}
