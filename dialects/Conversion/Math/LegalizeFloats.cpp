//===- LegalizeFloats.cpp - arithmetic on narrow floats -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Widens to f32, operates, rounds back. Signs are changed on the bits.
//
//===----------------------------------------------------------------------===//

#include "tegula/Conversion/Math/LegalizeFloats.h"
#include "Functions.h"
#include "Rewrites.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using arith::RoundingMode;

namespace tegula::conversion {

bool isNarrowFloat(Type type) {
  return type.isF16() || type.isBF16() || getFp8Kind(type).has_value();
}

static bool isNarrow(Type type) { return isNarrowFloat(getElementTypeOrSelf(type)); }

/// Operations that compute, rather than move, on operands of narrow floats.
static bool computes(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::RemFOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp,
             arith::CmpFOp, arith::NegFOp, arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp,
             arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp, vector::FMAOp, vector::ReductionOp,
             vector::MultiDimReductionOp>(op) ||
         isa<math::MathDialect>(op->getDialect());
}

bool mayRewrite(Operation *op) {
  Dialect *dialect = op->getDialect();
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect, vector::VectorDialect>(dialect)) {
    return false;
  }
  if (isa<math::MathDialect>(dialect) || isa<arith::RemFOp, arith::TruncFOp, vector::FMAOp>(op)) {
    return true;
  }
  return (llvm::any_of(op->getOperandTypes(), isNarrow) ||
          llvm::any_of(op->getResultTypes(), isNarrow)) &&
         computes(op);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// A narrow value as f32.
static Val toWide(Val value) {
  Emitter &em = value.em();
  if (em.options.hasF16C && value.elementType().isF16()) {
    return em.make<arith::ExtFOp>(em.f32(), value.get());
  }
  return narrowToF32(value);
}

/// f32 or f64 as a narrow value, rounded once.
static Val toNarrow(Val value, FloatType type, RoundingMode mode) {
  Emitter &em = value.em();
  if (em.options.hasF16C && type.isF16() && mode == RoundingMode::to_nearest_even) {
    Val single = value.elementType().isF64() ? roundF64ToF32Odd(value) : value;
    return em.make<arith::TruncFOp>(em.shaped(type), single.get());
  }
  return floatToNarrow(value, type, mode);
}

static Value extend(arith::ExtFOp op, Emitter &em) {
  Val single = toWide(em.wrap(op.getIn()));
  Type target = getElementTypeOrSelf(op.getType());
  if (target.isF64()) {
    return em.toF64(single).get();
  }
  if (target.isF32()) {
    return single.get();
  }
  // Among narrow formats the wider one holds the value exactly.
  return toNarrow(single, cast<FloatType>(target), RoundingMode::to_nearest_even).get();
}

static Value truncate(arith::TruncFOp op, Emitter &em) {
  RoundingMode mode = op.getRoundingmode().value_or(RoundingMode::to_nearest_even);
  Val source = em.wrap(op.getIn());
  Type target = getElementTypeOrSelf(op.getType());
  if (target.isF32()) {
    return roundF64ToF32(source, mode).get();
  }
  if (isNarrow(op.getIn().getType())) {
    source = toWide(source);
  }
  return toNarrow(source, cast<FloatType>(target), mode).get();
}

/// An integer as a narrow float. f32 holds 24 bits exactly and f64 53; beyond,
/// the bits that f64 cannot hold are gathered in its last place.
static Value convertInteger(Operation *op, Emitter &em) {
  Val source = em.wrap(op->getOperand(0));
  auto target = cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  unsigned width = source.elementType().getIntOrFloatBitWidth();
  bool isSigned = isa<arith::SIToFPOp>(op);
  auto convert = [&](Val v, Type type) {
    return isSigned ? em.make<arith::SIToFPOp>(type, v.get())
                    : em.make<arith::UIToFPOp>(type, v.get());
  };
  if (width <= 16) {
    return toNarrow(convert(source, em.f32()), target, RoundingMode::to_nearest_even).get();
  }
  if (width > 32) {
    Val low = source & 0x7ff;
    Val gathered = (source ^ low) | select(eq(low, 0), low, 0x800);
    Val fits = isSigned ? ult(source + (1ull << 53), 1ull << 54) : ult(source, 1ull << 53);
    source = select(fits, source, gathered);
  }
  Val wide = convert(source, em.f64());
  if (target.isF16()) {
    // What overflows is limited first: LLVM takes the conversion of a number with few
    // significant bits to half, and on to a wider float, for exact at any magnitude.
    wide = select(lt(wide, em.f64Constant(-65536)), -65536, wide);
    wide = select(lt(em.f64Constant(65536), wide), 65536, wide);
  }
  return toNarrow(wide, target, RoundingMode::to_nearest_even).get();
}

/// Negation, absolute value and copysign touch the sign bit only.
static Value changeSign(Operation *op, Emitter &em) {
  Type type = op->getResult(0).getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  uint64_t sign = uint64_t(1) << (width - 1);
  auto bitsOf = [&](Value v) { return em.bitcast(em.wrap(v), em.integer(width)); };
  Val bits = bitsOf(op->getOperand(0));
  Val result;
  if (isa<arith::NegFOp>(op)) {
    result = bits ^ sign;
  } else if (isa<math::AbsFOp>(op)) {
    result = bits & (sign - 1);
  } else {
    result = (bits & (sign - 1)) | (bitsOf(op->getOperand(1)) & sign);
  }
  return em.bitcast(result, type).get();
}

//===----------------------------------------------------------------------===//
// Widening of whole operations
//===----------------------------------------------------------------------===//

static Type widened(Type type) {
  Type single = Float32Type::get(type.getContext());
  if (auto vector = dyn_cast<VectorType>(type)) {
    return vector.clone(single);
  }
  return single;
}

static SmallVector<Value> widenOperation(Operation *op, OpBuilder &builder,
                                         const MathOptions &options, ConstantPool *pool,
                                         bool expandWide) {
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands()) {
    if (isNarrow(operand.getType())) {
      Emitter em(builder, op->getLoc(), operand.getType(), options, pool);
      operand = toWide(em.wrap(operand)).get();
    }
    state.operands.push_back(operand);
  }
  for (Type type : op->getResultTypes()) {
    state.types.push_back(isNarrow(type) ? widened(type) : type);
  }
  state.addAttributes(llvm::to_vector(op->getAttrDictionary()));
  Operation *wide = builder.create(state);
  SmallVector<Value> values(wide->getResults());
  if (expandWide) {
    SmallVector<Value> expanded = expandOperation(wide, builder, options, pool);
    if (!expanded.empty()) {
      wide->erase();
      values = std::move(expanded);
    }
  }
  for (auto [value, result] : llvm::zip(values, op->getResults())) {
    if (isNarrow(result.getType())) {
      Emitter em(builder, op->getLoc(), result.getType(), options, pool);
      auto type = cast<FloatType>(getElementTypeOrSelf(result.getType()));
      value = toNarrow(em.wrap(value), type, RoundingMode::to_nearest_even).get();
    }
  }
  return values;
}

