//===- TrigReduction.cpp - arguments modulo pi/2 --------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moderate arguments subtract n pi/2 in parts (Cody and Waite). Huge ones, in a
// branch that is taken when any lane needs it, multiply the mantissa with the
// bits of 2/pi that matter (Payne and Hanek), lane by lane to keep code small.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tegula::conversion {

/// 2/pi as 32-bit digits after the point, led by two digits of zero, so that
/// bit 65 is the first.
constexpr uint32_t kTwoOverPi[] = {
    0,          0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
    0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
    0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
    0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};

/// Moderate arguments are below this.
constexpr double kModerate = 0x1p20;

/// The `count` digits of 2/pi from bit `position` (a scalar i64) on.
static SmallVector<Val> window(Emitter &em, Val position, unsigned count) {
  SmallVector<int64_t> words(std::begin(kTwoOverPi), std::end(kTwoOverPi));
  auto type = VectorType::get({static_cast<int64_t>(words.size())}, em.builder.getI64Type());
  TypedAttr attribute = DenseElementsAttr::get(type, ArrayRef<int64_t>(words));
  Value table = em.pool ? em.pool->get(em.builder, attribute)
                        : arith::ConstantOp::create(em.builder, em.loc, attribute).getResult();
  auto wordAt = [&](Val i) {
    Value index =
        arith::IndexCastOp::create(em.builder, em.loc, em.builder.getIndexType(), i.get());
    return em.make<vector::ExtractOp>(table, OpFoldResult(index));
  };
  Val first = position >> 5, shift = position & 31;
  SmallVector<Val> digits;
  Val word = wordAt(first);
  for (unsigned i = 0; i < count; ++i) {
    Val next = wordAt(first + (i + 1));
    digits.push_back((((word << 32) | next) << shift) >> 32);
    word = next;
  }
  return digits;
}

/// A digit below 2^32 as f64.
static Val digitToF64(Val digit) {
  return digit.em().asFloat(digit | 0x4330000000000000ull) - 0x1p52;
}

namespace {
/// A fraction of a turn: the quadrant and the rest as sign and magnitude.
struct Fraction {
  Val quadrant; ///< i64, 0..3
  Val flip;     ///< All ones where the rest is negative.
  Val hi;       ///< Magnitude of the rest times 2^62, i64.
};
} // namespace

/// Splits `turns`, x 2/pi modulo 4 times 2^62, at the nearest integer.
static Fraction splitTurns(Val turns) {
  Val quadrant = (turns + (1ull << 61)) >> 62;
  Val rest = turns - (quadrant << 62);
  Val flip = 0 - (rest >> 63);
  return {quadrant, flip, rest ^ flip};
}

/// Signs of the argument and of the rest, applied to a magnitude.
static Val applySign(Val magnitude, Val flip, Val x) {
  Emitter &em = x.em();
  Val sign = (flip ^ em.bits(x)) & 0x8000000000000000ull;
  return em.asFloat(em.bits(magnitude) ^ sign);
}

/// For an f32 value held in f64: the quadrant of |x|, and r with x's sign.
static std::pair<Val, Val> reduceHugeF32(Val x) {
  Emitter &em = x.em();
  Val bits = em.bits(x);
  Val exponent = (bits >> 52) & 0x7ff;
  // x = M 2^k with M of 24 bits. Bits of 2/pi up to k-2 only give whole turns;
  // 2/pi begins after 64 zero bits.
  Val mantissa = ((bits & 0x000fffffffffffffull) | 0x0010000000000000ull) >> 29;
  // Lanes that are not huge, or not finite, run along with some position.
  Val position = (exponent - (1023 + 23) + 62) & 0xff;
  SmallVector<Val> w = window(em, position, 3);
  Val turns = ((mantissa * w[0]) << 32) + mantissa * w[1] + ((mantissa * w[2]) >> 32);
  Fraction fraction = splitTurns(turns);
  Val r = em.mulAdd(digitToF64(fraction.hi >> 32), 0x1p-30,
                    digitToF64(fraction.hi & 0xffffffffull) * 0x1p-62);
  r = r * 0x1.921fb54442d18p+0;
  return {fraction.quadrant, applySign(r, fraction.flip, x)};
}

