//===- InverseTrig.cpp - inverse trigonometric functions ------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All in f64; f32 goes by it.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

namespace tegula::conversion {

constexpr double kAtan[] = {-0x1.555555555553dp-2, 0x1.9999999995864p-3,  -0x1.24924922ac83cp-3,
                            0x1.c71c70e572d3bp-4,  -0x1.745cf8c3e2927p-4, 0x1.3b1116fe82961p-4,
                            -0x1.10eb9c35ce5ecp-4, 0x1.df0d80184445ep-5,  -0x1.9cc9defffa151p-5,
                            0x1.37bd54f588c3cp-5,  -0x1.2531940155c51p-6};
constexpr double kAsin[] = {0x1.5555555555577p-3, 0x1.333333332e10bp-4, 0x1.6db6db7215405p-5,
                            0x1.f1c71a9398342p-6, 0x1.6e8bdf0cc3456p-6, 0x1.1c49ecde8669cp-6,
                            0x1.ca1fe8dc99d9cp-7, 0x1.758265e5ccb6ep-7, 0x1.614f411d37d53p-7,
                            0x1.e4cb736baddb7p-9, 0x1.63fb80103c192p-6, -0x1.5889e10fe64e4p-6,
                            0x1.0b7463935b5fep-5};
constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54;

static Val atanF64(Val x) {
  Emitter &em = x.em();
  Val a = abs(x);
  Val middle = ge(a, 0x1.a827999fcef32p-2); // tan(pi/8)
  Val large = ge(a, 0x1.3504f333f9de6p+1);  // tan(3pi/8)
  Val one = em.f64Constant(1.0);
  Val above = select(large, -one, select(middle, a - 1.0, a));
  Val below = select(large, a, select(middle, a + 1.0, one));
  Val t = above / below;
  Val z = t * t;
  Val zero = em.f64Constant(0.0);
  Val base =
      select(large, em.f64Constant(kHalfPi), select(middle, em.f64Constant(kHalfPi / 2), zero));
  Val low = select(large, em.f64Constant(kHalfPiLow),
                   select(middle, em.f64Constant(kHalfPiLow / 2), zero));
  Val tail = em.mulAdd(t * z, em.polynomial(z, kAtan), low);
  return copysign(base + (t + tail), x);
}
Val expandAtan(Val x) { return throughF64(x, atanF64); }

static Val atan2F64(Val y, Val x) {
  Emitter &em = x.em();
  Val ax = abs(x), ay = abs(y);
  Val swap = gt(ay, ax);
  Val above = select(swap, ax, ay), below = select(swap, ay, ax);
  Val t = above / below;
  // 0/0 and inf/inf have their angles by convention.
  t = select(eq(below, 0.0), 0.0, t);
  t = select(eq(above, kInf), 1.0, t);
  Val angle = atanF64(t);
  angle = select(swap, kHalfPi - (angle - kHalfPiLow), angle);
  Val negative = lt(em.bits(x), 0);
  angle = select(negative, 2 * kHalfPi - (angle - 2 * kHalfPiLow), angle);
  angle = select(isNan(x), x, angle);
  return copysign(select(isNan(y), y, angle), y);
}
Val expandAtan2(Val y, Val x) {
  Val angle = atan2F64(x.em().toF64(y), x.em().toF64(x));
  return x.elementType().isF64() ? angle : x.em().toF32(angle);
}

namespace {
struct AsinParts {
  Val a;     ///< |x|
  Val small; ///< |x| < 1/2
  Val s;     ///< |x|, or sqrt((1-|x|)/2)
  Val tail;  ///< asin(s) - s
};
} // namespace

static AsinParts asinParts(Val x) {
  Emitter &em = x.em();
  Val a = abs(x);
  Val small = lt(a, 0.5);
  Val z = select(small, a * a, (1.0 - a) * 0.5);
  Val s = select(small, a, sqrt(z));
  return {a, small, s, s * z * em.polynomial(z, kAsin)};
}

static Val asinF64(Val x) {
  auto [a, small, s, tail] = asinParts(x);
  Val large = kHalfPi - ((s + tail) * 2.0 - kHalfPiLow);
  return copysign(select(small, s + tail, large), x);
}
Val expandAsin(Val x) { return throughF64(x, asinF64); }

static Val acosF64(Val x) {
  auto [a, small, s, tail] = asinParts(x);
  Val negative = lt(x, 0.0);
  Val value = s + tail;
  Val signedTail = select(negative, -tail, tail);
  Val inner = kHalfPi - (x - (kHalfPiLow - signedTail));
  Val twice = value * 2.0;
  Val outer = select(negative, 2 * kHalfPi - (twice - 2 * kHalfPiLow), twice);
  return select(small, inner, outer);
}
Val expandAcos(Val x) { return throughF64(x, acosF64); }

} // namespace tegula::conversion
