//===- Report.cpp - Outcomes of tests -------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "tegula/Runtime/Status.h"

#include <algorithm>
#include <cstdio>

using namespace tegula;
using namespace tegula::cts;

static constexpr size_t shownNames = 5;

const char *tegula::cts::toText(State state) {
  static const char *const names[] = {"pass",        "fail",  "skip",
                                      "unsupported", "xfail", "surprise-pass"};
  return names[size_t(state)];
}

std::vector<std::pair<std::string, Score>>
tegula::cts::scores(const std::vector<TestResult> &results) {
  std::vector<std::pair<std::string, Score>> out;
  for (const TestResult &result : results) {
    auto found = std::find_if(out.begin(), out.end(),
                              [&](const auto &entry) { return entry.first == result.group; });
    if (found == out.end()) {
      out.emplace_back(result.group, Score());
      found = out.end() - 1;
    }
    Score &score = found->second;
    switch (result.verdict.state) {
    case State::Pass:
      ++score.passed;
      ++score.ran;
      break;
    case State::Fail:
      ++score.ran;
      break;
    case State::Skip:
      ++score.skipped;
      break;
    case State::Unsupported:
      ++score.unsupported;
      break;
    case State::ExpectedFailure:
      ++score.expectedFailures;
      break;
    case State::SurprisePass:
      ++score.surprises;
      ++score.passed;
      ++score.ran;
      break;
    }
  }
  return out;
}

std::string tegula::cts::scoreLine(const std::vector<TestResult> &results) {
  std::string line;
  Score all;
  for (const auto &[group, score] : scores(results)) {
    if (score.ran != 0) {
      line += (line.empty() ? "" : ", ") + group + " " + std::to_string(score.passed) + "/" +
              std::to_string(score.ran);
    }
    all.skipped += score.skipped;
    all.unsupported += score.unsupported;
    all.expectedFailures += score.expectedFailures;
    all.surprises += score.surprises;
  }
  const auto add = [&](const char *what, unsigned count) {
    if (count != 0) {
      line += (line.empty() ? "" : ", ") + std::string(what) + " " + std::to_string(count);
    }
  };
  add("skipped", all.skipped);
  add("unsupported", all.unsupported);
  add("xfail", all.expectedFailures);
  add("surprise passes", all.surprises);
  return line.empty() ? "nothing ran" : line;
}

bool tegula::cts::hasFailed(const RunFacts &facts, const std::vector<TestResult> &results) {
  return std::any_of(results.begin(), results.end(), [&](const TestResult &result) {
    return result.verdict.state == State::Fail ||
           (facts.verifyXfail && result.verdict.state == State::SurprisePass);
  });
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string tegula::cts::toText(const RunFacts &facts, const std::vector<TestResult> &results) {
  std::string text;
  for (const TestResult &result : results) {
    const State state = result.verdict.state;
    const std::string name = result.group + "/" + result.name;
    if (state == State::Fail) {
      text += "FAIL " + name + ": " + result.verdict.message + "\n";
    } else if (state == State::SurprisePass) {
      text += std::string(facts.verifyXfail ? "FAIL " : "note ") + name +
              ": passes, but is listed as an expected failure: " + result.verdict.message + "\n";
    }
  }
  // What did not run, by reason.
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const TestResult &result : results) {
    const State state = result.verdict.state;
    if (state != State::Skip && state != State::Unsupported && state != State::ExpectedFailure) {
      continue;
    }
    const std::string reason = std::string(cts::toText(state)) + ": " + result.verdict.message;
    auto found = std::find_if(reasons.begin(), reasons.end(),
                              [&](const auto &entry) { return entry.first == reason; });
    if (found == reasons.end()) {
      reasons.push_back({reason, {}});
      found = reasons.end() - 1;
    }
    found->second.push_back(result.group + "/" + result.name);
  }
  for (const auto &[reason, names] : reasons) {
    text += std::to_string(names.size()) + " " + reason + "\n";
    for (size_t i = 0; i < std::min(names.size(), shownNames); ++i) {
      text += "    " + names[i] + "\n";
    }
    if (names.size() > shownNames) {
      text += "    and " + std::to_string(names.size() - shownNames) + " more\n";
    }
  }
  for (const std::string &note : facts.groupNotes) {
    text += "note: " + note + "\n";
  }
  char seconds[40];
  std::snprintf(seconds, sizeof seconds, " (%.1f s)", facts.seconds);
  text += (facts.device.empty() ? "" : "device: " + facts.device + "\n");
  text += (facts.oracle.empty() ? "" : "judged by: " + facts.oracle + "\n");
  return text + facts.backend + ": " + scoreLine(results) + seconds + "\n";
}

