//===- Comparing.h - Whether results are right ------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CTS_COMPARING_H
#define TEGULA_CTS_COMPARING_H

#include "Running.h"

namespace tegula::cts {

/// NumPy's answer for one array, which tools/dev/conformance-expected has written.
struct RecordedArray {
  std::string digest; ///< of the whole array, or:
  double magnitude = 0;
  struct Sample {
    uint64_t index;
    double value, limit; ///< a negative limit: must be untouched
  };
  std::vector<Sample> samples;
};

/// NumPy's answers for one case.
struct RecordedCase {
  std::string inputs; ///< digest of all generated arrays
  std::map<std::string, RecordedArray> arrays;
};

/// By id of the case, of FOLDER/expected/*.txt. Throws invalid-file; a family without
/// a file has no answers.
std::map<std::string, RecordedCase> readRecorded(const std::string &folder,
                                                 const std::vector<Family> &families);

/// What is wrong with an outcome by NumPy's answers, or "".
std::string compareRecorded(const Case &item, const RecordedCase &recorded, const Outcome &outcome);
/// What is wrong with an outcome by that of another device, or "". Two right results
/// may lie twice as far apart as each from the exact one. `recorded` may be null:
/// sums are then taken as large as their results.
std::string compareOutcomes(const Case &item, const RecordedCase *recorded, const Outcome &oracle,
                            const Outcome &outcome);

} // namespace tegula::cts

#endif // TEGULA_CTS_COMPARING_H
