//===- Artifact.h - What a compile yields -----------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_ARTIFACT_H
#define TEGULA_RUNTIME_ARTIFACT_H

#include "tegula/Runtime/Status.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// One run-time argument in the packed block.
struct tg_artifact_arg {
  std::string name, type; ///< type as in signatures: "*fp32", "i32"
  unsigned offset = 0, size = 0;
  unsigned divisibility = 1; ///< what the compile took for granted of its value
  std::string access;        ///< of a pointer: none, read, write, read-write, unknown
};

/// The artifact behind the C API, filled in by the compiler.
struct tg_artifact {
  std::string kernel, backend, triple, arch, format;
  std::vector<std::string> features;
  std::vector<tg_artifact_arg> args;
  unsigned argsSize = 0;
  int numWarps = 4, numStages = 3, numCtas = 1;
  std::vector<std::pair<std::string, std::string>> facts;   ///< values are JSON
  std::vector<std::pair<std::string, std::string>> options; ///< of the target, as text
  std::vector<std::pair<std::string, std::string>> tools;   ///< versions: "llvm", "22.1.8"
  std::map<std::string, std::string> stages;                ///< by stage name
  std::string warnings;
  std::map<std::string, std::string> reports; ///< see tg_artifact_report
  std::string manifest;                       ///< JSON of the above
  std::string key;                            ///< of the cache (docs/cache.md)
  std::string targetHash;                     ///< tg_target_hash of what it was compiled for
  bool isCached = false;
};

namespace tegula::runtime {
/// Writes `artifact.manifest` from the other fields (docs/kernel-abi.md).
TG_CXX_API void writeManifest(tg_artifact &artifact);

/// The artifact, all but `reports`, `key`, `targetHash` and `isCached`, as bytes for readArtifact.
TG_CXX_API std::string writeArtifact(const tg_artifact &artifact);

/// The inverse of writeArtifact. False for bytes that it did not write as they are;
/// `artifact` is then half-filled. Takes any bytes.
TG_CXX_API bool readArtifact(std::string_view bytes, tg_artifact &artifact);
} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_ARTIFACT_H
