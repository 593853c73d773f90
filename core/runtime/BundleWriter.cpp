//===- BundleWriter.cpp - Writing bundles through the C API -----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundle.h"
#include "CacheFiles.h"
#include "Guard.h"
#include "Json.h"
#include "tegula/Runtime/PluginHost.h"

#include <algorithm>
#include <cstring>

using namespace tegula::runtime;

struct tg_bundle_writer {
  std::vector<BundleKernel> kernels; ///< sorted by name
  std::string bytes;
};

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

static std::string describe(const tg_artifact_arg &arg) {
  return "'" + arg.name + ": " + arg.type +
         (arg.divisibility > 1 ? ":" + std::to_string(arg.divisibility) : "") + "' of " +
         std::to_string(arg.size) + " bytes at " + std::to_string(arg.offset) +
         (arg.access.empty() ? "" : ", access " + arg.access);
}

/// How the arguments differ, or nothing.
static std::string compareArgs(const std::vector<tg_artifact_arg> &wanted,
                               const std::vector<tg_artifact_arg> &got) {
  for (size_t i = 0; i < std::max(wanted.size(), got.size()); ++i) {
    const std::string here = i < wanted.size() ? describe(wanted[i]) : "no more arguments";
    const std::string there = i < got.size() ? describe(got[i]) : "no more arguments";
    if (here != there) {
      return "expected " + here + ", got " + there;
    }
  }
  return "";
}

/// Adds the variant to the kernel of that name, which is made if there is none.
static tg_status *addVariant(std::vector<BundleKernel> &kernels, const BundleKernel &interface,
                             BundleVariant variant) {
  const auto at =
      std::lower_bound(kernels.begin(), kernels.end(), interface.name,
                       [](const BundleKernel &a, const std::string &b) { return a.name < b; });
  if (at == kernels.end() || at->name != interface.name) {
    BundleKernel made = {interface.name, interface.args, interface.argsSize, {}};
    made.variants.push_back(std::move(variant));
    kernels.insert(at, std::move(made));
    return nullptr;
  }
  const std::string prefix = "kernel '" + at->name + "', variant " + variant.describe() + ": ";
  std::string difference = compareArgs(at->args, interface.args);
  if (difference.empty() && at->argsSize != interface.argsSize) {
    difference = "expected " + std::to_string(at->argsSize) + " bytes of arguments, got " +
                 std::to_string(interface.argsSize);
  }
  if (!difference.empty()) {
    return makeStatus(TG_INVALID, status::BundleInterface,
                      prefix +
                          "its arguments differ from those of the variants before: " + difference,
                      "compile all variants of a kernel for one signature");
  }
  for (const BundleVariant &other : at->variants) {
    if (other.isForSameTarget(variant)) {
      return makeStatus(TG_INVALID, status::BundleVariant,
                        prefix + "the bundle has a variant for this target already",
                        "give each target once, and kernels of other constants other names");
    }
  }
  at->variants.push_back(std::move(variant));
  return nullptr;
}