SmallVector<Value> legalizeOperation(Operation *op, OpBuilder &builder, const MathOptions &options,
                                     ConstantPool *pool, bool expandWide) {
  Emitter em(builder, op->getLoc(), op->getNumOperands() ? op->getOperand(0).getType() : Type(),
             options, pool);
  if (auto truncation = dyn_cast<arith::TruncFOp>(op)) {
    RoundingMode mode = truncation.getRoundingmode().value_or(RoundingMode::to_nearest_even);
    Type from = getElementTypeOrSelf(truncation.getIn().getType());
    Type to = getElementTypeOrSelf(truncation.getType());
    bool nearest = mode == RoundingMode::to_nearest_even;
    bool native = nearest && (to.isF32() || (options.hasF16C && to.isF16() && from.isF32()));
    bool known = (to.isF32() && from.isF64()) ||
                 (isNarrowFloat(to) && (from.isF32() || from.isF64() || isNarrowFloat(from)));
    return native || !known ? SmallVector<Value>() : SmallVector<Value>{truncate(truncation, em)};
  }
  bool narrowOperand = llvm::any_of(op->getOperandTypes(), isNarrow);
  bool narrowResult = llvm::any_of(op->getResultTypes(), isNarrow);
  if ((!narrowOperand && !narrowResult) || !computes(op)) {
    return {};
  }
  if (auto extension = dyn_cast<arith::ExtFOp>(op)) {
    bool native = options.hasF16C && getElementTypeOrSelf(extension.getIn().getType()).isF16();
    return native ? SmallVector<Value>() : SmallVector<Value>{extend(extension, em)};
  }
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    return {convertInteger(op, em)};
  }
  if (isa<arith::NegFOp, math::AbsFOp, math::CopySignOp>(op)) {
    return {changeSign(op, em)};
  }
  if (isa<math::FmaOp>(op)) {
    // f32 is too narrow to round once: a product may be a tie that the addend decides.
    SmallVector<Val> operands = llvm::map_to_vector(
        op->getOperands(), [&](Value operand) { return toWide(em.wrap(operand)); });
    Val sum = narrowFmaToOdd(operands[0], operands[1], operands[2]);
    auto type = cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
    return {toNarrow(sum, type, RoundingMode::to_nearest_even).get()};
  }
  return widenOperation(op, builder, options, pool, expandWide);
}

namespace {
struct LegalizePattern : RewritePattern {
  LegalizePattern(MLIRContext *context, const MathOptions &options)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context), options(options) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!mayRewrite(op)) {
      return failure();
    }
    SmallVector<Value> results = legalizeOperation(op, rewriter, options, nullptr, false);
    if (results.empty()) {
      return rewriter.notifyMatchFailure(op, "does not compute on narrow floats");
    }
    rewriter.replaceOp(op, results);
    return success();
  }

  MathOptions options;
};
} // namespace

void populateLegalizeFloatsPatterns(RewritePatternSet &patterns, const MathOptions &options) {
  patterns.add<LegalizePattern>(patterns.getContext(), options);
}

} // namespace tegula::conversion
