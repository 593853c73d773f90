//===- MmaOperands.cpp - Tiles as matrix instructions can read them
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MmaOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;

namespace tegula::tilegpu {

// Of the 23 bits of f32's mantissa tf32 keeps the upper 10.
static constexpr int64_t kHalfOfTf32 = 0x1000, kTf32 = ~int64_t(0x1fff) & 0xffffffff;

static Value splat(OpBuilder &builder, Location loc, Type type, Attribute value) {
  auto attribute = DenseElementsAttr::get(cast<ShapedType>(type), value);
  return arith::ConstantOp::create(builder, loc, attribute);
}

static Value splatBits(OpBuilder &builder, Location loc, Type type, int64_t bits) {
  return splat(builder, loc, type, builder.getIntegerAttr(builder.getI32Type(), int32_t(bits)));
}

Value buildZero(OpBuilder &builder, Location loc, Type type) {
  return splat(builder, loc, type, builder.getZeroAttr(getElementTypeOrSelf(type)));
}

static Type bitsOf(Value tile) {
  Type type = tile.getType();
  return cast<RankedTensorType>(type).clone(IntegerType::get(type.getContext(), 32));
}

/// Instead of NaN a NaN whose high bits say so.
static Value keepNaN(OpBuilder &builder, Location loc, Value tile, Value otherwise) {
  auto element = Float32Type::get(builder.getContext());
  Value nan =
      splat(builder, loc, tile.getType(),
            builder.getFloatAttr(element, llvm::APFloat::getNaN(element.getFloatSemantics())));
  Value isNaN = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, tile, tile);
  return arith::SelectOp::create(builder, loc, isNaN, nan, otherwise);
}

static Value isFinite(OpBuilder &builder, Location loc, Value tile) {
  auto element = cast<FloatType>(getElementTypeOrSelf(tile.getType()));
  Value infinity =
      splat(builder, loc, tile.getType(),
            builder.getFloatAttr(element, llvm::APFloat::getInf(element.getFloatSemantics())));
  Value size = math::AbsFOp::create(builder, loc, tile);
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, size, infinity);
}

Value roundTf32(OpBuilder &builder, Location loc, Value tile) {
  Type bits = bitsOf(tile);
  Value value = arith::BitcastOp::create(builder, loc, bits, tile);
  value = arith::AddIOp::create(builder, loc, value, splatBits(builder, loc, bits, kHalfOfTf32));
  value = arith::AndIOp::create(builder, loc, value, splatBits(builder, loc, bits, kTf32));
  value = arith::BitcastOp::create(builder, loc, tile.getType(), value);
  return keepNaN(builder, loc, tile, value);
}

SplitTile splitTf32(OpBuilder &builder, Location loc, Value tile) {
  // Cut off, not rounded: what is finite stays so, and the rest is exact.
  Type bits = bitsOf(tile);
  Value high = arith::BitcastOp::create(builder, loc, bits, tile);
  high = arith::AndIOp::create(builder, loc, high, splatBits(builder, loc, bits, kTf32));
  high = arith::BitcastOp::create(builder, loc, tile.getType(), high);
  Value rest = arith::SubFOp::create(builder, loc, tile, high);
  Value low = arith::SelectOp::create(builder, loc, isFinite(builder, loc, tile), rest,
                                      buildZero(builder, loc, tile.getType()));
  return {keepNaN(builder, loc, tile, high), roundTf32(builder, loc, low)};
}

Value zeroUnlessFinite(OpBuilder &builder, Location loc, Value tile) {
  return arith::SelectOp::create(builder, loc, isFinite(builder, loc, tile), tile,
                                 buildZero(builder, loc, tile.getType()));
}

} // namespace tegula::tilegpu
