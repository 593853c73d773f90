//===- PrintText.h - Values as tl.device_print shows them -------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One text for each value on every backend (docs/semantics.md, print-lines). For runtime
// halves of backends: no LLVM, no library, the same in every locale.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_PRINTTEXT_H
#define TEGULA_RUNTIME_PRINTTEXT_H

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

namespace tegula::runtime {

/// How the bits of a printed value are read; None: there is no value. Compiled kernels
/// hold these numbers.
enum class PrintedKind : uint8_t { None, Signed, Unsigned, Float, BFloat, Pointer };

/// "(x, y, z)"
inline std::string describeProgram(const uint32_t pid[3]) {
  return "(" + std::to_string(pid[0]) + ", " + std::to_string(pid[1]) + ", " +
         std::to_string(pid[2]) + ")";
}

/// The value of a float of 16, 32 or 64 bits; exact.
inline double printedToDouble(uint64_t bits, PrintedKind kind, unsigned width) {
  if (width == 64) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  if (width == 32 || kind == PrintedKind::BFloat) {
    const uint32_t wide = uint32_t(bits) << (width == 32 ? 0 : 16);
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
  }
  const int exponent = int(bits >> 10 & 31);
  const double fraction = double(bits & 1023);
  const double value = exponent == 31  ? (fraction == 0 ? HUGE_VAL : NAN)
                       : exponent == 0 ? std::ldexp(fraction, -24)
                                       : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 & 1 ? -value : value;
}

/// "0x" and at least so many digits.
inline std::string describeHex(uint64_t bits, unsigned digits) {
  char text[16];
  const auto end = std::to_chars(text, text + sizeof text, bits, 16);
  const auto size = unsigned(end.ptr - text);
  return "0x" + std::string(digits > size ? digits - size : 0, '0') + std::string(text, size);
}

/// A value of `width` bits, in the lowest of `bits`; the others are zero. Pointers and, with
/// `hex`, all others in hexadecimal, floats with six digits behind the point.
inline std::string describePrinted(PrintedKind kind, unsigned width, bool hex, uint64_t bits) {
  if (kind == PrintedKind::Pointer) {
    return describeHex(bits, 0);
  }
  if (hex) {
    return describeHex(bits, 2 * (width < 8 ? 1 : width / 8));
  }
  if (kind == PrintedKind::Float || kind == PrintedKind::BFloat) {
    const double value = printedToDouble(bits, kind, width);
    if (std::isnan(value)) {
      return "nan";
    }
    char text[400];
    const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 6);
    return std::string(text, end.ptr);
  }
  if (kind == PrintedKind::Signed) {
    return std::to_string(int64_t(bits << (64 - width)) >> (64 - width));
  }
  return std::to_string(bits);
}

/// "( 3, 12)", where element `number` of a row-major tile is; "()" in a scalar. `extents`:
/// `rank` sizes of 32 bits, anywhere in memory. isAligned: numbers are as wide as the
/// largest of their dimension.
inline std::string describeIndices(const char *extents, uint32_t rank, uint64_t number,
                                   bool isAligned) {
  std::string text = ")";
  for (uint32_t dim = rank; dim-- > 0;) {
    uint32_t extent;
    std::memcpy(&extent, extents + sizeof extent * dim, sizeof extent);
    const uint32_t size = extent > 1 ? extent : 1;
    std::string index = std::to_string(number % size);
    number /= size;
    const size_t width = size > 1 ? std::to_string(size - 1).size() : 0;
    if (isAligned && index.size() < width) {
      index.insert(0, width - index.size(), ' ');
    }
    text.insert(0, (dim > 0 ? ", " : "") + index);
  }
  return "(" + text;
}

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_PRINTTEXT_H
