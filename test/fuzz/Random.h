//===- Random.h - Repeatable choices of the mutators ----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One seed gives the same choices on every machine, which the standard library's
// distributions do not promise.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TEST_FUZZ_RANDOM_H
#define TEGULA_TEST_FUZZ_RANDOM_H

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace tegula::fuzz {

class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  /// The splitmix64 sequence.
  uint64_t next() {
    uint64_t x = state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  /// From 0 to `bound - 1`; 0 for an empty interval.
  size_t below(size_t bound) { return bound == 0 ? 0 : static_cast<size_t>(next() % bound); }
  bool oneIn(size_t n) { return below(n) == 0; }
  /// An element of a container that is not empty.
  template <typename T> const auto &pick(const T &values) {
    return std::data(values)[below(std::size(values))];
  }

private:
  uint64_t state;
};

/// FNV-1a: choices that depend on an input alone.
inline uint64_t hashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return hash;
}

} // namespace tegula::fuzz

#endif // TEGULA_TEST_FUZZ_RANDOM_H
