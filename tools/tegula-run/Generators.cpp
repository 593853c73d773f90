//===- Generators.cpp - Generated inputs --------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/input-generators.md has the formulas; both change together.
//
//===----------------------------------------------------------------------===//

#include "Array.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>

using namespace tegula::run;

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
      for (int i = 0; i < 4; ++i) {
        words[i] = next[i];
      }
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
  }
};

/// "name(a,b):dtype[shape]" taken apart.
struct Spec {
  std::string generator;
  std::vector<std::string> parameters;
  std::string dtype;
  std::vector<uint64_t> shape;
};

} // namespace

static std::vector<std::string> splitList(const std::string &text) {
  std::vector<std::string> items;
  for (size_t at = 0; at <= text.size() && !text.empty();) {
    const size_t end = std::min(text.find(',', at), text.size());
    items.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return items;
}

static uint64_t parseExtent(const std::string &text, const std::string &spec) {
  char *end = nullptr;
  errno = 0;
  const unsigned long long extent = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || text[0] == '-') {
    fail(status::InvalidValue, "expected a shape such as [4,8], got '" + spec + "'");
  }
  if (errno != 0) {
    fail(status::InvalidValue, "expected an array of at most 2^36 elements, got '" + spec + "'");
  }
  return extent;
}

static Spec parseSpec(const std::string &text) {
  Spec spec;
  const size_t colon = text.rfind(':'), bracket = text.rfind('[');
  if (colon == std::string::npos || bracket == std::string::npos || bracket < colon ||
      text.back() != ']') {
    fail(status::InvalidValue, "expected GENERATOR:DTYPE[SHAPE], got '" + text + "'");
  }
  spec.generator = text.substr(0, colon);
  spec.dtype = text.substr(colon + 1, bracket - colon - 1);
  for (const std::string &extent : splitList(text.substr(bracket + 1, text.size() - bracket - 2))) {
    spec.shape.push_back(parseExtent(extent, text));
  }
  const size_t open = spec.generator.find('(');
  if (open != std::string::npos) {
    if (spec.generator.back() != ')') {
      fail(status::InvalidValue, "expected ')' after the generator's parameters in '" + text + "'");
    }
    spec.parameters = splitList(spec.generator.substr(open + 1, spec.generator.size() - open - 2));
    spec.generator.resize(open);
  }
  return spec;
}

static double parseNumber(const std::string &text) {
  char *end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') {
    fail(status::InvalidValue, "expected a number as the generator's value, got '" + text + "'");
  }
  return number;
}

static int64_t parseInteger(const std::string &text) {
  char *end = nullptr;
  errno = 0;
  const long long number = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || errno != 0) {
    fail(status::InvalidValue, "expected an integer as the generator's value, got '" + text + "'");
  }
  return number;
}

/// FNV-1a: a stream of its own for each argument, whatever the order.
static uint32_t streamOf(const std::string &name) {
  uint32_t hash = 2166136261u;
  for (const char c : name) {
    hash = (hash ^ uint8_t(c)) * 16777619u;
  }
  return hash;
}

static Array readOrMake(const Spec &spec, const std::string &name, uint64_t seed) {
  Array array;
  array.allocate(findDType(spec.dtype), spec.shape);
  const std::string &generator = spec.generator;
  const size_t wanted = generator == "full" ? 1 : generator == "randint" ? 2 : 0;
  if (spec.parameters.size() != wanted) {
    const std::string form = generator == "full"      ? "one value, as in full(3)"
                             : generator == "randint" ? "two limits, as in randint(0,10)"
                                                      : "no parameters";
    fail(status::InvalidValue, "generator '" + generator + "': expected " + form + ", got " +
                                   std::to_string(spec.parameters.size()));
  }
  const uint32_t stream = streamOf(name);
  if (generator == "zeros") {
    // allocated so
  } else if (generator == "ones" || generator == "full") {
    const std::string value = wanted ? spec.parameters[0] : "1";
    const bool isFloat = array.dtype->kind == DType::Float;
    const double number = isFloat ? parseNumber(value) : 0;
    const int64_t integer = isFloat ? 0 : parseInteger(value);
    checkRange(*array.dtype, integer, value);
    for (uint64_t i = 0; i < array.count; ++i) {
      isFloat ? array.set(i, number) : array.setInteger(i, integer);
    }
  } else if (generator == "arange") {
    for (uint64_t i = 0; i < array.count; ++i) {
      array.setInteger(i, int64_t(i));
    }
  } else if (generator == "rand" || generator == "randn") {
    if (array.dtype->kind != DType::Float) {
      fail(status::InvalidValue, "generator '" + generator + "': expected a float type, got '" +
                                     spec.dtype + "'; use randint(LO,HI)");
    }
    const bool isNormal = generator == "randn";
    for (uint64_t i = 0; i < array.count; ++i) {
      if (isNormal) {
        const Philox random(seed, i, stream, 1);
        const double radius = std::sqrt(-2 * std::log((random.words[0] + 1.0) * 0x1p-32));
        array.set(i, radius * std::cos(random.words[1] * (2 * M_PI * 0x1p-32)));
      } else {
        array.set(i, (Philox(seed, i / 4, stream, 0).words[i % 4] >> 8) * 0x1p-24);
      }
    }
  } else if (generator == "randint") {
    const int64_t low = parseInteger(spec.parameters[0]), high = parseInteger(spec.parameters[1]);
    const uint64_t range = uint64_t(high) - uint64_t(low);
    if (low >= high || range > (uint64_t(1) << 32)) {
      fail(status::InvalidValue, "generator 'randint': expected LO < HI at most 2^32 apart, got " +
                                     spec.parameters[0] + " and " + spec.parameters[1]);
    }
    checkRange(*array.dtype, low, spec.parameters[0]);
    checkRange(*array.dtype, high - 1, std::to_string(high - 1));
    for (uint64_t i = 0; i < array.count; ++i) {
      const uint64_t word = Philox(seed, i / 4, stream, 2).words[i % 4];
      array.setInteger(i, low + int64_t((word * range) >> 32));
    }
  } else {
    fail(status::InvalidValue,
         "expected a generator (rand, randn, randint(LO,HI), zeros, ones, full(V), "
         "arange), got '" +
             generator + "'");
  }
  return array;
}

static bool isNpy(const std::string &spec) { return spec.size() > 4 && spec.ends_with(".npy"); }

bool tegula::run::isArraySpec(const std::string &spec) {
  return isNpy(spec) || (spec.find(':') != std::string::npos && spec.ends_with("]"));
}

Array tegula::run::makeArray(const std::string &spec, const std::string &name, uint64_t seed) {
  return isNpy(spec) ? readNpy(spec) : readOrMake(parseSpec(spec), name, seed);
}
