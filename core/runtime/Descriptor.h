//===- Descriptor.h - Target descriptors --------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_DESCRIPTOR_H
#define TEGULA_RUNTIME_DESCRIPTOR_H

#include "Yaml.h"
#include "tegula/Runtime/Target.h"

#include <cstdint>
#include <optional>

namespace tegula::runtime {

/// `match` of one rule under `select`. Empty: matches anything.
struct SelectRule {
  std::string kind, arch, name; ///< `name` is a pattern with * and ?
  std::vector<int64_t> index;
  std::string memoryCompare; ///< ">=", "<=", ">", "<", "=", or ""
  double memoryGB = 0;
  std::string use; ///< id of a target
};

/// A whole descriptor file.
struct Descriptor {
  std::string name, fallback = "none";
  std::vector<tg_target> targets;
  std::vector<SelectRule> select;
  std::vector<std::pair<std::string, std::string>> libraries; ///< backend, path
  /// Backends without an installed plugin, whose options and formats could not
  /// be checked.
  std::vector<std::string> unchecked;
};

/// Reads and checks a file against the schema and the plugins' tables. The status
/// lists every problem found.
tg_status *readDescriptor(const std::string &text, const std::string &file, Descriptor &descriptor);

/// A status with the identifier WrongDescriptor for the problems of a file.
tg_status *problemsToStatus(const std::string &text, const std::string &file,
                            std::vector<YamlProblem> problems);

/// Checks `options:` and `emit:` of a target against its backend's tables. False
/// if no plugin of the backend is installed.
bool checkAgainstPlugin(const tg_target &target, const std::string &path, const YamlNode &node,
                        std::vector<YamlProblem> &problems);

/// The resolved form of a target as a descriptor of its own.
std::string writeTarget(const tg_target &target);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_DESCRIPTOR_H
