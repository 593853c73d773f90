//===- Stream.cpp - Streams and events ------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <algorithm>
#include <cmath>

using namespace tegula::nvidia;

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

tg_plugin_status *tegula::nvidia::createStream(tg_context *context, uint32_t, tg_stream **stream) {
  return guarded([&]() -> tg_plugin_status * {
    *stream = nullptr;
    if (tg_plugin_status *status = context->checkAlive()) {
      return status;
    }
    const CurrentContext current(*context);
    Stream handle = nullptr;
    // Ordered with the default stream, in which copies without a stream run.
    if (tg_plugin_status *status =
            context->check(context->driver->cuda.streamCreate(&handle, 0), "making a stream")) {
      return status;
    }
    *stream = new tg_stream{context, handle, true};
    return nullptr;
  });
}

tg_plugin_status *tegula::nvidia::wrapStream(tg_context *context, void *native,
                                             tg_stream **stream) {
  return guarded([&]() -> tg_plugin_status * {
    *stream = new tg_stream{context, static_cast<Stream>(native), false};
    return nullptr;
  });
}

tg_plugin_status *tegula::nvidia::syncStream(tg_context *context, tg_stream *stream) {
  return guarded([&]() -> tg_plugin_status * {
    if (tg_plugin_status *status = context->checkAlive()) {
      return status;
    }
    const CurrentContext current(*context);
    const Cuda &cuda = context->driver->cuda;
    const Result result = stream ? cuda.streamSynchronize(stream->handle) : cuda.ctxSynchronize();
    if (tg_plugin_status *status = context->check(result, "waiting for kernels and copies")) {
      return status;
    }
    stream ? context->recent.finish(stream->handle) : context->recent.finishAll();
    return takeFailure(*context);
  });
}

tg_plugin_status *tegula::nvidia::queryStream(tg_context *context, tg_stream *stream, int *done) {
  return guarded([&]() -> tg_plugin_status * {
    const CurrentContext current(*context);
    const Result result = context->driver->cuda.streamQuery(handleOf(stream));
    *done = result == 0;
    if (*done) {
      context->recent.finish(handleOf(stream));
    }
    return result == kNotReady ? nullptr : context->check(result, "asking a stream");
  });
}

tg_plugin_status *tegula::nvidia::waitForEvent(tg_context *context, tg_stream *stream,
                                               tg_event *event) {
  return guarded([&]() -> tg_plugin_status * {
    if (tg_plugin_status *status = context->checkAlive()) {
      return status;
    }
    const CurrentContext current(*context);
    return context->check(context->driver->cuda.streamWaitEvent(handleOf(stream), event->handle, 0),
                          "waiting for an event");
  });
}

void tegula::nvidia::destroyStream(tg_stream *stream) {
  if (!stream) {
    return;
  }
  if (stream->isOwned) {
    const CurrentContext current(*stream->context);
    stream->context->driver->cuda.streamDestroy(stream->handle);
  }
  delete stream;
}

tg_plugin_status *tegula::nvidia::captureState(tg_context *context, tg_stream *stream, void *native,
                                               int *state) {
  return guarded([&]() -> tg_plugin_status * {
    const CurrentContext current(*context);
    const Stream queue = native ? static_cast<Stream>(native) : handleOf(stream);
    int found = 0;
    if (tg_plugin_status *status = context->check(
            context->driver->cuda.streamIsCapturing(queue, &found), "asking a stream")) {
      return status;
    }
    *state = found == 0 ? TG_CAPTURE_NONE : found == 1 ? TG_CAPTURE_ACTIVE : TG_CAPTURE_BROKEN;
    return nullptr;
  });
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

tg_plugin_status *tegula::nvidia::createEvent(tg_context *context, uint32_t flags,
                                              tg_event **event) {
  return guarded([&]() -> tg_plugin_status * {
    *event = nullptr;
    if (tg_plugin_status *status = context->checkAlive()) {
      return status;
    }
    const CurrentContext current(*context);
    Event handle = nullptr;
    const unsigned withoutTime = 2;
    if (tg_plugin_status *status = context->check(
            context->driver->cuda.eventCreate(&handle, flags & TG_EVENT_TIMING ? 0 : withoutTime),
            "making an event")) {
      return status;
    }
    *event = new tg_event{context, handle};
    return nullptr;
  });
}

tg_plugin_status *tegula::nvidia::recordEvent(tg_context *context, tg_event *event,
                                              tg_stream *stream) {
  return guarded([&]() -> tg_plugin_status * {
    if (tg_plugin_status *status = context->checkAlive()) {
      return status;
    }
    const CurrentContext current(*context);
    return context->check(context->driver->cuda.eventRecord(event->handle, handleOf(stream)),
                          "recording an event");
  });
}

tg_plugin_status *tegula::nvidia::syncEvent(tg_event *event) {
  return guarded([&]() -> tg_plugin_status * {
    if (tg_plugin_status *status = event->context->checkAlive()) {
      return status;
    }
    const CurrentContext current(*event->context);
    tg_plugin_status *status = event->context->check(
        event->context->driver->cuda.eventSynchronize(event->handle), "waiting for an event");
    return status ? status : takeFailure(*event->context);
  });
}

tg_plugin_status *tegula::nvidia::queryEvent(tg_event *event, int *done) {
  return guarded([&]() -> tg_plugin_status * {
    const CurrentContext current(*event->context);
    const Result result = event->context->driver->cuda.eventQuery(event->handle);
    *done = result == 0;
    return result == kNotReady ? nullptr : event->context->check(result, "asking an event");
  });
}

tg_plugin_status *tegula::nvidia::elapsed(tg_event *start, tg_event *end, uint64_t *nanoseconds) {
  return guarded([&]() -> tg_plugin_status * {
    const CurrentContext current(*start->context);
    float milliseconds = 0;
    if (tg_plugin_status *status =
            start->context->check(start->context->driver->cuda.eventElapsedTime(
                                      &milliseconds, start->handle, end->handle),
                                  "asking for the time between two events")) {
      return status;
    }
    *nanoseconds = uint64_t(std::max(0.0, std::round(double(milliseconds) * 1e6)));
    return nullptr;
  });
}

void tegula::nvidia::destroyEvent(tg_event *event) {
  if (!event) {
    return;
  }
  {
    const CurrentContext current(*event->context);
    event->context->driver->cuda.eventDestroy(event->handle);
  }
  delete event;
}
