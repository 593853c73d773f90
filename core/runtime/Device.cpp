//===- Device.cpp - Devices behind the C API ----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include "Guard.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>

using namespace tegula::runtime;

/// Plugins say how bad it is; what it is about follows from when they say it.
static StatusID identify(tg_code code, Moment moment) {
  switch (code) {
  case TG_OUT_OF_MEMORY:
    return status::OutOfMemory;
  case TG_OUT_OF_RESOURCES:
    return status::OutOfResources;
  case TG_INTERNAL:
    return status::InternalFault;
  case TG_ASSERTION:
    return status::DeviceAssert;
  case TG_INVALID:
  case TG_NOT_FOUND:
  case TG_INCOMPATIBLE:
    return moment == Moment::Open   ? status::NoSuchDevice
           : moment == Moment::Load ? status::WrongArtifact
                                    : status::LaunchArguments;
  default:
    return moment == Moment::Open && code == TG_UNAVAILABLE ? status::NoSuchDevice
                                                            : status::DeviceFailure;
  }
}

tg_status *tegula::runtime::takePluginStatus(const tegula_runtime_v1 &table,
                                             tg_plugin_status *status, Moment moment,
                                             const std::string &prefix) {
  const auto text = [&](const char *(*slot)(const tg_plugin_status *)) {
    const char *value = slot ? slot(status) : nullptr;
    return std::string(value ? value : "");
  };
  std::string message = prefix + text(table.status_text);
  if (const std::string native = text(table.status_native_name); !native.empty()) {
    message += " (" + native;
    message += table.status_native_code
                   ? ", code " + std::to_string(table.status_native_code(status)) + ")"
                   : ")";
  }
  const uint32_t number = table.status_code(status);
  const bool known = (number > TG_OK && number <= TG_INTERNAL) || number == TG_ASSERTION;
  const tg_code code = known ? tg_code(number) : TG_INTERNAL;
  tg_status *result =
      makeStatus(code, identify(code, moment), std::move(message), text(table.status_hint));
  table.status_free(status);
  return result;
}

namespace {
struct OpenDriver {
  const tegula_plugin *plugin;
  tg_driver *driver;
};
/// Drivers and devices live as long as the process.
struct Devices {
  std::mutex lock;
  std::vector<OpenDriver> drivers;
  std::vector<std::unique_ptr<tg_device>> devices;
};
} // namespace

static Devices &all() {
  static Devices *instance = new Devices;
  return *instance;
}

static bool servesKind(const tegula_plugin &plugin, const char *kind) {
  for (const char *const *it = plugin.runtime->device_kinds; *it; ++it) {
    if (std::strcmp(*it, kind) == 0) {
      return true;
    }
  }
  return false;
}

/// Finds the runtime half that serves `kind`, the plugin of that very name first.
static tg_status *findPlugin(const char *kind, const tegula_plugin **plugin) {
  tg_status *status = loadPlugin(kind, TEGULA_RUNTIME, plugin);
  if (!status && servesKind(**plugin, kind)) {
    return nullptr;
  }
  // What went wrong with the plugin of that name matters more than its absence.
  std::string problems;
  if (status && status->id != status::PluginNotFound.name) {
    problems = "\n  " + shownMessage(*status);
  } else if (status) { // the places tried
    problems = status->message.substr(std::min(status->message.find('\n'), status->message.size()));
  }
  std::string known;
  tg_status_free(status);
  for (const PluginNote &note : discoverPlugins()) {
    if (!(note.components & TEGULA_RUNTIME)) {
      continue;
    }
    if (tg_status *failure = loadPlugin(note.id, TEGULA_RUNTIME, plugin)) {
      problems += "\n  " + shownMessage(*failure);
      tg_status_free(failure);
      continue;
    }
    if (servesKind(**plugin, kind)) {
      return nullptr;
    }
    for (const char *const *it = (*plugin)->runtime->device_kinds; *it; ++it) {
      known += (known.empty() ? "" : ", ") + std::string(*it);
    }
  }
  *plugin = nullptr;
  return makeStatus(TG_UNAVAILABLE, status::NoSuchDevice,
                    std::string("no plugin serves devices of kind '") + kind +
                        "'; kinds served: " + (known.empty() ? "none" : known) + problems,
                    "install the backend's plugin or add its folder to TEGULA_PLUGIN_PATH");
}

