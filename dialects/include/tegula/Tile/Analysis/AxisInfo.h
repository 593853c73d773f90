//===- AxisInfo.h - Contiguity, divisibility, constancy of tiles ---------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known about the values of integer and pointer tiles along each
// dimension. A scalar counts as a tile of one element with one dimension.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_ANALYSIS_AXISINFO_H
#define TEGULA_TILE_ANALYSIS_AXISINFO_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <optional>

namespace mlir {
class DataFlowSolver;
} // namespace mlir

namespace tegula::tile {

/// Facts about one value. Along dimension d, with the other indices fixed:
///   contiguity[d]    elements come in aligned runs of that many consecutive
///                    values: run k is elements k*c to k*c+c-1. Pointers count
///                    elements: consecutive ones differ by the pointee's size.
///   divisibility[d]  the first value of each such run is a multiple of this
///                    power of two. Pointers count bytes.
///   constancy[d]     aligned runs of that many equal values.
/// Contiguity and constancy divide the size of the dimension. Values wrap: the
/// facts hold modulo two to the width of the element type.
class AxisInfo {
public:
  /// Largest divisibility that is tracked; zero has it.
  static constexpr int64_t kMaxDivisibility = int64_t(1) << 31;

  /// Knows nothing, as values do before the analysis reaches them.
  AxisInfo() = default;

  /// The facts that hold for every value of `type`.
  static AxisInfo getPessimistic(mlir::Type type);
  /// A uniform value: all elements equal and multiples of `divisibility`.
  static AxisInfo getUniform(mlir::Type type, int64_t divisibility,
                             std::optional<int64_t> constant = std::nullopt);
  /// The facts that hold for both.
  static AxisInfo join(const AxisInfo &a, const AxisInfo &b);

  bool isInitialized() const { return !contiguity.empty(); }
  int64_t getRank() const { return contiguity.size(); }
  int64_t getContiguity(int64_t d) const { return contiguity[d]; }
  int64_t getDivisibility(int64_t d) const { return divisibility[d]; }
  int64_t getConstancy(int64_t d) const { return constancy[d]; }
  /// The value of all elements, sign-extended, where it is known.
  std::optional<int64_t> getConstant() const { return constant; }
  /// Whether all elements are at least 0 when read as signed.
  bool isNonNegative() const { return nonNegative; }
  /// A power of two that divides every element.
  int64_t getElementDivisibility() const;
  /// A power of two that divides every element whose index along d is a
  /// multiple of `stride`.
  int64_t getDivisibilityAt(int64_t d, int64_t stride) const;

  bool operator==(const AxisInfo &other) const;
  void print(llvm::raw_ostream &os) const;

private:
  friend class AxisTransfer;
  /// Gives each dimension what the others know about all elements.
  void normalize();

  llvm::SmallVector<int64_t, 3> contiguity, divisibility, constancy;
  int64_t unit = 1; ///< by how much consecutive elements differ
  std::optional<int64_t> constant;
  bool nonNegative = false;
};

/// What the analysis may assume.
struct AxisInfoOptions {
  /// Whether signed 32- and 64-bit integer arithmetic may wrap inside a run.
  /// Off: `pid * n + range` extends to consecutive 64-bit offsets even when n
  /// is unknown, as for sensible kernels; on: nothing is assumed.
  bool mayWrap = false;
};

/// The facts about all values nested in an op. They hold until the IR changes.
/// Threads: none shared; construct one per thread.
class AxisInfoAnalysis {
public:
  explicit AxisInfoAnalysis(mlir::Operation *root, AxisInfoOptions options = {});
  ~AxisInfoAnalysis();
  AxisInfoAnalysis(AxisInfoAnalysis &&);
  AxisInfoAnalysis &operator=(AxisInfoAnalysis &&);

  /// Null for values in code that is never reached and for values that are
  /// neither integers nor pointers nor tiles of them. Owned by the analysis.
  const AxisInfo *lookup(mlir::Value value) const;

private:
  std::unique_ptr<mlir::DataFlowSolver> solver;
};

} // namespace tegula::tile

#endif // TEGULA_TILE_ANALYSIS_AXISINFO_H
