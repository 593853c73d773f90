//===- Array.h - Arrays on the command line -----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUN_ARRAY_H
#define TEGULA_RUN_ARRAY_H

#include "../common/ErrorReport.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tegula::run {

// What is wrong with an input is thrown as a tools::StatusError.
using tools::fail;
namespace status = runtime::status;

struct DType {
  const char *name; ///< as in signatures: "fp32"
  const char *npy;  ///< without the byte order: "f4"
  unsigned size;
  enum Kind { Float, Signed, Unsigned, Bool } kind;
};

/// Throws for an unknown name.
const DType &findDType(const std::string &name);
const DType &findNpyDType(const std::string &descr);

/// Throws unless `value` is a number of this integer type. `text` is how it was
/// written; `isUnsigned`: the number lies beyond int64.
void checkRange(const DType &type, int64_t value, const std::string &text, bool isUnsigned = false);

struct Array {
  const DType *dtype = nullptr;
  std::vector<uint64_t> shape;
  std::vector<unsigned char> storage; ///< with room to align
  uint64_t count = 0;

  /// Allocates zeroed elements. Throws when that is too much.
  void allocate(const DType &type, std::vector<uint64_t> extents);
  /// Start of the elements, 64-byte aligned as a launcher's arrays are.
  unsigned char *data();
  const unsigned char *data() const { return const_cast<Array *>(this)->data(); }
  uint64_t bytes() const { return count * dtype->size; }
  double get(uint64_t index) const;
  void set(uint64_t index, double value);
  void setInteger(uint64_t index, int64_t value);
  std::string describe() const; ///< "fp32[4,8]"
};

/// "rand:fp32[1024]", "randint(0,10):i32[8]", or the path of an .npy file. The
/// stream of random numbers depends on `seed` and on the argument's name alone
/// (docs/input-generators.md).
Array makeArray(const std::string &spec, const std::string &name, uint64_t seed);
/// Whether makeArray is meant by this value of -a.
bool isArraySpec(const std::string &spec);

Array readNpy(const std::string &path);
void writeNpy(const std::string &path, const Array &array);

} // namespace tegula::run

#endif // TEGULA_RUN_ARRAY_H
