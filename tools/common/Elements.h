//===- Elements.h - Element types of arrays, exactly ------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the tools know of the types of the language: their names, and how numbers
// become bytes of them and back. All types are little-endian.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TOOLS_ELEMENTS_H
#define TEGULA_TOOLS_ELEMENTS_H

#include <cstdint>
#include <string_view>

namespace tegula::tools {

/// A type that arrays may have. Floats: `precision` counts the bits of the
/// significand with the hidden one, `least` is the exponent of the least normal
/// number.
struct ElementType {
  enum Kind { Bool, Int, Uint, Float };

  const char *language;  ///< "float32", as kernels and conformance rows say
  const char *signature; ///< "fp32", as signatures say
  Kind kind;
  unsigned size;      ///< in bytes
  int precision = 0;  ///< floats only, as all below
  int least = 0;      ///<
  double largest = 0; ///< finite
  bool hasInfinity = true;
  bool hasNegativeZero = true;

  bool isFloat() const { return kind == Float; }
  unsigned bits() const { return size * 8; }
};

/// The type of either name, or null.
const ElementType *findElementType(std::string_view name);
/// The type that the language calls so, or null.
const ElementType *findLanguageType(std::string_view name);

/// The element at `at` as a number: exact for floats and integers up to 53 bits.
double loadNumber(const ElementType &type, const unsigned char *at);
/// The low bits of an integer, sign- or zero-extended as the type says; of floats
/// the plain pattern.
__int128 loadInteger(const ElementType &type, const unsigned char *at);

/// Rounds to nearest, ties to even: beyond the largest finite number infinity, but
/// 8-bit floats saturate. Integers are cut towards zero and then to their width.
void storeNumber(const ElementType &type, unsigned char *at, long double value);
/// Integers modulo 2^width, floats to nearest, bool from the lowest bit.
void storeInteger(const ElementType &type, unsigned char *at, __int128 value);

} // namespace tegula::tools

#endif // TEGULA_TOOLS_ELEMENTS_H
