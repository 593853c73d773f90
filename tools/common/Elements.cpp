//===- Elements.cpp - Element types of arrays, exactly ----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>

using namespace tegula::tools;

static const ElementType elementTypes[] = {
    {"int1", "i1", ElementType::Bool, 1},
    {"int8", "i8", ElementType::Int, 1},
    {"uint8", "u8", ElementType::Uint, 1},
    {"int16", "i16", ElementType::Int, 2},
    {"uint16", "u16", ElementType::Uint, 2},
    {"int32", "i32", ElementType::Int, 4},
    {"uint32", "u32", ElementType::Uint, 4},
    {"int64", "i64", ElementType::Int, 8},
    {"uint64", "u64", ElementType::Uint, 8},
    {"float16", "fp16", ElementType::Float, 2, 11, -14, 65504.0},
    {"bfloat16", "bf16", ElementType::Float, 2, 8, -126, 0x1.fep127},
    {"float32", "fp32", ElementType::Float, 4, 24, -126, FLT_MAX},
    {"float64", "fp64", ElementType::Float, 8, 53, -1022, DBL_MAX},
    {"float8e4nv", "fp8e4nv", ElementType::Float, 1, 4, -6, 448.0, false, true},
    {"float8e5", "fp8e5", ElementType::Float, 1, 3, -14, 57344.0, true, true},
    {"float8e4b8", "fp8e4b8", ElementType::Float, 1, 4, -7, 240.0, false, false},
    {"float8e5b16", "fp8e5b16", ElementType::Float, 1, 3, -15, 57344.0, false, false},
};

const ElementType *tegula::tools::findElementType(std::string_view name) {
  for (const ElementType &type : elementTypes) {
    if (name == type.language || name == type.signature) {
      return &type;
    }
  }
  return nullptr;
}

const ElementType *tegula::tools::findLanguageType(std::string_view name) {
  const ElementType *type = findElementType(name);
  return type && name == type->language ? type : nullptr;
}

template <typename T> static T load(const unsigned char *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

//===----------------------------------------------------------------------===//
// Floats of 8 and 16 bits
//===----------------------------------------------------------------------===//

/// Fields of a small float: sign, exponent, `precision - 1` bits of fraction. The
/// exponent field 1 is `least`; the field 0 holds denormals.
static double widen(const ElementType &type, unsigned pattern) {
  const int fractionBits = type.precision - 1;
  const unsigned magnitude = pattern & ((1u << (type.bits() - 1)) - 1);
  const bool isNegative = magnitude != pattern;
  const unsigned fraction = magnitude & ((1u << fractionBits) - 1);
  const int field = int(magnitude >> fractionBits);
  if (!type.hasNegativeZero && isNegative && magnitude == 0) {
    return NAN;
  }
  double value;
  if (field == 0) {
    value = std::ldexp(fraction, type.least - fractionBits);
  } else {
    value = std::ldexp(fraction + (1u << fractionBits), type.least + field - 1 - fractionBits);
    if (value > type.largest) {
      value = type.hasInfinity && fraction == 0 ? HUGE_VAL : NAN;
    }
  }
  return isNegative ? -value : value;
}

/// The pattern of NaN without a sign.
static unsigned nanPattern(const ElementType &type) {
  const unsigned sign = 1u << (type.bits() - 1);
  if (!type.hasNegativeZero) {
    return sign;
  }
  // With infinities the highest bit of the fraction, else all bits.
  const unsigned exponent = (sign - 1) & ~((1u << (type.precision - 1)) - 1);
  return type.hasInfinity ? exponent | 1u << (type.precision - 2) : sign - 1;
}

static unsigned narrow(const ElementType &type, long double value) {
  const unsigned sign = std::signbit(value) ? 1u << (type.bits() - 1) : 0;
  if (std::isnan(value)) {
    return type.hasNegativeZero ? nanPattern(type) | sign : nanPattern(type);
  }
  const int fractionBits = type.precision - 1;
  // Pattern of the largest finite number; the next one is that of infinity, if any.
  const auto largest = unsigned(
      ((std::ilogb(type.largest) - type.least + 1) << fractionBits) +
      int(std::ldexp(type.largest, fractionBits - std::ilogb(type.largest))) - (1 << fractionBits));
  const unsigned beyond = type.size == 1 ? largest : largest + 1;
  const long double magnitude = std::fabs(value);
  unsigned pattern = beyond;
  if (magnitude == 0) {
    pattern = 0;
  } else if (std::isfinite(magnitude)) {
    const int exponent = std::max(std::ilogb(magnitude), type.least);
    if (exponent <= std::ilogb(type.largest)) {
      // In units of the last place; a carry moves into the exponent.
      const auto units = int64_t(std::nearbyint(std::ldexp(magnitude, fractionBits - exponent)));
      const int64_t field = int64_t(exponent - type.least) * (int64_t(1) << fractionBits) + units;
      pattern = field > int64_t(largest) ? beyond : unsigned(field);
    }
  }
  return pattern == 0 && !type.hasNegativeZero ? 0 : pattern | sign;
}

//===----------------------------------------------------------------------===//
// Loading and storing
//===----------------------------------------------------------------------===//

__int128 tegula::tools::loadInteger(const ElementType &type, const unsigned char *at) {
  uint64_t pattern = 0;
  std::memcpy(&pattern, at, type.size);
  if (type.kind != ElementType::Int) {
    return pattern;
  }
  const unsigned drop = 64 - type.bits();
  return int64_t(pattern << drop) >> drop;
}

double tegula::tools::loadNumber(const ElementType &type, const unsigned char *at) {
  if (!type.isFloat()) {
    return double(loadInteger(type, at));
  }
  switch (type.size) {
  case 4:
    return load<float>(at);
  case 8:
    return load<double>(at);
  case 2:
    return widen(type, load<uint16_t>(at));
  default:
    return widen(type, *at);
  }
}

void tegula::tools::storeInteger(const ElementType &type, unsigned char *at, __int128 value) {
  if (type.isFloat()) {
    storeNumber(type, at, static_cast<long double>(value));
    return;
  }
  const auto pattern = type.kind == ElementType::Bool ? uint64_t(value != 0) : uint64_t(value);
  std::memcpy(at, &pattern, type.size); // the low bytes are the narrower number
}

void tegula::tools::storeNumber(const ElementType &type, unsigned char *at, long double value) {
  if (!type.isFloat()) {
    // Beyond 2^126 the low 64 bits are 0 anyway; NaN counts as 0.
    storeInteger(type, at, std::fabs(value) < 0x1p126L ? static_cast<__int128>(value) : 0);
    return;
  }
  if (type.size == 8) {
    const auto rounded = double(value);
    std::memcpy(at, &rounded, 8);
  } else if (type.size == 4) {
    const auto rounded = float(value);
    std::memcpy(at, &rounded, 4);
  } else {
    const unsigned pattern = narrow(type, value);
    std::memcpy(at, &pattern, type.size);
  }
}
