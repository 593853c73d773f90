//===- Fma.cpp - fused multiply-add without the instruction ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Correctly rounded, by error-free transformations and rounding to odd: a value
// rounded to odd keeps enough to be rounded again to fewer bits.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

namespace tegula::conversion {

/// a + b rounded to odd.
static Val oddSum(Val a, Val b) {
  Emitter &em = a.em();
  Pair sum = twoSum(a, b);
  Val bits = em.bits(sum.hi);
  // With a remainder, an even result moves one step towards it.
  Val sameSign = ge(bits ^ em.bits(sum.lo), 0);
  Val moved = select(sameSign, bits + 1, bits - 1);
  Val inexact =
      em.compare(mlir::arith::CmpFPredicate::ONE, sum.lo, em.constant(0.0, sum.lo.get().getType()));
  return em.asFloat(select(inexact & eq(bits & 1, 0), moved, bits));
}

namespace {
/// v = mantissa 2^exponent with the mantissa in [1, 2) and v's sign.
struct Scaled {
  Val mantissa, exponent;
};
} // namespace

static Scaled normalise(Val v) {
  Emitter &em = v.em();
  Val tiny = lt(abs(v), 0x1p-1022);
  Val bits = em.bits(select(tiny, v * 0x1p54, v));
  Val field = (bits >> 52) & 0x7ff;
  Val mantissa = em.asFloat((bits & 0x800fffffffffffffull) | 0x3ff0000000000000ull);
  return {mantissa, field - select(tiny, em.i64Constant(1023 + 54), em.i64Constant(1023))};
}

static Val powerOfTwo(Val exponent) { return exponent.em().asFloat((exponent + 1023) << 52); }

static Val fmaF64(Val a, Val b, Val c) {
  Emitter &em = a.em();
  Scaled sa = normalise(a), sb = normalise(b), sc = normalise(c);
  // Everything relative to the product's exponent. An addend that is far larger
  // or smaller is brought nearer: it then still decides alone, or only the
  // direction of rounding.
  Val scale = sa.exponent + sb.exponent;
  Val distance = sc.exponent - scale;
  Val far = gt(distance, 160);
  scale = select(far, sc.exponent - 160, scale);
  distance = select(far, 160, distance);
  distance = select(lt(distance, -200), -200, distance);
  // Below this all results vanish.
  scale = select(lt(scale, -1400), -1400, scale);

  Pair product = twoProduct(sa.mantissa, sb.mantissa);
  Pair t = twoSum(sc.mantissa * powerOfTwo(distance), product.lo);
  Pair v = twoSum(product.hi, t.hi);
  Val rest = oddSum(t.lo, v.lo);
  // A denormal result is rounded at its own last place by adding a number that
  // has this last place.
  Val sum = v.hi + rest;
  Val exponent = ((em.bits(sum) >> 52) & 0x7ff) - 1023;
  Val denormal = le(exponent + scale, -1023);
  Val grid = select(denormal, copysign(powerOfTwo(-1022 - scale), sum), 0.0);
  Pair w = twoSum(grid, v.hi);
  Val result = (w.hi + oddSum(w.lo, rest)) - grid;
  Val half = sra(scale, 1);
  result = result * powerOfTwo(half) * powerOfTwo(scale - half);
  // A sum that vanishes in rounding keeps its sign.
  result = select(eq(sum, 0.0), result, copysign(result, sum));

  // A product that underflows keeps its sign beside a zero.
  Val plain = select(eq(c, 0.0) & ne(a, 0.0) & ne(b, 0.0), a * b, a * b + c);
  // Nor does one that overflows meet an infinite addend.
  plain = select(eq(abs(c), kInf) & lt(abs(a), kInf) & lt(abs(b), kInf), c, plain);
  auto ordinary = [](Val x) { return gt(abs(x), 0.0) & lt(abs(x), kInf); };
  return select(ordinary(a) & ordinary(b) & ordinary(c), result, plain);
}

Val narrowFmaToOdd(Val a, Val b, Val c) {
  Emitter &em = a.em();
  return oddSum(em.toF64(a) * em.toF64(b), em.toF64(c));
}

Val expandFma(Val a, Val b, Val c) {
  Emitter &em = a.em();
  if (a.elementType().isF64()) {
    // Two lanes to a register gain less than their code costs.
    return em.mapLanes({a, b, c}, {em.builder.getF64Type()},
                       [](Emitter &, llvm::ArrayRef<Val> lane) -> llvm::SmallVector<Val> {
                         return {fmaF64(lane[0], lane[1], lane[2])};
                       })[0];
  }
  // The product of two f32 is exact in f64.
  return em.toF32(narrowFmaToOdd(a, b, c));
}

} // namespace tegula::conversion
