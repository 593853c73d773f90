//===- Versions.cpp - Ranges of versions, and patterns ------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Descriptor.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

using namespace tegula::runtime;

namespace {
using Version = std::array<unsigned, 3>;

struct Bound {
  std::string compare;
  Version version;
};
} // namespace

/// "0.1" or "0.1.2"; what is left out is 0. What follows a '-' or '+' is a remark.
static std::optional<Version> parseVersion(std::string text, bool mayHaveRemark) {
  if (mayHaveRemark) {
    text = text.substr(0, text.find_first_of("-+"));
  }
  Version version = {};
  const char *at = text.data(), *end = at + text.size();
  for (size_t i = 0; i < version.size(); ++i) {
    const auto [next, error] = std::from_chars(at, end, version[i]);
    if (error != std::errc()) {
      return std::nullopt;
    }
    if (next == end) {
      return version;
    }
    if (*next != '.') {
      return std::nullopt;
    }
    at = next + 1;
  }
  return std::nullopt;
}

static std::optional<Bound> parseBound(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  for (const char *compare : {">=", "<=", ">", "<", "=="}) {
    if (text.starts_with(compare)) {
      text.erase(0, std::string(compare).size());
      text.erase(0, text.find_first_not_of(' '));
      const std::optional<Version> version = parseVersion(text, /*mayHaveRemark=*/false);
      return version ? std::optional(Bound{compare, *version}) : std::nullopt;
    }
  }
  const std::optional<Version> version = parseVersion(text, /*mayHaveRemark=*/false);
  return version ? std::optional(Bound{"==", *version}) : std::nullopt;
}

/// The bounds of a range; `wrong` is the first that is none.
static std::vector<Bound> parseRange(const std::string &range, std::optional<std::string> &wrong) {
  std::vector<Bound> bounds;
  for (size_t at = 0; at <= range.size();) {
    const size_t end = std::min(range.find(',', at), range.size());
    const std::string part = range.substr(at, end - at);
    if (const std::optional<Bound> bound = parseBound(part)) {
      bounds.push_back(*bound);
    } else if (!wrong) {
      wrong = part;
    }
    at = end + 1;
  }
  return bounds;
}

std::string tegula::runtime::checkVersionRange(const std::string &range) {
  std::optional<std::string> wrong;
  if (!range.empty()) {
    parseRange(range, wrong);
  }
  return wrong ? "expected versions such as \">=0.1,<0.2\", got '" + *wrong + "'" : "";
}

bool tegula::runtime::isInRange(const std::string &version, const std::string &range) {
  std::optional<std::string> wrong;
  const std::optional<Version> found = parseVersion(version, /*mayHaveRemark=*/true);
  const std::vector<Bound> bounds = parseRange(range, wrong);
  return found && !wrong && std::all_of(bounds.begin(), bounds.end(), [&](const Bound &bound) {
           return bound.compare == ">="   ? *found >= bound.version
                  : bound.compare == "<=" ? *found <= bound.version
                  : bound.compare == ">"  ? *found > bound.version
                  : bound.compare == "<"  ? *found < bound.version
                                          : *found == bound.version;
         });
}

bool tegula::runtime::fitsPattern(const std::string &pattern, const std::string &text) {
  // The last * takes one byte more whenever what follows it does not fit.
  size_t p = 0, t = 0, star = std::string::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string::npos;
}
