//===- Device.h - Devices behind the C API ------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_DEVICE_H
#define TEGULA_RUNTIME_DEVICE_H

#include "tegula/Runtime/PluginHost.h"

#include <string>

/// One device, made once per process and never freed.
struct tg_device {
  const tegula_plugin *plugin = nullptr;
  tg_driver *driver = nullptr;
  tg_context *context = nullptr;
  int ordinal = 0;
  std::string kind, description;
};

namespace tegula::runtime {

/// Turns a status of a plugin into one of ours and frees it.
tg_status *takePluginStatus(const tegula_runtime_v1 &table, tg_plugin_status *status,
                            const std::string &prefix = "");

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_DEVICE_H
