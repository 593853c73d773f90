//===- Floats.h - Elements as doubles and back ----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_SIMT_FLOATS_H
#define TEGULA_SIMT_FLOATS_H

#include "KernelServices.h"

#include <cstring>

namespace tegula::simt {

inline float asFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline double asDouble(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline uint64_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline uint64_t bitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// The value of a float's bits; exact.
double decode(Element type, uint64_t bits);
/// The nearest float of 16, 32 or 64 bits, ties to even.
uint64_t encode(Element type, double value);

} // namespace tegula::simt

#endif // TEGULA_SIMT_FLOATS_H