/// Kinds of devices that the backend's runtime half serves; none if it is not there.
static std::vector<std::string> findDeviceKinds(const std::string &backend) {
  const tegula_plugin *plugin = nullptr;
  std::vector<std::string> out;
  if (tg_status *status = loadPlugin(backend, TEGULA_RUNTIME, &plugin)) {
    tg_status_free(status);
    return out;
  }
  for (const char *const *kind = plugin->runtime->device_kinds; *kind; ++kind) {
    out.push_back(*kind);
  }
  return out;
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

static Pairs sorted(Pairs pairs) {
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// Facts in their one form, sorted by key.
static tg_status *readFacts(const tg_artifact &artifact, Pairs &out) {
  for (const auto &[key, value] : artifact.facts) {
    Json json;
    if (const std::string problem = parseJson(value, json); !problem.empty()) {
      return makeStatus(TG_INVALID, status::BundleInterface,
                        "kernel '" + artifact.kernel + "': fact '" + key +
                            "' of the backend cannot be kept in a bundle: " + problem);
    }
    out.emplace_back(key, renderJson(json));
  }
  out = sorted(std::move(out));
  return nullptr;
}

static std::shared_ptr<const BundleTarget> readTarget(const tg_artifact &artifact) {
  auto out = std::make_shared<BundleTarget>();
  out->backend = artifact.backend;
  out->triple = artifact.triple;
  out->arch = artifact.arch;
  out->format = artifact.format;
  out->features = artifact.features;
  out->deviceKinds = findDeviceKinds(artifact.backend);
  out->options = sorted(artifact.options);
  out->tools = sorted(artifact.tools);
  out->hash = artifact.targetHash;
  return out;
}

//===----------------------------------------------------------------------===//
// The C API
//===----------------------------------------------------------------------===//

tg_status *tg_bundle_writer_new(tg_bundle_writer **writer) {
  return guarded([&]() -> tg_status * {
    if (!writer) {
      return nullPointer("a place for the writer");
    }
    *writer = new tg_bundle_writer;
    return nullptr;
  });
}

tg_status *tg_bundle_writer_add(tg_bundle_writer *writer, const tg_artifact *artifact) {
  return guarded([&]() -> tg_status * {
    if (!writer || !artifact) {
      return nullPointer(writer ? "an artifact" : "a writer");
    }
    const auto object = artifact->stages.find("object");
    if (object == artifact->stages.end() || object->second.empty()) {
      return makeStatus(TG_INVALID, status::WrongArtifact,
                        "kernel '" + artifact->kernel +
                            "': the artifact has no stage 'object' to put into a bundle",
                        "compile it to that stage");
    }
    if (artifact->arch == "native") {
      return makeStatus(TG_INVALID, status::BundleVariant,
                        "kernel '" + artifact->kernel + "': expected the name of a processor, " +
                            "got 'native' from backend '" + artifact->backend + "'",
                        "name the arch in the target");
    }
    BundleVariant variant;
    if (tg_status *status = readFacts(*artifact, variant.facts)) {
      return status;
    }
    variant.target = readTarget(*artifact);
    variant.numWarps = artifact->numWarps;
    variant.numStages = artifact->numStages;
    variant.numCtas = artifact->numCtas;
    variant.owner = std::make_shared<const std::string>(object->second);
    variant.code = *variant.owner;
    return addVariant(writer->kernels, {artifact->kernel, artifact->args, artifact->argsSize, {}},
                      std::move(variant));
  });
}

tg_status *tg_bundle_writer_add_bundle(tg_bundle_writer *writer, const tg_bundle *bundle) {
  return guarded([&]() -> tg_status * {
    if (!writer || !bundle) {
      return nullPointer(writer ? "a bundle" : "a writer");
    }
    std::vector<BundleKernel> kernels = writer->kernels;
    for (const BundleKernel &kernel : bundle->kernels) {
      for (BundleVariant variant : kernel.variants) {
        variant.owner = std::make_shared<const std::string>(variant.code);
        variant.code = *variant.owner;
        if (tg_status *status = addVariant(kernels, kernel, std::move(variant))) {
          return prefixed(status, bundle->name + ": ");
        }
      }
    }
    writer->kernels = std::move(kernels);
    return nullptr;
  });
}

static tg_status *finish(tg_bundle_writer &writer) {
  if (writer.kernels.empty()) {
    return makeStatus(TG_INVALID, status::BundleInterface,
                      "expected a kernel for the bundle, got none", "add an artifact first");
  }
  writer.bytes = writeBundle(writer.kernels);
  // Names and texts come from plugins; what cannot be read again is not written.
  std::vector<BundleKernel> kernels;
  std::string manifest;
  if (tg_status *status = readBundle(writer.bytes, "bundle", kernels, manifest)) {
    return prefixed(status, "the bundle would not be readable: ");
  }
  return nullptr;
}

tg_status *tg_bundle_writer_write(tg_bundle_writer *writer, const char *path) {
  return guarded([&]() -> tg_status * {
    if (!writer || !path) {
      return nullPointer(writer ? "a path" : "a writer");
    }
    if (tg_status *status = finish(*writer)) {
      return status;
    }
    if (const int error = replaceFile(path, writer->bytes)) {
      return makeStatus(TG_INVALID, status::FileAccess,
                        "cannot write '" + std::string(path) + "': " + std::strerror(error));
    }
    return nullptr;
  });
}

tg_status *tg_bundle_writer_bytes(tg_bundle_writer *writer, const char **bytes, size_t *size) {
  return guarded([&]() -> tg_status * {
    if (!writer || !bytes || !size) {
      return nullPointer(!writer ? "a writer"
                         : bytes ? "a place for the size"
                                 : "a place for the bytes");
    }
    if (tg_status *status = finish(*writer)) {
      return status;
    }
    *bytes = writer->bytes.data();
    *size = writer->bytes.size();
    return nullptr;
  });
}

void tg_bundle_writer_free(tg_bundle_writer *writer) { delete writer; }