//===----------------------------------------------------------------------===//
// JSON and JUnit
//===----------------------------------------------------------------------===//

static std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4f", value);
  return text;
}

std::string tegula::cts::toJson(const RunFacts &facts, const std::vector<TestResult> &results) {
  const auto quoted = [](const std::string &text) { return runtime::quoteJson(text); };
  const auto list = [&](const std::vector<std::string> &texts) {
    std::string out;
    for (const std::string &text : texts) {
      out += (out.empty() ? "" : ", ") + quoted(text);
    }
    return "[" + out + "]";
  };
  std::string out =
      "{\"plugins\": " + list(facts.plugins) + ", \"backend\": " + quoted(facts.backend) +
      ", \"target\": " + quoted(facts.target) + ", \"device\": " + quoted(facts.device) +
      ", \"oracle\": " + quoted(facts.oracle) + ", \"notes\": " + list(facts.groupNotes) +
      ", \"seconds\": " + number(facts.seconds) +
      ", \"failed\": " + (hasFailed(facts, results) ? "true" : "false") +
      ", \"score\": " + quoted(scoreLine(results)) + ",\n \"groups\": {";
  std::string groups;
  for (const auto &[group, score] : scores(results)) {
    const auto count = [](const char *name, unsigned value) {
      return ", \"" + std::string(name) + "\": " + std::to_string(value);
    };
    groups += (groups.empty() ? "" : ", ") + quoted(group) +
              ": {\"passed\": " + std::to_string(score.passed) + count("ran", score.ran) +
              count("skipped", score.skipped) + count("unsupported", score.unsupported) +
              count("xfail", score.expectedFailures) + count("surprise", score.surprises) + "}";
  }
  out += groups + "},\n \"tests\": [";
  for (size_t i = 0; i < results.size(); ++i) {
    const TestResult &result = results[i];
    out += std::string(i ? ",\n  " : "\n  ") + "{\"group\": " + quoted(result.group) +
           ", \"name\": " + quoted(result.name) + ", \"state\": \"" + toText(result.verdict.state) +
           "\", \"message\": " + quoted(result.verdict.message) +
           ", \"seconds\": " + number(result.seconds) + "}";
  }
  return out + "\n]}\n";
}

static std::string escaped(const std::string &text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    // A plugin's text may be anything; XML has to be UTF-8.
    const size_t length = runtime::utf8Length(text, at);
    if (length != 1) {
      out += length ? text.substr(at, length) : "?";
      at += length ? length - 1 : 0;
      continue;
    }
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      // Control characters have no place in XML.
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

std::string tegula::cts::toJUnit(const RunFacts &facts, const std::vector<TestResult> &results) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tegula-cts " +
                    escaped(facts.backend) + "\" time=\"" + number(facts.seconds) + "\">\n";
  for (const auto &[group, score] : scores(results)) {
    std::string body;
    unsigned failures = 0, skipped = 0, tests = 0;
    double seconds = 0;
    for (const TestResult &result : results) {
      if (result.group != group) {
        continue;
      }
      const State state = result.verdict.state;
      const bool isFailure =
          state == State::Fail || (state == State::SurprisePass && facts.verifyXfail);
      const bool isSkip =
          state == State::Skip || state == State::Unsupported || state == State::ExpectedFailure;
      ++tests;
      failures += isFailure;
      skipped += isSkip;
      seconds += result.seconds;
      body += "  <testcase classname=\"" + escaped(facts.backend + "." + group) + "\" name=\"" +
              escaped(result.name) + "\" time=\"" + number(result.seconds) + "\"";
      const std::string message =
          escaped(std::string(toText(state)) + ": " + result.verdict.message);
      body += isFailure ? "><failure message=\"" + message + "\"/></testcase>\n"
              : isSkip  ? "><skipped message=\"" + message + "\"/></testcase>\n"
                        : "/>\n";
    }
    out += " <testsuite name=\"" + escaped(group) + "\" tests=\"" + std::to_string(tests) +
           "\" failures=\"" + std::to_string(failures) + "\" skipped=\"" + std::to_string(skipped) +
           "\" time=\"" + number(seconds) + "\">\n" + body + " </testsuite>\n";
  }
  return out + "</testsuites>\n";
}
