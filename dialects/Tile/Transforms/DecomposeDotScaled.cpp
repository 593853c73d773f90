//===- DecomposeDotScaled.cpp - Scaled dots as dots of wider operands ----===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tegula/Tile/IR/Tile.h"
#include "tegula/Tile/Transforms/Passes.h"

namespace tegula::tile {
#define GEN_PASS_DEF_TILEDECOMPOSEDOTSCALEDPASS
#include "tegula/Tile/Transforms/TilePasses.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

namespace {
/// Writes out one operand, whose last two dimensions are those of the matrix; `kDim` is that of K.
class OperandWriter {
public:
  OperandWriter(ImplicitLocOpBuilder &builder, unsigned kDim, unsigned outerDim)
      : builder(builder), kDim(kDim), outerDim(outerDim) {}

  /// The values of `source` as f32.
  Value widen(Value source, ScaledFormat format, bool kPack) {
    switch (format) {
    case ScaledFormat::E2M1:
      return widenE2M1(unpack(source, kPack ? kDim : outerDim));
    case ScaledFormat::E4M3:
      return FromFp8Op::create(builder, like(builder.getF32Type(), source), Fp8Kind::E4M3FN,
                               source);
    case ScaledFormat::E5M2:
      return FromFp8Op::create(builder, like(builder.getF32Type(), source), Fp8Kind::E5M2, source);
    case ScaledFormat::BF16:
    case ScaledFormat::FP16:
      break;
    }
    return arith::ExtFOp::create(builder, like(builder.getF32Type(), source), source);
  }

  /// The scales of all elements of `shape` as f32.
  Value spread(Value scale, bool isE4M3, ArrayRef<int64_t> shape) {
    Value values = isE4M3 ? FromFp8Op::create(builder, like(builder.getF32Type(), scale),
                                              Fp8Kind::E4M3FN, scale)
                                .getResult()
                          : widenE8M0(scale);
    // Scales have K last. A dimension for the place within the group comes behind it.
    SmallVector<int64_t> apart(cast<RankedTensorType>(values.getType()).getShape());
    int64_t groups = apart.back();
    if (kDim < outerDim) {
      auto order = llvm::to_vector(llvm::seq<int32_t>(0, apart.size()));
      std::swap(order[kDim], order[outerDim]);
      std::swap(apart[kDim], apart[outerDim]);
      values =
          TransposeOp::create(builder, tensor(apart), values, builder.getDenseI32ArrayAttr(order));
    }
    apart.insert(apart.begin() + kDim + 1, 1);
    values =
        ExpandDimsOp::create(builder, tensor(apart), values, builder.getI32IntegerAttr(kDim + 1));
    apart[kDim + 1] = shape[kDim] / groups;
    values = BroadcastOp::create(builder, tensor(apart), values);
    return ReshapeOp::create(builder, tensor(shape), values);
  }

private:
  static Type like(Type element, Value tile) { return withShapeOf(element, tile.getType()); }
  RankedTensorType tensor(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, builder.getF32Type());
  }
  Value constant(int64_t value, Value like) {
    Type type = like.getType();
    return arith::ConstantOp::create(
        builder, DenseElementsAttr::get(cast<ShapedType>(type),
                                        builder.getIntegerAttr(getElementTypeOrSelf(type), value)));
  }
  Value equals(Value value, int64_t number) {
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, value, constant(number, value));
  }

  /// Both halves of each byte as bytes, the lower one first, along `dim`.
  Value unpack(Value source, unsigned dim) {
    auto type = cast<RankedTensorType>(source.getType());
    Type element = type.getElementType();
    Value low = arith::AndIOp::create(builder, source, constant(15, source));
    Value high = ShrOp::create(builder, type, Signedness::Unsigned, source, constant(4, source));
    SmallVector<int64_t> shape(type.getShape());
    shape.push_back(2);
    Value both = JoinOp::create(builder, RankedTensorType::get(shape, element), low, high);
    if (dim + 1 != type.getRank()) {
      auto order = llvm::to_vector(llvm::seq<int32_t>(0, type.getRank()));
      order.insert(order.begin() + dim + 1, type.getRank());
      shape.pop_back();
      shape.insert(shape.begin() + dim + 1, 2);
      both = TransposeOp::create(builder, RankedTensorType::get(shape, element), both,
                                 builder.getDenseI32ArrayAttr(order));
    }
    shape.assign(type.getShape().begin(), type.getShape().end());
    shape[dim] *= 2;
    return ReshapeOp::create(builder, RankedTensorType::get(shape, element), both);
  }

