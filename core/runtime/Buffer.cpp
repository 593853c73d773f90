//===- Buffer.cpp - Memory of devices ---------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges are checked here, before a driver sees them.
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "Stream.h"

#include <algorithm>
#include <memory>

using namespace tegula::runtime;

struct tg_buffer {
  tg_device *device = nullptr;
  tg_mem memory = {};
  size_t size = 0;
  /// Other devices that may still copy from it; freeing waits for them, too.
  mutable std::mutex lock;
  mutable std::vector<tg_device *> readers;
};

/// What goes through the host, goes in pieces of this size.
static constexpr size_t stagingBytes = size_t(4) << 20;

static tg_status *checkRange(const char *what, const tg_buffer &buffer, size_t offset,
                             size_t size) {
  if (offset <= buffer.size && size <= buffer.size - offset) {
    return nullptr;
  }
  return makeStatus(TG_INVALID, status::BufferRange,
                    std::string(what) + ": expected a range within " + std::to_string(buffer.size) +
                        " bytes, got " + std::to_string(size) + " bytes at offset " +
                        std::to_string(offset));
}

static tg_mem hostMemory(const void *data, size_t size) {
  return {reinterpret_cast<uint64_t>(data), size, TG_MEM_HOST, -1, nullptr};
}

/// The context of the device and the plugin's stream, which must be of that device.
static tg_status *prepare(tg_device &device, tg_device_stream *stream, tg_context **context,
                          tg_stream **native) {
  if (stream && stream->device != &device) {
    return otherDevice(device, "the stream", *stream->device);
  }
  *native = stream ? stream->stream : nullptr;
  return contextOf(device, context);
}

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

tg_status *tg_buffer_new(tg_device *device, size_t size, uint32_t kind, tg_buffer **buffer) {
  return guarded([&]() -> tg_status * {
    if (!device || !buffer) {
      return nullPointer(device ? "a place for the buffer" : "a device");
    }
    *buffer = nullptr;
    if (kind != TG_MEM_DEVICE && kind != TG_MEM_PINNED && kind != TG_MEM_MANAGED) {
      return makeStatus(TG_INVALID, status::ApiArgument,
                        "expected a kind of memory that is TG_MEM_DEVICE, TG_MEM_PINNED or "
                        "TG_MEM_MANAGED, got " +
                            std::to_string(kind));
    }
    tg_context *context = nullptr;
    if (tg_status *status = contextOf(*device, &context)) {
      return status;
    }
    auto made = std::make_unique<tg_buffer>();
    made->device = device;
    made->size = size;
    if (tg_plugin_status *status = device->table->alloc(context, size, kind, &made->memory)) {
      return takeDeviceStatus(*device, status, "alloc");
    }
    *buffer = made.release();
    return nullptr;
  });
}

void tg_buffer_free(tg_buffer *buffer) {
  if (!buffer) {
    return;
  }
  tg_device &device = *buffer->device;
  synchronizeToFree(device);
  for (tg_device *reader : buffer->readers) {
    synchronizeToFree(*reader);
  }
  // The context is there, since it made the memory. A lost device may refuse.
  tg_context *context = device.context.load(std::memory_order_acquire);
  if (tg_plugin_status *status = device.table->release(context, buffer->memory)) {
    tg_status *failure = guarded([&] { return takeDeviceStatus(device, status, "release"); });
    {
      const std::lock_guard<std::mutex> guard(device.lock);
      if (!device.isLost.load(std::memory_order_acquire)) {
        std::swap(failure, device.deferred);
      }
    }
    tg_status_free(failure);
  }
  delete buffer;
}

uint64_t tg_buffer_address(const tg_buffer *buffer) { return buffer ? buffer->memory.address : 0; }
size_t tg_buffer_size(const tg_buffer *buffer) { return buffer ? buffer->size : 0; }
tg_device *tg_buffer_device(const tg_buffer *buffer) { return buffer ? buffer->device : nullptr; }

