//===- Target.h - Resolved targets ------------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_TARGET_H
#define TEGULA_RUNTIME_TARGET_H

#include "tegula/Runtime/Status.h"

#include <string>
#include <utility>
#include <vector>

/// The target behind the C API: one entry of a descriptor with its defaults
/// filled in. What only the backend can judge (arch, features) is unchecked.
struct tg_target {
  std::string id, backend, arch, triple;
  std::vector<std::string> features, emit;
  std::vector<std::pair<std::string, std::string>> options;
  bool allowFma = true;
  std::string plugin; ///< path of the plugin's library, or "": found by name
  std::string yaml;   ///< the resolved form
};

namespace tegula::runtime {

/// Reads descriptor text. `file` is for messages, which have file:line:col.
/// `wanted`: id of the target to take, or "" for the first.
TG_CXX_API tg_status *parseDescriptor(const std::string &text, const std::string &file,
                                      const std::string &wanted, tg_target &target);

/// Checks a whole descriptor file. `targets` receives the id of each target, and
/// `unchecked` backends whose plugin is not installed, so that their options and
/// formats could not be looked at.
TG_CXX_API tg_status *checkDescriptorFile(const std::string &path,
                                          std::vector<std::string> &targets,
                                          std::vector<std::string> &unchecked);

/// Names that tg_target_resolve knows besides files.
TG_CXX_API const std::vector<std::string> &builtinTargets();

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_TARGET_H
