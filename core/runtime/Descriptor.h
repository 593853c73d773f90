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

/// A bound on a device's memory, as in ">=80".
struct MemoryBound {
  std::string compare; ///< ">=", "<=", ">", "<" or "="
  double gigabytes = 0;
};

/// One rule under `select`. Empty conditions match anything.
struct SelectRule {
  std::string kind;
  std::string arch, name, id; ///< patterns with * and ?
  std::vector<int64_t> index;
  std::vector<MemoryBound> memory; ///< all must hold
  std::string use;                 ///< id of a target
  std::string text;                ///< of `match`, for tables
};

/// An entry of `runtime: library:`.
struct DriverLibrary {
  std::string backend, path;
};

/// A whole descriptor file.
struct Descriptor {
  std::string name, fallback = "none";
  std::vector<tg_target> targets;
  std::vector<SelectRule> select;
  std::vector<DriverLibrary> libraries;
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

/// What is wrong with a range of versions such as ">=0.1,<0.2", or "".
std::string checkVersionRange(const std::string &range);

/// Whether a version lies in a range without mistakes.
bool isInRange(const std::string &version, const std::string &range);

/// Whether `text` fits a pattern in which * stands for any text and ? for one byte.
bool fitsPattern(const std::string &pattern, const std::string &text);

/// The resolved form of a target as a descriptor of its own.
std::string writeTarget(const tg_target &target);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_DESCRIPTOR_H
