//===- Driver.cpp - Opening the driver, devices ---------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>

using namespace tegula::nvidia;

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

/// The library under the names that it has; the text tells what was tried.
static void *openLibrary(const char *path, std::string &tried) {
  const char *names[] = {path, path ? nullptr : "libcuda.so.1", path ? nullptr : "libcuda.so"};
  for (const char *name : names) {
    if (!name) {
      continue;
    }
    if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
      return library;
    }
    const char *reason = dlerror();
    tried += (tried.empty() ? "" : "; ") + std::string(name) + ": " +
             (reason ? reason : "unknown reason");
  }
  return nullptr;
}

/// Fills in the functions; returns the name of one that is missing, or null.
static const char *findFunctions(void *library, Cuda &cuda) {
#define X(member, name, parameters)                                                                \
  cuda.member = reinterpret_cast<decltype(cuda.member)>(dlsym(library, name));                     \
  if (!cuda.member) {                                                                              \
    return name;                                                                                   \
  }
  TEGULA_CUDA_FUNCTIONS(X)
#undef X
#define X(member, name, parameters)                                                                \
  cuda.member = reinterpret_cast<decltype(cuda.member)>(dlsym(library, name));
  TEGULA_CUDA_OPTIONAL_FUNCTIONS(X)
#undef X
  return nullptr;
}

/// The drivers of this process; a host opens one, tests a few.
static std::atomic<tg_driver *> opened[8];

/// In a child, right after fork: only what needs no lock.
static void afterFork() {
  for (std::atomic<tg_driver *> &place : opened) {
    if (tg_driver *driver = place.load()) {
      driver->isForked.store(true);
    }
  }
}

static void watchForks(tg_driver *driver) {
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, afterFork);
  for (std::atomic<tg_driver *> &place : opened) {
    tg_driver *expected = nullptr;
    if (place.compare_exchange_strong(expected, driver)) {
      return;
    }
  }
}

/// Facts of one device; null is success.
static tg_plugin_status *readDevice(const tg_driver &driver, int ordinal, DeviceFacts &facts) {
  const Cuda &cuda = driver.cuda;
  const std::string what = "asking about device " + std::to_string(ordinal);
  if (tg_plugin_status *status = check(driver, cuda.deviceGet(&facts.device, ordinal), what)) {
    return status;
  }
  size_t memory = 0;
  if (tg_plugin_status *status = check(driver, cuda.deviceTotalMem(&memory, facts.device), what)) {
    return status;
  }
  facts.memory = memory;
  const std::pair<int, int *> attributes[] = {
      {kComputeCapabilityMajor, &facts.major},
      {kComputeCapabilityMinor, &facts.minor},
      {kMaxThreadsPerBlock, &facts.threads},
      {kMultiprocessorCount, &facts.units},
      {kClockRate, &facts.clock},
      {kMemoryClockRate, &facts.memoryClock},
      {kMemoryBusWidth, &facts.bus},
      {kL2CacheSize, &facts.l2},
      {kWarpSize, &facts.warp},
      {kSharedPerBlockOptin, &facts.sharedPerBlock},
      {kSharedPerMultiprocessor, &facts.sharedPerUnit},
      {kRegistersPerMultiprocessor, &facts.registersPerUnit},
      {kMaxGridX, &facts.grid[0]},
      {kMaxGridY, &facts.grid[1]},
      {kMaxGridZ, &facts.grid[2]},
  };
  for (const auto &[attribute, value] : attributes) {
    if (cuda.deviceGetAttribute(value, attribute, facts.device) != 0) {
      *value = 0; // not known to this driver
    }
  }
  char text[256] = "";
  if (cuda.deviceGetName(text, sizeof text, facts.device) == 0) {
    facts.name = text;
  }
  if (cuda.deviceGetPciBusId(text, sizeof text, facts.device) == 0) {
    facts.pci = text;
  }
  Uuid uuid = {};
  if (cuda.deviceGetUuid(&uuid, facts.device) == 0) {
    facts.uuid = "GPU-";
    for (int i = 0; i < 16; ++i) {
      char digits[4];
      std::snprintf(digits, sizeof digits, "%02x", uuid.bytes[i]);
      facts.uuid += (i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "") + std::string(digits);
    }
  }
  facts.arch = "sm_" + std::to_string(facts.major * 10 + facts.minor);
  return nullptr;
}

