//===- PluginReport.cpp - What is known of a plugin -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/PluginHost.h"

#include <iterator>

using namespace tegula::runtime;

static const char *const stepNames[] = {"file",      "note",     "version", "entry",       "llvm",
                                        "symbols",   "headers",  "load",    "table",       "facts",
                                        "build-ids", "identity", "names",   "registration"};
static_assert(std::size(stepNames) == numPluginSteps);

PluginReport::PluginReport(const std::string &path) {
  note.path = path;
  for (const char *name : stepNames) {
    checks.push_back({name, CheckState::NotRun, "", "", ""});
  }
}

const PluginCheck *PluginReport::failure() const {
  for (const PluginCheck &check : checks) {
    if (check.state == CheckState::Failed) {
      return &check;
    }
  }
  return nullptr;
}

tg_status *PluginReport::makeFailure() const {
  const PluginCheck *check = failure();
  if (!check) {
    return nullptr;
  }
  return makeStatus(TG_INCOMPATIBLE, StatusID{check->id.c_str()}, note.path + ": " + check->detail,
                    check->hint);
}

void PluginReport::pass(PluginStep step, const std::string &detail) {
  at(step).state = CheckState::Passed;
  at(step).detail = detail;
}

void PluginReport::skip(PluginStep step, const std::string &reason) {
  at(step).state = CheckState::NotRun;
  at(step).detail = reason;
}

bool PluginReport::refuse(PluginStep step, StatusID id, const std::string &message,
                          const std::string &hint) {
  PluginCheck &check = at(step);
  check.state = CheckState::Failed;
  check.id = id.name;
  check.detail = message;
  check.hint = hint;
  return false;
}