static tg_status *openDriver(const tegula_plugin *plugin, const std::string &prefix,
                             tg_driver **driver) {
  for (const OpenDriver &open : all().drivers) {
    if (open.plugin == plugin) {
      *driver = open.driver;
      return nullptr;
    }
  }
  if (tg_plugin_status *status = plugin->runtime->open(nullptr, 0, driver)) {
    return takePluginStatus(*plugin->runtime, status, Moment::Open, prefix);
  }
  all().drivers.push_back({plugin, *driver});
  return nullptr;
}

static std::string describe(const tg_device_info &info, const char *kind, int ordinal) {
  std::string text = std::string(kind) + ":" + std::to_string(ordinal) + " " +
                     (info.name ? info.name : "unnamed") + ", " + (info.arch ? info.arch : "?") +
                     ", " + std::to_string(info.compute_units) + " compute units, ";
  return text + std::to_string(info.memory_total >> 20) + " MiB";
}

tg_status *tg_device_get(const char *kind, int ordinal, tg_device **device) {
  return guarded([&]() -> tg_status * {
    if (!kind || !device) {
      return nullPointer(kind ? "a place for the device" : "a kind of device");
    }
    *device = nullptr;
    std::lock_guard<std::mutex> guard(all().lock);
    for (const auto &known : all().devices) {
      if (known->kind == kind && known->ordinal == ordinal) {
        *device = known.get();
        return nullptr;
      }
    }
    auto made = std::make_unique<tg_device>();
    made->kind = kind;
    made->ordinal = ordinal;
    const std::string prefix = "device " + made->kind + ":" + std::to_string(ordinal) + ": ";
    if (tg_status *status = findPlugin(kind, &made->plugin)) {
      return status;
    }
    if (tg_status *status = openDriver(made->plugin, prefix, &made->driver)) {
      return status;
    }
    const tegula_runtime_v1 &table = *made->plugin->runtime;
    size_t count = 0;
    if (tg_plugin_status *status = table.enumerate(made->driver, &count)) {
      return takePluginStatus(table, status, Moment::Open, prefix);
    }
    if (ordinal < 0 || size_t(ordinal) >= count) {
      std::string message = "no device " + made->kind + ":" + std::to_string(ordinal);
      message += count == 0   ? "; there is none of kind '" + made->kind + "'"
                 : count == 1 ? "; the only one of its kind is " + made->kind + ":0"
                              : "; they end with " + made->kind + ":" + std::to_string(count - 1);
      return makeStatus(TG_UNAVAILABLE, status::NoSuchDevice, message);
    }
    tg_device_info info = {};
    info.struct_size = sizeof info;
    if (tg_plugin_status *status = table.device_info(made->driver, ordinal, &info)) {
      return takePluginStatus(table, status, Moment::Open, prefix);
    }
    std::copy(std::begin(info.max_grid), std::end(info.max_grid), made->maxGrid);
    made->description = describe(info, kind, ordinal);
    const bool adopts = TEGULA_HAS_FIELD(tegula_runtime_v1, &table, adopt_primary_context) &&
                        table.adopt_primary_context;
    const auto create = adopts ? table.adopt_primary_context : table.create_context;
    if (tg_plugin_status *status = create(made->driver, ordinal, &made->context)) {
      return takePluginStatus(table, status, Moment::Open, prefix);
    }
    all().devices.push_back(std::move(made));
    *device = all().devices.back().get();
    return nullptr;
  });
}

const char *tg_device_describe(tg_device *device) {
  return device ? device->description.c_str() : "";
}
