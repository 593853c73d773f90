//===- Device.h - Devices behind the C API ------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_DEVICE_H
#define TEGULA_RUNTIME_DEVICE_H

#include "tegula/Runtime/PluginHost.h"

#include <cstdint>
#include <string>

/// One device, made once per process and never freed.
struct tg_device {
  const tegula_plugin *plugin = nullptr;
  tg_driver *driver = nullptr;
  tg_context *context = nullptr;
  int ordinal = 0;
  uint32_t maxGrid[3] = {}; ///< 0: not known
  std::string kind, description;
};

namespace tegula::runtime {

/// What a plugin was asked for when it failed.
enum class Moment { Open, Load, Launch };

/// Turns a status of a plugin into one of ours and frees it.
tg_status *takePluginStatus(const tegula_runtime_v1 &table, tg_plugin_status *status, Moment moment,
                            const std::string &prefix = "");

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_DEVICE_H
