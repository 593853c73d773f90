//===- UniformDivision.cpp - many dividends, one divisor ------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With r the nearest float to 1/s, the quotient x/s is (after Markstein)
//
//   q = x r;   e = q s - x;   x/s = q - e r
//
// each line one rounding. This is the nearest float to x/s as long as nothing overflows
// and neither e nor the quotient is below the normal numbers: the unit test goes through
// all divisors and the dividends next to a tie. Written with e of this sign, zeros divided
// by positive numbers keep their sign. The operands that it is right for are
//
//   2^-100 <= |s| <= 2^24,  |x| >= 2^-100 or x = 0,  sum of |x| / |s| < 2^126
//
// of which the last one also keeps infinities and NaNs away. Doubling the bits of x drops
// its sign; less those of 2^-100, wrapping, leaves what is allowed at or below zero's,
// so that one unsigned maximum per register tests the lower bound.
//
//===----------------------------------------------------------------------===//

#include "UniformDivision.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tegula::conversion {

/// The scalar that register `index` of `vector` holds; null if that is not to be seen.
static Value getRegister(Value vector, int64_t index) {
  while (Operation *op = vector.getDefiningOp()) {
    if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
      Value source = broadcast.getSource();
      auto type = dyn_cast<VectorType>(source.getType());
      if (!type) {
        return source;
      }
      vector = source;
      index = type.getNumElements() == 1 ? 0 : index;
    } else if (auto elements = dyn_cast<vector::FromElementsOp>(op)) {
      return elements.getElements()[index];
    } else if (auto shuffle = dyn_cast<vector::ShuffleOp>(op)) {
      auto first = cast<VectorType>(shuffle.getV1().getType());
      index = shuffle.getMask()[index];
      if (index < 0 || first.getRank() != 1) {
        return Value();
      }
      const bool isFirst = index < first.getNumElements();
      vector = isFirst ? shuffle.getV1() : shuffle.getV2();
      index = isFirst ? index : index - first.getNumElements();
    } else {
      return Value();
    }
  }
  return Value();
}

namespace {
/// One division: `divisors` are its scalars, `places` says which one a register has.
struct Division {
  arith::DivFOp op;
  SmallVector<Value> divisors;
  SmallVector<unsigned> places;
};

class Writer {
public:
  Writer(OpBuilder &builder, Location loc, VectorType type)
      : builder(builder), loc(loc), type(type) {}

  template <typename Op, typename... Args> Value make(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...);
  }
  Value real(double value) {
    return make<arith::ConstantOp>(builder.getF32FloatAttr(static_cast<float>(value)));
  }
  Value integers(uint32_t value) {
    auto vector = VectorType::get(type.getShape(), builder.getI32Type());
    return make<arith::ConstantOp>(DenseElementsAttr::get(vector, APInt(32, value)));
  }
  /// All registers of `vector` as one, in a tree.
  template <typename Op> Value reduce(Value vector) {
    SmallVector<Value> parts;
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      parts.push_back(make<vector::ExtractOp>(vector, i));
    }
    while (parts.size() > 1) {
      SmallVector<Value> next;
      for (size_t i = 0; i + 1 < parts.size(); i += 2) {
        next.push_back(make<Op>(parts[i], parts[i + 1]));
      }
      if (parts.size() % 2) {
        next.push_back(parts.back());
      }
      parts = std::move(next);
    }
    return parts.front();
  }
  /// A vector with `scalars[places[i]]` in register i.
  Value spread(ArrayRef<Value> scalars, ArrayRef<unsigned> places) {
    if (scalars.size() == 1) {
      return make<vector::BroadcastOp>(type, scalars.front());
    }
    SmallVector<Value> registers;
    for (unsigned place : places) {
      registers.push_back(scalars[place]);
    }
    return make<vector::FromElementsOp>(type, registers);
  }

  OpBuilder &builder;
  Location loc;
  VectorType type;
};
} // namespace

/// Fewer registers than this per divisor are divided one by one.
static constexpr unsigned fewRegisters = 4;
/// From this many on, powers are made together (ThreadExp.cpp).
static constexpr int64_t fewPowers = 8;

static std::optional<Division> matchDivision(arith::DivFOp op) {
  auto type = dyn_cast<VectorType>(op.getType());
  if (!type || type.getRank() != 1 || type.isScalable() || !type.getElementType().isF32()) {
    return std::nullopt;
  }
  // Divisors that are known are LLVM's business.
  if (matchPattern(op.getRhs(), m_Constant())) {
    return std::nullopt;
  }
  Division division{op, {}, {}};
  llvm::MapVector<Value, unsigned> numbers;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    Value divisor = getRegister(op.getRhs(), i);
    if (!divisor || matchPattern(divisor, m_Constant())) {
      return std::nullopt;
    }
    division.places.push_back(numbers.insert({divisor, numbers.size()}).first->second);
  }
  if (numbers.size() * fewRegisters > division.places.size()) {
    return std::nullopt;
  }
  for (auto &[divisor, number] : numbers) {
    division.divisors.push_back(divisor);
  }
  return division;
}

namespace {
/// Writes one division.
class Expansion {
public:
  explicit Expansion(const Division &division)
      : division(division), op(division.op), builder(division.op),
        write(builder, op.getLoc(), cast<VectorType>(op.getType())), x(op.getLhs()),
        s(op.getRhs()) {}

