//===- ExpandDefined.cpp - Defined arithmetic as guarded arith ops -------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op becomes the arith op on operands that cannot reach its poison, and a
// select that puts the defined result where they would have. Loops whose number
// could wrap past the end of its type count in another way.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "tegula/Tile/IR/Tile.h"
#include "tegula/Tile/Transforms/Passes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tegula::tile {
#define GEN_PASS_DEF_TILEEXPANDDEFINEDPASS
#include "tegula/Tile/Transforms/TilePasses.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

namespace {
/// Builds arith ops on scalars or tiles of one integer type.
class Expander {
public:
  Expander(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value constant(Type type, Attribute element) {
    TypedAttr value = cast<TypedAttr>(element);
    if (auto shaped = dyn_cast<ShapedType>(type)) {
      value = DenseElementsAttr::get(shaped, element);
    }
    return arith::ConstantOp::create(builder, loc, value);
  }
  Value integer(Type type, const APInt &value) {
    return constant(type, builder.getIntegerAttr(getElementTypeOrSelf(type), value));
  }
  Value integer(Type type, int64_t value) {
    return integer(type, APInt(width(type), uint64_t(value), /*isSigned=*/true,
                               /*implicitTrunc=*/true));
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  template <typename OpT> Value make(Value a, Value b) { return OpT::create(builder, loc, a, b); }

  static unsigned width(Type type) { return getElementTypeOrSelf(type).getIntOrFloatBitWidth(); }

  Value expand(DivOp op);
  Value expand(RemOp op);
  Value expand(ShlOp op);
  Value expand(ShrOp op);
  Value expand(FpToIntOp op);
  void guardLoop(scf::ForOp loop);

private:
  struct Divisor {
    Value safe; ///< never 0, nor -1 below the most negative dividend
    Value zero; ///< where the divisor was 0; null when it cannot be
  };
  Divisor guardDivisor(Value lhs, Value rhs, bool isSigned);

  OpBuilder &builder;
  Location loc;
};
} // namespace

/// Whether `value` is a constant no element of which satisfies `bad`.
static bool isConstantWithout(Value value, llvm::function_ref<bool(const APInt &)> bad) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant))) {
    return false;
  }
  if (auto scalar = dyn_cast<IntegerAttr>(constant)) {
    return !bad(scalar.getValue());
  }
  auto dense = dyn_cast<DenseIntElementsAttr>(constant);
  if (!dense) {
    return false;
  }
  return dense.isSplat() ? !bad(dense.getSplatValue<APInt>())
                         : llvm::none_of(dense.getValues<APInt>(), bad);
}

//===----------------------------------------------------------------------===//
// div, rem
//===----------------------------------------------------------------------===//

Expander::Divisor Expander::guardDivisor(Value lhs, Value rhs, bool isSigned) {
  Type type = rhs.getType();
  Divisor divisor;
  Value bad;
  if (!isConstantWithout(rhs, [](const APInt &v) { return v.isZero(); })) {
    divisor.zero = compare(arith::CmpIPredicate::eq, rhs, integer(type, 0));
    bad = divisor.zero;
  }
  if (isSigned && !isConstantWithout(rhs, [](const APInt &v) { return v.isAllOnes(); }) &&
      !isConstantWithout(lhs, [](const APInt &v) { return v.isMinSignedValue(); })) {
    Value least = compare(arith::CmpIPredicate::eq, lhs,
                          integer(type, APInt::getSignedMinValue(width(type))));
    Value minus = compare(arith::CmpIPredicate::eq, rhs, integer(type, -1));
    Value overflow = make<arith::AndIOp>(least, minus);
    bad = bad ? make<arith::OrIOp>(bad, overflow) : overflow;
  }
  divisor.safe = bad ? select(bad, integer(type, 1), rhs) : rhs;
  return divisor;
}

