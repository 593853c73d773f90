//===- DeviceStatus.cpp - What plugins report, as statuses of the C API ------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include <utility>

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
  case TG_DEVICE_LOST:
    return status::DeviceLost;
  case TG_INVALID:
  case TG_NOT_FOUND:
  case TG_INCOMPATIBLE:
    return moment == Moment::Open     ? status::NoSuchDevice
           : moment == Moment::Load   ? status::WrongArtifact
           : moment == Moment::Launch ? status::LaunchArguments
                                      : status::ApiArgument;
  default:
    return moment == Moment::Open && code == TG_UNAVAILABLE   ? status::NoSuchDevice
           : moment == Moment::Work && code == TG_UNAVAILABLE ? status::NotOffered
                                                              : status::DeviceFailure;
  }
}

tg_status *tegula::runtime::takePluginStatus(const tegula_plugin &plugin, tg_plugin_status *status,
                                             const char *slot, Moment moment,
                                             const std::string &prefix) {
  const tegula_runtime_v1 *table = plugin.runtime;
  const auto text = [&](const char *(*function)(const tg_plugin_status *)) {
    const char *value = function ? function(status) : nullptr;
    return std::string(value ? value : "");
  };
  std::string message = prefix + text(table->status_text);
  // Where a vendor's library speaks, whoever asks for help needs to know which call.
  if (const auto nativeName = TG_SLOT(table, status_native_name)) {
    const auto nativeCode = TG_SLOT(table, status_native_code);
    std::string native = text(nativeName);
    if (!native.empty() && nativeCode) {
      native += ", code " + std::to_string(nativeCode(status));
    }
    message +=
        " (" + native + (native.empty() ? "" : "; ") + slot + " of plugin '" + plugin.id + "')";
  }
  // What a newer plugin may say is no fault of ours, but no code of ours either.
  const uint32_t number = table->status_code(status);
  const bool known = number > TG_OK && number <= TG_DEVICE_LOST && number != TG_COMPILE_ERROR &&
                     number != TG_TARGET_ERROR;
  const tg_code code = known ? tg_code(number) : TG_INTERNAL;
  tg_status *result = makeStatus(code, identify(code, moment), std::move(message),
                                 text(TG_SLOT(table, status_hint)));
  table->status_free(status);
  return result;
}

std::string tegula::runtime::nameOf(const tg_device &device) {
  return device.kind + ":" + std::to_string(device.ordinal);
}

/// Whether the plugin says that the device is lost; what it cannot say is no.
static bool asksWhetherLost(tg_device &device) {
  const auto slot = TG_SLOT(device.table, device_lost);
  tg_context *context = device.context.load(std::memory_order_acquire);
  int lost = 0;
  if (!slot || !context) {
    return false;
  }
  if (tg_plugin_status *status = slot(context, &lost)) {
    const bool isLost = device.table->status_code(status) == TG_DEVICE_LOST;
    device.table->status_free(status);
    return isLost;
  }
  return lost != 0;
}

tg_status *tegula::runtime::takeDeviceStatus(tg_device &device, tg_plugin_status *status,
                                             const char *slot, Moment moment, std::string prefix) {
  if (prefix.empty()) {
    prefix = "device " + nameOf(device) + ": ";
  }
  tg_status *result = takePluginStatus(*device.plugin, status, slot, moment, prefix);
  if (result->code == TG_DEVICE_LOST || asksWhetherLost(device)) {
    const std::lock_guard<std::mutex> guard(device.lock);
    if (device.lossMessage.empty()) {
      const std::string *last = device.lastKernel.load(std::memory_order_relaxed);
      // It runs after its launch has returned; some plugins name it themselves. The prefix
      // names the one that is launched now.
      if (last && moment != Moment::Load &&
          result->message.find("kernel '", prefix.size()) == std::string::npos) {
        result->message += "; the kernel launched last was '" + *last + "'";
      }
      device.lossMessage = result->message;
    }
    device.isLost.store(true, std::memory_order_release);
  }
  return result;
}

tg_status *tegula::runtime::lostStatus(tg_device &device) {
  const std::lock_guard<std::mutex> guard(device.lock);
  return makeStatus(TG_DEVICE_LOST, status::DeviceLost,
                    "device " + nameOf(device) + " is lost: " + device.lossMessage,
                    "use another device, or start the process again");
}

tg_status *tegula::runtime::notOffered(const tg_device &device, const char *slot) {
  return makeStatus(TG_UNAVAILABLE, status::NotOffered,
                    "device " + nameOf(device) + ": plugin '" + device.plugin->id +
                        "' does not offer " + slot);
}

tg_status *tegula::runtime::otherDevice(const tg_device &device, const char *what,
                                        const tg_device &owner) {
  return makeStatus(TG_INVALID, status::OtherDevice,
                    std::string("expected ") + what + " of device " + nameOf(device) +
                        ", got one of " + nameOf(owner),
                    "make one for each device");
}
