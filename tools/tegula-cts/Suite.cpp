//===- Suite.cpp - The tests and what they test ---------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suite.h"

using namespace tegula;
using namespace tegula::cts;

Status CodeCache::get(const Family &family, const Case &item, const tg_target *target,
                      ArtifactPtr &artifact) {
  const CompileInput input(family, item);
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    std::shared_ptr<Entry> &known =
        entries[std::to_string(reinterpret_cast<uintptr_t>(target)) + "|" + input.key()];
    if (!known) {
      known = std::make_shared<Entry>();
    }
    entry = known;
  }
  std::call_once(entry->once, [&] {
    const Status status = input.compile(target, entry->artifact);
    if (status) {
      entry->code = status->code;
      entry->id = status->id;
      entry->message = runtime::shownMessage(*status);
    }
  });
  artifact = entry->artifact;
  if (entry->code == TG_OK) {
    return nullptr;
  }
  Status status(runtime::makeStatus(entry->code, runtime::status::InternalFault, entry->message));
  status->id = entry->id;
  status->diagnosticsJson = ""; // the text has the identifier
  return status;
}

bool Suite::lacksCompiler(const char *group) {
  if (subject.compiler && subject.target) {
    return false;
  }
  notes.push_back(std::string(group) + ": no tests, since " +
                  (subject.compiler ? "no target is given" : "the plugin has no compiler half"));
  return true;
}

bool Suite::lacksRuntime(const char *group) {
  if (subject.runtime) {
    return false;
  }
  notes.push_back(std::string(group) + ": no tests, since the plugin has no runtime half");
  return true;
}

std::function<Verdict()> Suite::onDevice(std::function<Verdict()> run) {
  return [this, run = std::move(run)] {
    return subject.device ? run() : Verdict::skip(subject.noDevice);
  };
}

const Case *Suite::findCase(const char *family, const char *row, const Family **owner) const {
  for (const Family &candidate : subject.families) {
    for (const Case &item : candidate.cases) {
      if (candidate.name == family && item.row == row) {
        *owner = &candidate;
        return &item;
      }
    }
  }
  return nullptr;
}