//===----------------------------------------------------------------------===//
// Between host and device
//===----------------------------------------------------------------------===//

/// Copies between a buffer and memory of the host, after the checks that both ways
/// share.
static tg_status *transfer(const char *what, const tg_buffer &buffer, size_t offset,
                           const tg_mem &host, size_t size, bool isWrite,
                           tg_device_stream *stream) {
  if (tg_status *status = checkRange(what, buffer, offset, size)) {
    return status;
  }
  tg_device &device = *buffer.device;
  tg_context *context = nullptr;
  tg_stream *native = nullptr;
  if (tg_status *status = prepare(device, stream, &context, &native)) {
    return status;
  }
  if (size == 0) {
    return nullptr;
  }
  const tg_mem &memory = buffer.memory;
  tg_plugin_status *status =
      isWrite ? device.table->copy(context, memory, offset, host, 0, size, native)
              : device.table->copy(context, host, 0, memory, offset, size, native);
  return status ? takeDeviceStatus(device, status, "copy") : nullptr;
}

tg_status *tg_buffer_write(tg_buffer *buffer, size_t offset, const void *data, size_t size,
                           tg_device_stream *stream) {
  return guarded([&]() -> tg_status * {
    if (!buffer || (!data && size > 0)) {
      return nullPointer(buffer ? "the data" : "a buffer");
    }
    return transfer("write to a buffer", *buffer, offset, hostMemory(data, size), size,
                    /*isWrite=*/true, stream);
  });
}

tg_status *tg_buffer_read(const tg_buffer *buffer, size_t offset, void *data, size_t size,
                          tg_device_stream *stream) {
  return guarded([&]() -> tg_status * {
    if (!buffer || (!data && size > 0)) {
      return nullPointer(buffer ? "a place for the data" : "a buffer");
    }
    return transfer("read from a buffer", *buffer, offset, hostMemory(data, size), size,
                    /*isWrite=*/false, stream);
  });
}

//===----------------------------------------------------------------------===//
// Between buffers
//===----------------------------------------------------------------------===//

/// Without a way from device to device. The target's stream decides when: what is
/// queued there, and what it waits for, ends before the source is read.
static tg_status *copyThroughHost(tg_buffer &target, size_t targetOffset, const tg_buffer &source,
                                  size_t sourceOffset, size_t size, tg_context *targetContext,
                                  tg_stream *stream) {
  tg_device &to = *target.device, &from = *source.device;
  tg_context *sourceContext = nullptr;
  if (tg_status *status = contextOf(from, &sourceContext)) {
    return status;
  }
  if (tg_plugin_status *status = to.table->stream_sync(targetContext, stream)) {
    return takeDeviceStatus(to, status, "stream_sync");
  }
  const auto bytes = std::make_unique<char[]>(std::min(size, stagingBytes));
  for (size_t done = 0; done < size;) {
    const size_t piece = std::min(size - done, stagingBytes);
    const tg_mem host = hostMemory(bytes.get(), piece);
    if (tg_plugin_status *status = from.table->copy(sourceContext, host, 0, source.memory,
                                                    sourceOffset + done, piece, nullptr)) {
      return takeDeviceStatus(from, status, "copy");
    }
    if (tg_plugin_status *status = to.table->copy(targetContext, target.memory, targetOffset + done,
                                                  host, 0, piece, stream)) {
      return takeDeviceStatus(to, status, "copy");
    }
    done += piece;
  }
  return nullptr;
}

