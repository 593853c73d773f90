//===- Expectations.cpp - What a backend cannot do, and does wrong yet ----===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expectations.h"

#include "YamlTree.h"

#include <algorithm>

using namespace tegula::cts;

bool tegula::cts::matchesGlob(const std::string &pattern, const std::string &text) {
  size_t p = 0, t = 0, star = std::string::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return std::all_of(pattern.begin() + long(p), pattern.end(), [](char c) { return c == '*'; });
}

Expectations::Expectations(const std::string &path) : path(path) {
  const Node file = readYamlFile(path);
  if (file.kind == Node::Null) {
    return;
  }
  if (!file.isMap()) {
    failAt(path, file.line, "expected the keys unsupported and expected_failures");
  }
  checkKeys(path, file, {"unsupported", "expected_failures"}, "a list of expectations");
  for (const auto &[key, list] : file.entries) {
    if (!list.isList()) {
      failAt(path, list.line, key + ": expected a list of {case: ..., reason: ...}");
    }
    for (const Node &item : list.items) {
      checkKeys(path, item, {"case", "reason"}, "an entry");
      const Node *pattern = item.find("case"), *reason = item.find("reason");
      if (!pattern || !pattern->isText() || !reason || !reason->isText()) {
        failAt(path, item.line, key + ": expected texts 'case' and 'reason'");
      }
      if (reason->text.find_first_not_of(" \t\n") == std::string::npos) {
        failAt(path, item.line, key + ": expected a reason, got ''");
      }
      for (const std::vector<Entry> *listed : {&unsupported, &failures}) {
        for (const Entry &other : *listed) {
          if (other.pattern == pattern->text) {
            failAt(path, item.line,
                   "'" + other.pattern + "' is listed in line " + std::to_string(other.line) +
                       " already");
          }
        }
      }
      (key == "unsupported" ? unsupported : failures)
          .push_back({pattern->text, reason->text, item.line});
    }
  }
}

bool Expectations::isUnsupported(const std::string &test, std::string &reason) {
  for (const Entry &entry : unsupported) {
    if (matchesGlob(entry.pattern, test)) {
      reason = entry.reason;
      return true;
    }
  }
  return false;
}

void Expectations::judge(const std::string &test, Verdict &verdict) {
  if (verdict.state != State::Pass && verdict.state != State::Fail) {
    return;
  }
  for (const Entry &entry : failures) {
    if (matchesGlob(entry.pattern, test)) {
      verdict = {verdict.state == State::Pass ? State::SurprisePass : State::ExpectedFailure,
                 entry.reason};
      return;
    }
  }
}

std::vector<std::string> Expectations::unused(const std::vector<std::string> &known) const {
  std::vector<std::string> problems;
  for (const std::vector<Entry> *list : {&unsupported, &failures}) {
    for (const Entry &entry : *list) {
      if (std::none_of(known.begin(), known.end(),
                       [&](const std::string &test) { return matchesGlob(entry.pattern, test); })) {
        problems.push_back(path + ":" + std::to_string(entry.line) + ": no test is called '" +
                           entry.pattern + "'; remove the entry");
      }
    }
  }
  return problems;
}
