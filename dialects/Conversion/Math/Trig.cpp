//===- Trig.cpp - sine, cosine and tangent --------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Polynomials on [-pi/4, pi/4]; the quadrant picks the function and its sign.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

namespace tegula::conversion {

constexpr double kSinF32[] = {-0x1.555546p-3, 0x1.110778p-7, -0x1.9953f2p-13};
constexpr double kCosF32[] = {0x1.55554ap-5, -0x1.6c0c28p-10, 0x1.99e7eep-16};
constexpr double kSinF64[] = {-0x1.5555555555548p-3, 0x1.111111110f730p-7,   -0x1.a01a019be9197p-13,
                              0x1.71de355519025p-19, -0x1.ae5e4b6b51251p-26, 0x1.5d8b4b6e2586dp-33};
constexpr double kCosF64[] = {0x1.555555555554bp-5,  -0x1.6c16c16c15011p-10,
                              0x1.a01a019c8e71cp-16, -0x1.27e4f7f0e0afbp-22,
                              0x1.1ee9db3c39b32p-29, -0x1.8fa62cb1a92bap-37};

namespace {
struct SinCos {
  Val sin, cos;
};
} // namespace

static SinCos kernelF32(Val r) {
  Emitter &em = r.em();
  Val z = r * r;
  Val sin = em.mulAdd(r * z, em.polynomial(z, kSinF32), r);
  Val cos = em.mulAdd(z * z, em.polynomial(z, kCosF32), em.mulAdd(z, -0.5, 1.0));
  // The sum gives +0 for -0.
  return {copysign(sin, r), cos};
}

/// `rlo`, the rest of the argument, may be unset.
static SinCos kernelF64(Val r, Val rlo) {
  Emitter &em = r.em();
  Val z = r * r;
  Val sinTail = r * z * em.polynomial(z, kSinF64);
  Val half = z * 0.5;
  Val head = 1.0 - half;
  Val cosTail = z * z * em.polynomial(z, kCosF64);
  if (rlo.get()) {
    sinTail = em.mulAdd(rlo, head, sinTail);
    cosTail = cosTail - r * rlo;
  }
  return {copysign(r + sinTail, r), head + (((1.0 - head) - half) + cosTail)};
}

/// Flips the sign of `value` where bit 1 of `quadrant` is set.
static Val signByQuadrant(Val value, Val quadrant) {
  Emitter &em = value.em();
  int shift = quadrant.elementType().isInteger(32) ? 30 : 62;
  return em.asFloat(em.bits(value) ^ ((quadrant & 2) << shift));
}

std::pair<Val, Val> expandSinCos(Val x) {
  Emitter &em = x.em();
  Reduced reduced = reduceByHalfPi(x);
  SinCos both =
      x.elementType().isF32() ? kernelF32(em.toF32(reduced.r)) : kernelF64(reduced.r, reduced.rlo);
  Val even = eq(reduced.quadrant & 1, 0);
  return {signByQuadrant(select(even, both.sin, both.cos), reduced.quadrant),
          signByQuadrant(select(even, both.cos, both.sin), reduced.quadrant + 1)};
}

// Code generation drops the half that is not used.
Val expandSin(Val x) { return expandSinCos(x).first; }
Val expandCos(Val x) { return expandSinCos(x).second; }

Val expandTan(Val x) {
  Emitter &em = x.em();
  Reduced reduced = reduceByHalfPi(x);
  SinCos both = kernelF64(reduced.r, reduced.rlo);
  Val odd = ne(reduced.quadrant & 1, 0);
  Val above = select(odd, -both.cos, both.sin);
  Val tangent = above / select(odd, both.sin, both.cos);
  return x.elementType().isF64() ? tangent : em.toF32(tangent);
}

} // namespace tegula::conversion
