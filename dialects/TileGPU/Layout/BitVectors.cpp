//===- BitVectors.cpp - Linear algebra over GF(2) -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Layout/BitVectors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

namespace tegula::tilegpu {

uint64_t multiply(llvm::ArrayRef<uint64_t> columns, uint64_t coefficients) {
  uint64_t sum = 0;
  for (; coefficients != 0; coefficients &= coefficients - 1) {
    sum ^= columns[llvm::countr_zero(coefficients)];
  }
  return sum;
}

std::pair<uint64_t, uint64_t> BitSpan::reduce(uint64_t vector) const {
  uint64_t coefficients = 0;
  for (const Row &row : rows) {
    if (vector & llvm::bit_floor(row.vector)) {
      vector ^= row.vector;
      coefficients ^= row.coefficients;
    }
  }
  return {vector, coefficients};
}

bool BitSpan::insert(uint64_t vector) {
  auto [rest, coefficients] = reduce(vector);
  coefficients ^= uint64_t(1) << numColumns++;
  if (rest == 0) {
    kernel.push_back(coefficients);
    return false;
  }
  auto *place = llvm::find_if(rows, [&](const Row &row) { return row.vector < rest; });
  rows.insert(place, Row{rest, coefficients});
  return true;
}

std::optional<uint64_t> BitSpan::solve(uint64_t vector) const {
  auto [rest, coefficients] = reduce(vector);
  return rest == 0 ? std::optional<uint64_t>(coefficients) : std::nullopt;
}

BitVectors intersect(llvm::ArrayRef<uint64_t> a, llvm::ArrayRef<uint64_t> b) {
  // A kernel vector of [a b] is a sum of a's that equals a sum of b's.
  BitSpan both(a), result;
  for (uint64_t vector : b) {
    both.insert(vector);
  }
  const uint64_t firstPart = a.size() < 64 ? (uint64_t(1) << a.size()) - 1 : ~uint64_t(0);
  BitVectors basis;
  for (uint64_t coefficients : both.getKernel()) {
    const uint64_t common = multiply(a, coefficients & firstPart);
    if (common != 0 && result.insert(common)) {
      basis.push_back(common);
    }
  }
  return basis;
}

BitVectors complete(llvm::ArrayRef<uint64_t> base, llvm::ArrayRef<uint64_t> candidates) {
  BitSpan span(base);
  BitVectors added;
  for (uint64_t candidate : candidates) {
    if (span.insert(candidate)) {
      added.push_back(candidate);
    }
  }
  return added;
}

BitVectors unitVectors(unsigned dimension) {
  BitVectors vectors;
  for (unsigned i = 0; i < dimension; ++i) {
    vectors.push_back(uint64_t(1) << i);
  }
  return vectors;
}

std::optional<BitVectors> invert(llvm::ArrayRef<uint64_t> columns) {
  const BitSpan span(columns);
  if (span.getDimension() != columns.size()) {
    return std::nullopt;
  }
  BitVectors inverse;
  for (uint64_t unit : unitVectors(columns.size())) {
    const std::optional<uint64_t> solution = span.solve(unit);
    if (!solution) {
      return std::nullopt;
    }
    inverse.push_back(*solution);
  }
  return inverse;
}

} // namespace tegula::tilegpu