  /// Sign, two bits of exponent with a bias of 1, one bit of mantissa: 0.5 is the only denormal.
  Value widenE2M1(Value bytes) {
    Value bits = arith::ExtUIOp::create(builder, like(builder.getI32Type(), bytes), bytes);
    Value magnitude = arith::AndIOp::create(builder, bits, constant(7, bits));
    Value sign =
        ShlOp::create(builder, bits.getType(),
                      arith::AndIOp::create(builder, bits, constant(8, bits)), constant(28, bits));
    Value normal = arith::AddIOp::create(
        builder, ShlOp::create(builder, bits.getType(), magnitude, constant(22, bits)),
        constant(126 << 23, bits));
    Value small = arith::SelectOp::create(builder, equals(magnitude, 0), constant(0, bits),
                                          constant(126 << 23, bits));
    Value isSmall =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, magnitude, constant(2, bits));
    Value all = arith::SelectOp::create(builder, isSmall, small, normal);
    return arith::BitcastOp::create(builder, like(builder.getF32Type(), bytes),
                                    arith::OrIOp::create(builder, all, sign));
  }

  /// 2^(s - 127); 0 is a denormal of f32, 255 is NaN.
  Value widenE8M0(Value scale) {
    Value bits = arith::ExtUIOp::create(builder, like(builder.getI32Type(), scale), scale);
    Value power = ShlOp::create(builder, bits.getType(), bits, constant(23, bits));
    power = arith::SelectOp::create(builder, equals(bits, 0), constant(1 << 22, bits), power);
    power = arith::SelectOp::create(builder, equals(bits, 255), constant(0x7fc00000, bits), power);
    return arith::BitcastOp::create(builder, like(builder.getF32Type(), scale), power);
  }

  ImplicitLocOpBuilder &builder;
  unsigned kDim, outerDim;
};

struct TileDecomposeDotScaledPass
    : public tegula::tile::impl::TileDecomposeDotScaledPassBase<TileDecomposeDotScaledPass> {
  void runOnOperation() override {
    SmallVector<DotScaledOp> ops;
    getOperation().walk([&](DotScaledOp op) { ops.push_back(op); });
    for (DotScaledOp op : ops) {
      rewrite(op);
    }
  }

  static void rewrite(DotScaledOp op) {
    ImplicitLocOpBuilder builder(op.getLoc(), op);
    bool isHalf = op.getAFormat() == ScaledFormat::FP16 || op.getBFormat() == ScaledFormat::FP16;
    unsigned first = cast<RankedTensorType>(op.getType()).getRank() - 2;
    auto write = [&](unsigned kDim, Value source, ScaledFormat format, bool kPack, Value scale) {
      OperandWriter writer(builder, first + kDim, first + 1 - kDim);
      Value wide = writer.widen(source, format, kPack);
      if (scale) {
        ArrayRef<int64_t> shape = cast<RankedTensorType>(wide.getType()).getShape();
        wide = arith::MulFOp::create(builder, wide, writer.spread(scale, op.getScaleE4m3(), shape));
      }
      return isHalf ? wide
                    : arith::TruncFOp::create(
                          builder, withShapeOf(builder.getBF16Type(), wide.getType()), wide)
                          .getResult();
    };
    Value a = write(1, op.getA(), op.getAFormat(), op.getAKPack(), op.getAScale());
    Value b = write(0, op.getB(), op.getBFormat(), op.getBKPack(), op.getBScale());
    auto dot =
        DotOp::create(builder, op.getType(), a, b, op.getAcc(), DotPrecision::IEEE,
                      /*max_imprecise_acc=*/0, Signedness::Signed, Fp8KindAttr(), Fp8KindAttr());
    op.replaceAllUsesWith(dot.getResult());
    op.erase();
  }
};
} // namespace