  void run() {
    for (Value divisor : division.divisors) {
      reciprocals.push_back(write.make<arith::DivFOp>(write.real(1.0), divisor));
    }
    auto power = x.getDefiningOp<math::ExpOp>();
    const bool isPower = power && write.type.getNumElements() >= fewPowers;
    Value allowed = isPower ? testPowers(power) : testAny(testSum(write.make<math::AbsFOp>(x)));
    Value result = divide(allowed);
    op.replaceAllUsesWith(result);
    op.erase();
  }

private:
  static constexpr double least = 0x1p-100, greatest = 0x1p24, bound = 0x1p126;
  static constexpr uint32_t twiceLeastBits = 2 * (27u << 23);

  void also(Value &allowed, Value condition) {
    allowed = allowed ? write.make<arith::AndIOp>(allowed, condition) : condition;
  }
  Value compare(arith::CmpFPredicate predicate, Value a, double b) {
    return write.make<arith::CmpFOp>(predicate, a, write.real(b));
  }
  Value integer(uint32_t value) {
    return write.make<arith::ConstantOp>(builder.getI32IntegerAttr(static_cast<int32_t>(value)));
  }

  /// What has to hold of the divisors, and of the sum of the dividends' sizes `sizes`.
  Value testSum(Value sizes) {
    Value sum = write.reduce<arith::AddFOp>(sizes);
    Value allowed;
    for (auto [divisor, reciprocal] : llvm::zip_equal(division.divisors, reciprocals)) {
      Value size = write.make<math::AbsFOp>(divisor);
      also(allowed, compare(arith::CmpFPredicate::OGE, size, least));
      also(allowed, compare(arith::CmpFPredicate::OLE, size, greatest));
      Value quotients = write.make<arith::MulFOp>(sum, write.make<math::AbsFOp>(reciprocal));
      also(allowed, compare(arith::CmpFPredicate::OLT, quotients, bound));
    }
    return allowed;
  }

  /// Whether the formula is right for dividends of any kind, where it is as far as sizes go.
  Value testAny(Value allowed) {
    Value bits = write.make<arith::BitcastOp>(
        VectorType::get(write.type.getShape(), builder.getI32Type()), x);
    Value twice = write.make<arith::AddIOp>(bits, bits);
    Value beyond = write.make<arith::AddIOp>(twice, write.integers(0u - twiceLeastBits));
    Value most = write.reduce<arith::MaxUIOp>(beyond);
    for (Value divisor : division.divisors) {
      // Negative divisors: no zeros, whose sign would be lost.
      Value isPositive = compare(arith::CmpFPredicate::OGT, divisor, 0.0);
      Value highest = write.make<arith::SelectOp>(isPositive, integer(0u - twiceLeastBits),
                                                  integer(0u - twiceLeastBits - 1));
      also(allowed, write.make<arith::CmpIOp>(arith::CmpIPredicate::ule, most, highest));
    }
    return allowed;
  }

  /// Dividends that are powers e^y: where no y is below -69 (ThreadExp.cpp looks at the same
  /// bits), all are large enough, and their sum is most often there already.
  Value testPowers(math::ExpOp power) {
    constexpr uint32_t lowestBits = 0xc28a0000; // -69
    Value bits = write.make<arith::BitcastOp>(
        VectorType::get(write.type.getShape(), builder.getI32Type()), power.getOperand());
    Value inSum = testSum(x);
    Value isLarge = write.make<arith::CmpIOp>(
        arith::CmpIPredicate::ule, write.reduce<arith::MaxUIOp>(bits), integer(lowestBits));
    auto test = scf::IfOp::create(builder, op.getLoc(), inSum.getType(), isLarge,
                                  /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(test.thenBlock());
    scf::YieldOp::create(builder, op.getLoc(), inSum);
    builder.setInsertionPointToStart(test.elseBlock());
    Value allowed = testAny(inSum);
    scf::YieldOp::create(builder, op.getLoc(), allowed);
    return test.getResult(0);
  }

  /// The formula where `allowed`, else the division.
  Value divide(Value allowed) {
    auto result = scf::IfOp::create(builder, op.getLoc(), write.type, allowed,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(result.thenBlock());
    Value r = write.spread(reciprocals, division.places);
    Value q = write.make<arith::MulFOp>(x, r);
    Value e = write.make<math::FmaOp>(q, s, write.make<arith::NegFOp>(x));
    Value quotient = write.make<math::FmaOp>(e, write.make<arith::NegFOp>(r), q);
    scf::YieldOp::create(builder, op.getLoc(), quotient);
    builder.setInsertionPointToStart(result.elseBlock());
    Value other = write.make<arith::DivFOp>(x, s);
    scf::YieldOp::create(builder, op.getLoc(), other);
    return result.getResult(0);
  }

  const Division &division;
  arith::DivFOp op;
  OpBuilder builder;
  Writer write;
  Value x, s;
  SmallVector<Value> reciprocals;
};
} // namespace

void expandUniformDivisions(Operation *root) {
  SmallVector<Division> work;
  root->walk([&](arith::DivFOp op) {
    if (std::optional<Division> division = matchDivision(op)) {
      work.push_back(std::move(*division));
    }
  });
  for (const Division &division : work) {
    Expansion(division).run();
  }
}

} // namespace tegula::conversion
