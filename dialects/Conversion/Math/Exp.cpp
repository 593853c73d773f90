//===- Exp.cpp - exponentials ---------------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x = n ln2 + r with |r| <= ln2/2; a polynomial gives e^r, and 2^n is applied as
// two factors so that overflow and gradual underflow round once.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace tegula::conversion {

namespace {
/// What differs between the two widths.
struct Format {
  double magic;     ///< 1.5 * 2^mantissa bits: adding it rounds to an integer.
  int mantissa;     ///< Width of the mantissa field.
  uint64_t one;     ///< The bits of 1.0.
  uint64_t expMask; ///< Sign and exponent field.
};
} // namespace

static Format formatOf(Val x) {
  if (x.elementType().isF32()) {
    return {0x1.8p23, 23, 0x3f800000, 0xff800000};
  }
  return {0x1.8p52, 52, 0x3ff0000000000000, 0xfff0000000000000};
}

/// p * 2^n for n in the low bits of `shifted`; n may exceed the exponent range
/// twofold. The halves of n are formed in place, in the exponent field.
static Val scaleTwice(Val p, Val shifted) {
  Format format = formatOf(p);
  Val half = (shifted << (format.mantissa - 1)) & format.expMask;
  Val rest = (shifted << format.mantissa) - half;
  Emitter &em = p.em();
  return p * em.asFloat(half + format.one) * em.asFloat(rest + format.one);
}

/// p * 2^n for n within the exponents of normal numbers.
static Val scaleOnce(Val p, Val shifted) {
  Format format = formatOf(p);
  return p * p.em().asFloat((shifted << format.mantissa) + format.one);
}

constexpr double kExpF32[] = {0x1.fffffcp-2, 0x1.55548ap-3, 0x1.55584ep-5, 0x1.123edap-7,
                              0x1.6ac886p-10};
constexpr double kExpF64[] = {0x1.000000000000ap-1,  0x1.55555555554c7p-3,  0x1.55555555504ddp-5,
                              0x1.111111113578fp-7,  0x1.6c16c1851be0dp-10, 0x1.a01a00db5cbacp-13,
                              0x1.a0199732cd854p-16, 0x1.71dfd814f0307p-19, 0x1.28b0499e7f3d4p-22,
                              0x1.ac693f1d9fe71p-26};
constexpr double kExpM1F64[] = {0x1.0000000000001p-1,  0x1.5555555555557p-3,  0x1.5555555554b16p-5,
                                0x1.11111111102d3p-7,  0x1.6c16c16fde6e0p-10, 0x1.a01a01aacb172p-13,
                                0x1.a019ef76a267cp-16, 0x1.71de052e284b1p-19, 0x1.280af75c5f366p-22,
                                0x1.af48e88215974p-26, 0x1.cb20ded682573p-30};
constexpr double kExp2F32[] = {0x1.62e432p-1, 0x1.ebfbe6p-3,  0x1.c6ada8p-5,
                               0x1.3b21cap-7, 0x1.5fbc7ep-10, 0x1.4bdd32p-13};
constexpr double kExp2Rough[] = {
    0x1.62e42fef7a78fp-1,  0x1.ebfbdff7c5a8dp-3,  0x1.c6b08defc1f9ep-5,  0x1.3b2ab7f3b0c20p-7,
    0x1.5d87297654396p-10, 0x1.4306c11eb79b9p-13, 0x1.00ee068552ba9p-16, 0x1.66345aafdea7cp-20};

namespace {
/// x = n ln2 + r.
struct Split {
  Val shifted; ///< Bits whose low part is n.
  Val r;
};
} // namespace

static Split splitByLn2(Val x) {
  Emitter &em = x.em();
  bool single = x.elementType().isF32();
  Val t = em.mulAdd(x, 0x1.71547652b82fep+0, formatOf(x).magic);
  Val n = t - formatOf(x).magic;
  // The high part of ln2 has few enough bits that n * high is exact.
  Val r = em.mulAdd(n, single ? -0x1.62e4p-1 : -0x1.62e42fefa38p-1, x);
  r = em.mulAdd(n, single ? -0x1.7f7d1cp-20 : -0x1.ef35793c76730p-45, r);
  return {em.bits(t), r};
}

static Val expKernelF32(Val r) {
  Emitter &em = r.em();
  return em.mulAdd(r * r, em.polynomial(r, kExpF32), r) + 1.0;
}

