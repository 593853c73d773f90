//===- Bundle.h - tegulac --emit=bundle -------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TEGULAC_BUNDLE_H
#define TEGULA_TEGULAC_BUNDLE_H

#include <string>
#include <utility>
#include <vector>

namespace tegula::tools {

struct BundleRequest {
  std::string file, output;
  std::vector<std::string> kernels, signatures; ///< one signature for each kernel
  std::vector<std::string> targets;             ///< none: the default one
  std::vector<std::string> bundles;             ///< whose kernels are taken over
  std::vector<std::pair<std::string, std::string>> options;
};

/// Compiles all kernels for all targets and writes the bundle. Throws StatusError.
void writeBundle(const BundleRequest &request);

} // namespace tegula::tools

#endif // TEGULA_TEGULAC_BUNDLE_H
