//===- Pow.cpp - powers and roots -----------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x^y = 2^(y log2 x): in f64 for f32, with a logarithm of two f64 for f64.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

namespace tegula::conversion {

/// x^y with y in f64; `integral` and `odd` say what y is where x is negative.
static Val power(Val x, Val y, Val integral, Val odd) {
  Emitter &em = x.em();
  bool single = x.elementType().isF32();
  Val a = abs(em.toF64(x));
  auto withEnds = [&](Val logarithm) {
    logarithm = select(lt(a, kInf), logarithm, a);
    return select(eq(a, 0.0), -kInf, logarithm);
  };
  Val result;
  if (single) {
    Val exponent = y * withEnds(log2Rough(a));
    result = em.toF32(exp2Rough(atLeast(atMost(exponent, 140.0), -160.0)));
  } else {
    Pair log = logPair(a);
    // No exponent beyond this gives a finite power other than 0 and 1, and
    // splitting a larger one into halves would overflow.
    Val bounded = atLeast(atMost(y, 0x1p70), -0x1p70);
    Pair exponent = twoProduct(bounded, withEnds(log.hi));
    Val low = em.mulAdd(bounded, log.lo, exponent.lo);
    low = select(lt(abs(exponent.hi), 1000.0), low, 0.0);
    result = expScaledF64(exponent.hi, low, 0);
  }
  // C99 Annex F.9.4.4, later lines win.
  Val ay = abs(y);
  result = select(eq(a, 1.0) & eq(ay, kInf), 1.0, result);
  Val invalid = lt(x, 0.0) & gt(x, -kInf) & (integral ^ 1);
  result = select(invalid, kNan, result);
  Val negative = lt(em.bits(x), 0) & odd;
  result = select(negative, -result, result);
  result = select(eq(x, 1.0), 1.0, result);
  return select(eq(y, 0.0), 1.0, result);
}

Val expandPow(Val x, Val y) {
  Emitter &em = x.em();
  if (x.elementType().isF64() && !em.options.hasFma && em.vectorType) {
    // Without the instruction exact products are long, and two lanes to a
    // register gain less than the code costs.
    return em.mapLanes({x, y}, {em.builder.getF64Type()},
                       [](Emitter &, llvm::ArrayRef<Val> lane) -> llvm::SmallVector<Val> {
                         return {expandPow(lane[0], lane[1])};
                       })[0];
  }
  Val integral = eq(expandTrunc(y), y);
  Val half = y * 0.5;
  Val odd = integral & ne(expandTrunc(half), half);
  return power(x, em.toF64(y), integral, odd);
}

Val expandFPowI(Val x, Val n) {
  Emitter &em = x.em();
  Val odd = ne(n & 1, 0);
  Val integral = em.constant(1, odd.get().getType(), nullptr);
  return power(x, em.intToFloat(n, em.f64()), integral, odd);
}

Val expandIPowI(Val x, Val n) {
  Emitter &em = x.em();
  mlir::Type type = x.get().getType();
  Val one = em.literal(1, type), zero = em.literal(0, type);
  Val negative = lt(n, 0);
  llvm::SmallVector<Val> state = em.whileAny(
      {one, x, select(negative, zero, n)}, [](llvm::ArrayRef<Val> s) { return ne(s[2], 0); },
      [](llvm::ArrayRef<Val> s) -> llvm::SmallVector<Val> {
        return {select(ne(s[2] & 1, 0), s[0] * s[1], s[0]), s[1] * s[1], s[2] >> 1};
      });
  // 1/x^-n rounds to zero but for the units.
  Val minusOne = select(ne(n & 1, 0), x, one);
  Val inverse = select(eq(x, 1), one, select(eq(x, -1), minusOne, zero));
  return select(negative, inverse, state[0]);
}

static Val cbrtF64(Val x) {
  Emitter &em = x.em();
  Val a = abs(x);
  Val tiny = lt(a, 0x1p-1022);
  Val bits = em.bits(select(tiny, a * 0x1p54, a));
  // Exponent field = 3 third + rest; the cube root's is third and a factor.
  Val field = bits >> 52;
  Val third = (field * 43691) >> 17;
  Val rest = field - third * 3;
  Val m = em.asFloat((bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull);
  Val t = em.polynomial(
      m, {0x1.1b0bae229e71ap-1, 0x1.2c9a397b3ca7ep-1, -0x1.4dc2fcc9b17fbp-3, 0x1.7a8d247a6091fp-6});
  Val one = em.f64Constant(1.0);
  Val scaled = m * select(eq(rest, 0), one, select(eq(rest, 1), em.f64Constant(2.0), 4.0));
  t = t * select(eq(rest, 0), one,
                 select(eq(rest, 1), em.f64Constant(0x1.428a2f98d728bp+0), 0x1.965fea53d6e3dp+0));
  // A step of Newton gives 26 bits; then a step of Halley from 23 bits, whose
  // square is exact.
  t = t - (t - scaled / (t * t)) * 0x1.5555555555555p-2;
  t = em.asFloat((em.bits(t) + 0x20000000ull) & 0xffffffffc0000000ull);
  Val q = scaled / (t * t);
  t = em.mulAdd(t, (q - t) / (t * 2.0 + q), t);
  // field = 1023 + e, 1023 = 3 * 341.
  Val scale = em.asFloat((third + (1023 - 341)) << 52);
  Val result = t * scale;
  result = select(tiny, result * 0x1p-18, result);
  result = copysign(result, x);
  return select(lt(a, kInf) & gt(a, 0.0), result, x);
}
Val expandCbrt(Val x) { return throughF64(x, cbrtF64); }

// Two roundings of half a unit: within 1.5 ulp.
Val expandRsqrt(Val x) { return 1.0 / sqrt(x); }

} // namespace tegula::conversion
