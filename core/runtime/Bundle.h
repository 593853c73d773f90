//===- Bundle.h - What a bundle holds ---------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_BUNDLE_H
#define TEGULA_RUNTIME_BUNDLE_H

#include "tegula/Runtime/Artifact.h"

#include <memory>

namespace tegula::runtime {

/// What code was compiled for. Kernels of a bundle share them.
struct BundleTarget {
  std::string backend, triple, arch, format;
  std::vector<std::string> features, deviceKinds;
  std::vector<std::pair<std::string, std::string>> options, tools;
  std::string hash; ///< tg_target_hash

  bool operator==(const BundleTarget &) const = default;
};

/// A kernel's code for one target.
struct BundleVariant {
  std::shared_ptr<const BundleTarget> target;
  int numWarps = 0, numStages = 0, numCtas = 0;
  std::vector<std::pair<std::string, std::string>> facts; ///< of the backend; values are JSON
  uint64_t offset = 0, size = 0;                          ///< of the code
  std::string sha256;                                     ///< of the code, in hexadecimal
  std::string_view code;
  std::shared_ptr<const std::string> owner; ///< of the code, where it is not the file's

  std::string describe() const; ///< "cpu x86-64-v3 elf-so"
  /// A device that runs one of the two runs the other as well.
  bool isForSameTarget(const BundleVariant &other) const;
};

struct BundleKernel {
  std::string name;
  std::vector<tg_artifact_arg> args;
  unsigned argsSize = 0;
  std::vector<BundleVariant> variants;
};

/// The manifest in its one form (docs/bundle-format.md).
std::string writeBundleManifest(const std::vector<BundleKernel> &kernels);
/// Reads it, all but the code. Empty when right, else what is wrong.
std::string readBundleManifest(std::string_view text, std::vector<BundleKernel> &kernels);

/// The file. Sets where the code is and its checksums.
std::string writeBundle(std::vector<BundleKernel> &kernels);
/// Reads and checks a whole file. `name` is for messages. The code points into `bytes`.
tg_status *readBundle(const std::string &bytes, const std::string &name,
                      std::vector<BundleKernel> &kernels, std::string &manifest);

/// What a plugin is shown of a variant and tg_kernel_load takes; `withCode`: also the
/// stage "object".
tg_artifact toArtifact(const BundleKernel &kernel, const BundleVariant &variant, bool withCode);

} // namespace tegula::runtime

struct tg_bundle {
  std::string name; ///< in messages
  std::string bytes;
  std::string manifest;
  std::vector<tegula::runtime::BundleKernel> kernels;
};

#endif // TEGULA_RUNTIME_BUNDLE_H
