//===- BundleFixture.h - Bundles made in memory for tests -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TEST_BUNDLEFIXTURE_H
#define TEGULA_TEST_BUNDLEFIXTURE_H

#include "tegula/Runtime/Artifact.h"
#include "gtest/gtest.h"

#include <memory>
#include <string>

namespace bundletest {

struct Deleter {
  void operator()(tg_bundle *bundle) const { tg_bundle_free(bundle); }
  void operator()(tg_bundle_writer *writer) const { tg_bundle_writer_free(writer); }
  void operator()(tg_artifact *artifact) const { tg_artifact_free(artifact); }
  void operator()(tg_kernel *kernel) const { tg_kernel_free(kernel); }
};
template <typename T> using Owned = std::unique_ptr<T, Deleter>;

/// "" for success, else "id: message". Frees the status.
inline std::string take(tg_status *status) {
  std::string text;
  if (status) {
    text = std::string(tg_status_id(status)) + ": " + tg_status_message(status);
  }
  tg_status_free(status);
  return text;
}

/// An artifact whose code is no code: enough for all but loading.
inline tg_artifact makeArtifact(const std::string &kernel, const std::string &arch) {
  tg_artifact artifact;
  artifact.kernel = kernel;
  artifact.backend = "paper";
  artifact.triple = "paper-unknown-none";
  artifact.arch = arch;
  artifact.format = "text";
  artifact.features = {"+ink", "-margin"};
  artifact.args = {{"x", "*fp32", 0, 8, 16, "read"}, {"n", "i32", 8, 4, 1, ""}};
  artifact.argsSize = 12;
  artifact.facts = {{"scratch_bytes", "256"}, {"waits", "false"}, {"note", "\"a\\nb\""}};
  artifact.options = {{"threads", "4"}};
  artifact.tools = {{"pen", "1.0"}};
  artifact.targetHash = std::string(64, 'a');
  artifact.stages["object"] = "code of " + kernel + " for " + arch;
  return artifact;
}

inline Owned<tg_bundle_writer> makeWriter() {
  tg_bundle_writer *writer = nullptr;
  EXPECT_EQ(take(tg_bundle_writer_new(&writer)), "");
  return Owned<tg_bundle_writer>(writer);
}

inline std::string bytesOf(tg_bundle_writer &writer) {
  const char *bytes = nullptr;
  size_t size = 0;
  EXPECT_EQ(take(tg_bundle_writer_bytes(&writer, &bytes, &size)), "");
  return std::string(bytes, size);
}

/// Two kernels for two targets.
inline std::string makeBytes() {
  Owned<tg_bundle_writer> writer = makeWriter();
  for (const char *kernel : {"scale", "add"}) {
    for (const char *arch : {"a4", "a5"}) {
      const tg_artifact artifact = makeArtifact(kernel, arch);
      EXPECT_EQ(take(tg_bundle_writer_add(writer.get(), &artifact)), "");
    }
  }
  return bytesOf(*writer);
}

/// What opening says of the bytes.
inline std::string open(const std::string &bytes) {
  tg_bundle *bundle = nullptr;
  const std::string text = take(tg_bundle_from_bytes(bytes.data(), bytes.size(), &bundle));
  EXPECT_EQ(text.empty(), bundle != nullptr);
  tg_bundle_free(bundle);
  return text;
}

inline Owned<tg_bundle> reopen(const std::string &bytes) {
  tg_bundle *bundle = nullptr;
  EXPECT_EQ(take(tg_bundle_from_bytes(bytes.data(), bytes.size(), &bundle)), "");
  return Owned<tg_bundle>(bundle);
}

} // namespace bundletest

#endif // TEGULA_TEST_BUNDLEFIXTURE_H
