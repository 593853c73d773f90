//===- Summary.cpp - What a kernel wrote, in a line -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Summary.h"

#include <cmath>
#include <cstdio>

using namespace tegula::run;

namespace {
struct Summary {
  double low = INFINITY, high = -INFINITY, sum = 0;
  uint64_t nans = 0, checksum = 14695981039346656037u;
};
} // namespace

static Summary summarize(const Array &array) {
  Summary summary;
  for (uint64_t i = 0; i < array.count; ++i) {
    const double value = array.get(i);
    summary.nans += std::isnan(value);
    summary.low = std::fmin(summary.low, value);
    summary.high = std::fmax(summary.high, value);
    summary.sum += std::isnan(value) ? 0 : value;
  }
  for (uint64_t i = 0; i < array.bytes(); ++i) { // FNV-1a
    summary.checksum = (summary.checksum ^ array.data()[i]) * 1099511628211u;
  }
  return summary;
}

static std::string jsonNumber(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  return std::isfinite(value) ? buffer : "\"" + std::string(buffer) + "\"";
}

std::string tegula::run::report(const std::string &name, const Array &array, bool json) {
  const Summary summary = summarize(array);
  const uint64_t numbers = array.count - summary.nans;
  const double mean = numbers ? summary.sum / double(numbers) : 0;
  char text[400];
  if (json) {
    std::snprintf(text, sizeof text, "\"nans\": %llu, \"checksum\": \"%016llx\"}",
                  (unsigned long long)summary.nans, (unsigned long long)summary.checksum);
    return "{\"name\": " + tegula::runtime::quoteJson(name) + ", \"array\": \"" + array.describe() +
           "\", \"min\": " + jsonNumber(summary.low) + ", \"max\": " + jsonNumber(summary.high) +
           ", \"mean\": " + jsonNumber(mean) + ", " + text;
  }
  std::snprintf(text, sizeof text, ": %s min=%.9g max=%.9g mean=%.9g nans=%llu checksum=%016llx\n",
                array.describe().c_str(), summary.low, summary.high, mean,
                (unsigned long long)summary.nans, (unsigned long long)summary.checksum);
  return name + text;
}
