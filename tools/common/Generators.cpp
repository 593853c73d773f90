//===- Generators.cpp - Generated arrays ------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/input-generators.md has the formulas; both change together, as does
// test/python/conformance_values.py.
//
//===----------------------------------------------------------------------===//

#include "Generators.h"

#include <cmath>
#include <cstring>
#include <utility>

using namespace tegula::tools;

// A product and a sum are two roundings, whatever the processor could do in one.
#pragma STDC FP_CONTRACT OFF

static const GeneratorInfo generators[] = {
    {"zeros", 0, 0, true, false},    {"ones", 0, 0, true, false},
    {"full", 1, 1, false, false},    {"arange", 0, 0, true, false},
    {"values", 1, 64, false, false}, {"rand", 0, 0, true, true},
    {"randn", 0, 0, true, true},     {"uniform", 2, 2, false, true},
    {"linear", 2, 2, false, true},   {"randint", 2, 2, true, false},
    {"index", 2, 2, true, false},    {"permutation", 0, 0, true, false, false},
    {"bits", 0, 0, true, false},     {"adversarial", 0, 1, true, false},
    {"poison", 0, 0, true, false},
};

const GeneratorInfo *tegula::tools::findGenerator(std::string_view name) {
  for (const GeneratorInfo &generator : generators) {
    if (name == generator.name) {
      return &generator;
    }
  }
  return nullptr;
}

std::string tegula::tools::listGenerators() {
  std::string text;
  for (const GeneratorInfo &generator : generators) {
    text += (text.empty() ? "" : ", ") + std::string(generator.name);
  }
  return text;
}

