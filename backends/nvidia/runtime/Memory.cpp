//===- Memory.cpp - Contexts and memory -----------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <algorithm>
#include <memory>

using namespace tegula::nvidia;

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

std::string tg_context::noteFault() {
  const std::lock_guard<std::mutex> guard(faultLock);
  if (!lost.load(std::memory_order_relaxed)) {
    fault = describeFault(*this);
    lost.store(true, std::memory_order_release);
  }
  return fault;
}

tg_plugin_status *tg_context::check(Result result, const std::string &what) {
  if (result == 0) {
    return driver->coreFile.empty() ? nullptr : checkReport(what);
  }
  const std::string of = isFatal(result) ? noteFault() : "";
  tg_plugin_status *status = tegula::nvidia::check(*driver, result, what);
  if (!of.empty()) {
    status->text += "; " + of;
  }
  if (!of.empty() && !driver->coreFile.empty()) {
    status->hint.clear(); // it tells how to get what is there
  }
  return status;
}

tg_plugin_status *tg_context::checkReport(const std::string &what) {
  const std::lock_guard<std::mutex> guard(faultLock);
  const std::optional<std::string> report =
      lost.load(std::memory_order_relaxed) ? std::nullopt : takeReport(*this);
  if (!report) {
    return nullptr;
  }
  fault = *report;
  lost.store(true, std::memory_order_release);
  return fail(TG_LAUNCH_FAILED, what + ": a kernel has faulted; " + fault);
}

tg_plugin_status *tegula::nvidia::checkProcess(const tg_driver &driver) {
  if (!driver.isForked.load(std::memory_order_relaxed)) {
    return nullptr;
  }
  return fail(TG_LAUNCH_FAILED,
              "this process was forked from one that had opened CUDA, which does not work in it",
              "start children with the method 'spawn', or fork before the first use of a GPU");
}

tg_plugin_status *tg_context::checkAlive() {
  if (tg_plugin_status *status = checkProcess(*driver)) {
    return status;
  }
  if (!lost.load(std::memory_order_acquire)) {
    return nullptr;
  }
  const std::string of = noteFault();
  return fail(TG_DEVICE_LOST,
              "an earlier fault of a kernel has made the device useless" +
                  (of.empty() ? "" : "; " + of),
              "start the process again");
}

tg_plugin_status *tegula::nvidia::adoptContext(tg_driver *driver, int device,
                                               tg_context **context) {
  return guarded([&]() -> tg_plugin_status * {
    if (device < 0 || size_t(device) >= driver->devices.size()) {
      return fail(TG_NOT_FOUND, "no device " + std::to_string(device));
    }
    if (tg_plugin_status *status = checkProcess(*driver)) {
      return status;
    }
    auto made = std::make_unique<tg_context>();
    made->driver = driver;
    made->facts = &driver->devices[device];
    made->ordinal = device;
    if (tg_plugin_status *status =
            check(*driver, driver->cuda.primaryRetain(&made->handle, made->facts->device),
                  "opening the device")) {
      return status;
    }
    *context = made.release();
    return nullptr;
  });
}

void tegula::nvidia::destroyContext(tg_context *context) {
  freeRecords(*context);
  context->driver->cuda.primaryRelease(context->facts->device);
  delete context;
}

