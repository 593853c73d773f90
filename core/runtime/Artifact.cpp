//===- Artifact.cpp - Artifacts of the C API --------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/Artifact.h"

#include <cstring>

namespace tegula::runtime {

void writeManifest(tg_artifact &artifact) {
  std::string out = "{\"name\": " + quoteJson(artifact.kernel);
  auto add = [&](const char *key, const std::string &value) {
    out += std::string(", \"") + key + "\": " + value;
  };
  add("backend", quoteJson(artifact.backend));
  add("arch", quoteJson(artifact.arch));
  add("triple", quoteJson(artifact.triple));
  std::string list;
  for (const std::string &feature : artifact.features) {
    list += (list.empty() ? "" : ", ") + quoteJson(feature);
  }
  add("features", "[" + list + "]");
  add("format", quoteJson(artifact.format));
  list.clear();
  for (const tg_artifact_arg &arg : artifact.args) {
    list += (list.empty() ? "{\"name\": " : ", {\"name\": ") + quoteJson(arg.name) +
            ", \"type\": " + quoteJson(arg.type) + ", \"offset\": " + std::to_string(arg.offset) +
            ", \"size\": " + std::to_string(arg.size);
    // What has to be checked at a launch; most scalars promise nothing.
    if (arg.divisibility > 1) {
      list += ", \"divisibility\": " + std::to_string(arg.divisibility);
    }
    if (!arg.access.empty()) {
      list += ", \"access\": " + quoteJson(arg.access);
    }
    list += "}";
  }
  add("args", "[" + list + "]");
  add("args_size", std::to_string(artifact.argsSize));
  add("num_warps", std::to_string(artifact.numWarps));
  add("num_stages", std::to_string(artifact.numStages));
  add("num_ctas", std::to_string(artifact.numCtas));
  list.clear();
  for (const auto &[key, value] : artifact.options) {
    list += (list.empty() ? "" : ", ") + quoteJson(key) + ": " + quoteJson(value);
  }
  add("options", "{" + list + "}");
  if (!artifact.targetHash.empty()) {
    add("target_hash", quoteJson(artifact.targetHash));
  }
  for (const auto &[key, value] : artifact.facts) {
    add(key.c_str(), value);
  }
  artifact.manifest = out + "}";
}

} // namespace tegula::runtime

const char *tg_stage_name(const char *name) {
  // The second column is what programs written for Triton call them.
  static const struct {
    const char *ours, *theirs;
  } stages[] = {{"tile", "ttir"},    {"lowered", "ttgir"}, {"llvm", "llir"},    {"asm", "ptx"},
                {"object", "cubin"}, {"object", "hsaco"},  {"object", "elf-so"}};
  for (const auto &stage : stages) {
    if (name && (std::strcmp(name, stage.ours) == 0 || std::strcmp(name, stage.theirs) == 0)) {
      return stage.ours;
    }
  }
  return nullptr;
}

const char *tg_artifact_stage(const tg_artifact *artifact, const char *stage, size_t *size) {
  const char *wanted = tg_stage_name(stage);
  if (!artifact || !wanted) {
    return nullptr;
  }
  // A search by std::string could throw; there are only a few stages.
  for (const auto &[name, bytes] : artifact->stages) {
    if (name == wanted) {
      if (size) {
        *size = bytes.size();
      }
      return bytes.data();
    }
  }
  return nullptr;
}

const char *tg_artifact_manifest(const tg_artifact *artifact) {
  return artifact ? artifact->manifest.c_str() : "";
}
const char *tg_artifact_warnings(const tg_artifact *artifact) {
  return artifact ? artifact->warnings.c_str() : "";
}
const char *tg_artifact_report(const tg_artifact *artifact, const char *what) {
  if (!artifact || !what) {
    return "";
  }
  const auto found = artifact->reports.find(what);
  return found == artifact->reports.end() ? "" : found->second.c_str();
}
const char *tg_artifact_key(const tg_artifact *artifact) {
  return artifact ? artifact->key.c_str() : "";
}
int tg_artifact_is_cached(const tg_artifact *artifact) { return artifact && artifact->isCached; }
void tg_artifact_free(tg_artifact *artifact) { delete artifact; }
