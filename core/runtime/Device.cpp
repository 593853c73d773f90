//===- Device.cpp - Devices behind the C API ----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include "Guard.h"
#include "Variant.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace tegula::runtime;

//===----------------------------------------------------------------------===//
// What plugins are asked
//===----------------------------------------------------------------------===//

tg_status *tegula::runtime::contextOf(tg_device &device, tg_context **context) {
  if (device.isLost.load(std::memory_order_acquire)) {
    return lostStatus(device);
  }
  *context = device.context.load(std::memory_order_acquire);
  if (*context) {
    return nullptr;
  }
  tg_plugin_status *status = nullptr;
  const auto adopt = TG_SLOT(device.table, adopt_primary_context);
  {
    const std::lock_guard<std::mutex> guard(device.lock);
    *context = device.context.load(std::memory_order_relaxed);
    if (!*context) {
      status = (adopt ? adopt : device.table->create_context)(device.driver, device.index, context);
      if (!status) {
        device.context.store(*context, std::memory_order_release);
      }
    }
  }
  if (!status) {
    return nullptr;
  }
  *context = nullptr;
  return takeDeviceStatus(device, status, adopt ? "adopt_primary_context" : "create_context",
                          Moment::Open);
}

tg_status *tegula::runtime::synchronize(tg_device &device) {
  tg_context *context = nullptr;
  if (tg_status *status = contextOf(device, &context)) {
    return status;
  }
  tg_plugin_status *status = device.table->stream_sync(context, nullptr);
  return status ? takeDeviceStatus(device, status, "stream_sync") : nullptr;
}

void tegula::runtime::synchronizeToFree(tg_device &device) noexcept {
  if (device.isLost.load(std::memory_order_acquire) ||
      !device.context.load(std::memory_order_acquire)) {
    return;
  }
  tg_status *status = guarded([&] { return synchronize(device); });
  if (status) {
    const std::lock_guard<std::mutex> guard(device.lock);
    std::swap(status, device.deferred); // the latest is kept
  }
  tg_status_free(status);
}

tg_status *tegula::runtime::queryNumber(tg_device &device, uint32_t key, int64_t &value) {
  value = 0;
  const auto slot = TG_SLOT(device.table, device_query);
  if (!slot) {
    return nullptr;
  }
  tg_value answer = {};
  answer.struct_size = sizeof answer;
  if (tg_plugin_status *status = slot(device.driver, device.index, key, &answer)) {
    return takeDeviceStatus(device, status, "device_query");
  }
  value = answer.kind == TG_VALUE_INT ? answer.integer : 0;
  return nullptr;
}

tg_status *tegula::runtime::scoreVariant(tg_device &device, const Variant &variant, int32_t &score,
                                         std::string &why) {
  score = -1;
  if (std::strcmp(variant.view().backend, device.plugin->id) != 0) {
    why = "is for backend '" + std::string(variant.view().backend) + "', not '" +
          device.plugin->id + "'";
    return nullptr;
  }
  char reason[512] = "";
  if (tg_plugin_status *status = device.table->score(device.driver, device.index, &variant.view(),
                                                     &score, reason, sizeof reason)) {
    score = -1;
    why.clear();
    return takeDeviceStatus(device, status, "score", Moment::Load);
  }
  reason[sizeof reason - 1] = '\0';
  why = reason;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The C API
//===----------------------------------------------------------------------===//

const char *tg_device_kind(const tg_device *device) { return device ? device->kind.c_str() : ""; }

int tg_device_ordinal(const tg_device *device) { return device ? device->ordinal : -1; }

const char *tg_device_describe(tg_device *device) {
  return device ? device->description.c_str() : "";
}

tg_status *tg_device_info_get(tg_device *device, tg_device_info *info) {
  return guarded([&]() -> tg_status * {
    if (!device || !info) {
      return nullPointer(device ? "a place for the facts" : "a device");
    }
    const uint32_t size = info->struct_size;
    if (size < sizeof size) {
      return makeStatus(TG_INVALID, status::ApiArgument,
                        "expected struct_size to be set, got " + std::to_string(size));
    }
    tg_device_info full = device->info;
    full.struct_size = uint32_t(std::min<size_t>(size, sizeof full));
    full.ordinal = device->ordinal;
    if (!device->isLost.load(std::memory_order_acquire)) {
      int64_t free = 0;
      if (tg_status *status = queryNumber(*device, TG_QUERY_MEMORY_FREE, free)) {
        return status;
      }
      full.memory_free = free > 0 ? uint64_t(free) : full.memory_free;
    }
    std::memcpy(info, &full, full.struct_size);
    return nullptr;
  });
}

/// Kernels print to where the process prints.
static void writeOut(void *, const char *text, size_t size) {
  flockfile(stdout);
  std::fwrite(text, 1, size, stdout);
  std::fflush(stdout);
  funlockfile(stdout);
}

tg_status *tg_device_print(tg_device *device) {
  return guarded([&]() -> tg_status * {
    if (!device) {
      return nullPointer("a device");
    }
    tg_context *context = nullptr;
    if (tg_status *status = contextOf(*device, &context)) {
      return status;
    }
    const auto drain = TG_SLOT(device->table, print_drain);
    if (!drain) { // then its kernels print at once, or never
      return nullptr;
    }
    tg_plugin_status *status = drain(context, writeOut, nullptr);
    return status ? takeDeviceStatus(*device, status, "print_drain") : nullptr;
  });
}

tg_status *tg_device_sync(tg_device *device) {
  return guarded([&]() -> tg_status * {
    if (!device) {
      return nullPointer("a device");
    }
    tg_status *deferred = nullptr;
    {
      const std::lock_guard<std::mutex> guard(device->lock);
      std::swap(deferred, device->deferred);
    }
    tg_status *status = synchronize(*device);
    if (deferred) {
      tg_status_free(status);
      return deferred;
    }
    return status ? status : tg_device_print(device);
  });
}

tg_status *tg_device_is_lost(tg_device *device, int *lost) {
  return guarded([&]() -> tg_status * {
    if (!device || !lost) {
      return nullPointer(device ? "a place for the answer" : "a device");
    }
    *lost = device->isLost.load(std::memory_order_acquire);
    tg_context *context = device->context.load(std::memory_order_acquire);
    const auto slot = TG_SLOT(device->table, device_lost);
    if (*lost || !context || !slot) {
      return nullptr;
    }
    if (tg_plugin_status *status = slot(context, lost)) {
      *lost = 0;
      return takeDeviceStatus(*device, status, "device_lost");
    }
    *lost = *lost != 0;
    if (*lost) {
      const std::lock_guard<std::mutex> guard(device->lock);
      if (device->lossMessage.empty()) {
        device->lossMessage = "its driver says so";
      }
      device->isLost.store(true, std::memory_order_release);
    }
    return nullptr;
  });
}