std::string tegula::tools::checkGenerator(const GeneratorInfo &generator,
                                          const std::vector<GeneratorNumber> &parameters,
                                          const ElementType &type) {
  const std::string name = generator.name;
  if (parameters.size() < generator.least || parameters.size() > generator.most) {
    return name + ": expected " + std::to_string(generator.least) + " to " +
           std::to_string(generator.most) + " parameters, got " + std::to_string(parameters.size());
  }
  for (const GeneratorNumber &parameter : parameters) {
    if (generator.isWhole && !parameter.isInteger) {
      return name + ": expected integers";
    }
  }
  if ((generator.isFloatOnly && !type.isFloat()) ||
      (!generator.isBoolToo && type.kind == ElementType::Bool)) {
    return name + ": not a generator for " + type.language;
  }
  if (name == "randint" || name == "index") {
    const __int128 range = parameters[1].integer - parameters[0].integer;
    if (range <= 0 || range > (__int128(1) << 32)) {
      return name + ": expected LO < HI at most 2^32 apart";
    }
  }
  if (name == "adversarial" && !parameters.empty() &&
      (parameters[0].integer < 0 || parameters[0].integer > 2)) {
    return name + ": expected 0, 1 or 2";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Random words
//===----------------------------------------------------------------------===//

namespace {
/// Philox4x32 with ten rounds.
struct Philox {
  uint32_t words[4];

  Philox(uint64_t seed, uint64_t block, uint32_t stream, uint32_t kind)
      : words{uint32_t(block), uint32_t(block >> 32), stream, kind} {
    uint32_t key0 = uint32_t(seed), key1 = uint32_t(seed >> 32);
    for (int round = 0; round < 10; ++round) {
      const uint64_t product0 = uint64_t(0xD2511F53u) * words[0];
      const uint64_t product1 = uint64_t(0xCD9E8D57u) * words[2];
      const uint32_t next[4] = {uint32_t(product1 >> 32) ^ words[1] ^ key0, uint32_t(product1),
                                uint32_t(product0 >> 32) ^ words[3] ^ key1, uint32_t(product0)};
      std::memcpy(words, next, sizeof words);
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
  }
};

/// One word for each element, four of a block.
class Words {
public:
  Words(uint64_t seed, uint32_t stream, uint32_t kind) : seed(seed), stream(stream), kind(kind) {}

  uint32_t operator()(uint64_t i) {
    if (i / 4 != at) {
      at = i / 4;
      block = Philox(seed, at, stream, kind);
    }
    return block.words[i % 4];
  }

private:
  uint64_t seed, at = 0;
  uint32_t stream, kind;
  Philox block{seed, 0, stream, kind};
};

/// What is being filled.
struct Filler {
  const ElementType &type;
  uint64_t count, seed;
  uint32_t stream;
  unsigned char *out;

  unsigned char *at(uint64_t i) const { return out + i * type.size; }
  void integer(uint64_t i, __int128 value) const { storeInteger(type, at(i), value); }
  void number(uint64_t i, long double value) const { storeNumber(type, at(i), value); }
  void parameter(uint64_t i, const GeneratorNumber &value) const {
    value.isInteger ? integer(i, value.integer) : number(i, value.number);
  }
  Words words(uint32_t kind) const { return Words(seed, stream, kind); }

  void randomInts(__int128 low, __int128 high) const;
  void permutation() const;
  void bits(uint64_t i, Words &drawn, Philox &pair, uint64_t &pairAt) const;
  void allBits() const;
  void adversarial(int which) const;
  void specials(unsigned char *table) const;
};
} // namespace

/// FNV-1a: a stream of its own for each argument, whatever the order.
static uint32_t streamOf(const std::string &name) {
  uint32_t hash = 2166136261u;
  for (const char c : name) {
    hash = (hash ^ uint8_t(c)) * 16777619u;
  }
  return hash;
}

void Filler::randomInts(__int128 low, __int128 high) const {
  Words drawn = words(2);
  const auto range = static_cast<unsigned __int128>(high - low);
  for (uint64_t i = 0; i < count; ++i) {
    integer(i, low + static_cast<__int128>((drawn(i) * range) >> 32));
  }
}

void Filler::permutation() const {
  std::vector<uint64_t> numbers(count);
  for (uint64_t i = 0; i < count; ++i) {
    numbers[i] = i;
  }
  Words drawn = words(4);
  for (uint64_t k = count; k-- > 1;) {
    std::swap(numbers[k], numbers[(uint64_t(drawn(k)) * (k + 1)) >> 32]);
  }
  for (uint64_t i = 0; i < count; ++i) {
    integer(i, numbers[i]);
  }
}

void Filler::bits(uint64_t i, Words &drawn, Philox &pair, uint64_t &pairAt) const {
  uint64_t pattern;
  if (type.size == 8) {
    if (i / 2 != pairAt) {
      pairAt = i / 2;
      pair = Philox(seed, pairAt, stream, 3);
    }
    pattern = pair.words[2 * (i % 2)] | uint64_t(pair.words[2 * (i % 2) + 1]) << 32;
  } else {
    pattern = drawn(i) & (type.kind == ElementType::Bool ? 1 : ~0u);
  }
  std::memcpy(at(i), &pattern, type.size);
}

void Filler::allBits() const {
  Words drawn = words(3);
  Philox pair(seed, 0, stream, 3);
  uint64_t pairAt = 0;
  for (uint64_t i = 0; i < count; ++i) {
    bits(i, drawn, pair, pairAt);
  }
}

/// The 32 special values of a type, in order, at `table`.
void Filler::specials(unsigned char *table) const {
  const unsigned width = type.bits();
  if (type.kind == ElementType::Bool) {
    for (int i = 0; i < 32; ++i) {
      storeInteger(type, table + i, i % 2);
    }
  } else if (!type.isFloat()) {
    const __int128 one = 1;
    const __int128 low = type.kind == ElementType::Uint ? 0 : -(one << (width - 1));
    const __int128 high = low + (one << width) - 1;
    const __int128 half = high >> 1;
    const __int128 values[32] = {low,
                                 high,
                                 0,
                                 -1,
                                 1,
                                 2,
                                 -2,
                                 3,
                                 low + 1,
                                 high - 1,
                                 half + 1,
                                 7,
                                 -7,
                                 10,
                                 100,
                                 -100,
                                 width - 1,
                                 width,
                                 width + 1,
                                 127,
                                 -128,
                                 255,
                                 256,
                                 32767,
                                 -32768,
                                 65535,
                                 65536,
                                 (one << 31) - 1,
                                 -(one << 31),
                                 (one << 32) - 1,
                                 5,
                                 64};
    for (int i = 0; i < 32; ++i) {
      storeInteger(type, table + i * type.size, values[i]);
    }
  } else {
    const double largest = type.largest, tiny = std::ldexp(1.0, type.least);
    const double epsilon = std::ldexp(1.0, 1 - type.precision), sub = tiny * epsilon;
    const double values[32] = {0.0,
                               -0.0,
                               1.0,
                               -1.0,
                               NAN,
                               HUGE_VAL,
                               -HUGE_VAL,
                               largest,
                               -largest,
                               tiny,
                               -tiny,
                               sub,
                               -sub,
                               tiny - sub,
                               sub - tiny,
                               0.5,
                               1.5,
                               -1.5,
                               2.5,
                               0.1,
                               -7.0,
                               3.0,
                               1 + epsilon,
                               1 - epsilon / 2,
                               -1 - epsilon,
                               largest / 2,
                               127.5,
                               100.0,
                               -100.0,
                               3 * sub,
                               std::ldexp(1.0, type.precision),
                               65504.0};
    for (int i = 0; i < 32; ++i) {
      storeNumber(type, table + i * type.size, values[i]);
    }
  }
}

void Filler::adversarial(int which) const {
  unsigned char table[32 * 8];
  specials(table);
  Words drawn = words(5), random = words(3);
  Philox pair(seed, 0, stream, 3);
  uint64_t pairAt = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint32_t word = drawn(i);
    uint64_t index = which == 0 ? i % 32 : which == 1 ? i / 32 % 32 : (i + 5 * (i / 32)) % 32;
    if (i >= 1024) {
      index = word / 256 % 32;
      if (word % 4 != 0) {
        bits(i, random, pair, pairAt);
        continue;
      }
    }
    std::memcpy(at(i), table + index * type.size, type.size);
  }
}

void tegula::tools::generate(const GeneratorInfo &generator,
                             const std::vector<GeneratorNumber> &parameters,
                             const ElementType &type, uint64_t count, uint64_t seed,
                             const std::string &argument, unsigned char *out) {
  const std::string_view name = generator.name;
  const Filler fill{type, count, seed, streamOf(argument), out};
  if (name == "randint" || name == "index") {
    fill.randomInts(parameters[0].integer, parameters[1].integer);
    if (name == "index" && count > 0) {
      fill.integer(0, parameters[0].integer);
      fill.integer(count - 1, parameters[1].integer - 1);
    }
    return;
  }
  if (name == "permutation") {
    return fill.permutation();
  }
  if (name == "bits") {
    return fill.allBits();
  }
  if (name == "adversarial") {
    return fill.adversarial(parameters.empty() ? 0 : int(parameters[0].integer));
  }
  if (name == "poison") {
    std::memset(out, 0x5A, count * type.size);
    return;
  }
  Words drawn = fill.words(0);
  for (uint64_t i = 0; i < count; ++i) {
    const auto uniform = [&] { return (drawn(i) >> 8) * 0x1p-24; };
    if (name == "zeros" || name == "ones") {
      fill.integer(i, name == "ones");
    } else if (name == "full" || name == "values") {
      fill.parameter(i, parameters[i % parameters.size()]);
    } else if (name == "arange") {
      fill.integer(i, i);
    } else if (name == "rand") {
      fill.number(i, uniform());
    } else if (name == "randn") {
      const Philox random(seed, i, fill.stream, 1);
      const double radius = std::sqrt(-2 * std::log((random.words[0] + 1.0) * 0x1p-32));
      fill.number(i, radius * std::cos(random.words[1] * (2 * M_PI * 0x1p-32)));
    } else {
      const double low = parameters[0].number, range = parameters[1].number - low;
      const double part =
          name == "uniform" ? uniform() : double(i) / double(count > 1 ? count - 1 : 1);
      fill.number(i, low + range * part);
    }
  }
}
