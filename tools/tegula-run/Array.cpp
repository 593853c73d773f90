//===- Array.cpp - Element types and storage ----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Array.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <unistd.h>
#include <utility>

using namespace tegula::run;

static const DType dtypes[] = {
    {"fp16", "f2", 2, DType::Float},   {"bf16", "V2", 2, DType::Float},
    {"fp32", "f4", 4, DType::Float},   {"fp64", "f8", 8, DType::Float},
    {"i8", "i1", 1, DType::Signed},    {"i16", "i2", 2, DType::Signed},
    {"i32", "i4", 4, DType::Signed},   {"i64", "i8", 8, DType::Signed},
    {"u8", "u1", 1, DType::Unsigned},  {"u16", "u2", 2, DType::Unsigned},
    {"u32", "u4", 4, DType::Unsigned}, {"u64", "u8", 8, DType::Unsigned},
    {"i1", "b1", 1, DType::Bool},
};

const DType &tegula::run::findDType(const std::string &name) {
  std::string known;
  for (const DType &type : dtypes) {
    if (name == type.name) {
      return type;
    }
    known += (known.empty() ? "" : ", ") + std::string(type.name);
  }
  fail(status::InvalidValue, "expected an element type (" + known + "), got '" + name + "'");
}

const DType &tegula::run::findNpyDType(const std::string &descr) {
  for (const DType &type : dtypes) {
    if (descr.size() == 3 && (descr[0] == '<' || descr[0] == '|') && descr.substr(1) == type.npy) {
      return type;
    }
  }
  const bool isBigEndian = !descr.empty() && descr[0] == '>';
  fail(status::InvalidFile, "expected a little-endian number type such as '<f4', got '" + descr +
                                (isBigEndian ? "'; save x.astype(x.dtype.newbyteorder('<'))"
                                             : "'; save x.astype(numpy.float32), for example"));
}

void tegula::run::checkRange(const DType &type, int64_t value, const std::string &text,
                             bool isUnsigned) {
  if (type.kind == DType::Float) {
    return;
  }
  const unsigned bits = type.kind == DType::Bool ? 1 : type.size * 8;
  const bool isSigned = type.kind == DType::Signed;
  const uint64_t high = ~uint64_t(0) >> (64 - bits + (isSigned ? 1 : 0));
  const int64_t low = isSigned ? -int64_t(high) - 1 : 0;
  const bool fits = isUnsigned || value >= 0 ? uint64_t(value) <= high : value >= low;
  if (!fits) {
    fail(status::InvalidValue, "expected a number from " + std::to_string(low) + " to " +
                                   std::to_string(high) + " for type " + type.name + ", got " +
                                   text);
  }
}

void Array::allocate(const DType &type, std::vector<uint64_t> extents) {
  constexpr uint64_t limit = uint64_t(1) << 36;
  dtype = &type;
  shape = std::move(extents);
  count = 1;
  for (const uint64_t extent : shape) {
    if (extent != 0 && count > limit / extent) {
      fail(status::InvalidValue, "expected an array of at most 2^36 elements, got " + describe());
    }
    count *= extent;
  }
  // The system may promise more than it has, and end the process when it is used.
  const uint64_t memory = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  bool fits = bytes() < memory;
  try {
    storage.assign(fits ? bytes() + 64 : 0, 0);
  } catch (const std::bad_alloc &) {
    fits = false;
  }
  if (!fits) {
    fail(status::OutOfMemory, "not enough memory for the array " + describe() + ", which takes " +
                                  std::to_string((bytes() + (1 << 30) - 1) >> 30) + " GiB");
  }
}

unsigned char *Array::data() {
  const auto address = reinterpret_cast<uintptr_t>(storage.data());
  return storage.data() + ((64 - address % 64) % 64);
}

std::string Array::describe() const {
  std::string text = std::string(dtype->name) + "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    text += (i ? "," : "") + std::to_string(shape[i]);
  }
  return text + "]";
}

/// Nearest 16-bit number with `mantissa` stored bits, ties to even.
static uint16_t narrow(double value, int mantissa, int maxExponent) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const int infinity = ((1 << (15 - mantissa)) - 1) << mantissa;
  if (std::isnan(value)) {
    return uint16_t(sign | infinity | (1 << (mantissa - 1)));
  }
  const double magnitude = std::fabs(value);
  if (magnitude == 0) {
    return sign;
  }
  int exponent = magnitude == HUGE_VAL ? maxExponent + 1 : std::ilogb(magnitude);
  exponent = std::max(exponent, 1 - maxExponent); // denormals share the smallest exponent
  if (exponent > maxExponent) {
    return uint16_t(sign | infinity);
  }
  // As an integer in units of the last place; a carry moves into the exponent.
  const auto units = int64_t(std::nearbyint(std::ldexp(magnitude, mantissa - exponent)));
  const int64_t field = int64_t(exponent + maxExponent - 1) * (int64_t(1) << mantissa) + units;
  return uint16_t(sign | std::min<int64_t>(field, infinity));
}

static double widen(uint16_t pattern, int mantissa, int maxExponent) {
  const int field = (pattern & 0x7fff) >> mantissa, rest = pattern & ((1 << mantissa) - 1);
  const int infinity = (1 << (15 - mantissa)) - 1;
  double value;
  if (field == infinity) {
    value = rest ? NAN : HUGE_VAL;
  } else if (field == 0) {
    value = std::ldexp(rest, 1 - maxExponent - mantissa);
  } else {
    value = std::ldexp(rest + (1 << mantissa), field - maxExponent - mantissa);
  }
  return pattern & 0x8000 ? -value : value;
}

template <typename T> static T load(const unsigned char *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

double Array::get(uint64_t index) const {
  const unsigned char *at = data() + index * dtype->size;
  switch (dtype->kind) {
  case DType::Float:
    if (dtype->size == 2) {
      const auto pattern = load<uint16_t>(at);
      return dtype->name[0] == 'b' ? widen(pattern, 7, 127) : widen(pattern, 10, 15);
    }
    return dtype->size == 4 ? double(load<float>(at)) : load<double>(at);
  case DType::Signed:
    return dtype->size == 1   ? double(load<int8_t>(at))
           : dtype->size == 2 ? double(load<int16_t>(at))
           : dtype->size == 4 ? double(load<int32_t>(at))
                              : double(load<int64_t>(at));
  case DType::Unsigned:
  case DType::Bool:
    return dtype->size == 1   ? double(load<uint8_t>(at))
           : dtype->size == 2 ? double(load<uint16_t>(at))
           : dtype->size == 4 ? double(load<uint32_t>(at))
                              : double(load<uint64_t>(at));
  }
  return 0;
}

void Array::set(uint64_t index, double value) {
  if (dtype->kind != DType::Float) {
    setInteger(index, int64_t(value));
    return;
  }
  unsigned char *at = data() + index * dtype->size;
  if (dtype->size == 2) {
    const uint16_t pattern = dtype->name[0] == 'b' ? narrow(value, 7, 127) : narrow(value, 10, 15);
    std::memcpy(at, &pattern, 2);
  } else if (dtype->size == 4) {
    const auto narrowed = float(value);
    std::memcpy(at, &narrowed, 4);
  } else {
    std::memcpy(at, &value, 8);
  }
}

void Array::setInteger(uint64_t index, int64_t value) {
  if (dtype->kind == DType::Float) {
    set(index, double(value));
    return;
  }
  const int64_t stored = dtype->kind == DType::Bool ? value != 0 : value;
  // Little-endian: the low bytes are the narrower number.
  std::memcpy(data() + index * dtype->size, &stored, dtype->size);
}
