//===- Generators.cpp - Generated inputs --------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How generators are written on the command line; tools/common makes the numbers.
//
//===----------------------------------------------------------------------===//

#include "../common/Generators.h"
#include "Array.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

using namespace tegula;
using namespace tegula::run;

namespace {

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

/// A parameter of one of the other generators: an integer if it looks like one.
static tools::GeneratorNumber parseParameter(const std::string &text) {
  const bool isInteger = text.find_first_not_of("0123456789+-") == std::string::npos;
  return isInteger ? tools::GeneratorNumber::ofInteger(parseInteger(text))
                   : tools::GeneratorNumber::ofNumber(parseNumber(text));
}

/// The parameters, checked; messages say how each generator is written.
static std::vector<tools::GeneratorNumber>
readParameters(const Spec &spec, const tools::GeneratorInfo &generator, const DType &dtype) {
  const std::string &name = spec.generator;
  const bool isFloat = dtype.kind == DType::Float;
  const size_t count = spec.parameters.size();
  if (generator.least == generator.most && count != generator.least) {
    const std::string form = name == "full"        ? "one value, as in full(3)"
                             : generator.most == 2 ? "two limits, as in " + name + "(0,10)"
                                                   : "no parameters";
    fail(status::InvalidValue,
         "generator '" + name + "': expected " + form + ", got " + std::to_string(count));
  }
  if (generator.isFloatOnly && !isFloat) {
    fail(status::InvalidValue, "generator '" + name + "': expected a float type, got '" +
                                   spec.dtype + "'; use randint(LO,HI)");
  }
  std::vector<tools::GeneratorNumber> numbers;
  for (const std::string &text : spec.parameters) {
    if (name == "full" && isFloat) {
      numbers.push_back(tools::GeneratorNumber::ofNumber(parseNumber(text)));
    } else if (name == "full" || generator.isWhole) {
      numbers.push_back(tools::GeneratorNumber::ofInteger(parseInteger(text)));
    } else {
      numbers.push_back(parseParameter(text));
    }
  }
  const std::string problem =
      tools::checkGenerator(generator, numbers, *tools::findElementType(dtype.name));
  if (!problem.empty()) {
    const bool isRange = name == "randint" || name == "index";
    fail(status::InvalidValue, isRange ? "generator '" + name +
                                             "': expected LO < HI at most 2^32 apart, got " +
                                             spec.parameters[0] + " and " + spec.parameters[1]
                                       : "generator " + problem);
  }
  if (name == "full" && !isFloat) {
    checkRange(dtype, int64_t(numbers[0].integer), spec.parameters[0]);
  } else if (name == "randint" || name == "index") {
    const auto high = int64_t(numbers[1].integer) - 1;
    checkRange(dtype, int64_t(numbers[0].integer), spec.parameters[0]);
    checkRange(dtype, high, std::to_string(high));
  }
  return numbers;
}

static Array readOrMake(const Spec &spec, const std::string &name, uint64_t seed) {
  Array array;
  array.allocate(findDType(spec.dtype), spec.shape);
  const tools::GeneratorInfo *generator = tools::findGenerator(spec.generator);
  if (!generator) {
    fail(status::InvalidValue,
         "expected a generator (rand, randn, randint(LO,HI), zeros, ones, full(V), arange, "
         "values(V,...), uniform(LO,HI), linear(LO,HI), index(LO,HI), permutation, bits, "
         "adversarial(K), poison), got '" +
             spec.generator + "'");
  }
  tools::generate(*generator, readParameters(spec, *generator, *array.dtype),
                  *tools::findElementType(array.dtype->name), array.count, seed, name,
                  array.data());
  return array;
}

static bool isNpy(const std::string &spec) { return spec.size() > 4 && spec.ends_with(".npy"); }

bool tegula::run::isArraySpec(const std::string &spec) {
  return isNpy(spec) || (spec.find(':') != std::string::npos && spec.ends_with("]"));
}

Array tegula::run::makeArray(const std::string &spec, const std::string &name, uint64_t seed) {
  return isNpy(spec) ? readNpy(spec) : readOrMake(parseSpec(spec), name, seed);
}
