//===- Report.h - Outcomes of tests -----------------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CTS_REPORT_H
#define TEGULA_CTS_REPORT_H

#include <map>
#include <string>
#include <vector>

namespace tegula::cts {

/// How a test ended, before and after the expectations have had their say.
enum class State {
  Pass,
  Fail,
  Skip,            ///< nothing to run it on, or nothing to judge it by
  Unsupported,     ///< by the expectations or the row: not run
  ExpectedFailure, ///< failed, as the expectations say
  SurprisePass     ///< passed, though the expectations say it fails
};

/// "pass", "fail", ... in JSON.
const char *toText(State state);

struct Verdict {
  State state = State::Pass;
  std::string message;

  static Verdict failed(std::string message) { return {State::Fail, std::move(message)}; }
  static Verdict skip(std::string message) { return {State::Skip, std::move(message)}; }
  /// Fails with a message, passes without.
  static Verdict of(std::string problem) {
    return problem.empty() ? Verdict() : failed(std::move(problem));
  }
};

struct TestResult {
  std::string group, name;
  Verdict verdict;
  double seconds = 0;
};

/// What the run was about.
struct RunFacts {
  std::vector<std::string> plugins;
  std::string backend, target, device, oracle;
  std::vector<std::string> groupNotes; ///< "register: no compiler half"
  double seconds = 0;
  bool verifyXfail = false;
};

struct Score {
  unsigned passed = 0, ran = 0, skipped = 0, unsupported = 0, expectedFailures = 0, surprises = 0;
};
/// In the order of first appearance.
std::vector<std::pair<std::string, Score>> scores(const std::vector<TestResult> &results);

/// "load 14/14, compile 212/212, xfail 2".
std::string scoreLine(const std::vector<TestResult> &results);
/// Failures, what was not run and why, the score.
std::string toText(const RunFacts &facts, const std::vector<TestResult> &results);
std::string toJson(const RunFacts &facts, const std::vector<TestResult> &results);
std::string toJUnit(const RunFacts &facts, const std::vector<TestResult> &results);

/// Whether the run has failed.
bool hasFailed(const RunFacts &facts, const std::vector<TestResult> &results);

} // namespace tegula::cts

#endif // TEGULA_CTS_REPORT_H
