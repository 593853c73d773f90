//===- Generators.h - Generated arrays --------------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The generators of docs/input-generators.md, once for all programs in C++.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TOOLS_GENERATORS_H
#define TEGULA_TOOLS_GENERATORS_H

#include "Elements.h"

#include <string>
#include <string_view>
#include <vector>

namespace tegula::tools {

/// A parameter of a generator: an integer, or any number.
struct GeneratorNumber {
  bool isInteger = true;
  __int128 integer = 0;
  double number = 0; ///< the value too if it is an integer

  static GeneratorNumber ofInteger(__int128 value) { return {true, value, double(value)}; }
  static GeneratorNumber ofNumber(double value) { return {false, 0, value}; }
};

/// A generator and what it takes.
struct GeneratorInfo {
  const char *name;
  unsigned least, most;  ///< parameters
  bool isWhole;          ///< they must be integers
  bool isFloatOnly;      ///< for types of floats
  bool isBoolToo = true; ///< for int1
};

/// Null for an unknown name.
const GeneratorInfo *findGenerator(std::string_view name);
/// "zeros, ones, ...".
std::string listGenerators();

/// What is wrong with a use of a generator, in words, or "".
std::string checkGenerator(const GeneratorInfo &generator,
                           const std::vector<GeneratorNumber> &parameters, const ElementType &type);

/// Fills `count` elements of `type` at `out`; what checkGenerator refuses is not
/// allowed. `name` is that of the argument, which has a random stream of its own.
void generate(const GeneratorInfo &generator, const std::vector<GeneratorNumber> &parameters,
              const ElementType &type, uint64_t count, uint64_t seed, const std::string &name,
              unsigned char *out);

} // namespace tegula::tools

#endif // TEGULA_TOOLS_GENERATORS_H
