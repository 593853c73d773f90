//===- LibFuzzer.cpp - One target as a libFuzzer program ------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled once per target; TEGULA_FUZZ_TARGET names it.
//
//===----------------------------------------------------------------------===//

#include "Target.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tegula::fuzz;

static const Target &target = TEGULA_FUZZ_TARGET;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static std::string_view view(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

static size_t store(const std::string &text, uint8_t *data, size_t maxSize) {
  const size_t size = std::min(text.size(), maxSize);
  std::memcpy(data, text.data(), size);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > target.maxSize) {
    return -1;
  }
  const std::string problem = target.run(view(data, size));
  if (!problem.empty()) {
    std::fprintf(stderr, "broken promise of target '%s': %s\n", target.name, problem.c_str());
    std::abort();
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  Random random(seed);
  // libFuzzer's own mutations know which comparisons failed.
  if (random.oneIn(8)) {
    return LLVMFuzzerMutate(data, size, maxSize);
  }
  return store(target.mutate(view(data, size), random), data, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize,
                                            const uint8_t *second, size_t secondSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  Random random(seed);
  return store(crossOver(view(first, firstSize), view(second, secondSize), random), out, maxSize);
}
