//===- Plugin.cpp - The table of the CPU's runtime half -----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/sysinfo.h>
#include <tbb/info.h>
#include <unistd.h>
#include <utility>

using namespace tegula::cpu;

// Everything has finished when a call returns, so contexts, streams and events
// hold almost nothing.
struct tg_driver {};
struct tg_context {};
struct tg_stream {};
struct tg_event {
  std::chrono::steady_clock::time_point time;
};

//===----------------------------------------------------------------------===//
// Statuses
//===----------------------------------------------------------------------===//

static tg_plugin_status noMemory{TG_OUT_OF_MEMORY, "out of memory", ""};

tg_plugin_status *tegula::cpu::fail(uint32_t code, std::string text, std::string hint) noexcept {
  auto *status = new (std::nothrow) tg_plugin_status{code, std::move(text), std::move(hint)};
  return status ? status : &noMemory;
}

void tegula::cpu::freeStatus(tg_plugin_status *status) noexcept {
  if (status != &noMemory) {
    delete status;
  }
}

static uint32_t statusCode(const tg_plugin_status *status) { return status->code; }
static const char *statusText(const tg_plugin_status *status) { return status->text.c_str(); }
static const char *statusHint(const tg_plugin_status *status) { return status->hint.c_str(); }

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

static tg_driver theDriver;
static tg_context theContext;

static tg_plugin_status *openDriver(const tg_kv *options, size_t count, tg_driver **driver) {
  return guarded([&]() -> tg_plugin_status * {
    for (size_t i = 0; i < count; ++i) {
      if (std::strcmp(options[i].key, "path") == 0) {
        return fail(TG_INVALID, std::string("expected no library, since the CPU needs no driver, "
                                            "got '") +
                                    options[i].value + "'");
      }
    }
    *driver = &theDriver;
    return nullptr;
  });
}
static void closeDriver(tg_driver *) {}

static tg_plugin_status *enumerateDevices(tg_driver *, size_t *count) {
  *count = 1;
  return nullptr;
}

static tg_plugin_status *checkDevice(int device) {
  return device == 0 ? nullptr
                     : fail(TG_NOT_FOUND, "expected CPU device 0, got " + std::to_string(device));
}

static uint64_t pagesToBytes(int name) {
  const long pages = sysconf(name), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? uint64_t(pages) * uint64_t(size) : 0;
}

static tg_plugin_status *deviceInfo(tg_driver *, int device, tg_device_info *info) {
  return guarded([&]() -> tg_plugin_status * {
    if (tg_plugin_status *status = checkDevice(device)) {
      return status;
    }
    tg_device_info full = {};
    full.kind = "cpu";
    full.id = "cpu:0";
    full.name = processorName().c_str();
    full.arch = processorFamily();
    full.memory_total = pagesToBytes(_SC_PHYS_PAGES);
    full.memory_free = pagesToBytes(_SC_AVPHYS_PAGES);
    full.compute_units = uint32_t(tbb::info::default_concurrency());
    full.warp_size = 1;
    full.max_threads_per_block = 1;
    std::copy(std::begin(maxGrid), std::end(maxGrid), full.max_grid);
    // The caller's struct may be older and shorter.
    const uint32_t size = info->struct_size;
    std::memcpy(info, &full, std::min<size_t>(size, sizeof full));
    info->struct_size = size;
    return nullptr;
  });
}

static tg_plugin_status *queryDevice(tg_driver *, int device, uint32_t key, tg_value *value) {
  if (tg_plugin_status *status = checkDevice(device)) {
    return status;
  }
  value->kind = TG_VALUE_NONE;
  if (key == TG_QUERY_MEMORY_FREE) {
    value->kind = TG_VALUE_INT;
    value->integer = int64_t(pagesToBytes(_SC_AVPHYS_PAGES));
  } else if (key == TG_QUERY_MANAGED_MEMORY || key == TG_QUERY_UNIFIED_ADDRESSING) {
    value->kind = TG_VALUE_INT;
    value->integer = 1;
  }
  return nullptr;
}

