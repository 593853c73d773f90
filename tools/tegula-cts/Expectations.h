//===- Expectations.h - What a backend cannot do, and does wrong yet -*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CTS_EXPECTATIONS_H
#define TEGULA_CTS_EXPECTATIONS_H

#include "Report.h"

namespace tegula::cts {

/// The file of --expectations (docs/conformance-suite.md).
class Expectations {
public:
  Expectations() = default;
  /// Throws invalid-file with FILE:LINE.
  explicit Expectations(const std::string &path);

  /// Whether the test must not run; `reason` says why.
  bool isUnsupported(const std::string &test, std::string &reason);
  /// Turns failures into expected ones and passes into surprises.
  void judge(const std::string &test, Verdict &verdict);
  /// FILE:LINE: message for each entry that no test of `known` has met. `known`: the names
  /// of all tests, also those that a filter leaves out.
  std::vector<std::string> unused(const std::vector<std::string> &known) const;

private:
  struct Entry {
    std::string pattern, reason;
    int line;
  };
  std::string path;
  std::vector<Entry> unsupported, failures;
};

/// Shell patterns: `*` also stands for slashes, `?` for one character; brackets are
/// plain, since names of cases have them.
bool matchesGlob(const std::string &pattern, const std::string &text);

} // namespace tegula::cts

#endif // TEGULA_CTS_EXPECTATIONS_H