tg_plugin_status *tegula::nvidia::openDriver(const tg_kv *options, size_t count,
                                             tg_driver **driver) {
  return guarded([&]() -> tg_plugin_status * {
    const char *path = nullptr;
    for (size_t i = 0; i < count; ++i) {
      if (std::strcmp(options[i].key, "path") == 0) {
        path = options[i].value;
      }
    }
    auto made = std::make_unique<tg_driver>();
    std::string tried;
    made->library = openLibrary(path, tried);
    // A machine without the driver is a normal machine without devices.
    const bool isAbsent =
        tried.find("libcuda.so.1: cannot open shared object file: No such file") != tried.npos &&
        tried.find("libcuda.so: cannot open shared object file: No such file") != tried.npos;
    if (!made->library && !path && isAbsent) {
      *driver = made.release();
      return nullptr;
    }
    if (!made->library) {
      return fail(TG_UNAVAILABLE, "the NVIDIA driver's library is not here: " + tried,
                  "install the NVIDIA driver; the CUDA toolkit is not needed");
    }
    if (const char *missing = findFunctions(made->library, made->cuda)) {
      return fail(TG_UNAVAILABLE,
                  std::string("the NVIDIA driver is too old: it has no function ") + missing,
                  "install a driver for CUDA 12 or later");
    }
    made->cuda.driverGetVersion(&made->version);
    made->versionText =
        std::to_string(made->version / 1000) + "." + std::to_string(made->version % 1000 / 10);
    const Result result = made->cuda.init(0);
    int devices = 0;
    if (result != kNoDevice) {
      if (tg_plugin_status *status = check(*made, result, "starting the driver")) {
        status->code = TG_UNAVAILABLE;
        return status;
      }
      if (tg_plugin_status *status =
              check(*made, made->cuda.deviceGetCount(&devices), "counting devices")) {
        return status;
      }
    }
    for (int i = 0; i < devices; ++i) {
      if (tg_plugin_status *status = readDevice(*made, i, made->devices.emplace_back())) {
        return status;
      }
    }
    watchFaults(*made);
    watchForks(made.get());
    // The library stays, as others in the process may use it too.
    *driver = made.release();
    return nullptr;
  });
}