static std::pair<Val, Pair> reduceHugeF64(Val x) {
  Emitter &em = x.em();
  Val bits = em.bits(x);
  Val exponent = (bits >> 52) & 0x7ff;
  Val mantissa = (bits & 0x000fffffffffffffull) | 0x0010000000000000ull;
  Val position = exponent - (1023 + 52) + 62;
  position = select(ugt(position, 1034), 0, position);
  SmallVector<Val> w = window(em, position, 6);
  Val m0 = mantissa & 0xffffffffull, m1 = mantissa >> 32;
  auto low = [](Val v) { return v & 0xffffffffull; };
  // Digits of mantissa * window modulo 2^192, counted from the low end; digit 0
  // only matters by its carry, which is left out.
  Val carry, digits[6];
  for (unsigned p = 1; p < 6; ++p) {
    Val a = m0 * w[5 - p], aBelow = m0 * w[6 - p];
    Val b = m1 * w[6 - p];
    Val sum = low(a) + (aBelow >> 32) + low(b);
    if (p >= 2) {
      sum = sum + ((m1 * w[7 - p]) >> 32) + carry;
    }
    digits[p] = low(sum);
    carry = sum >> 32;
  }
  Fraction fraction = splitTurns((digits[5] << 32) | digits[4]);
  Val lo = ((digits[3] << 32) | digits[2]) ^ fraction.flip;
  Val v3 = digitToF64(fraction.hi >> 32) * 0x1p-30;
  Val v2 = digitToF64(low(fraction.hi)) * 0x1p-62;
  Val v1 = digitToF64(lo >> 32) * 0x1p-94;
  Val v0 = digitToF64(low(lo)) * 0x1p-126;
  Pair f = fastTwoSum(v3, v2);
  f = fastTwoSum(f.hi, f.lo + (v1 + v0));
  Pair r = twoProduct(f.hi, em.f64Constant(0x1.921fb54442d18p+0));
  r.lo = r.lo + (f.hi * 0x1.1a62633145c07p-54 + f.lo * 0x1.921fb54442d18p+0);
  r = fastTwoSum(r.hi, r.lo);
  return {fraction.quadrant,
          {applySign(r.hi, fraction.flip, x), applySign(r.lo, fraction.flip, x)}};
}

Reduced reduceByHalfPi(Val x) {
  Emitter &em = x.em();
  bool single = x.elementType().isF32();
  Val wide = em.toF64(x);
  Val t = em.mulAdd(wide, 0x1.45f306dc9c883p-1, 0x1.8p52);
  Val n = t - 0x1.8p52;
  Val quadrant = em.bits(t);
  Val r, rlo;
  if (single) {
    // n has at most 20 bits, so that the first product is exact.
    r = em.mulAdd(n, -0x1.921fb544p+0, wide);
    r = em.mulAdd(n, -0x1.0b4611a626331p-34, r);
  } else {
    Val first = em.mulAdd(n, -0x1.921fb544p+0, wide);
    Pair second = twoSum(first, n * -0x1.0b4611a6p-34);
    Pair third = twoSum(second.hi, n * -0x1.3198a2ep-69);
    Val low = second.lo + (third.lo + n * -0x1.b839a252049c1p-104);
    Pair sum = fastTwoSum(third.hi, low);
    // -0 would become +0 by the compensated sums.
    r = select(eq(wide, 0.0), wide, sum.hi);
    rlo = sum.lo;
  }
  Val huge = ge(abs(x), kModerate);
  Val finite = lt(abs(x), kInf);
  SmallVector<Val> state = {quadrant, r};
  if (!single) {
    state.push_back(rlo);
  }
  state = em.ifAny(huge, state, [&]() -> SmallVector<Val> {
    Type i64 = em.builder.getI64Type(), f64 = em.builder.getF64Type();
    SmallVector<Type> types = {i64, f64, f64};
    SmallVector<Val> results = em.mapLanes({wide}, ArrayRef(types).take_front(single ? 2 : 3),
                                           [&](Emitter &, ArrayRef<Val> lane) -> SmallVector<Val> {
                                             if (single) {
                                               auto [q, hugeR] = reduceHugeF32(lane[0]);
                                               return {q, hugeR};
                                             }
                                             auto [q, pair] = reduceHugeF64(lane[0]);
                                             return {q, pair.hi, pair.lo};
                                           });
    Val hugeQuadrant = results[0], hugeR = results[1];
    hugeQuadrant = select(lt(wide, 0.0), 0 - hugeQuadrant, hugeQuadrant);
    SmallVector<Val> result = {select(huge, hugeQuadrant, quadrant),
                               select(huge, select(finite, hugeR, kNan), r)};
    if (!single) {
      result.push_back(select(huge, results[2], rlo));
    }
    return result;
  });
  return {single ? em.trunc(state[0], 32) : state[0], state[1], single ? Val() : state[2]};
}

} // namespace tegula::conversion
