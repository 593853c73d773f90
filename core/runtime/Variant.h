//===- Variant.h - Compiled code as plugins see it --------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_VARIANT_H
#define TEGULA_RUNTIME_VARIANT_H

#include "tegula/Runtime/Artifact.h"
#include "tegula/plugin.h"

#include <string>
#include <vector>

namespace tegula::runtime {

/// A tg_variant and the memory behind its lists. Points into the artifact, which must
/// outlive it.
class TG_CXX_API Variant {
public:
  explicit Variant(const tg_artifact &artifact);
  Variant(const Variant &) = delete;
  Variant &operator=(const Variant &) = delete;

  const tg_variant &view() const { return contents; }

private:
  std::vector<const char *> features;
  std::vector<std::string> texts;
  std::vector<tg_kv> facts, options;
  tg_variant contents = {};
};

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_VARIANT_H
