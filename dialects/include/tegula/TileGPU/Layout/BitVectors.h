//===- BitVectors.h - Linear algebra over GF(2) -----------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors are the bits of a 64-bit word, sums are exclusive ors. A matrix is the list
// of its columns; a vector of coefficients has bit i set if column i takes part.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_LAYOUT_BITVECTORS_H
#define TEGULA_TILEGPU_LAYOUT_BITVECTORS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace tegula::tilegpu {

using BitVectors = llvm::SmallVector<uint64_t, 16>;

/// The sum of the columns that `coefficients` names.
uint64_t multiply(llvm::ArrayRef<uint64_t> columns, uint64_t coefficients);

/// A growing set of independent vectors, which knows how its members were made.
class BitSpan {
public:
  BitSpan() = default;
  explicit BitSpan(llvm::ArrayRef<uint64_t> columns) {
    for (uint64_t column : columns) {
      insert(column);
    }
  }

  /// Adds a vector, the next column; false if it was in the span already.
  bool insert(uint64_t vector);
  bool contains(uint64_t vector) const { return reduce(vector).first == 0; }
  unsigned getDimension() const { return rows.size(); }
  /// Coefficients of the inserted columns that give `vector`; only columns that were
  /// independent of those before them are used. Nullopt: not in the span.
  std::optional<uint64_t> solve(uint64_t vector) const;
  /// Coefficients of sums of columns that are zero: a basis of the kernel.
  llvm::ArrayRef<uint64_t> getKernel() const { return kernel; }

private:
  /// What remains of a vector, and the columns that were subtracted.
  std::pair<uint64_t, uint64_t> reduce(uint64_t vector) const;

  struct Row {
    uint64_t vector;       ///< its highest bit is in no other row's highest place
    uint64_t coefficients; ///< of the columns
  };
  llvm::SmallVector<Row, 16> rows; ///< by highest bit, the largest first
  BitVectors kernel;
  unsigned numColumns = 0;
};

/// A basis of the vectors that are in both spans.
BitVectors intersect(llvm::ArrayRef<uint64_t> a, llvm::ArrayRef<uint64_t> b);

/// Those of `candidates`, in order, that extend the span of `base` and of each other.
BitVectors complete(llvm::ArrayRef<uint64_t> base, llvm::ArrayRef<uint64_t> candidates);

/// The unit vectors of a space of that dimension.
BitVectors unitVectors(unsigned dimension);

/// Columns of the inverse of a square matrix of full rank; nullopt if it has none.
std::optional<BitVectors> invert(llvm::ArrayRef<uint64_t> columns);

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_LAYOUT_BITVECTORS_H