Value Expander::expand(DivOp op) {
  Type type = op.getType();
  if (width(type) == 1) {
    // x / 1 = x and x / 0 = 0, read as signed (1 is -1) or not.
    return make<arith::AndIOp>(op.getLhs(), op.getRhs());
  }
  bool isSigned = op.getSignedness() == Signedness::Signed;
  Divisor divisor = guardDivisor(op.getLhs(), op.getRhs(), isSigned);
  // Overflow divides by 1 instead, which leaves the dividend: it wraps to itself.
  Value quotient = isSigned ? make<arith::DivSIOp>(op.getLhs(), divisor.safe)
                            : make<arith::DivUIOp>(op.getLhs(), divisor.safe);
  return divisor.zero ? select(divisor.zero, integer(type, 0), quotient) : quotient;
}

Value Expander::expand(RemOp op) {
  Type type = op.getType();
  if (width(type) == 1) {
    // x % 1 = 0 and x % 0 = x.
    Value inverse = make<arith::XOrIOp>(op.getRhs(), integer(type, 1));
    return make<arith::AndIOp>(op.getLhs(), inverse);
  }
  bool isSigned = op.getSignedness() == Signedness::Signed;
  Divisor divisor = guardDivisor(op.getLhs(), op.getRhs(), isSigned);
  Value remainder = isSigned ? make<arith::RemSIOp>(op.getLhs(), divisor.safe)
                             : make<arith::RemUIOp>(op.getLhs(), divisor.safe);
  return divisor.zero ? select(divisor.zero, op.getLhs(), remainder) : remainder;
}

//===----------------------------------------------------------------------===//
// shl, shr
//===----------------------------------------------------------------------===//

Value Expander::expand(ShlOp op) {
  Type type = op.getType();
  unsigned bits = width(type);
  if (isConstantWithout(op.getRhs(), [=](const APInt &v) { return v.uge(bits); })) {
    return make<arith::ShLIOp>(op.getLhs(), op.getRhs());
  }
  Value zero = integer(type, 0);
  Value far = compare(arith::CmpIPredicate::uge, op.getRhs(), integer(type, bits));
  Value shifted = make<arith::ShLIOp>(op.getLhs(), select(far, zero, op.getRhs()));
  return select(far, zero, shifted);
}

Value Expander::expand(ShrOp op) {
  Type type = op.getType();
  unsigned bits = width(type);
  bool isSigned = op.getSignedness() == Signedness::Signed;
  if (isConstantWithout(op.getRhs(), [=](const APInt &v) { return v.uge(bits); })) {
    return isSigned ? make<arith::ShRSIOp>(op.getLhs(), op.getRhs())
                    : make<arith::ShRUIOp>(op.getLhs(), op.getRhs());
  }
  if (isSigned) {
    // The last shift that exists already leaves nothing but the sign.
    Value amount = make<arith::MinUIOp>(op.getRhs(), integer(type, bits - 1));
    return make<arith::ShRSIOp>(op.getLhs(), amount);
  }
  Value zero = integer(type, 0);
  Value far = compare(arith::CmpIPredicate::uge, op.getRhs(), integer(type, bits));
  Value shifted = make<arith::ShRUIOp>(op.getLhs(), select(far, zero, op.getRhs()));
  return select(far, zero, shifted);
}

//===----------------------------------------------------------------------===//
// fp_to_int
//===----------------------------------------------------------------------===//

