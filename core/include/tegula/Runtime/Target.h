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
  std::string plugin;        ///< path of the plugin's library, or "": found by name
  std::string pluginVersion; ///< versions of it that will do: ">=0.1,<0.2", or ""
  std::string library;       ///< `runtime: library:` of the backend, or ""
  std::string yaml;          ///< the resolved form
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

/// Names that tg_target_resolve knows besides files: one for each backend found.
TG_CXX_API std::vector<std::string> builtinTargets();

/// The hash of tg_target_hash, for whoever knows what `native` means: `arch`, `triple`
/// and `features` as the backend understood them; they count only for `native`.
TG_CXX_API std::string hashTarget(const tg_target &target, const std::string &arch,
                                  const std::string &triple,
                                  const std::vector<std::string> &features);

/// Replaces `native` in a target by the processor it means. Loads the compiler, which
/// knows processors.
TG_CXX_API tg_status *freezeTarget(tg_target &target);

/// Whether the plugin that serves as `component` of the target's backend has a version
/// within the target's range. Loads it.
TG_CXX_API tg_status *checkPluginVersion(const tg_target &target, unsigned component);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_TARGET_H
