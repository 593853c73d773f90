//===- Bundle.cpp - tegulac --emit=bundle -----------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundle.h"

#include "../common/ErrorReport.h"
#include "tegula/Runtime/Target.h"

#include <cstdio>
#include <memory>

using namespace tegula::tools;

namespace {
struct Deleter {
  void operator()(tg_target *target) const { tg_target_free(target); }
  void operator()(tg_artifact *artifact) const { tg_artifact_free(artifact); }
  void operator()(tg_bundle *bundle) const { tg_bundle_free(bundle); }
  void operator()(tg_bundle_writer *writer) const { tg_bundle_writer_free(writer); }
};
template <typename T> using Owned = std::unique_ptr<T, Deleter>;
} // namespace

static Owned<tg_target> resolve(const char *what) {
  tg_target *target = nullptr;
  check(tg_target_resolve(what, &target));
  return Owned<tg_target>(target);
}

/// A descriptor file without ":ID" stands for all of its targets, in its order.
static std::vector<Owned<tg_target>> resolveAll(const std::vector<std::string> &names) {
  std::vector<Owned<tg_target>> out;
  for (const std::string &name : names) {
    if (!name.ends_with(".yaml") && !name.ends_with(".yml")) {
      out.push_back(resolve(name.c_str()));
      continue;
    }
    std::vector<std::string> ids, unchecked;
    check(tegula::runtime::checkDescriptorFile(name, ids, unchecked));
    for (const std::string &id : ids) {
      out.push_back(resolve((name + ":" + id).c_str()));
    }
  }
  if (names.empty()) {
    out.push_back(resolve(nullptr));
  }
  return out;
}

void tegula::tools::writeBundle(const BundleRequest &request) {
  const std::vector<Owned<tg_target>> targets = resolveAll(request.targets);
  tg_bundle_writer *made = nullptr;
  check(tg_bundle_writer_new(&made));
  const Owned<tg_bundle_writer> writer(made);
  for (const std::string &path : request.bundles) {
    tg_bundle *opened = nullptr;
    check(tg_bundle_open(path.c_str(), &opened));
    const Owned<tg_bundle> bundle(opened);
    check(tg_bundle_writer_add_bundle(writer.get(), opened));
  }
  const std::string source = readFile(request.file);
  std::vector<tg_kv> options;
  for (const auto &[key, value] : request.options) {
    options.push_back({key.c_str(), value.c_str()});
  }
  std::string warnings;
  for (size_t i = 0; i < request.kernels.size(); ++i) {
    for (const Owned<tg_target> &target : targets) {
      tg_compile_request compile{};
      compile.struct_size = sizeof compile;
      compile.source = {sizeof(tg_source), source.data(), source.size(), request.file.c_str(), 1};
      compile.kernel = request.kernels[i].c_str();
      compile.signature = i < request.signatures.size() ? request.signatures[i].c_str() : "";
      compile.target = target.get();
      compile.options = options.data();
      compile.num_options = options.size();
      tg_artifact *artifact = nullptr;
      check(tg_compile(&compile, &artifact));
      const Owned<tg_artifact> owned(artifact);
      // Most are about the kernel and come back with each target.
      if (const std::string text = tg_artifact_warnings(artifact);
          warnings.find(text) == std::string::npos) {
        warnings += text;
      }
      check(tg_bundle_writer_add(writer.get(), artifact));
    }
  }
  std::fputs(warnings.c_str(), stderr);
  if (request.output == "-") {
    const char *bytes = nullptr;
    size_t size = 0;
    check(tg_bundle_writer_bytes(writer.get(), &bytes, &size));
    writeFile(request.output, bytes, size);
  } else {
    check(tg_bundle_writer_write(writer.get(), request.output.c_str()));
  }
}
