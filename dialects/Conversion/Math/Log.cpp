//===- Log.cpp - logarithms -----------------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x = 2^e m with m between sqrt(1/2) and sqrt(2).
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

namespace tegula::conversion {

constexpr double kLogF32[] = {0x1.555554p-2, -0x1.000228p-2, 0x1.99a034p-3, -0x1.547234p-3,
                              0x1.22d684p-3, -0x1.0d81f6p-3, 0x1.057166p-3, -0x1.38fc56p-4};
constexpr double kLogF64[] = {0x1.5555555555592p-1, 0x1.999999997ff07p-2, 0x1.24924941e39adp-2,
                              0x1.c71c5211b66f3p-3, 0x1.74663d8eb6db0p-3, 0x1.39a1d73219912p-3,
                              0x1.2f04714b7ee67p-3};
constexpr double kLogPair[] = {0x1.9999999999996p-2, 0x1.2492492492f51p-2, 0x1.c71c71c5968bep-3,
                               0x1.745d18295a4e4p-3, 0x1.3b1364c7c7828p-3, 0x1.11206f78c71a8p-3,
                               0x1.de3d62737ab22p-4, 0x1.eac6443a7528ap-4};
constexpr double kLog2Rough[] = {0x1.71547652b82ffp+1, 0x1.ec709dc39ccebp-1, 0x1.2776c51677ce0p-1,
                                 0x1.a61756a2b0cd1p-2, 0x1.484fa2c4d950fp-2, 0x1.0bb8b587b95f4p-2,
                                 0x1.f17109d2ee180p-3};

namespace {
struct Parts {
  Val e; ///< The exponent as a float of the argument's type.
  Val f; ///< m - 1, exact.
};
enum class Base { E, Two, Ten };
} // namespace

static Parts splitNormalF64(Val x, Val bias) {
  Emitter &em = x.em();
  Val ix = em.bits(x) - 0x3fe6a09e667f3bcdull;
  Val m = em.asFloat((ix & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull);
  // Arithmetic shifts of 64-bit lanes are no instruction before AVX-512; with
  // an offset, a logical one does.
  Val e = em.asFloat(((ix + (2048ull << 52)) >> 52) | 0x4330000000000000ull);
  return {e - bias, m - 1.0};
}

static Parts split(Val x) {
  Emitter &em = x.em();
  if (x.elementType().isF32()) {
    Val tiny = lt(x, 0x1p-126);
    Val ix = em.bits(select(tiny, x * 0x1p23, x)) - 0x3f3504f3;
    Val m = em.asFloat((ix & 0x007fffff) + 0x3f3504f3);
    Val e = em.intToFloat(sra(ix, 23), em.f32());
    return {select(tiny, e - 23.0, e), m - 1.0};
  }
  Val tiny = lt(x, 0x1p-1022);
  Val bias = select(tiny, em.f64Constant(0x1p52 + 2048.0 + 54.0), em.f64Constant(0x1p52 + 2048.0));
  return splitNormalF64(select(tiny, x * 0x1p54, x), bias);
}

/// Puts the values at 0, below 0, at infinity and NaN in place.
static Val withSpecialCases(Val x, Val result) {
  result = select(lt(x, kInf), result, x);
  result = select(lt(x, 0.0), kNan, result);
  return select(eq(x, 0.0), -kInf, result);
}

static Val logF32(Val x, Base base) {
  Emitter &em = x.em();
  auto [e, f] = split(x);
  Val z = f * f;
  Val tail = f * z;
  Val q = em.polynomial(f, kLogF32);
  if (base == Base::E) {
    Val low = em.mulAdd(tail, q, e * 0x1.7f7d1cp-20);
    low = em.mulAdd(z, -0.5, low);
    return withSpecialCases(x, em.mulAdd(e, 0x1.62e4p-1, f + low));
  }
  // log(m) as a head of 12 bits, whose product with the head of the factor is
  // exact, and a rest.
  Val half = z * 0.5;
  Val head = em.asFloat(em.bits(f - half) & 0xfffff000);
  Val rest = em.mulAdd(tail, q, (f - head) - half);
  bool two = base == Base::Two;
  double factorHead = two ? 0x1.714p+0 : 0x1.bcap-2;
  double factorRest = two ? 0x1.47652cp-12 : 0x1.7b1526p-14;
  Val sum = em.mulAdd(rest, factorHead, (rest + head) * factorRest);
  if (two) {
    return withSpecialCases(x, em.mulAdd(head, factorHead, sum) + e);
  }
  sum = em.mulAdd(e, 0x1.3509f8p-18, sum);
  return withSpecialCases(x, em.mulAdd(e, 0x1.344p-2, em.mulAdd(head, factorHead, sum)));
}

static Val logF64(Val x, Base base) {
  Emitter &em = x.em();
  auto [e, f] = split(x);
  Val s = f / (f + 2.0);
  Val z = s * s;
  Val half = f * f * 0.5;
  // log(1+f) = f - (half - s (half + series)): the series of 2 atanh(s) with
  // its leading terms replaced by exact ones.
  Val series = s * (half + z * em.polynomial(z, kLogF64));
  if (base == Base::E) {
    Val low = em.mulAdd(e, 0x1.ef35793c76730p-45, series);
    return withSpecialCases(x, em.mulAdd(e, 0x1.62e42fefa38p-1, f - (half - low)));
  }
  Val head = em.asFloat(em.bits(f - half) & 0xffffffff00000000ull);
  Val rest = ((f - head) - half) + series;
  bool two = base == Base::Two;
  double factorHead = two ? 0x1.71547p+0 : 0x1.bcb7bp-2;
  double factorRest = two ? 0x1.94ae0bf85ddf4p-22 : 0x1.526e50e32a6abp-26;
  Val low = (rest + head) * factorRest + rest * factorHead;
  Val scaled = head * factorHead;
  Val exponent = two ? e : e * 0x1.34413509f7p-2;
  if (!two) {
    low = em.mulAdd(e, 0x1.3fde623e2566bp-43, low);
  }
  // |exponent| >= |scaled| unless it is zero.
  Pair sum = fastTwoSum(exponent, scaled);
  return withSpecialCases(x, sum.hi + (sum.lo + low));
}

static Val expandLog(Val x, Base base) {
  return x.elementType().isF32() ? logF32(x, base) : logF64(x, base);
}

Val expandLog(Val x) { return expandLog(x, Base::E); }
Val expandLog2(Val x) { return expandLog(x, Base::Two); }
Val expandLog10(Val x) { return expandLog(x, Base::Ten); }

static Val log1pF64(Val x) {
  Val u = x + 1.0;
  // What the addition lost, as a first-order correction.
  Val lost = select(lt(abs(x), 1.0), x - (u - 1.0), 1.0 - (u - x));
  Val result = expandLog(u) + lost / u;
  result = select(gt(abs(x), 0x1p-54), result, x);
  result = select(lt(x, kInf), result, x);
  return select(le(x, -1.0), select(eq(x, -1.0), -kInf, x.em().f64Constant(kNan)), result);
}

Val expandLog1p(Val x) { return throughF64(x, log1pF64); }

Val log2Rough(Val x) {
  Emitter &em = x.em();
  auto [e, f] = splitNormalF64(x, em.f64Constant(0x1p52 + 2048.0));
  Val s = f / (f + 2.0);
  return em.mulAdd(s, em.polynomial(s * s, kLog2Rough), e);
}

Pair logPair(Val x) {
  Emitter &em = x.em();
  auto [e, f] = split(x);
  // s = f / (2+f) as a pair; f/2+1 rounds, so its error is carried along.
  Pair below = fastTwoSum(em.f64Constant(2.0), f);
  Val s = f / below.hi;
  Pair product = twoProduct(s, below.hi);
  Val slo = ((f - product.hi) - product.lo - s * below.lo) / below.hi;
  // z = s^2, c = 2/3 + z T(z), log(m) = 2s + s (z c).
  Pair z = twoProduct(s, s);
  z.lo = em.mulAdd(s * 2.0, slo, z.lo);
  Val tail = z.hi * em.polynomial(z.hi, kLogPair);
  Pair c = fastTwoSum(em.f64Constant(0x1.5555555555555p-1), tail + 0x1.5555555555555p-55);
  Pair zc = twoProduct(z.hi, c.hi);
  zc.lo = zc.lo + (z.hi * c.lo + z.lo * c.hi);
  Pair cubic = twoProduct(s, zc.hi);
  cubic.lo = cubic.lo + (s * zc.lo + slo * zc.hi);
  Pair logM = fastTwoSum(s * 2.0, cubic.hi);
  logM.lo = logM.lo + (cubic.lo + slo * 2.0);
  // e ln2 in three parts, the first two exact.
  Pair sum = fastTwoSum(e * 0x1.62e42fefa38p-1, logM.hi);
  Pair next = twoSum(sum.lo, e * 0x1.ef35793c76p-45);
  Val low = next.lo + (logM.lo + e * 0x1.cc01f97b57a08p-87);
  Pair result = fastTwoSum(sum.hi, next.hi);
  return fastTwoSum(result.hi, result.lo + low);
}

} // namespace tegula::conversion
