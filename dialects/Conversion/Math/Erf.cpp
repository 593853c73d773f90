//===- Erf.cpp - the error function ---------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

namespace tegula::conversion {

constexpr double kErfF32[] = {0x1.06eba8p-3, -0x1.81273ep-2,  0x1.ce2ce6p-4, -0x1.b7f71ap-6,
                              0x1.53f224p-8, -0x1.a3515ep-11, 0x1.477202p-14};
constexpr double kLog2ErfcF32[] = {0x1.1c74dep-12, -0x1.a12fe6p+0, -0x1.d3bbf6p-1, -0x1.405656p-3,
                                   0x1.29ec78p-5,  -0x1.8d87cep-8, 0x1.4dd0dep-11, -0x1.0674a6p-15};
constexpr double kErfF64[] = {
    0x1.06eba8214db69p-3,  -0x1.812746b037a25p-2,  0x1.ce2f21a0458d8p-4,  -0x1.b82ce31354cf2p-6,
    0x1.565bcd2c631bap-8,  -0x1.c02db9332610ap-11, 0x1.f9a3b95582c11p-14, -0x1.f4dcf1a705b09p-17,
    0x1.ba691ae345ba3p-20, -0x1.6391143fe54bbp-23, 0x1.1322eaca05728p-26, -0x1.c4cc13e2be228p-30,
    0x1.3bbf06d589243p-33};
/// erfc(a) e^(a^2) (1 + 2a) by u = (a-2)/(a+2), for a in [0.5, 28].
constexpr double kErfcF64[] = {
    0x1.46e80e2277953p+0,   -0x1.7bf5ec170048fp-4,  -0x1.5407bebf31ef8p-3,  0x1.4ffa1e14db016p-3,
    -0x1.bc2b9561ecc84p-5,  -0x1.074233f01ae49p-7,  0x1.1dd2ecad04dcap-7,   0x1.4d46104ac748ep-10,
    -0x1.7de5281611221p-10, -0x1.dc66f6b429a57p-12, 0x1.b0c863932a5efp-13,  0x1.3ca352a38c1ddp-13,
    -0x1.8e39a1eadd177p-20, -0x1.2fbb5a36cfa19p-15, -0x1.caf675605d610p-17, 0x1.af29168ba5d90p-19,
    0x1.87c5123a34cc3p-18,  0x1.187b5ba761fb1p-19,  -0x1.d2a7e1ead03cbp-20, -0x1.117b52eb8c370p-20,
    0x1.1f7464cda6d2bp-21};

/// erf for |x| <= 1.
static Val erfSmall(Val x) {
  Emitter &em = x.em();
  bool single = x.elementType().isF32();
  Val p = em.polynomial(x * x, single ? llvm::ArrayRef<double>(kErfF32) : kErfF64);
  return em.mulAdd(x, p, x);
}

/// erfc for a >= 0.5 in f64.
static Val erfcLarge(Val a) {
  Emitter &em = a.em();
  a = atMost(a, 28.0);
  Val p = em.polynomial((a - 2.0) / (a + 2.0), kErfcF64);
  // The rounding error of a^2 matters: it is up to 745 times as large in e^.
  Pair square = twoProduct(a, a);
  return expScaledF64(-square.hi, -square.lo, 0) * (p / em.mulAdd(a, 2.0, 1.0));
}

Val expandErf(Val x) {
  Emitter &em = x.em();
  Val a = abs(x);
  Val large;
  if (x.elementType().isF32()) {
    Val exponent = em.polynomial(atMost(a, 4.0), kLog2ErfcF32);
    large = 1.0 - exp2NormalF32(exponent);
  } else {
    large = 1.0 - erfcLarge(atMost(a, 7.0));
  }
  return select(lt(a, 1.0), erfSmall(x), copysign(large, x));
}

static Val erfcF64(Val x) {
  Val a = abs(x);
  Val tail = erfcLarge(a);
  Val large = select(lt(x, 0.0), 2.0 - tail, tail);
  return select(lt(a, 0.5), 1.0 - erfSmall(x), large);
}
Val expandErfc(Val x) { return throughF64(x, erfcF64); }

} // namespace tegula::conversion
