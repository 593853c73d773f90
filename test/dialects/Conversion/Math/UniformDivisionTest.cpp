//===- UniformDivisionTest.cpp - Quotients by one divisor -----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formula of UniformDivision.cpp against the division, where it can go wrong: at
// dividends whose quotient is next to the middle between two numbers.
//
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"

#include <cmath>
#include <cstdint>

namespace {

/// As the pass writes it.
float quotient(float x, float s) {
  const float r = 1.0f / s;
  const float q = x * r;
  const float e = std::fma(q, s, -x);
  return std::fma(e, -r, q);
}

/// `n` with n * odd == 1, modulo 2^32.
uint32_t inverse(uint32_t odd) {
  uint32_t result = odd;
  for (int i = 0; i < 5; ++i) {
    result *= 2 - odd * result;
  }
  return result;
}

/// Calls `visit` with the mantissas X of all dividends for which X * 2^bits - M * S is `c`
/// for a middle M: with 24 bits those of quotients from 1 on, with 25 those below.
template <typename Visit> void forEachHard(uint32_t divisor, int bits, int c, Visit visit) {
  const int zeros = __builtin_ctz(divisor);
  if (zeros > 4 || (c & ((1 << zeros) - 1)) != 0) {
    return;
  }
  const uint32_t period = 1u << (bits - zeros);
  uint32_t middle = (uint32_t(-(c >> zeros)) * inverse(divisor >> zeros)) & (period - 1);
  for (uint64_t m = middle; m < (1u << 25); m += period) {
    const int64_t product = int64_t(m) * divisor + c;
    const int64_t x = product >> bits;
    if (m >= (1u << 24) && m % 2 == 1 && product % (int64_t(1) << bits) == 0 && x >= (1 << 23) &&
        x < (1 << 24)) {
      visit(uint32_t(x));
    }
  }
}

/// Every `step`-th divisor. The formula's error before the last rounding is below 2^-22 ulp,
/// so that |c| up to 8 is all there is to see; 16 is twice that.
void check(uint32_t step) {
  uint64_t tested = 0, wrong = 0;
  for (uint32_t divisor = 1u << 23; divisor < (1u << 24); divisor += step) {
    const float s = std::ldexp(float(divisor), -23);
    for (int bits : {24, 25}) {
      for (int c = -16; c <= 16; ++c) {
        forEachHard(divisor, bits, c, [&](uint32_t mantissa) {
          const float x = std::ldexp(float(mantissa), -23);
          ++tested;
          wrong += quotient(x, s) != x / s;
        });
      }
    }
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(tested, (uint64_t(1) << 23) / step);
}

TEST(UniformDivision, NextToTies) { check(61); }

/// All divisors; seconds where the machine multiplies and adds in one instruction.
TEST(UniformDivision, DISABLED_NextToAllTies) { check(1); }

TEST(UniformDivision, ZerosKeepTheirSigns) {
  for (float s : {1.0f, 3.0f, 0x1p24f, 0x1p-100f}) {
    EXPECT_FALSE(std::signbit(quotient(0.0f, s))) << s;
    EXPECT_TRUE(std::signbit(quotient(-0.0f, s))) << s;
  }
}

TEST(UniformDivision, EdgesOfWhatIsAllowed) {
  for (float s : {0x1p24f, 0x1.fffffep23f, 0x1p-100f, 0x1.000002p-100f, 0x1.fffffep-1f, -3.0f}) {
    for (float x : {0x1p-100f, 0x1.000002p-100f, 0x1.fffffep-100f, -0x1.555556p-99f, 0x1.8p20f}) {
      if (std::fabs(x / s) < 0x1p126f) {
        EXPECT_EQ(quotient(x, s), x / s) << x << " / " << s;
      }
    }
  }
}

} // namespace
