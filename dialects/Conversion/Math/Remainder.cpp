//===- Remainder.cpp - the remainder of a division, exactly ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Long division of the mantissas, many quotient bits a step. Lane by lane: the
// integer division is scalar, and lanes need different numbers of steps.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

using namespace mlir;

namespace tegula::conversion {

static Val remainder(Val x, Val y) {
  Emitter &em = x.em();
  bool single = x.elementType().isF32();
  int mantissaBits = single ? 23 : 52;
  uint64_t implicit = uint64_t(1) << mantissaBits;
  // A remainder below 2^(mantissaBits+1) shifted by this stays below 2^63.
  int step = 62 - mantissaBits;

  // |v| = mantissa 2^exponent, with exponents from 0 for the smallest numbers.
  auto decompose = [&](Val v) -> std::pair<Val, Val> {
    Val bits = em.bits(abs(v));
    bits = single ? em.zext(bits, 64) : bits;
    Val field = bits >> mantissaBits;
    Val denormal = eq(field, 0);
    Val mantissa = bits & (implicit - 1);
    return {select(denormal, mantissa, mantissa | implicit),
            select(denormal, em.i64Constant(0), field - 1)};
  };
  auto [mx, ex] = decompose(x);
  auto [my, ey] = decompose(y);
  // Lanes without a finite non-zero divisor or dividend get a harmless one.
  Val ax = abs(x), ay = abs(y);
  Val proper = lt(ax, kInf) & lt(em.constant(0.0, x.get().getType()), ay) & lt(ay, kInf);
  Val divisor = select(proper, my, em.i64Constant(1));
  Val exponent = select(proper & gt(ex, ey), ex - ey, em.i64Constant(0));

  // Where x has the smaller exponent it is smaller, or of equal exponent at most.
  Val start = select(lt(ex, ey), mx, mx - (mx / divisor) * divisor);
  SmallVector<Val> state = em.whileAny(
      {start, exponent}, [](ArrayRef<Val> s) { return gt(s[1], 0); },
      [&](ArrayRef<Val> s) -> SmallVector<Val> {
        Val shift = select(lt(s[1], step), s[1], em.i64Constant(step));
        Val shifted = s[0] << shift;
        Val rest = shifted - (shifted / divisor) * divisor;
        return {rest, s[1] - shift};
      });

  // Normalise the rest at the smaller of the two exponents. Scaling by a power
  // of two from the integer value is exact: the result is representable.
  Val base = select(lt(ex, ey), ex, ey);
  Val rest = state[0];
  Val result;
  if (single) {
    // In f64 nothing is denormal: rest * 2^(base - 149).
    Val scale = em.asFloat((base + (1023 - 149)) << 52);
    result = em.toF32(smallToF64(rest) * scale);
  } else {
    // 2^(base - 1074) in two factors.
    Val half = base >> 1;
    Val first = em.asFloat((half + (1023 - 537)) << 52);
    Val second = em.asFloat((base - half + (1023 - 537)) << 52);
    Val value = em.asFloat((rest & 0xffffffffull) | 0x4330000000000000ull) - 0x1p52 +
                (em.asFloat((rest >> 32) | 0x4330000000000000ull) - 0x1p52) * 0x1p32;
    // Neither product before the last is denormal or infinite.
    result = value * second * first;
  }
  result = select(lt(ax, ay), ax, result);
  // A finite number over infinity is itself; the other improper lanes are NaN.
  Val keeps = lt(ax, kInf) & eq(ay, kInf);
  result = select(proper, copysign(result, x), select(keeps, x, kNan));
  return result;
}

Val expandRemainder(Val x, Val y) {
  return x.em().mapLanes({x, y}, {x.elementType()},
                         [](Emitter &, ArrayRef<Val> lane) -> SmallVector<Val> {
                           return {remainder(lane[0], lane[1])};
                         })[0];
}

} // namespace tegula::conversion
