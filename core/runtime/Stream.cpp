//===- Stream.cpp - Streams and events of devices ---------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stream.h"

#include "Guard.h"

#include <memory>

using namespace tegula::runtime;

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

/// `make` gives the plugin's stream, or a status.
template <typename Make>
static tg_status *newStream(tg_device *device, tg_device_stream **stream, const char *slotName,
                            bool isOffered, Make make) {
  if (!device || !stream) {
    return nullPointer(device ? "a place for the stream" : "a device");
  }
  *stream = nullptr;
  tg_context *context = nullptr;
  if (tg_status *status = contextOf(*device, &context)) {
    return status;
  }
  // Without a way to let it go, each would stay for ever.
  if (!isOffered || !TG_SLOT(device->table, stream_destroy)) {
    return notOffered(*device, isOffered ? "stream_destroy" : slotName);
  }
  auto made = std::make_unique<tg_device_stream>();
  made->device = device;
  if (tg_plugin_status *status = make(context, &made->stream)) {
    return takeDeviceStatus(*device, status, slotName);
  }
  *stream = made.release();
  return nullptr;
}

tg_status *tg_stream_new(tg_device *device, tg_device_stream **stream) {
  return guarded([&]() -> tg_status * {
    const auto slot = device ? TG_SLOT(device->table, stream_create) : nullptr;
    return newStream(device, stream, "stream_create", slot,
                     [&](tg_context *context, tg_stream **made) { return slot(context, 0, made); });
  });
}

tg_status *tg_stream_wrap(tg_device *device, void *native, tg_device_stream **stream) {
  return guarded([&]() -> tg_status * {
    const auto slot = device ? TG_SLOT(device->table, stream_wrap) : nullptr;
    return newStream(
        device, stream, "stream_wrap", slot,
        [&](tg_context *context, tg_stream **made) { return slot(context, native, made); });
  });
}

tg_status *tg_stream_sync(tg_device_stream *stream) {
  return guarded([&]() -> tg_status * {
    if (!stream) {
      return nullPointer("a stream");
    }
    tg_device &device = *stream->device;
    tg_context *context = nullptr;
    if (tg_status *status = contextOf(device, &context)) {
      return status;
    }
    tg_plugin_status *status = device.table->stream_sync(context, stream->stream);
    return status ? takeDeviceStatus(device, status, "stream_sync") : nullptr;
  });
}

tg_status *tg_stream_is_done(tg_device_stream *stream, int *done) {
  return guarded([&]() -> tg_status * {
    if (!stream || !done) {
      return nullPointer(stream ? "a place for the answer" : "a stream");
    }
    *done = 0;
    tg_device &device = *stream->device;
    tg_context *context = nullptr;
    if (tg_status *status = contextOf(device, &context)) {
      return status;
    }
    const auto query = TG_SLOT(device.table, stream_query);
    if (!query) {
      return notOffered(device, "stream_query");
    }
    tg_plugin_status *status = query(context, stream->stream, done);
    return status ? takeDeviceStatus(device, status, "stream_query") : nullptr;
  });
}

