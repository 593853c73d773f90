//===- Launch.cpp - Launching kernels ---------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "Kernel.h"
#include "Stream.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace tegula::runtime;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// The address or integer of an argument; integers of any width are divisible by a
/// power of two if their bits below it are zero.
static uint64_t valueOf(const tg_artifact_arg &arg, const void *args) {
  uint64_t value = 0;
  std::memcpy(&value, static_cast<const char *>(args) + arg.offset, arg.size);
  return value;
}

/// Code that was compiled for aligned accesses faults, or worse, without them.
static tg_status *misaligned(const tg_kernel &kernel, const tg_artifact_arg &arg, uint64_t value) {
  const bool isPointer = arg.type.starts_with("*");
  char found[32];
  std::snprintf(found, sizeof found, isPointer ? "0x%llx" : "%lld", (long long)value);
  if (!isPointer && arg.size == 4) {
    std::snprintf(found, sizeof found, "%d", int32_t(value));
  }
  const std::string promised = std::to_string(arg.divisibility);
  return makeStatus(TG_INVALID, status::Misaligned,
                    "kernel '" + kernel.name + "': argument '" + arg.name + "': expected " +
                        (isPointer ? "an address" : "a number") + " divisible by " + promised +
                        ", as the kernel was compiled for, got " + found,
                    "compile the kernel for the type '" + arg.type + "' instead of '" + arg.type +
                        ":" + promised +
                        (isPointer ? "', or align the argument" : "', or pass such a number"));
}

static tg_status *checkGrid(const tg_kernel &kernel, const uint32_t grid[3]) {
  const uint32_t *most = kernel.device->info.max_grid;
  for (int i = 0; i < 3; ++i) {
    if (most[i] != 0 && grid[i] > most[i]) {
      const auto list = [](const uint32_t *sizes) {
        return std::to_string(sizes[0]) + " x " + std::to_string(sizes[1]) + " x " +
               std::to_string(sizes[2]);
      };
      return makeStatus(TG_OUT_OF_RESOURCES, status::InvalidGrid,
                        "kernel '" + kernel.name + "': expected a grid of at most " + list(most) +
                            ", got " + list(grid),
                        "launch several times, or give each program more to do");
    }
  }
  return nullptr;
}

/// Arguments, grid and device of a launch that is not empty.
static tg_status *check(const tg_kernel &kernel, const uint32_t grid[3], const void *args) {
  if (kernel.device->isLost.load(std::memory_order_acquire)) {
    return prefixed(lostStatus(*kernel.device), "kernel '" + kernel.name + "': ");
  }
  if (tg_status *status = checkGrid(kernel, grid)) {
    return status;
  }
  for (const tg_artifact_arg &arg : kernel.promises) {
    if (const uint64_t value = valueOf(arg, args); value % arg.divisibility != 0) {
      return misaligned(kernel, arg, value);
    }
  }
  return nullptr;
}

static tg_status *wrongBlock(const tg_kernel &kernel, size_t size) {
  return makeStatus(TG_INVALID, status::LaunchArguments,
                    "kernel '" + kernel.name + "': expected " + std::to_string(kernel.argsSize) +
                        " bytes of arguments, got " + std::to_string(size),
                    "pack them as the artifact's manifest says");
}

//===----------------------------------------------------------------------===//
// What a device can do
//===----------------------------------------------------------------------===//

/// The driver's answer, asked once; 0 where there is none.
static tg_status *ask(tg_device &device, uint32_t key, std::atomic<int64_t> &known,
                      int64_t &value) {
  value = known.load(std::memory_order_relaxed);
  if (value >= 0) {
    return nullptr;
  }
  if (tg_status *status = queryNumber(device, key, value)) {
    return status;
  }
  value = std::max<int64_t>(value, 0);
  known.store(value, std::memory_order_relaxed);
  return nullptr;
}

static tg_status *cannot(const tg_kernel &kernel, const std::string &what) {
  return makeStatus(TG_UNAVAILABLE, status::NotOffered,
                    "kernel '" + kernel.name + "': device " + nameOf(*kernel.device) +
                        " cannot launch " + what);
}

static tg_status *checkFlags(const tg_kernel &kernel, uint32_t flags) {
  tg_device &device = *kernel.device;
  const uint32_t unknown = flags & ~uint32_t(TG_LAUNCH_COOPERATIVE | TG_LAUNCH_DEPENDENT);
  if (unknown) {
    return cannot(kernel, "with the flags " + std::to_string(unknown));
  }
  int64_t value = 1;
  if (flags & TG_LAUNCH_COOPERATIVE) {
    if (tg_status *status = ask(device, TG_QUERY_COOPERATIVE, device.cooperative, value)) {
      return status;
    }
    if (value == 0) {
      return cannot(kernel, "cooperatively");
    }
  }
  if (flags & TG_LAUNCH_DEPENDENT) {
    if (tg_status *status = ask(device, TG_QUERY_DEPENDENT_LAUNCH, device.dependentLaunch, value)) {
      return status;
    }
    if (value == 0) {
      return cannot(kernel, "dependently");
    }
  }
  return nullptr;
}

