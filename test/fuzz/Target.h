//===- Target.h - What is fuzzed ------------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target is a part of the compiler with a text as input. libFuzzer and the
// replay test both drive it through this table.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TEST_FUZZ_TARGET_H
#define TEGULA_TEST_FUZZ_TARGET_H

#include "Random.h"

#include <string>
#include <string_view>

namespace tegula::fuzz {

struct Target {
  const char *name;      ///< also the folder of its corpus
  const char *extension; ///< of its corpus files, with the dot
  size_t maxSize;        ///< inputs are kept below this many bytes

  /// Feeds one input to the compiler. Returns "" or which promise was broken. A
  /// crash is for the caller to notice. Keeps state between calls for speed only.
  std::string (*run)(std::string_view input);

  /// Another input like this one.
  std::string (*mutate)(std::string_view input, Random &random);
};

extern const Target frontendTarget, irTarget, descriptorTarget;

/// A part of one input in the middle of another.
std::string crossOver(std::string_view first, std::string_view second, Random &random);

} // namespace tegula::fuzz

#endif // TEGULA_TEST_FUZZ_TARGET_H