void tegula::nvidia::closeDriver(tg_driver *driver) {
  for (std::atomic<tg_driver *> &place : opened) {
    tg_driver *expected = driver;
    place.compare_exchange_strong(expected, nullptr);
  }
  delete driver;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

tg_plugin_status *tegula::nvidia::enumerateDevices(tg_driver *driver, size_t *count) {
  *count = driver->devices.size();
  return nullptr;
}

static tg_plugin_status *checkOrdinal(const tg_driver &driver, int device) {
  if (device >= 0 && size_t(device) < driver.devices.size()) {
    return nullptr;
  }
  return fail(TG_NOT_FOUND, "expected one of " + std::to_string(driver.devices.size()) +
                                " devices, got number " + std::to_string(device));
}

tg_plugin_status *tegula::nvidia::deviceInfo(tg_driver *driver, int device, tg_device_info *info) {
  return guarded([&]() -> tg_plugin_status * {
    if (tg_plugin_status *status = checkOrdinal(*driver, device)) {
      return status;
    }
    const DeviceFacts &facts = driver->devices[device];
    tg_device_info full = {};
    full.ordinal = device;
    full.kind = "cuda";
    full.id = facts.uuid.c_str();
    full.name = facts.name.c_str();
    full.arch = facts.arch.c_str();
    full.driver_version = driver->versionText.c_str();
    full.api_version = driver->versionText.c_str();
    full.pci_address = facts.pci.c_str();
    full.memory_total = facts.memory;
    full.compute_units = uint32_t(facts.units);
    full.warp_size = uint32_t(facts.warp);
    full.shared_memory_per_block = uint64_t(facts.sharedPerBlock);
    full.shared_memory_per_unit = uint64_t(facts.sharedPerUnit);
    full.registers_per_unit = uint32_t(facts.registersPerUnit);
    full.max_threads_per_block = uint32_t(facts.threads);
    full.clock_khz = uint32_t(facts.clock);
    full.memory_clock_khz = uint32_t(facts.memoryClock);
    full.memory_bus_bits = uint32_t(facts.bus);
    full.l2_bytes = uint32_t(facts.l2);
    std::copy(std::begin(facts.grid), std::end(facts.grid), full.max_grid);
    // The caller's struct may be older and shorter.
    const uint32_t size = info->struct_size;
    std::memcpy(info, &full, std::min<size_t>(size, sizeof full));
    info->struct_size = size;
    return nullptr;
  });
}

tg_plugin_status *tegula::nvidia::queryDevice(tg_driver *driver, int device, uint32_t key,
                                              tg_value *value) {
  return guarded([&]() -> tg_plugin_status * {
    if (tg_plugin_status *status = checkOrdinal(*driver, device)) {
      return status;
    }
    const DeviceFacts &facts = driver->devices[device];
    const auto number = [&](int64_t found) {
      value->kind = TG_VALUE_INT;
      value->integer = found;
      return nullptr;
    };
    const auto attribute = [&](int which) {
      int found = 0;
      return driver->cuda.deviceGetAttribute(&found, which, facts.device) == 0 ? found : 0;
    };
    value->kind = TG_VALUE_NONE;
    switch (key) {
    case TG_QUERY_CLOCK_KHZ:
      return number(facts.clock);
    case TG_QUERY_COOPERATIVE:
      return number(attribute(kCooperativeLaunch));
    case TG_QUERY_CLUSTER:
      // Eight everywhere; sixteen where the kernel says that it is not portable.
      return number(!attribute(kClusterLaunch)              ? 0
                    : facts.major == 9 || facts.major == 10 ? 16
                                                            : 8);
    case TG_QUERY_DEPENDENT_LAUNCH:
      return number(facts.major >= 9 && driver->cuda.launchKernelEx);
    case TG_QUERY_MANAGED_MEMORY:
      return number(attribute(kManagedMemory));
    case TG_QUERY_UNIFIED_ADDRESSING:
      return number(attribute(kUnifiedAddressing));
    case TG_QUERY_COMPUTE_MODE: {
      static const char *const modes[] = {"default", "exclusive", "prohibited",
                                          "exclusive process"};
      const int mode = attribute(kComputeMode);
      value->kind = TG_VALUE_STRING;
      value->text = mode >= 0 && mode < 4 ? modes[mode] : "unknown";
      return nullptr;
    }
    default:
      return nullptr;
    }
  });
}

tg_plugin_status *tegula::nvidia::pointerOwner(tg_driver *driver, uint64_t address,
                                               tg_pointer_info *info) {
  return guarded([&]() -> tg_plugin_status * {
    unsigned type = 0, managed = 0;
    int ordinal = -1;
    Pointer start = 0;
    size_t size = 0;
    int attributes[] = {kPointerMemoryType, kPointerIsManaged, kPointerDeviceOrdinal,
                        kPointerRangeStart, kPointerRangeSize};
    void *values[] = {&type, &managed, &ordinal, &start, &size};
    tg_pointer_info full = {};
    full.kind = TG_MEM_HOST;
    full.device = -1;
    // Memory that the driver has never seen answers zeros, or an error on old drivers.
    if (driver->cuda.pointerGetAttributes(5, attributes, values, address) == 0 && type != 0) {
      full.kind = managed                   ? TG_MEM_MANAGED
                  : type == kMemoryTypeHost ? TG_MEM_PINNED
                                            : TG_MEM_DEVICE;
      full.device = type == kMemoryTypeHost && !managed ? -1 : ordinal;
      full.base = start;
      full.size = size;
    }
    const uint32_t bytes = info->struct_size;
    std::memcpy(info, &full, std::min<size_t>(bytes, sizeof full));
    info->struct_size = bytes;
    return nullptr;
  });
}