/// Clusters of one program are what all devices have.
static tg_status *checkCluster(const tg_kernel &kernel, const uint32_t cluster[3]) {
  uint64_t blocks = 1;
  for (int i = 0; i < 3; ++i) {
    blocks *= std::min<uint64_t>(std::max<uint32_t>(cluster[i], 1), 1u << 20);
  }
  if (blocks == 1) {
    return nullptr;
  }
  tg_device &device = *kernel.device;
  int64_t largest = 0;
  if (tg_status *status = ask(device, TG_QUERY_CLUSTER, device.largestCluster, largest)) {
    return status;
  }
  if (largest == 0) {
    return cannot(kernel, "clusters");
  }
  if (blocks > uint64_t(largest)) {
    return makeStatus(TG_OUT_OF_RESOURCES, status::OutOfResources,
                      "kernel '" + kernel.name + "': expected a cluster of at most " +
                          std::to_string(largest) + " programs, got " + std::to_string(blocks));
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Aligns an argument block that does not start at an 8-byte boundary.
static std::vector<uint64_t> alignedCopy(const void *args, size_t size) {
  std::vector<uint64_t> words((size + 7) / 8 + 1);
  std::memcpy(words.data(), args, size);
  return words;
}

static bool isAligned(const void *args) { return reinterpret_cast<uintptr_t>(args) % 8 == 0; }

static tg_status *launch(const tg_kernel &kernel, const tg_launch &launch, tg_stream *stream) {
  tg_plugin_status *status = kernel.table->launch(kernel.function, &launch, stream);
  if (status) {
    return takeDeviceStatus(*kernel.device, status, "launch", Moment::Launch,
                            "kernel '" + kernel.name + "': ");
  }
  kernel.device->lastKernel.store(kernel.lastingName, std::memory_order_relaxed);
  return nullptr;
}

static bool isEmpty(const uint32_t grid[3]) { return !grid[0] || !grid[1] || !grid[2]; }

tg_status *tg_kernel_launch(tg_kernel *kernel, const uint32_t grid[3], const void *args,
                            size_t args_size, tg_stream_handle stream) {
  return guarded([&]() -> tg_status * {
    if (!kernel || !grid || (!args && kernel->argsSize > 0)) {
      return nullPointer(!kernel ? "a kernel" : !grid ? "a grid" : "a block of arguments");
    }
    if (args_size < kernel->argsSize) {
      return wrongBlock(*kernel, args_size);
    }
    if (isEmpty(grid)) {
      return nullptr;
    }
    if (tg_status *status = check(*kernel, grid, args)) {
      return status;
    }
    tg_launch described = {};
    described.struct_size = sizeof described;
    std::copy_n(grid, 3, described.grid);
    described.args = args;
    described.args_size = args ? kernel->argsSize : 0; // what is behind is nobody's
    described.native_stream = stream;
    if (!isAligned(args)) {
      const std::vector<uint64_t> words = alignedCopy(args, kernel->argsSize);
      described.args = words.data();
      return launch(*kernel, described, nullptr);
    }
    return launch(*kernel, described, nullptr);
  });
}

tg_status *tg_kernel_launch_request(tg_kernel *kernel, const tg_launch_request *request) {
  return guarded([&]() -> tg_status * {
    if (!kernel || !request) {
      return nullPointer(kernel ? "a request" : "a kernel");
    }
    // The caller's struct may be older and shorter, but has a grid.
    if (!TEGULA_HAS_FIELD(tg_launch_request, request, grid)) {
      return makeStatus(TG_INVALID, status::ApiArgument,
                        "expected struct_size to be set, got " +
                            std::to_string(request->struct_size));
    }
    tg_launch_request full = {};
    std::memcpy(&full, request, std::min<size_t>(request->struct_size, sizeof full));
    if (full.args_size < kernel->argsSize) {
      return wrongBlock(*kernel, full.args_size);
    }
    if (!full.args && kernel->argsSize > 0) {
      return nullPointer("a block of arguments");
    }
    tg_device &device = *kernel->device;
    if (full.stream && full.stream->device != &device) {
      return otherDevice(device, "the stream", *full.stream->device);
    }
    if (full.stream && full.native_stream) {
      return makeStatus(TG_INVALID, status::ApiArgument,
                        "kernel '" + kernel->name +
                            "': expected one of stream and native_stream, got both");
    }
    if (tg_status *status = checkFlags(*kernel, full.flags)) {
      return status;
    }
    if (tg_status *status = checkCluster(*kernel, full.cluster)) {
      return status;
    }
    if (const uint32_t most = kernel->info.shared_dynamic_limit;
        most != 0 && full.shared_bytes > most) {
      return makeStatus(TG_OUT_OF_RESOURCES, status::OutOfResources,
                        "kernel '" + kernel->name + "': expected at most " + std::to_string(most) +
                            " bytes of dynamic shared memory, got " +
                            std::to_string(full.shared_bytes));
    }
    if (isEmpty(full.grid)) {
      return nullptr;
    }
    if (tg_status *status = check(*kernel, full.grid, full.args)) {
      return status;
    }
    std::vector<uint64_t> words;
    if (!isAligned(full.args)) {
      words = alignedCopy(full.args, kernel->argsSize);
    }
    tg_launch described = {};
    described.struct_size = sizeof described;
    described.flags = full.flags;
    std::copy_n(full.grid, 3, described.grid);
    std::copy_n(full.cluster, 3, described.cluster);
    described.shared_bytes = full.shared_bytes;
    described.args = words.empty() ? full.args : words.data();
    described.args_size = full.args ? kernel->argsSize : 0;
    described.native_stream = full.native_stream;
    return launch(*kernel, described, full.stream ? full.stream->stream : nullptr);
  });
}
