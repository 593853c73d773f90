//===- Kernel.cpp - Loading kernels -----------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include "Guard.h"
#include "Variant.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>

using namespace tegula::runtime;

tg_kernel::~tg_kernel() {
  if (const auto unload = module ? TG_SLOT(table, module_unload) : nullptr) {
    synchronizeToFree(*device);
    unload(module);
  }
}

/// A copy that is never freed; names of kernels are few.
static const std::string *keepName(const std::string &name) {
  static std::mutex lock;
  static auto *names = new std::set<std::string>;
  const std::lock_guard<std::mutex> guard(lock);
  return &*names->insert(name).first;
}

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
    made->table = device->table;
    made->argsSize = artifact->argsSize;
    made->name = artifact->kernel;
    made->lastingName = keepName(made->name);
    made->manifest = artifact->manifest;
    made->args = artifact->args;
    for (const tg_artifact_arg &arg : artifact->args) {
      if (arg.divisibility > 1 && arg.size <= 8 && arg.offset + arg.size <= artifact->argsSize) {
        made->promises.push_back(arg);
      }
    }
    const Variant variant(*artifact);
    int32_t score = -1;
    std::string why;
    if (tg_status *status = scoreVariant(*device, variant, score, why)) {
      return prefixed(status, prefix);
    }
    if (score < 0) {
      return makeStatus(TG_INCOMPATIBLE, status::WrongArtifact, prefix + why,
                        "compile it for this device's target");
    }
    tg_context *context = nullptr;
    if (tg_status *status = contextOf(*device, &context)) {
      return prefixed(status, prefix);
    }
    const tegula_runtime_v1 &table = *made->table;
    if (tg_plugin_status *status =
            table.module_load(context, object->second.data(), object->second.size(),
                              &variant.view(), &made->module)) {
      return takeDeviceStatus(*device, status, "module_load", Moment::Load, prefix);
    }
    made->info.struct_size = sizeof made->info;
    if (tg_plugin_status *status = table.kernel_get(made->module, artifact->kernel.c_str(),
                                                    &made->function, &made->info)) {
      return takeDeviceStatus(*device, status, "kernel_get", Moment::Load, prefix);
    }
    *kernel = made.release();
    return nullptr;
  });
}

size_t tg_kernel_args_size(const tg_kernel *kernel) { return kernel ? kernel->argsSize : 0; }

const char *tg_kernel_name(const tg_kernel *kernel) { return kernel ? kernel->name.c_str() : ""; }

tg_device *tg_kernel_device(const tg_kernel *kernel) { return kernel ? kernel->device : nullptr; }

const char *tg_kernel_manifest(const tg_kernel *kernel) {
  return kernel ? kernel->manifest.c_str() : "";
}

tg_status *tg_kernel_info_get(const tg_kernel *kernel, tg_kernel_info *info) {
  return guarded([&]() -> tg_status * {
    if (!kernel || !info) {
      return nullPointer(kernel ? "a place for the facts" : "a kernel");
    }
    const uint32_t size = info->struct_size;
    if (size < sizeof size) {
      return makeStatus(TG_INVALID, status::ApiArgument,
                        "expected struct_size to be set, got " + std::to_string(size));
    }
    tg_kernel_info full = kernel->info;
    full.struct_size = uint32_t(std::min<size_t>(size, sizeof full));
    std::memcpy(info, &full, full.struct_size);
    return nullptr;
  });
}

void tg_kernel_free(tg_kernel *kernel) { delete kernel; }
