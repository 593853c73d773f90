//===- Kernel.cpp - Loading and launching kernels -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "Guard.h"
#include "tegula/Runtime/Artifact.h"

#include <cstdio>
#include <cstring>
#include <memory>

using namespace tegula::runtime;

struct tg_kernel {
  tg_device *device = nullptr;
  const tegula_runtime_v1 *table = nullptr;
  tg_module *module = nullptr;
  tg_function *function = nullptr;
  size_t argsSize = 0;
  std::string name;
  std::vector<tg_artifact_arg> promises; ///< arguments with a divisibility

  ~tg_kernel() {
    if (module && table->module_unload) {
      table->module_unload(module);
    }
  }
};

/// The text of a JSON scalar: strings without their quotes.
static std::string scalarText(const std::string &json) {
  return json.size() >= 2 && json.front() == '"' ? json.substr(1, json.size() - 2) : json;
}

namespace {
/// A tg_variant and the memory behind it.
struct Variant {
  explicit Variant(const tg_artifact &artifact) {
    for (const std::string &feature : artifact.features) {
      features.push_back(feature.c_str());
    }
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
    view.struct_size = sizeof view;
    view.num_features = uint32_t(features.size());
    view.backend = artifact.backend.c_str();
    view.triple = artifact.triple.c_str();
    view.arch = artifact.arch.c_str();
    view.format = artifact.format.c_str();
    view.features = features.data();
    view.manifest = artifact.manifest.c_str();
    view.facts = facts.data();
    view.num_facts = facts.size();
    view.options = options.data();
    view.num_options = options.size();
  }
  Variant(const Variant &) = delete;
  Variant &operator=(const Variant &) = delete;

  std::vector<const char *> features;
  std::vector<std::string> texts;
  std::vector<tg_kv> facts, options;
  tg_variant view = {};
};
} // namespace

tg_status *tg_kernel_load(const tg_artifact *artifact, tg_device *device, tg_kernel **kernel) {
  return guarded([&]() -> tg_status * {
    if (!artifact || !device || !kernel) {
      return nullPointer(!artifact ? "an artifact"
                         : !device ? "a device"
                                   : "a place for the kernel");
    }
    *kernel = nullptr;
    const std::string prefix = "kernel '" + artifact->kernel + "': ";
    if (artifact->backend != device->plugin->id) {
      return makeStatus(TG_INCOMPATIBLE, status::WrongArtifact,
                        prefix + "compiled by backend '" + artifact->backend +
                            "', which does not serve the device " + device->description,
                        "compile it for this device's target");
    }
    const auto object = artifact->stages.find("object");
    if (object == artifact->stages.end()) {
      return makeStatus(TG_INVALID, status::WrongArtifact,
                        prefix + "the artifact has no stage 'object'", "compile it to that stage");
    }
    auto made = std::make_unique<tg_kernel>();
    made->device = device;
    made->table = device->plugin->runtime;
    made->argsSize = artifact->argsSize;
    made->name = artifact->kernel;
    for (const tg_artifact_arg &arg : artifact->args) {
      if (arg.divisibility > 1 && arg.size <= 8 && arg.offset + arg.size <= artifact->argsSize) {
        made->promises.push_back(arg);
      }
    }
    const tegula_runtime_v1 &table = *made->table;
    const Variant variant(*artifact);
    int32_t score = -1;
    char why[256] = "";
    if (tg_plugin_status *status =
            table.score(device->driver, device->ordinal, &variant.view, &score, why, sizeof why)) {
      return takePluginStatus(table, status, Moment::Load, prefix);
    }
    if (score < 0) {
      return makeStatus(TG_INCOMPATIBLE, status::WrongArtifact, prefix + why,
                        "compile it for this device's target");
    }
    if (tg_plugin_status *status =
            table.module_load(device->context, object->second.data(), object->second.size(),
                              &variant.view, &made->module)) {
      return takePluginStatus(table, status, Moment::Load, prefix);
    }
    tg_kernel_info info = {};
    info.struct_size = sizeof info;
    if (tg_plugin_status *status =
            table.kernel_get(made->module, artifact->kernel.c_str(), &made->function, &info)) {
      return takePluginStatus(table, status, Moment::Load, prefix);
    }
    *kernel = made.release();
    return nullptr;
  });
}

size_t tg_kernel_args_size(const tg_kernel *kernel) { return kernel ? kernel->argsSize : 0; }