void tg_stream_free(tg_device_stream *stream) {
  if (stream) {
    stream->device->table->stream_destroy(stream->stream);
    delete stream;
  }
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

tg_status *tg_event_new(tg_device *device, uint32_t flags, tg_device_event **event) {
  return guarded([&]() -> tg_status * {
    if (!device || !event) {
      return nullPointer(device ? "a place for the event" : "a device");
    }
    *event = nullptr;
    if (flags & ~uint32_t(TG_EVENT_TIMING)) {
      return makeStatus(TG_INVALID, status::ApiArgument,
                        "expected the flags of an event to be 0 or TG_EVENT_TIMING, got " +
                            std::to_string(flags));
    }
    tg_context *context = nullptr;
    if (tg_status *status = contextOf(*device, &context)) {
      return status;
    }
    const auto create = TG_SLOT(device->table, event_create);
    const bool hasRecord = TG_SLOT(device->table, event_record);
    if (!create || !hasRecord || !TG_SLOT(device->table, event_destroy)) {
      return notOffered(*device, !create      ? "event_create"
                                 : !hasRecord ? "event_record"
                                              : "event_destroy");
    }
    auto made = std::make_unique<tg_device_event>();
    made->device = device;
    made->isTimed = flags & TG_EVENT_TIMING;
    if (tg_plugin_status *status = create(context, flags, &made->event)) {
      return takeDeviceStatus(*device, status, "event_create");
    }
    *event = made.release();
    return nullptr;
  });
}

tg_status *tg_event_record(tg_device_event *event, tg_device_stream *stream) {
  return guarded([&]() -> tg_status * {
    if (!event) {
      return nullPointer("an event");
    }
    tg_device &device = *event->device;
    if (stream && stream->device != &device) {
      return otherDevice(device, "the stream", *stream->device);
    }
    tg_context *context = nullptr;
    if (tg_status *status = contextOf(device, &context)) {
      return status;
    }
    if (tg_plugin_status *status =
            device.table->event_record(context, event->event, stream ? stream->stream : nullptr)) {
      return takeDeviceStatus(device, status, "event_record");
    }
    event->isRecorded.store(true, std::memory_order_release);
    return nullptr;
  });
}

/// An event that was never recorded has nothing to wait for.
static tg_status *wait(tg_device_event &event) {
  tg_device &device = *event.device;
  tg_context *context = nullptr;
  if (tg_status *status = contextOf(device, &context)) {
    return status;
  }
  if (!event.isRecorded.load(std::memory_order_acquire)) {
    return nullptr;
  }
  const auto sync = TG_SLOT(device.table, event_sync);
  if (!sync) {
    return synchronize(device); // longer than need be
  }
  tg_plugin_status *status = sync(event.event);
  return status ? takeDeviceStatus(device, status, "event_sync") : nullptr;
}

tg_status *tg_event_sync(tg_device_event *event) {
  return guarded([&]() -> tg_status * { return event ? wait(*event) : nullPointer("an event"); });
}

static tg_status *isDone(tg_device_event &event, int *done) {
  *done = 0;
  tg_device &device = *event.device;
  tg_context *context = nullptr;
  if (tg_status *status = contextOf(device, &context)) {
    return status;
  }
  if (!event.isRecorded.load(std::memory_order_acquire)) {
    *done = 1;
    return nullptr;
  }
  const auto query = TG_SLOT(device.table, event_query);
  if (!query) {
    return notOffered(device, "event_query");
  }
  tg_plugin_status *status = query(event.event, done);
  return status ? takeDeviceStatus(device, status, "event_query") : nullptr;
}

tg_status *tg_event_is_done(tg_device_event *event, int *done) {
  return guarded([&]() -> tg_status * {
    if (!event || !done) {
      return nullPointer(event ? "a place for the answer" : "an event");
    }
    return isDone(*event, done);
  });
}

tg_status *tg_stream_wait(tg_device_stream *stream, tg_device_event *event) {
  return guarded([&]() -> tg_status * {
    if (!stream || !event) {
      return nullPointer(stream ? "an event" : "a stream");
    }
    tg_device &device = *stream->device;
    if (event->device->kind != device.kind) {
      return otherDevice(device, "an event", *event->device);
    }
    tg_context *context = nullptr;
    if (tg_status *status = contextOf(device, &context)) {
      return status;
    }
    const auto slot = TG_SLOT(device.table, stream_wait_event);
    if (!slot || event->device->driver != device.driver) {
      // What is queued after this call then runs after the event, too.
      return wait(*event);
    }
    if (!event->isRecorded.load(std::memory_order_acquire)) {
      return nullptr;
    }
    tg_plugin_status *status = slot(context, stream->stream, event->event);
    return status ? takeDeviceStatus(device, status, "stream_wait_event") : nullptr;
  });
}

tg_status *tg_event_elapsed(tg_device_event *start, tg_device_event *end, uint64_t *nanoseconds) {
  return guarded([&]() -> tg_status * {
    if (!start || !end || !nanoseconds) {
      return nullPointer(start && end ? "a place for the time" : "an event");
    }
    *nanoseconds = 0;
    tg_device &device = *start->device;
    if (end->device != &device) {
      return otherDevice(device, "the second event", *end->device);
    }
    if (!start->isTimed || !end->isTimed) {
      return makeStatus(TG_INVALID, status::EventNotTimed,
                        std::string("expected events with TG_EVENT_TIMING, got the ") +
                            (start->isTimed ? "second" : "first") + " without it",
                        "make both with TG_EVENT_TIMING");
    }
    const auto elapsed = TG_SLOT(device.table, event_elapsed_ns);
    if (!elapsed) {
      return notOffered(device, "event_elapsed_ns");
    }
    for (tg_device_event *event : {start, end}) {
      int done = 1;
      if (TG_SLOT(device.table, event_query)) {
        if (tg_status *status = isDone(*event, &done)) {
          return status;
        }
      }
      if (!done || !event->isRecorded.load(std::memory_order_acquire)) {
        return makeStatus(TG_INVALID, status::EventNotDone,
                          std::string("expected events that have happened, got the ") +
                              (event == start ? "first " : "second ") +
                              (done ? "not recorded" : "still waited for"),
                          "record both, and wait for the second with tg_event_sync");
      }
    }
    tg_context *context = nullptr;
    if (tg_status *status = contextOf(device, &context)) {
      return status;
    }
    tg_plugin_status *status = elapsed(start->event, end->event, nanoseconds);
    return status ? takeDeviceStatus(device, status, "event_elapsed_ns") : nullptr;
  });
}

void tg_event_free(tg_device_event *event) {
  if (event) {
    event->device->table->event_destroy(event->event);
    delete event;
  }
}