/// With the instruction for 2^t: t is x log2(e), rounded; what rounding took from it comes
/// back as 1 + q, q = x - t ln 2, in one multiplication and addition. The factor is so much
/// too small that t never rounds to above x log2(e) for positive x: q is positive where the
/// power is infinite, so that infinity stays. Where q is NaN, as x or t is infinite, the
/// bound replaces it; a NaN stays for its power.
static Val expByExp2(Val x, bool isNormal) {
  Emitter &em = x.em();
  constexpr double kLog2E = 0x1.715474p0, kLn2 = 0x1.62e430p-1, kLn2Low = -0x1.05c610p-29;
  Val t = x * kLog2E;
  Val q = em.mulAdd(t, -kLn2Low, em.mulAdd(t, -kLn2, x));
  Val most = em.constant(0.5, x.get().getType());
  q = em.make<mlir::arith::MinNumFOp>(q.get(), most.get());
  Val power = em.make<mlir::math::Exp2Op>(t.get());
  if (isNormal) {
    power.get().getDefiningOp()->setAttr("tegula.normal", em.builder.getUnitAttr());
  }
  return em.mulAdd(power, q, power);
}

Val expNormalByExp2(Val x) { return expByExp2(x, /*isNormal=*/true); }

Val expandExp(Val x) {
  if (x.elementType().isF64()) {
    return expScaledF64(x, Val(), 0);
  }
  if (x.em().options.hasExp2) {
    return expByExp2(x, /*isNormal=*/false);
  }
  Split split = splitByLn2(atLeast(atMost(x, 89.0), -104.5));
  return scaleTwice(expKernelF32(split.r), split.shifted);
}

Val expNormalF32(Val x) {
  Split split = splitByLn2(x);
  return scaleOnce(expKernelF32(split.r), split.shifted);
}

Val exp2NormalF32(Val x) {
  Emitter &em = x.em();
  Val t = x + 0x1.8p23;
  Val f = x - (t - 0x1.8p23);
  return scaleOnce(em.mulAdd(f, em.polynomial(f, kExp2F32), 1.0), em.bits(t));
}

Val expScaledF64(Val x, Val xlo, int exponent) {
  Emitter &em = x.em();
  Split split = splitByLn2(atLeast(atMost(x, 711.0), -746.5));
  Val r = xlo.get() ? split.r + xlo : split.r;
  Val p = em.mulAdd(r * r, em.polynomial(r, kExpF64), r) + 1.0;
  Val shifted = exponent ? split.shifted + static_cast<int64_t>(exponent) : split.shifted;
  return scaleTwice(p, shifted);
}

Val expandExp2(Val x) {
  Emitter &em = x.em();
  bool single = x.elementType().isF32();
  Val bounded = single ? atLeast(atMost(x, 129.0), -151.0) : atLeast(atMost(x, 1025.0), -1076.0);
  Val t = bounded + formatOf(x).magic;
  Val f = bounded - (t - formatOf(x).magic);
  if (single) {
    return scaleTwice(em.mulAdd(f, em.polynomial(f, kExp2F32), 1.0), em.bits(t));
  }
  Val r = f * 0x1.62e42fefa39efp-1;
  r = em.mulAdd(f, 0x1.abc9e3b39803fp-56, r);
  Val p = em.mulAdd(r * r, em.polynomial(r, kExpF64), r) + 1.0;
  return scaleTwice(p, em.bits(t));
}

Val exp2Rough(Val x) {
  Emitter &em = x.em();
  Val t = x + 0x1.8p52;
  Val f = x - (t - 0x1.8p52);
  return scaleOnce(em.mulAdd(f, em.polynomial(f, kExp2Rough), 1.0), em.bits(t));
}

static Val expM1F64(Val x) {
  Emitter &em = x.em();
  Split split = splitByLn2(atLeast(atMost(x, 710.0), -40.0));
  Val r = split.r;
  Val p = em.mulAdd(r * r, em.polynomial(r, kExpM1F64), r);
  // Half of 2^n, since 2^1024 is no number.
  Val scale = em.asFloat((split.shifted << 52) + 0x3fe0000000000000ull);
  Val result = em.mulAdd(scale, p, scale - 0.5) * 2.0;
  // Halving would cost tiny arguments their last bit, and -0 its sign.
  return select(lt(abs(x), 0x1p-54), x, result);
}

Val expandExpM1(Val x) { return throughF64(x, expM1F64); }

} // namespace tegula::conversion