/// The address or integer of an argument; integers of any width are divisible by a
/// power of two if their bits below it are zero.
static uint64_t valueOf(const tg_artifact_arg &arg, const void *args) {
  uint64_t value = 0;
  std::memcpy(&value, static_cast<const char *>(args) + arg.offset, arg.size);
  return value;
}

/// Code that was compiled for aligned accesses faults, or worse, without them.
static tg_status *misaligned(const tg_kernel &kernel, const tg_artifact_arg &arg, uint64_t value) {
  const bool isPointer = arg.type.starts_with("*");
  char found[32];
  std::snprintf(found, sizeof found, isPointer ? "0x%llx" : "%lld", (long long)value);
  if (!isPointer && arg.size == 4) {
    std::snprintf(found, sizeof found, "%d", int32_t(value));
  }
  const std::string promised = std::to_string(arg.divisibility);
  return makeStatus(TG_INVALID, status::Misaligned,
                    "kernel '" + kernel.name + "': argument '" + arg.name + "': expected " +
                        (isPointer ? "an address" : "a number") + " divisible by " + promised +
                        ", as the kernel was compiled for, got " + found,
                    "compile the kernel for the type '" + arg.type + "' instead of '" + arg.type +
                        ":" + promised +
                        (isPointer ? "', or align the argument" : "', or pass such a number"));
}

static tg_status *checkGrid(const tg_kernel &kernel, const uint32_t grid[3]) {
  const uint32_t *most = kernel.device->maxGrid;
  for (int i = 0; i < 3; ++i) {
    if (most[i] != 0 && grid[i] > most[i]) {
      const auto list = [](const uint32_t *sizes) {
        return std::to_string(sizes[0]) + " x " + std::to_string(sizes[1]) + " x " +
               std::to_string(sizes[2]);
      };
      return makeStatus(TG_OUT_OF_RESOURCES, status::InvalidGrid,
                        "kernel '" + kernel.name + "': expected a grid of at most " + list(most) +
                            ", got " + list(grid),
                        "launch several times, or give each program more to do");
    }
  }
  return nullptr;
}

/// Aligns an argument block that does not start at an 8-byte boundary.
static tg_status *launchCopy(tg_kernel *kernel, const uint32_t grid[3], const void *args,
                             size_t size, tg_stream_handle stream) {
  std::vector<uint64_t> words((size + 7) / 8);
  std::memcpy(words.data(), args, size);
  return tg_kernel_launch(kernel, grid, words.data(), size, stream);
}

tg_status *tg_kernel_launch(tg_kernel *kernel, const uint32_t grid[3], const void *args,
                            size_t args_size, tg_stream_handle stream) {
  return guarded([&]() -> tg_status * {
    if (!kernel || !grid || (!args && kernel->argsSize > 0)) {
      return nullPointer(!kernel ? "a kernel" : !grid ? "a grid" : "a block of arguments");
    }
    if (args_size < kernel->argsSize) {
      return makeStatus(TG_INVALID, status::LaunchArguments,
                        "kernel '" + kernel->name + "': expected " +
                            std::to_string(kernel->argsSize) + " bytes of arguments, got " +
                            std::to_string(args_size),
                        "pack them as the artifact's manifest says");
    }
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0) {
      return nullptr;
    }
    if (tg_status *status = checkGrid(*kernel, grid)) {
      return status;
    }
    for (const tg_artifact_arg &arg : kernel->promises) {
      if (const uint64_t value = valueOf(arg, args); value % arg.divisibility != 0) {
        return misaligned(*kernel, arg, value);
      }
    }
    if (reinterpret_cast<uintptr_t>(args) % 8 != 0) {
      return launchCopy(kernel, grid, args, args_size, stream);
    }
    tg_launch launch = {};
    launch.struct_size = sizeof launch;
    launch.grid[0] = grid[0];
    launch.grid[1] = grid[1];
    launch.grid[2] = grid[2];
    launch.args = args;
    launch.args_size = args_size;
    launch.native_stream = stream;
    if (tg_plugin_status *status = kernel->table->launch(kernel->function, &launch, nullptr)) {
      return takePluginStatus(*kernel->table, status, Moment::Launch,
                              "kernel '" + kernel->name + "': ");
    }
    return nullptr;
  });
}

void tg_kernel_free(tg_kernel *kernel) { delete kernel; }