tg_plugin_status *tegula::nvidia::isLost(tg_context *context, int *lost) {
  // A fault shows at the next call of any kind, also of other libraries.
  if (!context->lost.load(std::memory_order_acquire)) {
    const CurrentContext current(*context);
    const bool isOther = context->driver->isForked.load(std::memory_order_relaxed);
    if (!isOther && isFatal(context->driver->cuda.streamQuery(nullptr))) {
      context->noteFault();
    }
  }
  *lost = context->lost.load(std::memory_order_acquire);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static tg_plugin_status *noRoom(tg_context &context, size_t size, Result result) {
  size_t free = 0, total = 0;
  context.driver->cuda.memGetInfo(&free, &total);
  const std::string what = "allocating " + std::to_string(size) + " bytes, of which " +
                           std::to_string(free) + " are free";
  return context.check(result, what);
}

tg_plugin_status *tegula::nvidia::allocate(tg_context *context, size_t size, uint32_t kind,
                                           tg_mem *mem) {
  return guarded([&]() -> tg_plugin_status * {
    *mem = {};
    if (tg_plugin_status *status = context->checkAlive()) {
      return status;
    }
    const CurrentContext current(*context);
    const OutsideCaptures outside(*context);
    const Cuda &cuda = context->driver->cuda;
    const size_t bytes = std::max<size_t>(size, 1); // a piece of its own even for nothing
    Pointer address = 0;
    void *host = nullptr;
    Result result = 0;
    switch (kind) {
    case TG_MEM_DEVICE:
      result = cuda.memAlloc(&address, bytes);
      break;
    case TG_MEM_PINNED:
      result = cuda.memHostAlloc(&host, bytes, /*portable*/ 1 | /*mapped*/ 2);
      address = reinterpret_cast<Pointer>(host);
      break;
    case TG_MEM_MANAGED:
      result = cuda.memAllocManaged(&address, bytes, /*global*/ 1);
      break;
    default:
      return fail(TG_INVALID,
                  "expected device, pinned or managed memory, got kind " + std::to_string(kind));
    }
    if (result != 0) {
      return noRoom(*context, size, result);
    }
    mem->address = address;
    mem->size = size;
    mem->kind = kind;
    mem->device = kind == TG_MEM_PINNED ? -1 : context->ordinal;
    mem->owner = context;
    return nullptr;
  });
}

tg_plugin_status *tegula::nvidia::release(tg_context *context, tg_mem mem) {
  return guarded([&]() -> tg_plugin_status * {
    const CurrentContext current(*context);
    const Cuda &cuda = context->driver->cuda;
    const Result result = mem.kind == TG_MEM_PINNED
                              ? cuda.memFreeHost(reinterpret_cast<void *>(mem.address))
                              : cuda.memFree(mem.address);
    // With the context went the memory.
    return context->lost.load(std::memory_order_acquire) ? nullptr
                                                         : context->check(result, "freeing memory");
  });
}

/// A status if [offset, offset + size) leaves the memory.
static tg_plugin_status *checkRange(const tg_mem &mem, size_t offset, size_t size,
                                    const char *which) {
  if (mem.size == 0 || (offset <= mem.size && size <= mem.size - offset)) {
    return nullptr;
  }
  return fail(TG_INVALID, std::string(which) + ": expected a range within " +
                              std::to_string(mem.size) + " bytes, got " + std::to_string(size) +
                              " bytes from " + std::to_string(offset) + " on");
}

/// The first that is an error; frees the others.
static tg_plugin_status *firstOf(std::initializer_list<tg_plugin_status *> statuses) {
  tg_plugin_status *first = nullptr;
  for (tg_plugin_status *status : statuses) {
    if (!first) {
      first = status;
    } else if (status) {
      freeStatus(status);
    }
  }
  return first;
}

/// Whether work is being recorded rather than run; then nothing may be waited for.
static bool isCapturing(const Cuda &cuda, Stream stream) {
  int state = 0;
  return cuda.streamIsCapturing(stream, &state) == 0 && state != 0;
}

tg_plugin_status *tegula::nvidia::copy(tg_context *context, tg_mem target, size_t targetOffset,
                                       tg_mem source, size_t sourceOffset, size_t size,
                                       tg_stream *stream) {
  return guarded([&]() -> tg_plugin_status * {
    if (tg_plugin_status *status =
            firstOf({context->checkAlive(), checkRange(target, targetOffset, size, "target"),
                     checkRange(source, sourceOffset, size, "source")})) {
      return status;
    }
    if (size == 0) {
      return nullptr;
    }
    const CurrentContext current(*context);
    const Cuda &cuda = context->driver->cuda;
    const Stream queue = handleOf(stream);
    const std::string what = "copying " + std::to_string(size) + " bytes";
    if (tg_plugin_status *status =
            context->check(cuda.memcpyAsync(target.address + targetOffset,
                                            source.address + sourceOffset, size, queue),
                           what)) {
      return status;
    }
    if ((target.kind == TG_MEM_HOST || source.kind == TG_MEM_HOST) && !isCapturing(cuda, queue)) {
      return context->check(cuda.streamSynchronize(queue), what);
    }
    return nullptr;
  });
}

tg_plugin_status *tegula::nvidia::fill(tg_context *context, tg_mem mem, size_t offset,
                                       uint32_t pattern, size_t size, tg_stream *stream) {
  return guarded([&]() -> tg_plugin_status * {
    if (tg_plugin_status *status =
            firstOf({context->checkAlive(), checkRange(mem, offset, size, "target")})) {
      return status;
    }
    const CurrentContext current(*context);
    const Cuda &cuda = context->driver->cuda;
    const Stream queue = handleOf(stream);
    const Pointer start = mem.address + offset;
    const std::string what = "filling " + std::to_string(size) + " bytes";
    const auto byte = [&](size_t i) {
      return static_cast<unsigned char>(pattern >> (8 * (i % 4)));
    };
    // Whole words where they are aligned; the rest byte by byte.
    const size_t words = start % 4 == 0 ? size / 4 : 0;
    if (words > 0) {
      if (tg_plugin_status *status =
              context->check(cuda.memsetD32Async(start, pattern, words, queue), what)) {
        return status;
      }
    }
    const bool isUniform = byte(0) == byte(1) && byte(1) == byte(2) && byte(2) == byte(3);
    for (size_t i = words * 4; i < size; i += isUniform ? size - words * 4 : 1) {
      const size_t count = isUniform ? size - words * 4 : 1;
      if (tg_plugin_status *status =
              context->check(cuda.memsetD8Async(start + i, byte(i), count, queue), what)) {
        return status;
      }
    }
    return nullptr;
  });
}

tg_plugin_status *tegula::nvidia::peerCopy(tg_context *targetContext, tg_mem target,
                                           size_t targetOffset, tg_context *sourceContext,
                                           tg_mem source, size_t sourceOffset, size_t size,
                                           tg_stream *stream) {
  return guarded([&]() -> tg_plugin_status * {
    if (tg_plugin_status *status =
            firstOf({targetContext->checkAlive(), sourceContext->checkAlive(),
                     checkRange(target, targetOffset, size, "target"),
                     checkRange(source, sourceOffset, size, "source")})) {
      return status;
    }
    const CurrentContext current(*targetContext);
    return targetContext->check(targetContext->driver->cuda.memcpyPeerAsync(
                                    target.address + targetOffset, targetContext->handle,
                                    source.address + sourceOffset, sourceContext->handle, size,
                                    handleOf(stream)),
                                "copying " + std::to_string(size) + " bytes between devices");
  });
}