static tg_plugin_status *scoreVariant(tg_driver *, int device, const tg_variant *variant,
                                      int32_t *score, char *why, size_t capacity) {
  return guarded([&]() -> tg_plugin_status * {
    if (tg_plugin_status *status = checkDevice(device)) {
      return status;
    }
    const std::string triple = variant->triple ? variant->triple : "";
    std::string reason;
    *score = 10;
    if (!variant->format || std::strcmp(variant->format, "elf-so") != 0) {
      *score = -1;
      reason = "needs format elf-so";
    } else if (!triple.empty() && triple.compare(0, triple.find('-'), processorFamily()) != 0) {
      *score = -1;
      reason = "is for " + triple + ", this CPU is " + processorFamily();
    } else if (!triple.empty() && triple.find("linux") == std::string::npos) {
      *score = -1;
      reason = "is for " + triple + ", this system is Linux";
    } else {
      int32_t used = 0;
      for (uint32_t i = 0; i < variant->num_features && reason.empty(); ++i) {
        const char *feature = variant->features[i];
        used += feature[0] == '+';
        if (feature[0] == '+' && !supportsFeature(feature + 1)) {
          *score = -1;
          reason = std::string("needs ") + (feature + 1) + ", which this CPU lacks";
        }
      }
      // The more of the processor it uses, the better it fits.
      if (reason.empty()) {
        *score += std::min(used, 59);
        reason = "runs on this CPU, uses " + std::to_string(used) + " of its features";
      }
    }
    if (capacity > 0) {
      std::snprintf(why, capacity, "%s", reason.c_str());
    }
    return nullptr;
  });
}

static tg_plugin_status *pointerOwner(tg_driver *, uint64_t, tg_pointer_info *info) {
  info->kind = TG_MEM_HOST;
  info->device = -1;
  info->base = info->size = 0;
  return nullptr;
}

static tg_plugin_status *createContext(tg_driver *, int device, tg_context **context) {
  *context = &theContext;
  return checkDevice(device);
}
static void destroyContext(tg_context *) {}

