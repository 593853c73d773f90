//===- Variant.cpp - Compiled code as plugins see it ------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Variant.h"

#include <utility>

using namespace tegula::runtime;

/// The text of a JSON scalar: strings without their quotes.
static std::string scalarText(const std::string &json) {
  return json.size() >= 2 && json.front() == '"' ? json.substr(1, json.size() - 2) : json;
}

Variant::Variant(const tg_artifact &artifact) {
  for (const std::string &feature : artifact.features) {
    features.push_back(feature.c_str());
  }
  // Pointers into the texts are kept, so they must not move.
  texts.reserve(artifact.facts.size() + 4);
  const auto add = [&](const char *key, std::string value) {
    texts.push_back(std::move(value));
    facts.push_back({key, texts.back().c_str()});
  };
  add("args_size", std::to_string(artifact.argsSize));
  add("num_warps", std::to_string(artifact.numWarps));
  add("num_stages", std::to_string(artifact.numStages));
  add("num_ctas", std::to_string(artifact.numCtas));
  for (const auto &[key, value] : artifact.facts) {
    add(key.c_str(), scalarText(value));
  }
  for (const auto &[key, value] : artifact.options) {
    options.push_back({key.c_str(), value.c_str()});
  }
  contents.struct_size = sizeof contents;
  contents.num_features = uint32_t(features.size());
  contents.backend = artifact.backend.c_str();
  contents.triple = artifact.triple.c_str();
  contents.arch = artifact.arch.c_str();
  contents.format = artifact.format.c_str();
  contents.features = features.data();
  contents.manifest = artifact.manifest.c_str();
  contents.facts = facts.data();
  contents.num_facts = facts.size();
  contents.options = options.data();
  contents.num_options = options.size();
}