Value Expander::expand(FpToIntOp op) {
  Value source = op.getSource();
  Type type = op.getType(), sourceType = source.getType();
  auto floatType = cast<FloatType>(getElementTypeOrSelf(sourceType));
  const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
  bool isSigned = op.getSignedness() == Signedness::Signed;
  unsigned bits = width(type);
  APInt least = isSigned ? APInt::getSignedMinValue(bits) : APInt::getZero(bits);
  APInt most = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  // The outermost floats whose integer part fits. Rounded towards zero, since
  // 2^31 - 1 has no f32, and to the largest finite f16 where it has less range.
  auto limit = [&](const APInt &value) {
    APFloat result(semantics);
    (void)result.convertFromAPInt(value, isSigned, APFloat::rmTowardZero);
    return constant(sourceType, builder.getFloatAttr(floatType, result));
  };
  Value low = limit(least), high = limit(most);
  Value zero = constant(sourceType, builder.getFloatAttr(floatType, APFloat::getZero(semantics)));
  // NaN fails both tests, is replaced by 0 and is what neither select changes.
  Value inside = make<arith::AndIOp>(compare(arith::CmpFPredicate::OGE, source, low),
                                     compare(arith::CmpFPredicate::OLE, source, high));
  Value safe = select(inside, source, zero);
  Value converted = isSigned ? Value(arith::FPToSIOp::create(builder, loc, type, safe))
                             : Value(arith::FPToUIOp::create(builder, loc, type, safe));
  Value above = compare(arith::CmpFPredicate::OGT, source, high);
  Value result = select(above, integer(type, most), converted);
  if (!isSigned) {
    return result; // below the range is 0, which `safe` already gave
  }
  Value below = compare(arith::CmpFPredicate::OLT, source, low);
  return select(below, integer(type, least), result);
}

//===----------------------------------------------------------------------===//
// scf.for
//===----------------------------------------------------------------------===//

static std::optional<APInt> constantOf(Value value) {
  APInt number;
  return matchPattern(value, m_ConstantInt(&number)) ? std::optional(number) : std::nullopt;
}

/// After the last trip, lower + n * step may lie past the greatest number and wrap
/// below `upper` again; a step of 0 or below would count for ever.
void Expander::guardLoop(scf::ForOp loop) {
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), step = loop.getStep();
  Type type = step.getType();
  auto first = constantOf(lower), last = constantOf(upper), by = constantOf(step);
  bool rising = by && by->isStrictlyPositive();
  if (!isa<IntegerType>(type) || loop.getUnsignedCmp() || (by && by->isOne())) {
    return;
  }
  bool overflows = false;
  if (rising && last) {
    (void)last->sadd_ov(*by, overflows);
    if (!overflows) {
      return;
    }
  }
  if (rising && first && first->isNonNegative()) {
    // As unsigned numbers there is room for one more step.
    loop.setUpperBound(make<arith::MaxSIOp>(upper, lower));
    loop.setUnsignedCmp(true);
    return;
  }
  // Trips are counted, and the number computed: it may wrap with nobody looking.
  Value zero = integer(type, 0), one = integer(type, 1);
  Value any = compare(arith::CmpIPredicate::slt, lower, upper);
  if (!rising) {
    any = make<arith::AndIOp>(any, compare(arith::CmpIPredicate::sgt, step, zero));
  }
  Value distance = make<arith::SubIOp>(make<arith::SubIOp>(upper, lower), one);
  Value divisor = rising ? step : select(any, step, one);
  Value trips = make<arith::AddIOp>(make<arith::DivUIOp>(distance, divisor), one);
  loop.setLowerBound(zero);
  loop.setUpperBound(select(any, trips, zero));
  loop.setStep(one);
  loop.setUnsignedCmp(true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value count = loop.getInductionVar();
  Value product = make<arith::MulIOp>(count, step);
  Value number = make<arith::AddIOp>(lower, product);
  count.replaceAllUsesExcept(number, product.getDefiningOp());
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct TileExpandDefinedPass
    : public tegula::tile::impl::TileExpandDefinedPassBase<TileExpandDefinedPass> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      OpBuilder builder(op);
      Expander expander(builder, op->getLoc());
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        return expander.guardLoop(loop);
      }
      Value replacement = llvm::TypeSwitch<Operation *, Value>(op)
                              .Case<DivOp, RemOp, ShlOp, ShrOp, FpToIntOp>(
                                  [&](auto defined) { return expander.expand(defined); })
                              .Default([](Operation *) { return Value(); });
      if (replacement) {
        op->getResult(0).replaceAllUsesWith(replacement);
        op->erase();
      }
    });
  }
};
} // namespace
