//===- Hyperbolic.cpp - hyperbolic functions and their inverses -----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tanh has its own f32 text, since activations use it; the rest goes by f64.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

namespace tegula::conversion {

constexpr double kTanhF32[] = {-0x1.555532p-2, 0x1.1106f6p-3, -0x1.b835a0p-5, 0x1.51f88ep-6,
                               -0x1.750af2p-8};

Val expandTanh(Val x) {
  Emitter &em = x.em();
  Val a = abs(x);
  if (x.elementType().isF64()) {
    Val em1 = expandExpM1(atMost(a, 22.0) * 2.0);
    return copysign(em1 / (em1 + 2.0), x);
  }
  // Near zero an odd polynomial; beyond, where the result is above a half,
  // 1 - 2 / (e^2x + 1).
  Val z = x * x;
  Val small = em.mulAdd(x * z, em.polynomial(z, kTanhF32), x);
  Val large = 1.0 - 2.0 / (expNormalF32(atMost(a, 10.0) * 2.0) + 1.0);
  // The sign last: the polynomial gives +0 for -0.
  return copysign(select(lt(a, 0.625), small, large), x);
}

static Val sinhF64(Val x) {
  Val a = abs(x);
  Val half = expScaledF64(a, Val(), -1);
  Val em1 = expandExpM1(atMost(a, 1.0));
  Val small = (em1 + em1 / (em1 + 1.0)) * 0.5;
  return copysign(select(lt(a, 1.0), small, half - 0.25 / half), x);
}
Val expandSinh(Val x) {
  Val result = throughF64(x, sinhF64);
  return select(lt(abs(x), 0x1p-28), x, result);
}

static Val coshF64(Val x) {
  Val half = expScaledF64(abs(x), Val(), -1);
  return half + 0.25 / half;
}
Val expandCosh(Val x) { return throughF64(x, coshF64); }

static Val asinhF64(Val x) {
  Val a = abs(x), z = a * a;
  Val result = expandLog1p(a + z / (sqrt(z + 1.0) + 1.0));
  Val huge = expandLog(a) + 0x1.62e42fefa39efp-1;
  return copysign(select(lt(a, 0x1p28), result, huge), x);
}
Val expandAsinh(Val x) { return throughF64(x, asinhF64); }

static Val acoshF64(Val x) {
  Val t = x - 1.0;
  Val result = expandLog1p(t + sqrt(t * 2.0 + t * t));
  Val huge = expandLog(x) + 0x1.62e42fefa39efp-1;
  result = select(lt(x, 0x1p28), result, huge);
  return select(lt(x, 1.0), kNan, result);
}
Val expandAcosh(Val x) { return throughF64(x, acoshF64); }

static Val atanhF64(Val x) {
  Val a = abs(x);
  return copysign(expandLog1p(a * 2.0 / (1.0 - a)) * 0.5, x);
}
Val expandAtanh(Val x) {
  Val result = throughF64(x, atanhF64);
  return select(lt(abs(x), 0x1p-28), x, result);
}

} // namespace tegula::conversion