tg_status *tg_buffer_copy(tg_buffer *target, size_t target_offset, const tg_buffer *source,
                          size_t source_offset, size_t size, tg_device_stream *stream) {
  return guarded([&]() -> tg_status * {
    if (!target || !source) {
      return nullPointer(target ? "a buffer to copy from" : "a buffer to copy to");
    }
    if (tg_status *status = checkRange("copy to a buffer", *target, target_offset, size)) {
      return status;
    }
    if (tg_status *status = checkRange("copy from a buffer", *source, source_offset, size)) {
      return status;
    }
    if (target == source && size > 0 && target_offset < source_offset + size &&
        source_offset < target_offset + size) {
      return makeStatus(TG_INVALID, status::BufferRange,
                        "copy within a buffer: expected ranges that do not overlap, got " +
                            std::to_string(size) + " bytes at offsets " +
                            std::to_string(target_offset) + " and " +
                            std::to_string(source_offset));
    }
    tg_device &device = *target->device, &from = *source->device;
    tg_context *context = nullptr;
    tg_stream *native = nullptr;
    if (tg_status *status = prepare(device, stream, &context, &native)) {
      return status;
    }
    if (size == 0) {
      return nullptr;
    }
    if (&device == &from) {
      tg_plugin_status *status = device.table->copy(context, target->memory, target_offset,
                                                    source->memory, source_offset, size, native);
      return status ? takeDeviceStatus(device, status, "copy") : nullptr;
    }
    const auto peer = TG_SLOT(device.table, peer_copy);
    if (device.driver != from.driver || !peer) {
      return copyThroughHost(*target, target_offset, *source, source_offset, size, context, native);
    }
    tg_context *sourceContext = nullptr;
    if (tg_status *status = contextOf(from, &sourceContext)) {
      return status;
    }
    {
      const std::lock_guard<std::mutex> guard(source->lock);
      if (std::find(source->readers.begin(), source->readers.end(), &device) ==
          source->readers.end()) {
        source->readers.push_back(&device);
      }
    }
    tg_plugin_status *status = peer(context, target->memory, target_offset, sourceContext,
                                    source->memory, source_offset, size, native);
    if (!status) {
      return nullptr;
    }
    // Two devices of a driver need not reach each other.
    if (device.table->status_code(status) == TG_UNAVAILABLE) {
      device.table->status_free(status);
      return copyThroughHost(*target, target_offset, *source, source_offset, size, context, native);
    }
    return takeDeviceStatus(device, status, "peer_copy");
  });
}

/// By copies of a piece of host memory that is full of the pattern.
static tg_status *fillThroughHost(tg_buffer &buffer, size_t offset, uint32_t pattern, size_t size,
                                  tg_context *context, tg_stream *stream) {
  tg_device &device = *buffer.device;
  std::vector<uint32_t> words(std::min(size, stagingBytes) / sizeof pattern + 1, pattern);
  const size_t most = words.size() * sizeof pattern;
  for (size_t done = 0; done < size;) {
    const size_t piece = std::min(size - done, most); // a whole number of patterns, or the last
    if (tg_plugin_status *status =
            device.table->copy(context, buffer.memory, offset + done,
                               hostMemory(words.data(), piece), 0, piece, stream)) {
      return takeDeviceStatus(device, status, "copy");
    }
    done += piece;
  }
  return nullptr;
}

tg_status *tg_buffer_fill(tg_buffer *buffer, size_t offset, uint32_t pattern, size_t size,
                          tg_device_stream *stream) {
  return guarded([&]() -> tg_status * {
    if (!buffer) {
      return nullPointer("a buffer");
    }
    if (tg_status *status = checkRange("fill a buffer", *buffer, offset, size)) {
      return status;
    }
    tg_device &device = *buffer->device;
    tg_context *context = nullptr;
    tg_stream *native = nullptr;
    if (tg_status *status = prepare(device, stream, &context, &native)) {
      return status;
    }
    if (size == 0) {
      return nullptr;
    }
    const auto fill = TG_SLOT(device.table, fill);
    if (!fill) {
      return fillThroughHost(*buffer, offset, pattern, size, context, native);
    }
    tg_plugin_status *status = fill(context, buffer->memory, offset, pattern, size, native);
    return status ? takeDeviceStatus(device, status, "fill") : nullptr;
  });
}
