//===- Pointer.cpp - Whose memory an address is ---------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pointer.h"

#include "Device.h"
#include "Guard.h"

using namespace tegula;
using namespace tegula::runtime;

tg_status *tegula::runtime::ownerOf(tg_device *device, uint64_t address, PointerOwner &out) {
  return guarded([&]() -> tg_status * {
    out = PointerOwner();
    const auto slot = TG_SLOT(device->table, pointer_owner);
    if (!slot) {
      return nullptr;
    }
    tg_pointer_info info = {};
    info.struct_size = sizeof info;
    if (tg_plugin_status *status = slot(device->driver, address, &info)) {
      return takeDeviceStatus(*device, status, "pointer_owner");
    }
    out.memory = info.kind;
    for (const tg_device *other : allDevices(device->kind.c_str())) {
      if (other->driver == device->driver && other->index == info.device) {
        out.ordinal = other->ordinal;
      }
    }
    return nullptr;
  });
}

tg_status *tegula::runtime::usesHostMemory(tg_device *device, bool &out) {
  return guarded([&]() -> tg_status * {
    out = false;
    // lint: names a backend: kinds of arrays whose memory is never the host's
    if (device->kind == "cuda" || device->kind == "hip") { // lint: names a backend: likewise
      return nullptr;
    }
    int64_t value = 0;
    tg_status *status = queryNumber(*device, TG_QUERY_UNIFIED_ADDRESSING, value);
    out = value != 0;
    return status;
  });
}
