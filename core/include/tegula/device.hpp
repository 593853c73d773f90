//===- device.hpp - Devices, memory, streams and events ---------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part of tegula.hpp. tegula/device.h says what each call does; here objects free
// themselves and errors are values.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_DEVICE_HPP
#define TEGULA_DEVICE_HPP

#include "tegula/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace tegula {

namespace detail {
template <auto Free> struct Freer {
  template <typename T> void operator()(T *object) const { Free(object); }
};
template <typename T, auto Free> using Owned = std::unique_ptr<T, Freer<Free>>;
} // namespace detail

/// An in-order queue of work of a device.
class Stream {
public:
  /// Takes over.
  explicit Stream(tg_device_stream *stream) : stream(stream) {}
  Status sync() { return Status::take(tg_stream_sync(stream.get())); }
  Result<bool> isDone() const {
    int done = 0;
    if (tg_status *status = tg_stream_is_done(stream.get(), &done)) {
      return Error(status);
    }
    return done != 0;
  }
  tg_device_stream *get() const { return stream.get(); }

private:
  detail::Owned<tg_device_stream, tg_stream_free> stream;
};

/// A point in a stream. Where a stream may be left out, it is the device's default one.
class Event {
public:
  explicit Event(tg_device_event *event) : event(event) {}
  Status record() { return Status::take(tg_event_record(event.get(), nullptr)); }
  Status record(const Stream &stream) {
    return Status::take(tg_event_record(event.get(), stream.get()));
  }
  Status sync() { return Status::take(tg_event_sync(event.get())); }
  /// Nanoseconds since `start`; both made with timing, and done.
  Result<uint64_t> since(const Event &start) const {
    uint64_t nanoseconds = 0;
    if (tg_status *status = tg_event_elapsed(start.get(), event.get(), &nanoseconds)) {
      return Error(status);
    }
    return nanoseconds;
  }
  tg_device_event *get() const { return event.get(); }

private:
  detail::Owned<tg_device_event, tg_event_free> event;
};

/// Memory of a device.
class Buffer {
public:
  explicit Buffer(tg_buffer *buffer) : buffer(buffer) {}

  size_t size() const { return tg_buffer_size(buffer.get()); } ///< bytes
  uint64_t address() const { return tg_buffer_address(buffer.get()); }
  Status write(const void *data, size_t bytes, size_t offset = 0, const Stream *stream = nullptr) {
    return Status::take(
        tg_buffer_write(buffer.get(), offset, data, bytes, stream ? stream->get() : nullptr));
  }
  Status read(void *data, size_t bytes, size_t offset = 0, const Stream *stream = nullptr) const {
    return Status::take(
        tg_buffer_read(buffer.get(), offset, data, bytes, stream ? stream->get() : nullptr));
  }
  template <typename T> Status write(const std::vector<T> &data) {
    static_assert(std::is_trivially_copyable_v<T>);
    return write(data.data(), data.size() * sizeof(T));
  }
  /// The whole buffer; bytes that are no whole element are left out.
  template <typename T> Result<std::vector<T>> read() const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> out(size() / sizeof(T));
    if (Status status = read(out.data(), out.size() * sizeof(T)); !status) {
      return status.error();
    }
    return out;
  }
  Status fill(uint32_t pattern) {
    return Status::take(tg_buffer_fill(buffer.get(), 0, pattern, size(), nullptr));
  }
  tg_buffer *get() const { return buffer.get(); }

private:
  detail::Owned<tg_buffer, tg_buffer_free> buffer;
};

/// A device; devices live as long as the process, so this is copied freely.
class Device {
public:
  explicit Device(tg_device *device) : device(device) {}

  /// All of one kind, or of all kinds, the best first. None is no error.
  static Result<std::vector<Device>> list(const char *kind = nullptr) {
    size_t count = 0, room = 0;
    std::vector<tg_device *> found;
    do { // others may be plugged in meanwhile
      room = count;
      found.resize(room);
      if (tg_status *status = tg_device_list(kind, found.data(), room, &count)) {
        return Error(status);
      }
    } while (count > room);
    found.resize(count);
    return std::vector<Device>(found.begin(), found.end());
  }
  static Result<Device> get(const char *kind, int ordinal = 0) {
    tg_device *device = nullptr;
    if (tg_status *status = tg_device_get(kind, ordinal, &device)) {
      return Error(status);
    }
    return Device(device);
  }

  std::string kind() const { return tg_device_kind(device); }
  int ordinal() const { return tg_device_ordinal(device); }
  std::string describe() const { return tg_device_describe(device); }
  Result<tg_device_info> info() const {
    tg_device_info info = {};
    info.struct_size = sizeof info;
    if (tg_status *status = tg_device_info_get(device, &info)) {
      return Error(status);
    }
    return info;
  }
  Status sync() const { return Status::take(tg_device_sync(device)); }

  Result<Buffer> allocate(size_t bytes, tg_mem_kind memory = TG_MEM_DEVICE) const {
    tg_buffer *buffer = nullptr;
    if (tg_status *status = tg_buffer_new(device, bytes, memory, &buffer)) {
      return Error(status);
    }
    return Buffer(buffer);
  }
  /// A buffer that holds `data`.
  template <typename T> Result<Buffer> upload(const std::vector<T> &data) const {
    Result<Buffer> buffer = allocate(data.size() * sizeof(T));
    if (buffer) {
      if (Status status = buffer->write(data); !status) {
        return status.error();
      }
    }
    return buffer;
  }
  Result<Stream> makeStream() const {
    tg_device_stream *stream = nullptr;
    if (tg_status *status = tg_stream_new(device, &stream)) {
      return Error(status);
    }
    return Stream(stream);
  }
  Result<Event> makeEvent(uint32_t flags = TG_EVENT_TIMING) const {
    tg_device_event *event = nullptr;
    if (tg_status *status = tg_event_new(device, flags, &event)) {
      return Error(status);
    }
    return Event(event);
  }
  tg_device *get() const { return device; }
  friend bool operator==(Device a, Device b) { return a.device == b.device; }
  friend bool operator!=(Device a, Device b) { return a.device != b.device; }

private:
  tg_device *device;
};

} // namespace tegula

#endif // TEGULA_DEVICE_HPP
