//===- Launch.cpp - Launching kernels -------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <cstring>

using namespace tegula::nvidia;

/// What every driver takes.
static constexpr size_t maxParameterBytes = 4096;

/// Attributes that only the newer way of launching takes; how many. A kernel that never waits
/// for earlier ones starts after them whatever the launch says, or it would read what they
/// have not written yet.
static unsigned describeLaunch(const tg_launch &launch, const uint32_t cluster[3],
                               bool waitsForOthers, LaunchAttribute attributes[3]) {
  unsigned count = 0;
  if (launch.flags & TG_LAUNCH_COOPERATIVE) {
    attributes[count].id = kLaunchCooperative;
    attributes[count++].number = 1;
  }
  if (launch.flags & TG_LAUNCH_DEPENDENT && waitsForOthers) {
    attributes[count].id = kLaunchProgrammaticSerialization;
    attributes[count++].number = 1;
  }
  if (cluster[0] * cluster[1] * cluster[2] > 1) {
    attributes[count].id = kLaunchCluster;
    attributes[count++].cluster = {cluster[0], cluster[1], cluster[2]};
  }
  return count;
}

/// The slow way, for launches with attributes.
static Result launchWithAttributes(const tg_function &function, const tg_launch &launch,
                                   const uint32_t cluster[3], bool isOwnCluster, uint32_t shared,
                                   Stream stream, void **extra) {
  const Cuda &cuda = function.module->context->driver->cuda;
  LaunchAttribute attributes[3] = {};
  LaunchConfig config = {};
  config.numAttributes =
      describeLaunch(launch, cluster, function.module->waitsForOthers, attributes);
  config.attributes = attributes;
  // Where the kernel was compiled for clusters, a program is one; where the launch asks
  // for clusters, they are of programs.
  config.gridX = launch.grid[0] * (isOwnCluster ? cluster[0] : 1);
  config.gridY = launch.grid[1] * (isOwnCluster ? cluster[1] : 1);
  config.gridZ = launch.grid[2] * (isOwnCluster ? cluster[2] : 1);
  config.blockX = function.threads;
  config.blockY = config.blockZ = 1;
  config.sharedBytes = shared;
  config.stream = stream;
  if (cluster[0] * cluster[1] * cluster[2] > 8) {
    cuda.funcSetAttribute(function.handle, kFunctionNonPortableCluster, 1);
  }
  return cuda.launchKernelEx(&config, function.handle, nullptr, extra);
}

static tg_plugin_status *cooperativeTooLarge(const tg_function &function, const tg_launch &launch,
                                             uint32_t shared) {
  tg_context &context = *function.module->context;
  tg_plugin_status *status = context.check(kCooperativeTooLarge, "launching");
  int blocks = 0;
  if (context.driver->cuda.occupancy(&blocks, function.handle, int(function.threads), shared) ==
      0) {
    status->text = "expected a cooperative grid of at most " +
                   std::to_string(uint64_t(blocks) * uint64_t(context.facts->units)) +
                   " programs, which fit on the device at once, got " +
                   std::to_string(uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2]);
    status->hint = "use a smaller grid, fewer warps or smaller tiles";
  }
  return status;
}

/// How many programs a block gets: as many as may be that divide the grid evenly and leave
/// each multiprocessor several blocks.
static uint32_t programsPerBlock(const tg_function &function, const tg_launch &launch) {
  const tg_module &module = *function.module;
  const uint64_t enough = uint64_t(module.context->facts->units) * 4;
  const uint64_t others = uint64_t(launch.grid[1]) * launch.grid[2];
  uint32_t count = module.mostPrograms;
  while (count > 1 && (launch.grid[0] % count != 0 || launch.grid[0] / count * others < enough)) {
    --count;
  }
  return count;
}

/// A graph may run a kernel long after whoever launched it has let go of it. Only streams
/// that a program has made can be part of a capture.
static void keepIfCaptured(tg_module &module, Stream stream) {
  const auto isDefault = reinterpret_cast<uintptr_t>(stream) <= 2;
  int state = 0;
  if (!isDefault && !module.isKept.load(std::memory_order_relaxed) &&
      module.context->driver->cuda.streamIsCapturing(stream, &state) == 0 && state == 1) {
    module.isKept.store(true, std::memory_order_release);
  }
}

tg_plugin_status *tegula::nvidia::launch(tg_function *function, const tg_launch *launch,
                                         tg_stream *stream) {
  tg_context &context = *function->module->context;
  if (context.lost.load(std::memory_order_relaxed) ||
      context.driver->isForked.load(std::memory_order_relaxed)) {
    return guarded([&] { return context.checkAlive(); });
  }
  const CurrentContext current(context);
  const Cuda &cuda = context.driver->cuda;
  const Stream queue =
      launch->native_stream ? static_cast<Stream>(launch->native_stream) : handleOf(stream);
  // The packed block is laid out as the driver lays out parameters.
  size_t size = launch->args_size;
  const void *block = launch->args;
  alignas(8) char longer[maxParameterBytes + sizeof(Pointer)];
  if (function->records) {
    // One more argument behind those of the launch.
    const size_t offset = (size + alignof(Pointer) - 1) / alignof(Pointer) * alignof(Pointer);
    if (offset > maxParameterBytes) {
      // no test: the driver refuses the module before
      return fail(TG_OUT_OF_RESOURCES, "the kernel has more than 4096 bytes of arguments");
    }
    std::memcpy(longer, block, size);
    std::memcpy(longer + offset, &function->records, sizeof function->records);
    block = longer;
    size = offset + sizeof function->records;
  }
  void *extra[] = {kLaunchParamBuffer, const_cast<void *>(block), kLaunchParamSize, &size,
                   kLaunchParamEnd};
  void **arguments = size > 0 ? extra : nullptr;
  const uint32_t shared = function->sharedBytes + launch->shared_bytes;
  const bool isOwnCluster = launch->cluster[0] == 0;
  uint32_t cluster[3];
  bool isPlain = launch->flags == 0;
  for (int i = 0; i < 3; ++i) {
    cluster[i] = isOwnCluster ? function->cluster[i] : launch->cluster[i] ? launch->cluster[i] : 1;
    isPlain &= cluster[i] == 1;
  }
  Result result;
  if (isPlain) {
    const uint32_t programs = programsPerBlock(*function, *launch);
    result = cuda.launchKernel(function->handle, launch->grid[0] / programs, launch->grid[1],
                               launch->grid[2], function->threads * programs, 1, 1, shared, queue,
                               nullptr, arguments);
  } else if (!cuda.launchKernelEx) {
    return fail(TG_UNAVAILABLE, "the NVIDIA driver is too old for clusters and dependent launches",
                "install a driver for CUDA 11.8 or later");
  } else {
    result =
        launchWithAttributes(*function, *launch, cluster, isOwnCluster, shared, queue, arguments);
  }
  if (result == 0) {
    context.recent.add(function->note, queue);
    keepIfCaptured(*function->module, queue);
    if (context.driver->coreFile.empty()) {
      return nullptr;
    }
  }
  return guarded([&] {
    return result == kCooperativeTooLarge ? cooperativeTooLarge(*function, *launch, shared)
                                          : context.check(result, "launching");
  });
}
