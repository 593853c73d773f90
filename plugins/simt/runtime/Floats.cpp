//===- Floats.cpp - Elements as doubles and back --------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Floats.h"

#include <algorithm>
#include <cmath>

using namespace tegula::simt;

/// Sign, `exponentBits` and `digits` of fraction, with IEEE's meaning of the largest
/// exponent or, for E4M3FN, only of the largest number as NaN.
static double decodeSmall(uint64_t bits, int exponentBits, int digits, bool hasInfinity) {
  const int bias = (1 << (exponentBits - 1)) - 1, top = (1 << exponentBits) - 1;
  const int exponent = int(bits >> digits) & top;
  const int fraction = int(bits & ((1u << digits) - 1));
  const bool negative = bits >> (exponentBits + digits) & 1;
  double value;
  if (exponent == top && hasInfinity) {
    value = fraction ? NAN : INFINITY;
  } else if (exponent == top && fraction == (1 << digits) - 1) {
    value = NAN;
  } else if (exponent == 0) {
    value = std::ldexp(double(fraction), 1 - bias - digits);
  } else {
    value = std::ldexp(double(fraction + (1 << digits)), exponent - bias - digits);
  }
  return negative ? -value : value;
}

double tegula::simt::decode(Element type, uint64_t bits) {
  switch (type) {
  case Element::Float64:
    return asDouble(bits);
  case Element::Float32:
    return asFloat(uint32_t(bits));
  case Element::TF32:
    return asFloat(uint32_t(bits) & 0xffffe000u);
  case Element::BFloat16:
    return asFloat(uint32_t(bits) << 16);
  case Element::Float16:
    return decodeSmall(bits, 5, 10, true);
  case Element::E5M2:
    return decodeSmall(bits, 5, 2, true);
  case Element::E4M3FN:
    return decodeSmall(bits, 4, 3, false);
  default:
    return double(bits);
  }
}

/// Rounds to a format of 16 bits.
static uint64_t encodeSmall(double value, int exponentBits, int digits) {
  const int bias = (1 << (exponentBits - 1)) - 1, top = (1 << exponentBits) - 1;
  const uint64_t sign = std::signbit(value) ? uint64_t(1) << (exponentBits + digits) : 0;
  const uint64_t infinity = uint64_t(top) << digits;
  if (std::isnan(value)) {
    return infinity | uint64_t(1) << (digits - 1);
  }
  if (value == 0 || std::isinf(value)) {
    return sign | (value == 0 ? 0 : infinity);
  }
  const double size = std::fabs(value);
  const int least = 1 - bias;
  const int exponent = std::max(std::ilogb(size), least);
  // A number of units of the last place; the exponent follows by carrying.
  const double units = std::nearbyint(std::ldexp(size, digits - exponent));
  const uint64_t number = (uint64_t(exponent - least) << digits) + uint64_t(units);
  return sign | (number >= infinity ? infinity : number);
}

uint64_t tegula::simt::encode(Element type, double value) {
  switch (type) {
  case Element::Float64:
    return bitsOf(value);
  case Element::Float32:
  case Element::TF32:
    return bitsOf(float(value));
  case Element::BFloat16:
    return encodeSmall(value, 8, 7);
  default:
    return encodeSmall(value, 5, 10);
  }
}
