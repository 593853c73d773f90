//===- Table.h - Cases of the conformance table -----------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CTS_TABLE_H
#define TEGULA_CTS_TABLE_H

#include "../common/Generators.h"
#include "Expression.h"

#include <memory>

namespace tegula::cts {

/// An array of a case: GENERATOR:TYPE[SHAPE].
struct ArraySpec {
  std::string name;
  const tools::GeneratorInfo *generator = nullptr;
  std::vector<tools::GeneratorNumber> parameters;
  const tools::ElementType *type = nullptr;
  std::vector<uint64_t> shape;

  uint64_t count() const;
  uint64_t bytes() const { return count() * type->size; }
};

/// What the kernel gets for one parameter.
struct Argument {
  enum Kind { Constant, Pointer, Descriptor, Tuple };

  Kind kind = Constant;
  Value value;        ///< of Constant
  size_t array = 0;   ///< index into Case::arrays; of Pointer and Descriptor
  int64_t offset = 0; ///< in elements
  std::vector<int64_t> shape, strides, block;
  bool isNanPadded = false;
  std::vector<Argument> items; ///< of Tuple
};

/// How an array is compared.
struct ResultSpec {
  enum Tolerance { Exact, NumericValue, Rounded, Ulp, Sum };

  Tolerance tolerance = Exact;
  double count = 0;
  const tools::ElementType *compute = nullptr; ///< of Sum; null: by the array's type
};

/// One row with one value of each axis.
struct Case {
  std::string id, family, row, kernel;
  int line = 0;
  uint64_t grid[3] = {1, 1, 1};
  uint64_t seed = 0;
  std::vector<std::pair<std::string, Argument>> arguments; ///< args and constexpr
  std::vector<std::string> constants;                      ///< names of those of constexpr
  std::vector<ArraySpec> arrays;
  std::vector<std::pair<std::string, std::string>> options; ///< those of compiling
  std::map<std::string, ResultSpec> results;                ///< by array
  std::vector<std::string> expectedErrors;
  std::map<std::string, std::string> unsupported; ///< backend: reason

  /// Why the row is not for a backend, or "".
  std::string unsupportedBy(const std::string &backend) const {
    const auto found = unsupported.find(backend);
    return found == unsupported.end() ? "" : found->second;
  }
};

/// The kernels and cases of one family.
struct Family {
  std::string name, kernelPath, kernelText;
  std::vector<Case> cases;
};

/// Reads FOLDER/*.yaml and the kernels beside them; `isLong` takes long rows too.
/// Throws invalid-file with file and line for rows that do not follow
/// docs/conformance.md, file-access.
std::vector<Family> readTable(const std::string &folder, bool isLong);

} // namespace tegula::cts

#endif // TEGULA_CTS_TABLE_H
