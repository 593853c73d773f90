//===- Compiling.h - Kernels of cases, compiled -----------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CTS_COMPILING_H
#define TEGULA_CTS_COMPILING_H

#include "Table.h"
#include "tegula/Runtime/Artifact.h"

#include <deque>

namespace tegula::cts {

struct FreeStatus {
  void operator()(tg_status *status) const { tg_status_free(status); }
};
using Status = std::unique_ptr<tg_status, FreeStatus>;

struct FreeArtifact {
  void operator()(tg_artifact *artifact) const { tg_artifact_free(artifact); }
};
using ArtifactPtr = std::shared_ptr<tg_artifact>;

struct FreeTarget {
  void operator()(tg_target *target) const { tg_target_free(target); }
};
using TargetPtr = std::unique_ptr<tg_target, FreeTarget>;

/// "message [id]" in one line.
std::string firstLine(const tg_status &status);

/// What a case is compiled for: one entry a parameter, as a launcher would
/// specialise them. Arrays count as aligned to 64 bytes.
class CompileInput {
public:
  CompileInput(const Family &family, const Case &item);
  CompileInput(const CompileInput &) = delete;
  CompileInput &operator=(const CompileInput &) = delete;

  /// Two cases with the same text are compiled to the same code.
  const std::string &key() const { return text; }
  /// Compiles for a target; `emit` null means the object.
  Status compile(const tg_target *target, ArtifactPtr &artifact, const char *emit = nullptr) const;

private:
  tg_host_value hostValue(const Value &value);
  std::string typeOf(const Argument &argument, const std::string &annotation = "");
  tg_host_value knownItems(const Argument &argument);

  const Family &family;
  const Case &item;
  std::string text;
  bool passesFunctions = false;
  std::deque<std::string> texts;
  std::deque<std::vector<tg_host_value>> tuples;
  std::deque<tg_host_value> values;
  std::vector<tg_param> params;
};

} // namespace tegula::cts

#endif // TEGULA_CTS_COMPILING_H
