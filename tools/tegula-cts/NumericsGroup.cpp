//===- Numerics.cpp - Group numerics, the conformance table on a device ---===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suite.h"

using namespace tegula;
using namespace tegula::cts;

static Verdict runOne(Suite &suite, const Family &family, const Case &item) {
  Subject &subject = suite.subject;
  if (const std::string reason = item.unsupportedBy(subject.id); !reason.empty()) {
    return {State::Unsupported, reason};
  }
  if (!subject.device) {
    return Verdict::skip(subject.noDevice);
  }
  ArtifactPtr artifact;
  Outcome outcome;
  Status status = suite.code.get(family, item, subject.target.get(), artifact);
  if (!status) {
    status = runCase(item, *artifact, subject.device, outcome);
  }
  if (status) {
    return Verdict::failed(firstLine(*status));
  }
  const auto recorded = subject.recorded.find(item.id);
  const bool isRecorded = recorded != subject.recorded.end();
  if (isRecorded) {
    if (const std::string problem = compareRecorded(item, recorded->second, outcome);
        !problem.empty()) {
      return Verdict::failed(problem);
    }
  }
  if (!subject.cpuTarget) {
    return isRecorded ? Verdict()
                      : Verdict::skip("no answer is recorded, and the CPU cannot judge itself");
  }
  if (!item.unsupportedBy("cpu").empty()) {
    return isRecorded ? Verdict() : Verdict::skip("no answer is recorded, and the CPU has none");
  }
  ArtifactPtr oracleCode;
  Outcome oracle;
  status = suite.code.get(family, item, subject.cpuTarget.get(), oracleCode);
  if (!status) {
    status = runCase(item, *oracleCode, subject.cpuDevice, oracle);
  }
  if (status) {
    return Verdict::failed("the CPU, which is to judge, fails: " + firstLine(*status));
  }
  return Verdict::of(
      compareOutcomes(item, isRecorded ? &recorded->second : nullptr, oracle, outcome));
}

void Suite::addNumerics() {
  if (lacksRuntime("numerics") || lacksCompiler("numerics")) {
    return;
  }
  for (const Family &family : subject.families) {
    for (const Case &item : family.cases) {
      if (item.expectedErrors.empty()) { // the others are in the group compile
        add("numerics", item.id, [this, &family, &item] { return runOne(*this, family, item); });
      }
    }
  }
}
