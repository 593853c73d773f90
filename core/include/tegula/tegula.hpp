//===- tegula.hpp - The C++ API of Tegula -----------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thin layer over the C API for C++17: objects that free themselves and errors as
// values (result.hpp). Header only; link libTegulaRuntime.so. Conventions of threads,
// strings and shapes are those of tegula.h. docs/c-api.md has examples.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TEGULA_HPP
#define TEGULA_TEGULA_HPP

#include "tegula/device.hpp"
#include "tegula/kernel.hpp"
#include "tegula/result.hpp"

#include <string_view>

namespace tegula {

/// What to compile for.
class Target {
public:
  explicit Target(tg_target *target) : target(target) {}

  /// A built-in name, FILE.yaml or FILE.yaml:ID; null: the default.
  static Result<Target> resolve(const char *what = nullptr) {
    tg_target *target = nullptr;
    if (tg_status *status = tg_target_resolve(what, &target)) {
      return Error(status);
    }
    return Target(target);
  }
  /// The one that `what` gives to a device.
  static Result<Target> forDevice(Device device, const char *what = nullptr) {
    tg_target *target = nullptr;
    if (tg_status *status = tg_target_for_device(what, device.get(), &target)) {
      return Error(status);
    }
    return Target(target);
  }
  std::string id() const { return tg_target_id(target.get()); }
  std::string backend() const { return tg_target_backend(target.get()); }
  std::string arch() const { return tg_target_arch(target.get()); }
  std::string yaml() const { return tg_target_yaml(target.get()); }
  std::string hash() const { return tg_target_hash(target.get()); }
  tg_target *get() const { return target.get(); }

private:
  detail::Owned<tg_target, tg_target_free> target;
};

/// A compiled kernel.
class Artifact {
public:
  explicit Artifact(tg_artifact *artifact) : artifact(artifact) {}

  /// Bytes of a stage; empty if it was not kept.
  std::string_view stage(const char *name) const {
    size_t size = 0;
    const char *bytes = tg_artifact_stage(artifact.get(), name, &size);
    return bytes ? std::string_view(bytes, size) : std::string_view();
  }
  std::string manifest() const { return tg_artifact_manifest(artifact.get()); }
  std::string warnings() const { return tg_artifact_warnings(artifact.get()); }
  std::string key() const { return tg_artifact_key(artifact.get()); }
  Result<Kernel> load(Device device) const {
    tg_kernel *kernel = nullptr;
    if (tg_status *status = tg_kernel_load(artifact.get(), device.get(), &kernel)) {
      return Error(status);
    }
    return Kernel(kernel);
  }
  tg_artifact *get() const { return artifact.get(); }

private:
  detail::Owned<tg_artifact, tg_artifact_free> artifact;
};

/// What to compile. `file` is read unless there is a `text`; it is named in messages.
struct Source {
  std::string file;
  std::optional<std::string> text;
};

struct CompileRequest {
  Source source;
  std::string kernel;    ///< name of the function
  std::string signature; ///< one entry per parameter: "*fp32:16, i32, 1024"
  std::vector<std::pair<std::string, std::string>> options; ///< {"num_warps", "8"}
  std::string emit = "object", keep;                        ///< see tg_compile_request
};

/// Compiles for a target. The compiler is loaded by the first call.
inline Result<Artifact> compile(const CompileRequest &request, const Target &target) {
  std::vector<tg_kv> options;
  for (const auto &[key, value] : request.options) {
    options.push_back({key.c_str(), value.c_str()});
  }
  tg_compile_request plain = {};
  plain.struct_size = sizeof plain;
  plain.source.struct_size = sizeof plain.source;
  plain.source.file = request.source.file.c_str();
  plain.source.first_line = 1;
  if (request.source.text) {
    plain.source.text = request.source.text->data();
    plain.source.text_size = request.source.text->size();
  }
  plain.kernel = request.kernel.c_str();
  plain.signature = request.signature.c_str();
  plain.target = target.get();
  plain.options = options.data();
  plain.num_options = options.size();
  plain.emit = request.emit.c_str();
  plain.keep = request.keep.empty() ? nullptr : request.keep.c_str();
  tg_artifact *artifact = nullptr;
  if (tg_status *status = tg_compile(&plain, &artifact)) {
    return Error(status);
  }
  return Artifact(artifact);
}

/// Compiles for the target that a device gets, and loads it there.
inline Result<Kernel> compile(const CompileRequest &request, Device device) {
  Result<Target> target = Target::forDevice(device);
  if (!target) {
    return target.error();
  }
  Result<Artifact> artifact = compile(request, *target);
  if (!artifact) {
    return artifact.error();
  }
  return artifact->load(device);
}

/// A file of compiled kernels for several targets.
class Bundle {
public:
  explicit Bundle(tg_bundle *bundle) : bundle(bundle) {}

  static Result<Bundle> open(const std::string &path) {
    tg_bundle *bundle = nullptr;
    if (tg_status *status = tg_bundle_open(path.c_str(), &bundle)) {
      return Error(status);
    }
    return Bundle(bundle);
  }
  static Result<Bundle> fromBytes(std::string_view bytes) {
    tg_bundle *bundle = nullptr;
    if (tg_status *status = tg_bundle_from_bytes(bytes.data(), bytes.size(), &bundle)) {
      return Error(status);
    }
    return Bundle(bundle);
  }
  std::vector<std::string> kernels() const {
    std::vector<std::string> names;
    for (size_t i = 0; i < tg_bundle_num_kernels(bundle.get()); ++i) {
      names.emplace_back(tg_bundle_kernel_name(bundle.get(), i));
    }
    return names;
  }
  std::string manifest() const { return tg_bundle_manifest(bundle.get()); }
  /// The best variant for a device, or for the best device that some variant runs on.
  Result<Kernel> load(const std::string &kernel, std::optional<Device> device = {}) const {
    tg_kernel *loaded = nullptr;
    if (tg_status *status = tg_bundle_load(bundle.get(), kernel.c_str(),
                                           device ? device->get() : nullptr, &loaded)) {
      return Error(status);
    }
    return Kernel(loaded);
  }
  Result<std::string> explain(const std::string &kernel, std::optional<Device> device = {}) const {
    const char *text = nullptr;
    if (tg_status *status = tg_bundle_explain(bundle.get(), kernel.c_str(),
                                              device ? device->get() : nullptr, &text)) {
      return Error(status);
    }
    return std::string(text);
  }
  tg_bundle *get() const { return bundle.get(); }

private:
  detail::Owned<tg_bundle, tg_bundle_free> bundle;
};

/// Puts kernels into a bundle.
class BundleWriter {
public:
  BundleWriter() { tg_status_free(tg_bundle_writer_new(&writer)); } // else out of memory
  ~BundleWriter() { tg_bundle_writer_free(writer); }
  BundleWriter(const BundleWriter &) = delete;
  BundleWriter &operator=(const BundleWriter &) = delete;

  Status add(const Artifact &artifact) {
    return Status::take(tg_bundle_writer_add(writer, artifact.get()));
  }
  Status add(const Bundle &bundle) {
    return Status::take(tg_bundle_writer_add_bundle(writer, bundle.get()));
  }
  Status write(const std::string &path) {
    return Status::take(tg_bundle_writer_write(writer, path.c_str()));
  }

private:
  tg_bundle_writer *writer = nullptr;
};

} // namespace tegula

#endif // TEGULA_TEGULA_HPP