static tg_plugin_status *deviceLost(tg_context *, int *lost) {
  *lost = 0;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static tg_plugin_status *allocate(tg_context *, size_t size, uint32_t flags, tg_mem *mem) {
  return guarded([&]() -> tg_plugin_status * {
    constexpr size_t alignment = 256;
    // Zero bytes too get a piece of their own.
    const size_t rounded = (std::max<size_t>(size, 1) + alignment - 1) / alignment * alignment;
    // What the machine does not have is not asked for, however much it may promise.
    struct sysinfo machine = {};
    const bool mayFit =
        rounded >= size && (sysinfo(&machine) != 0 || rounded / std::max(machine.mem_unit, 1u) <=
                                                          machine.totalram + machine.totalswap);
    void *memory = mayFit ? std::aligned_alloc(alignment, rounded) : nullptr;
    if (!memory) {
      return fail(TG_OUT_OF_MEMORY, "no memory for " + std::to_string(size) + " bytes, " +
                                        std::to_string(pagesToBytes(_SC_AVPHYS_PAGES)) +
                                        " are free");
    }
    *mem = {reinterpret_cast<uint64_t>(memory), size, flags, 0, memory};
    return nullptr;
  });
}

static tg_plugin_status *release(tg_context *, tg_mem mem) {
  std::free(mem.owner);
  return nullptr;
}

/// Null if the range lies within the piece, or the piece's size is not known.
static tg_plugin_status *checkRange(const char *what, const tg_mem &mem, size_t offset,
                                    size_t size) {
  if ((mem.size == 0 && !mem.owner) || (offset <= mem.size && size <= mem.size - offset)) {
    return nullptr;
  }
  return guarded([&] {
    return fail(TG_INVALID, std::string(what) + ": expected a range within " +
                                std::to_string(mem.size) + " bytes, got " + std::to_string(size) +
                                " bytes at offset " + std::to_string(offset));
  });
}

static char *bytesAt(const tg_mem &mem, size_t offset) {
  return reinterpret_cast<char *>(mem.address) + offset;
}

static tg_plugin_status *copy(tg_context *, tg_mem target, size_t targetOffset, tg_mem source,
                              size_t sourceOffset, size_t size, tg_stream *) {
  if (tg_plugin_status *status = checkRange("copy to", target, targetOffset, size)) {
    return status;
  }
  if (tg_plugin_status *status = checkRange("copy from", source, sourceOffset, size)) {
    return status;
  }
  if (size > 0) {
    std::memmove(bytesAt(target, targetOffset), bytesAt(source, sourceOffset), size);
  }
  return nullptr;
}

static tg_plugin_status *peerCopy(tg_context *context, tg_mem target, size_t targetOffset,
                                  tg_context *, tg_mem source, size_t sourceOffset, size_t size,
                                  tg_stream *stream) {
  return copy(context, target, targetOffset, source, sourceOffset, size, stream);
}

static tg_plugin_status *fill(tg_context *, tg_mem mem, size_t offset, uint32_t pattern,
                              size_t size, tg_stream *) {
  if (tg_plugin_status *status = checkRange("fill", mem, offset, size)) {
    return status;
  }
  char *bytes = bytesAt(mem, offset);
  for (size_t i = 0; i < size; i += sizeof pattern) {
    std::memcpy(bytes + i, &pattern, std::min(sizeof pattern, size - i));
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

static tg_plugin_status *createStream(tg_context *, uint32_t, tg_stream **stream) {
  *stream = new (std::nothrow) tg_stream;
  return *stream ? nullptr : &noMemory;
}
static tg_plugin_status *wrapStream(tg_context *context, void *, tg_stream **stream) {
  return createStream(context, 0, stream);
}
static tg_plugin_status *syncStream(tg_context *, tg_stream *) { return nullptr; }
static tg_plugin_status *queryStream(tg_context *, tg_stream *, int *done) {
  *done = 1;
  return nullptr;
}
static tg_plugin_status *waitEvent(tg_context *, tg_stream *, tg_event *) { return nullptr; }
static void destroyStream(tg_stream *stream) { delete stream; }
static tg_plugin_status *captureState(tg_context *, tg_stream *, void *, int *state) {
  *state = TG_CAPTURE_NONE;
  return nullptr;
}

static tg_plugin_status *createEvent(tg_context *, uint32_t, tg_event **event) {
  *event = new (std::nothrow) tg_event{};
  return *event ? nullptr : &noMemory;
}
static tg_plugin_status *recordEvent(tg_context *, tg_event *event, tg_stream *) {
  event->time = std::chrono::steady_clock::now();
  return nullptr;
}
static tg_plugin_status *syncEvent(tg_event *) { return nullptr; }
static tg_plugin_status *queryEvent(tg_event *, int *done) {
  *done = 1;
  return nullptr;
}
static tg_plugin_status *elapsed(tg_event *start, tg_event *end, uint64_t *nanoseconds) {
  const auto spent = std::chrono::nanoseconds(end->time - start->time).count();
  *nanoseconds = spent > 0 ? uint64_t(spent) : 0;
  return nullptr;
}
static void destroyEvent(tg_event *event) { delete event; }

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static const char *const deviceKinds[] = {"cpu", nullptr};
static const char *const formats[] = {"elf-so", nullptr};
static const tegula_option threadsOption = {
    sizeof(tegula_option),
    TEGULA_OPTION_INT,
    "threads",
    "0",
    "threads that run programs of a grid; 0: one per processor",
    0,
    4096,
    nullptr};
static const tegula_option *const options[] = {&threadsOption, nullptr};

static const tegula_runtime_v1 runtimeTable = {
    .struct_size = sizeof(tegula_runtime_v1),
    .reserved = 0,
    .device_kinds = deviceKinds,
    .formats = formats,
    .options = options,
    .open = openDriver,
    .close = closeDriver,
    .enumerate = enumerateDevices,
    .device_info = deviceInfo,
    .device_query = queryDevice,
    .score = scoreVariant,
    .pointer_owner = pointerOwner,
    .create_context = createContext,
    .adopt_primary_context = createContext,
    .destroy_context = destroyContext,
    .device_lost = deviceLost,
    .alloc = allocate,
    .release = release,
    .copy = copy,
    .fill = fill,
    .peer_copy = peerCopy,
    .module_load = loadModule,
    .module_unload = unloadModule,
    .kernel_get = getKernel,
    .launch = launch,
    .print_drain = nullptr,
    .stream_create = createStream,
    .stream_wrap = wrapStream,
    .stream_sync = syncStream,
    .stream_query = queryStream,
    .stream_wait_event = waitEvent,
    .stream_destroy = destroyStream,
    .capture_state = captureState,
    .event_create = createEvent,
    .event_record = recordEvent,
    .event_sync = syncEvent,
    .event_query = queryEvent,
    .event_elapsed_ns = elapsed,
    .event_destroy = destroyEvent,
    .status_code = statusCode,
    .status_text = statusText,
    .status_hint = statusHint,
    .status_native_code = nullptr,
    .status_native_name = nullptr,
    .status_free = freeStatus,
};

static const tegula_plugin plugin = {
    .struct_size = sizeof(tegula_plugin),
    .api_major = TEGULA_API_MAJOR,
    .api_minor = TEGULA_API_MINOR,
    .id = "cpu",
    .version = "0.1.0",
    .vendor = "Tegula",
    .license = "Apache-2.0 WITH LLVM-exception",
    .components = TEGULA_RUNTIME,
    .sanitizers = TEGULA_SANITIZERS,
    .facts = &tegula_plugin_facts,
    .compiler = nullptr,
    .runtime = &runtimeTable,
};

const tegula_plugin *tegula_plugin_query(uint32_t hostMajor, uint32_t) {
  return hostMajor == TEGULA_API_MAJOR ? &plugin : nullptr;
}
