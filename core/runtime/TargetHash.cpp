//===- TargetHash.cpp - Targets without `native` ------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Descriptor.h"
#include "tegula/Runtime/Sha256.h"

#include <map>
#include <mutex>

using namespace tegula::runtime;

static std::string hashText(const std::string &text) {
  Sha256 hash;
  hash.update(text);
  return toHex(hash.finish());
}

std::string tegula::runtime::hashTarget(const tg_target &target, const std::string &arch,
                                        const std::string &triple,
                                        const std::vector<std::string> &features) {
  if (target.arch != "native") {
    return hashText(target.yaml);
  }
  tg_target frozen = target;
  frozen.arch = arch;
  frozen.triple = triple;
  frozen.features = features;
  return hashText(writeTarget(frozen));
}

namespace {
struct Frozen {
  std::string yaml, hash;
};
} // namespace

/// Processors do not change while the process lives, so each target is asked about
/// once; entries are never removed, since texts of them have been handed out.
static const Frozen &frozenForm(const tg_target &target) {
  static std::mutex lock;
  static auto *known = new std::map<std::string, Frozen>;
  static const Frozen none;
  {
    std::lock_guard<std::mutex> guard(lock);
    if (const auto found = known->find(target.yaml); found != known->end()) {
      return found->second;
    }
  }
  Frozen frozen{target.yaml, ""};
  if (target.arch == "native") {
    tg_target copy = target;
    if (tg_status *status = freezeTarget(copy)) {
      tg_status_free(status);
      return none;
    }
    frozen.yaml = writeTarget(copy);
  }
  frozen.hash = hashText(frozen.yaml);
  std::lock_guard<std::mutex> guard(lock);
  return known->try_emplace(target.yaml, std::move(frozen)).first->second;
}

/// For functions that have no status to return.
static const char *textOf(const tg_target *target, std::string Frozen::*member) noexcept {
  try {
    return target ? (frozenForm(*target).*member).c_str() : "";
  } catch (...) {
    return "";
  }
}

const char *tg_target_frozen_yaml(const tg_target *target) { return textOf(target, &Frozen::yaml); }
const char *tg_target_hash(const tg_target *target) { return textOf(target, &Frozen::hash); }
