//===- Arguments.h - Arguments of the kernel ----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUN_ARGUMENTS_H
#define TEGULA_RUN_ARGUMENTS_H

#include "Array.h"
#include "tegula/tegula.h"

#include <memory>
#include <optional>

namespace tegula::run {

/// One -a NAME=VALUE.
struct Argument {
  std::string name;
  std::unique_ptr<Array> array; ///< or a scalar:
  tg_host_value value = {};
  std::string text;          ///< behind value.text
  bool isDescriptor = false; ///< of the array, all of it, row-major
  std::string type;          ///< as a launcher would specialise it; "" for a constant
  bool isConstant = false;   ///< known when compiling, absent at run time
};

/// A parameter in the kernel's `def` line.
struct Parameter {
  std::string name;
  bool isConstexpr = false;
};

/// Parameters of the function, in order; empty if the text has no such `def`, which
/// the compiler then reports.
std::vector<Parameter> findParameters(const std::string &source, const std::string &kernel);

/// Reads one -a. `isConstexpr`: the kernel's parameter is annotated so.
Argument makeArgument(const std::string &name, const std::string &spec, bool isConstexpr,
                      uint64_t seed);

/// The value of `NAME.shape.2` or `NAME.strides.0`, by what follows the name of a
/// descriptor; nullopt if it has no such part.
std::optional<int64_t> descriptorPart(const Argument &argument, const std::string &part);

/// Writes the number to `out`, `size` bytes long.
void packArgument(Argument &argument, const std::string &type, unsigned char *out, unsigned size);

} // namespace tegula::run

#endif // TEGULA_RUN_ARGUMENTS_H
