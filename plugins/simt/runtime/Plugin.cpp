//===- Plugin.cpp - The simulator's runtime half --------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device 0 is of arch simt-32, device 1 of simt-64. Their memory is that of the host, and
// all work has ended when a call returns.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "Runtime.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <unistd.h>

using namespace tegula::simt;

struct tg_driver {};
struct tg_context {
  int device;
};
struct tg_stream {};
struct tg_event {
  std::chrono::steady_clock::time_point time;
  bool isRecorded = false;
};

static tg_driver theDriver;
static tg_plugin_status noMemory = {TG_OUT_OF_MEMORY, "out of memory"};

tg_plugin_status *tegula::simt::fail(uint32_t code, std::string text) noexcept {
  auto *status = new (std::nothrow) tg_plugin_status{code, std::move(text)};
  return status ? status : &noMemory;
}
void tegula::simt::freeStatus(tg_plugin_status *status) noexcept {
  if (status != &noMemory) {
    delete status;
  }
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

static const char *const kArchs[] = {"simt-32", "simt-64"};
static constexpr int kNumDevices = 2;

static tg_plugin_status *checkDevice(int device) {
  return device >= 0 && device < kNumDevices
             ? nullptr
             : fail(TG_NOT_FOUND, "expected device 0 or 1, got " + std::to_string(device));
}

static uint64_t pagesToBytes(int name) {
  const long pages = sysconf(name), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? uint64_t(pages) * uint64_t(size) : 0;
}

static tg_plugin_status *openDriver(const tg_kv *, size_t, tg_driver **driver) {
  *driver = &theDriver;
  return nullptr;
}
static void closeDriver(tg_driver *) {}
static tg_plugin_status *enumerate(tg_driver *, size_t *count) {
  *count = kNumDevices;
  return nullptr;
}

static tg_plugin_status *deviceInfo(tg_driver *, int device, tg_device_info *info) {
  if (tg_plugin_status *status = checkDevice(device)) {
    return status;
  }
  tg_device_info full = {};
  full.kind = "simt";
  full.id = device == 0 ? "simt:0" : "simt:1";
  full.name = device == 0 ? "a simulated GPU with warps of 32" : "a simulated GPU with warps of 64";
  full.arch = kArchs[device];
  full.memory_total = pagesToBytes(_SC_PHYS_PAGES);
  full.memory_free = pagesToBytes(_SC_AVPHYS_PAGES);
  full.compute_units = 1;
  full.warp_size = device == 0 ? 32 : 64;
  full.shared_memory_per_block = full.shared_memory_per_unit = device == 0 ? 232448 : 65536;
  full.registers_per_unit = 65536;
  full.max_threads_per_block = kMaxThreads;
  std::copy_n(kMaxGrid, 3, full.max_grid);
  full.struct_size = info->struct_size;
  std::memcpy(static_cast<void *>(info), &full, std::min<size_t>(info->struct_size, sizeof full));
  return nullptr;
}

static tg_plugin_status *deviceQuery(tg_driver *, int device, uint32_t key, tg_value *value) {
  value->kind = TG_VALUE_NONE;
  if (key == TG_QUERY_MEMORY_FREE) {
    value->kind = TG_VALUE_INT;
    value->integer = int64_t(pagesToBytes(_SC_AVPHYS_PAGES));
  } else if (key == TG_QUERY_MANAGED_MEMORY || key == TG_QUERY_UNIFIED_ADDRESSING) {
    value->kind = TG_VALUE_INT;
    value->integer = 1;
  }
  return checkDevice(device);
}

static tg_plugin_status *score(tg_driver *, int device, const tg_variant *variant, int32_t *result,
                               char *why, size_t capacity) {
  if (tg_plugin_status *status = checkDevice(device)) {
    return status;
  }
  const std::string format = variant->format ? variant->format : "none";
  const std::string arch = variant->arch ? variant->arch : "none";
  const std::string triple = variant->triple ? variant->triple : "";
  *result = -1;
  if (format != "simt-so") {
    std::snprintf(why, capacity, "needs format simt-so, got %s", format.c_str());
  } else if (arch != kArchs[device]) {
    std::snprintf(why, capacity, "is for %s, this device is %s", arch.c_str(), kArchs[device]);
  } else if (!triple.empty() && triple.rfind(hostFamily(), 0) != 0) {
    std::snprintf(why, capacity, "simulates on %s, this processor is %s", triple.c_str(),
                  hostFamily());
  } else {
    *result = 100;
    std::snprintf(why, capacity, "made for %s", kArchs[device]);
  }
  return nullptr;
}

static tg_plugin_status *pointerOwner(tg_driver *, uint64_t, tg_pointer_info *info) {
  info->kind = TG_MEM_HOST;
  info->device = -1;
  info->base = info->size = 0;
  return nullptr;
}

static tg_plugin_status *createContext(tg_driver *, int device, tg_context **context) {
  if (tg_plugin_status *status = checkDevice(device)) {
    return status;
  }
  *context = new (std::nothrow) tg_context{device};
  return *context ? nullptr : &noMemory;
}
static void destroyContext(tg_context *context) { delete context; }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static tg_plugin_status *allocate(tg_context *, size_t size, uint32_t flags, tg_mem *mem) {
  void *memory = allocatePiece(size);
  if (!memory) {
    return fail(TG_OUT_OF_MEMORY, "no memory for " + std::to_string(size) + " bytes, " +
                                      std::to_string(pagesToBytes(_SC_AVPHYS_PAGES)) + " are free");
  }
  *mem = {uint64_t(reinterpret_cast<uintptr_t>(memory)), size, flags, 0, memory};
  return nullptr;
}

static tg_plugin_status *release(tg_context *, tg_mem mem) {
  releasePiece(mem.owner);
  return nullptr;
}

static tg_plugin_status *checkRange(const char *what, const tg_mem &mem, size_t offset,
                                    size_t size) {
  // Memory of others may have no known size.
  if ((mem.size == 0 && !mem.owner) || (offset <= mem.size && size <= mem.size - offset)) {
    return nullptr;
  }
  return fail(TG_INVALID, std::string(what) + ": expected a range within " +
                              std::to_string(mem.size) + " bytes, got " + std::to_string(size) +
                              " at " + std::to_string(offset));
}

static char *bytesAt(const tg_mem &mem, size_t offset) {
  return reinterpret_cast<char *>(uintptr_t(mem.address)) + offset;
}

static tg_plugin_status *copy(tg_context *, tg_mem target, size_t targetOffset, tg_mem source,
                              size_t sourceOffset, size_t size, tg_stream *) {
  tg_plugin_status *status = checkRange("copy to", target, targetOffset, size);
  if (!status) {
    status = checkRange("copy from", source, sourceOffset, size);
  }
  if (!status && size > 0) {
    std::memmove(bytesAt(target, targetOffset), bytesAt(source, sourceOffset), size);
  }
  return status;
}

static tg_plugin_status *fill(tg_context *, tg_mem mem, size_t offset, uint32_t pattern,
                              size_t size, tg_stream *) {
  if (tg_plugin_status *status = checkRange("fill", mem, offset, size)) {
    return status;
  }
  for (size_t i = 0; i < size; i += 4) {
    std::memcpy(bytesAt(mem, offset) + i, &pattern, std::min<size_t>(size - i, 4));
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

static tg_plugin_status *streamCreate(tg_context *, uint32_t, tg_stream **stream) {
  *stream = new (std::nothrow) tg_stream;
  return *stream ? nullptr : &noMemory;
}
static tg_plugin_status *streamSync(tg_context *, tg_stream *) { return nullptr; }
static tg_plugin_status *streamQuery(tg_context *, tg_stream *, int *done) {
  *done = 1;
  return nullptr;
}
static tg_plugin_status *streamWaitEvent(tg_context *, tg_stream *, tg_event *) { return nullptr; }
static void streamDestroy(tg_stream *stream) { delete stream; }

static tg_plugin_status *eventCreate(tg_context *, uint32_t, tg_event **event) {
  *event = new (std::nothrow) tg_event;
  return *event ? nullptr : &noMemory;
}
static tg_plugin_status *eventRecord(tg_context *, tg_event *event, tg_stream *) {
  event->time = std::chrono::steady_clock::now();
  event->isRecorded = true;
  return nullptr;
}
static tg_plugin_status *eventSync(tg_event *) { return nullptr; }
static tg_plugin_status *eventQuery(tg_event *event, int *done) {
  *done = event->isRecorded;
  return nullptr;
}
static tg_plugin_status *eventElapsed(tg_event *start, tg_event *end, uint64_t *nanoseconds) {
  if (!start->isRecorded || !end->isRecorded) {
    return fail(TG_INVALID, "expected two events that were recorded");
  }
  const auto spent = std::chrono::nanoseconds(end->time - start->time).count();
  *nanoseconds = spent > 0 ? uint64_t(spent) : 0;
  return nullptr;
}
static void eventDestroy(tg_event *event) { delete event; }

static uint32_t statusCode(const tg_plugin_status *status) { return status->code; }
static const char *statusText(const tg_plugin_status *status) { return status->text.c_str(); }

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static const char *const kDeviceKinds[] = {"simt", nullptr};
static const char *const kFormats[] = {"simt-so", nullptr};
static const tegula_option kMatrices = {sizeof(tegula_option),
                                        TEGULA_OPTION_BOOL,
                                        "matrices",
                                        "true",
                                        "whether the device has matrix instructions",
                                        0,
                                        0,
                                        nullptr};
static const tegula_option *const kOptions[] = {&kMatrices, nullptr};

static const tegula_runtime_v1 kRuntime = {
    .struct_size = sizeof(tegula_runtime_v1),
    .reserved = 0,
    .device_kinds = kDeviceKinds,
    .formats = kFormats,
    .options = kOptions,
    .open = openDriver,
    .close = closeDriver,
    .enumerate = enumerate,
    .device_info = deviceInfo,
    .device_query = deviceQuery,
    .score = score,
    .pointer_owner = pointerOwner,
    .create_context = createContext,
    .adopt_primary_context = nullptr,
    .destroy_context = destroyContext,
    .device_lost = nullptr,
    .alloc = allocate,
    .release = release,
    .copy = copy,
    .fill = fill,
    .peer_copy = nullptr,
    .module_load = loadModule,
    .module_unload = unloadModule,
    .kernel_get = getKernel,
    .launch = launch,
    .print_drain = nullptr,
    .stream_create = streamCreate,
    .stream_wrap = nullptr,
    .stream_sync = streamSync,
    .stream_query = streamQuery,
    .stream_wait_event = streamWaitEvent,
    .stream_destroy = streamDestroy,
    .capture_state = nullptr,
    .event_create = eventCreate,
    .event_record = eventRecord,
    .event_sync = eventSync,
    .event_query = eventQuery,
    .event_elapsed_ns = eventElapsed,
    .event_destroy = eventDestroy,
    .status_code = statusCode,
    .status_text = statusText,
    .status_hint = nullptr,
    .status_native_code = nullptr,
    .status_native_name = nullptr,
    .status_free = freeStatus,
};

static const tegula_plugin kPlugin = {
    .struct_size = sizeof(tegula_plugin),
    .api_major = TEGULA_API_MAJOR,
    .api_minor = TEGULA_API_MINOR,
    .id = "simt",
    .version = "0.1.0",
    .vendor = "Tegula",
    .license = "Apache-2.0 WITH LLVM-exception",
    .components = TEGULA_RUNTIME,
    .sanitizers = TEGULA_SANITIZERS,
    .facts = nullptr,
    .compiler = nullptr,
    .runtime = &kRuntime,
    .report_to = nullptr,
};

extern "C" const tegula_plugin *tegula_plugin_query(uint32_t hostMajor, uint32_t) {
  return hostMajor == TEGULA_API_MAJOR ? &kPlugin : nullptr;
}
