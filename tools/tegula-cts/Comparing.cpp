//===- Comparing.cpp - Whether results are right --------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comparing.h"

#include "../common/ErrorReport.h"
#include "tegula/Runtime/Sha256.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <sstream>

using namespace tegula;
using namespace tegula::cts;
using tools::ElementType;

//===----------------------------------------------------------------------===//
// Recorded answers
//===----------------------------------------------------------------------===//

static std::vector<std::string> splitAt(const std::string &text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

static bool readAnswer(const std::string &text, RecordedArray &out) {
  const std::vector<std::string> parts = splitAt(text, ':');
  if (parts.size() == 1 && text.size() == 12) {
    out.digest = text;
    return true;
  }
  out.magnitude = std::strtod(parts[0].c_str(), nullptr);
  for (size_t i = 1; i + 2 < parts.size() + 0; i += 3) {
    out.samples.push_back({std::strtoull(parts[i].c_str(), nullptr, 10),
                           std::strtod(parts[i + 1].c_str(), nullptr),
                           parts[i + 2] == "=" ? -1 : std::strtod(parts[i + 2].c_str(), nullptr)});
  }
  return parts.size() % 3 == 1;
}

std::map<std::string, RecordedCase> tegula::cts::readRecorded(const std::string &folder,
                                                              const std::vector<Family> &families) {
  std::map<std::string, RecordedCase> all;
  for (const Family &family : families) {
    const std::string path = folder + "/expected/" + family.name + ".txt";
    if (!std::filesystem::exists(path)) {
      continue;
    }
    std::istringstream text(tools::readFile(path));
    std::string line;
    for (int number = 1; std::getline(text, line); ++number) {
      const std::vector<std::string> parts = splitAt(line, ';');
      RecordedCase recorded;
      bool isRight = parts.size() >= 2;
      recorded.inputs = isRight ? parts[1] : "";
      for (size_t i = 2; i < parts.size(); ++i) {
        const size_t equals = std::min(parts[i].find('='), parts[i].size());
        RecordedArray &array = recorded.arrays[parts[i].substr(0, equals)];
        isRight &= equals < parts[i].size() && readAnswer(parts[i].substr(equals + 1), array);
      }
      if (!isRight) {
        failAt(path, number, "expected ID, INPUTS and answers between semicolons");
      }
      all[parts[0]] = std::move(recorded);
    }
  }
  return all;
}

static std::string digestOf(const Bytes &bytes) {
  runtime::Sha256 hash;
  hash.update({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  return runtime::toHex(hash.finish()).substr(0, 12);
}

/// The digest of an array's values: NaNs are all the same, and so are zeros for
/// `value`.
static std::string digestOf(const ArraySpec &array, ResultSpec::Tolerance tolerance, Bytes bytes) {
  if (!array.type->isFloat()) {
    return digestOf(bytes);
  }
  const size_t size = array.type->size, count = array.count();
  bytes.resize(bytes.size() + count);
  for (size_t i = 0; i < count; ++i) {
    unsigned char *const at = bytes.data() + i * size;
    const double value = tools::loadNumber(*array.type, at);
    bytes[count * size + i] = std::isnan(value);
    if (std::isnan(value) || (value == 0 && tolerance == ResultSpec::NumericValue)) {
      std::memset(at, 0, size);
    }
  }
  return digestOf(bytes);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static std::string showElement(const ArraySpec &array, const Bytes &bytes, uint64_t index) {
  const unsigned char *const at = bytes.data() + index * array.type->size;
  char text[40];
  if (array.type->isFloat()) {
    std::snprintf(text, sizeof text, "%.9g", tools::loadNumber(*array.type, at));
    return text;
  }
  return toText(tools::loadInteger(*array.type, at));
}

static double ulpOf(double value, const ElementType &type) {
  const int exponent = value == 0 ? type.least : std::max(std::ilogb(value), type.least);
  return std::ldexp(1.0, exponent - type.precision + 1);
}

/// Whether a float is within `limit` of the right one; infinity counts as the power
/// of two after the largest number.
static bool isNear(double actual, double expected, double limit, const ElementType &type) {
  if (std::isnan(actual) || std::isnan(expected)) {
    return std::isnan(actual) && std::isnan(expected);
  }
  if (actual == expected) {
    return true;
  }
  const double infinity = std::ldexp(1.0, std::min(std::ilogb(type.largest) + 1, 1023));
  const auto clamp = [&](double value) {
    return std::fabs(value) > infinity ? std::copysign(infinity, value) : value;
  };
  if (type.size < 8 && std::fabs(clamp(actual) - clamp(expected)) <= limit) {
    return true;
  }
  if (type.size == 8 && std::fabs(actual - expected) <= limit) {
    return true;
  }
  // What may round to beyond the largest number may be infinite, or saturate.
  return std::signbit(actual) == std::signbit(expected) && std::isfinite(expected) &&
         std::fabs(expected) + limit > type.largest && std::fabs(actual) >= type.largest;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

static bool isUntouched(const Outcome &outcome, size_t i) {
  return outcome.before[i] == outcome.after[i];
}

static std::string damageOf(const Case &item, const Outcome &outcome) {
  if (!outcome.damage.empty()) {
    return outcome.damage + ": memory beside the array was written";
  }
  for (size_t i = 0; i < item.arrays.size(); ++i) {
    if (!item.results.contains(item.arrays[i].name) && !isUntouched(outcome, i)) {
      return item.arrays[i].name + ": was written, but has no result";
    }
  }
  return "";
}

std::string tegula::cts::compareRecorded(const Case &item, const RecordedCase &recorded,
                                         const Outcome &outcome) {
  Bytes inputs;
  for (const Bytes &input : outcome.before) {
    inputs.insert(inputs.end(), input.begin(), input.end());
  }
  if (digestOf(inputs) != recorded.inputs) {
    return "the generated inputs are not those of the recorded answers";
  }
  if (const std::string damage = damageOf(item, outcome); !damage.empty()) {
    return damage;
  }
  for (size_t i = 0; i < item.arrays.size(); ++i) {
    const ArraySpec &array = item.arrays[i];
    const auto result = item.results.find(array.name);
    const auto answer = recorded.arrays.find(array.name);
    if (result == item.results.end()) {
      continue;
    }
    if (answer == recorded.arrays.end()) {
      return array.name + ": no answer is recorded";
    }
    if (!answer->second.digest.empty()) {
      const std::string digest = digestOf(array, result->second.tolerance, outcome.after[i]);
      if (digest != answer->second.digest) {
        return array.name + ": expected an array with digest " + answer->second.digest + ", got " +
               digest + "; elements begin " +
               (array.count() ? showElement(array, outcome.after[i], 0) : "(none)");
      }
      continue;
    }
    for (const RecordedArray::Sample &sample : answer->second.samples) {
      if (sample.index >= array.count()) {
        return array.name + ": an answer is recorded for element " + std::to_string(sample.index) +
               ", which it has not";
      }
      const double actual =
          tools::loadNumber(*array.type, outcome.after[i].data() + sample.index * array.type->size);
      const double limit = std::max(sample.limit, 0.0);
      if (!isNear(actual, sample.value, limit, *array.type)) {
        char text[200];
        std::snprintf(text, sizeof text, ": element %llu: expected %.9g within %.3g, got %.9g",
                      (unsigned long long)sample.index, sample.value, limit, actual);
        return array.name + text;
      }
    }
  }
  return "";
}

/// How far two right results for an element may be apart.
static double limitOf(const ArraySpec &array, const ResultSpec &result, double magnitude,
                      double expected) {
  const double finite = std::isfinite(expected) ? expected : array.type->largest;
  if (result.tolerance == ResultSpec::Ulp) {
    return 2 * result.count * ulpOf(finite, *array.type);
  }
  const int precision = result.compute          ? result.compute->precision
                        : array.type->size == 8 ? 53
                                                : 24;
  return 2 * (std::ldexp(2.0 * result.count, -precision) * std::max(magnitude, std::fabs(finite)) +
              ulpOf(finite, *array.type));
}

std::string tegula::cts::compareOutcomes(const Case &item, const RecordedCase *recorded,
                                         const Outcome &oracle, const Outcome &outcome) {
  if (const std::string damage = damageOf(item, outcome); !damage.empty()) {
    return damage;
  }
  for (size_t i = 0; i < item.arrays.size(); ++i) {
    const ArraySpec &array = item.arrays[i];
    const auto found = item.results.find(array.name);
    const ResultSpec result = found == item.results.end() ? ResultSpec() : found->second;
    double magnitude = 0;
    if (recorded) {
      const auto answer = recorded->arrays.find(array.name);
      magnitude = answer == recorded->arrays.end() ? 0 : answer->second.magnitude;
    }
    const size_t size = array.type->size;
    uint64_t numWrong = 0, firstWrong = 0;
    for (uint64_t k = 0; k < array.count(); ++k) {
      const unsigned char *const a = oracle.after[i].data() + k * size;
      const unsigned char *const b = outcome.after[i].data() + k * size;
      bool isRight = std::memcmp(a, b, size) == 0;
      if (!isRight && array.type->isFloat()) {
        const double expected = tools::loadNumber(*array.type, a);
        const double actual = tools::loadNumber(*array.type, b);
        isRight = std::isnan(expected) && std::isnan(actual);
        if (result.tolerance == ResultSpec::NumericValue) {
          isRight |= expected == actual;
        } else if (result.tolerance >= ResultSpec::Ulp) {
          isRight |=
              isNear(actual, expected, limitOf(array, result, magnitude, expected), *array.type);
        }
      }
      if (!isRight) {
        firstWrong = numWrong++ == 0 ? k : firstWrong;
      }
    }
    if (numWrong != 0) {
      return array.name + ": " + std::to_string(numWrong) + " of " + std::to_string(array.count()) +
             " elements differ from the CPU's; element " + std::to_string(firstWrong) +
             ": expected " + showElement(array, oracle.after[i], firstWrong) + ", got " +
             showElement(array, outcome.after[i], firstWrong);
    }
  }
  return "";
}
