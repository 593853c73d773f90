/*===- Queue.c - Streams and events of simulated devices ------------------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Each device has one thread. It takes the first piece of work of any stream that
|* does not wait for an event, the streams in turn, so that work of different streams
|* mixes while that of one keeps its order.
|*
\*===----------------------------------------------------------------------===*/

#include "Fake.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/*===-- Trace ---------------------------------------------------------------===*/

static char trace[1 << 16];
static size_t trace_size;

void fake_trace(const fake_device *device, const char *format, ...) {
  if (!device) {
    trace_size = 0;
    trace[0] = '\0';
    return;
  }
  char line[256];
  va_list args;
  va_start(args, format);
  const int size = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (size > 0 && (size_t)size < sizeof line && trace_size + (size_t)size < sizeof trace) {
    memcpy(trace + trace_size, line, (size_t)size + 1);
    trace_size += (size_t)size;
  }
}

const char *tegula_fake_trace(void) {
  static __thread char copy[sizeof trace];
  pthread_mutex_lock(&fake_lock);
  memcpy(copy, trace, trace_size + 1);
  pthread_mutex_unlock(&fake_lock);
  return copy;
}

/*===-- Work ----------------------------------------------------------------===*/

fake_work *fake_new_work(fake_work_kind kind, size_t extra) {
  fake_work *work = extra <= SIZE_MAX - sizeof *work ? calloc(1, sizeof *work + extra) : NULL;
  if (work) {
    work->kind = kind;
    work->num_bytes = extra;
  }
  return work;
}

static void drop_event(tg_event *event) {
  if (event && --event->references == 0) {
    free(event);
  }
}

static void delete_work(fake_work *work) {
  drop_event(work->event);
  free(work);
}

void fake_queue(fake_device *device, tg_stream *stream, fake_work *work) {
  (void)device;
  *(stream->last ? &stream->last->next : &stream->first) = work;
  stream->last = work;
  ++stream->queued;
  pthread_cond_broadcast(&fake_changed);
}

static void pattern_fill(char *bytes, uint32_t pattern, size_t size) {
  for (size_t i = 0; i < size; i += sizeof pattern) {
    memcpy(bytes + i, &pattern, size - i < sizeof pattern ? size - i : sizeof pattern);
  }
}

static const char *const work_names[] = {"copy", "fill", "run", "record", "wait"};

/* With the lock held; sleeps without it. */
static tg_plugin_status *carry_out(fake_device *device, tg_stream *stream, fake_work *work) {
  if (device->delay > 0 && work->kind != FAKE_WORK_RECORD && work->kind != FAKE_WORK_WAIT) {
    const struct timespec time = {(time_t)(device->delay / 1000000),
                                  (long)(device->delay % 1000000) * 1000};
    pthread_mutex_unlock(&fake_lock);
    nanosleep(&time, NULL);
    pthread_mutex_lock(&fake_lock);
    if (device->is_lost) {
      return NULL;
    }
  }
  fake_trace(device, "%d.%d %s%s%s\n", device->index, stream->number, work_names[work->kind],
             work->function ? " " : "", work->function ? work->function->name : "");
  switch (work->kind) {
  case FAKE_WORK_COPY:
    memmove(work->target, work->source, work->size);
    return NULL;
  case FAKE_WORK_FILL:
    pattern_fill(work->target, work->pattern, work->size);
    return NULL;
  case FAKE_WORK_RECORD:
    work->event->done = work->event_turn;
    work->event->nanoseconds = now();
    return NULL;
  case FAKE_WORK_WAIT:
    return NULL;
  case FAKE_WORK_RUN:
    break;
  }
  if (++device->programs == device->lose) {
    fake_lose(device);
    return fake_lost_status(device);
  }
  tg_plugin_status *status = fake_enter(FAKE_SLOT_run, device);
  return status ? status
                : fake_run(device, work->function, work->bytes, work->num_bytes, work->grid);
}

static bool is_ready(const fake_work *work) {
  return work && (work->kind != FAKE_WORK_WAIT || work->event->done >= work->event_turn);
}

/* Removes streams whose owner has let them go and that have nothing left to do. */
static void remove_destroyed(fake_device *device) {
  for (tg_stream **link = &device->queues; *link;) {
    tg_stream *stream = *link;
    if (stream->is_destroyed && !stream->first && !stream->is_running) {
      *link = stream->next;
      fake_status_free(stream->failure);
      free(stream);
    } else {
      link = &stream->next;
    }
  }
}

static void *work_for(void *argument) {
  fake_device *device = argument;
  tg_stream *stream = NULL;
  pthread_mutex_lock(&fake_lock);
  while (!device->must_stop) {
    /* The next stream in turn that has something ready. */
    tg_stream *start = stream && stream->next ? stream->next : device->queues, *found = NULL;
    for (tg_stream *it = start; it && !found; it = it->next) {
      found = is_ready(it->first) ? it : NULL;
    }
    for (tg_stream *it = device->queues; it && it != start && !found; it = it->next) {
      found = is_ready(it->first) ? it : NULL;
    }
    if (!found) {
      stream = NULL;
      pthread_cond_wait(&fake_changed, &fake_lock);
      continue;
    }
    stream = found;
    fake_work *work = stream->first;
    stream->first = work->next;
    stream->last = stream->first ? stream->last : NULL;
    stream->is_running = true;
    tg_plugin_status *status = carry_out(device, stream, work);
    if (status && !stream->failure) {
      stream->failure = status;
    } else {
      fake_status_free(status);
    }
    delete_work(work);
    stream->is_running = false;
    ++stream->done;
    const bool may_go = stream->is_destroyed;
    if (may_go) {
      stream = NULL;
      remove_destroyed(device);
    }
    pthread_cond_broadcast(&fake_changed);
  }
  pthread_mutex_unlock(&fake_lock);
  return NULL;
}

void fake_lose(fake_device *device) {
  device->is_lost = true;
  for (tg_stream *stream = device->queues; stream; stream = stream->next) {
    while (stream->first) {
      fake_work *work = stream->first;
      stream->first = work->next;
      if (work->kind == FAKE_WORK_RECORD) {
        work->event->done = work->event_turn; /* nobody waits for ever */
      }
      delete_work(work);
      ++stream->done;
    }
    stream->last = NULL;
  }
  pthread_cond_broadcast(&fake_changed);
}

/*===-- The thread ----------------------------------------------------------===*/

static tg_stream *add_stream(fake_device *device) {
  static int numbers;
  tg_stream *stream = calloc(1, sizeof *stream);
  if (stream) {
    stream->device = device;
    stream->number = device->default_stream ? ++numbers : 0;
    stream->next = device->queues;
    device->queues = stream;
  }
  return stream;
}

bool fake_start(fake_device *device) {
  if (!device->default_stream) {
    device->default_stream = add_stream(device);
  }
  if (device->default_stream && !device->has_worker) {
    device->has_worker = pthread_create(&device->worker, NULL, work_for, device) == 0;
  }
  return device->has_worker;
}

void fake_stop(fake_device *device) {
  pthread_mutex_lock(&fake_lock);
  const bool has_worker = device->has_worker;
  device->must_stop = true;
  pthread_cond_broadcast(&fake_changed);
  pthread_mutex_unlock(&fake_lock);
  if (has_worker) {
    pthread_join(device->worker, NULL);
  }
  device->has_worker = device->must_stop = false;
}

tg_stream *fake_stream_or_default(fake_device *device, tg_stream *stream) {
  return stream ? stream : device->default_stream;
}

/* What has failed since the last wait. */
static tg_plugin_status *take_failure(fake_device *device, tg_stream *stream) {
  tg_plugin_status *failure = NULL;
  for (tg_stream *it = device->queues; it && !failure; it = it->next) {
    if (!stream || it == stream) {
      failure = it->failure;
      it->failure = NULL;
    }
  }
  return failure;
}

tg_plugin_status *fake_wait(fake_device *device, tg_stream *stream) {
  if (stream) {
    const uint64_t until = stream->queued;
    while (stream->done < until && !device->is_lost) {
      pthread_cond_wait(&fake_changed, &fake_lock);
    }
  } else {
    for (bool idle = false; !idle && !device->is_lost;) {
      idle = true;
      for (const tg_stream *it = device->queues; it; it = it->next) {
        idle = idle && !it->first && !it->is_running;
      }
      if (!idle) {
        pthread_cond_wait(&fake_changed, &fake_lock);
      }
    }
  }
  tg_plugin_status *failure = take_failure(device, stream);
  return failure ? failure : device->is_lost ? fake_lost_status(device) : NULL;
}

/*===-- Streams -------------------------------------------------------------===*/

static tg_plugin_status *no_memory(void) {
  return fake_fail(TG_OUT_OF_MEMORY, 2, "FAKE_ERROR_OUT_OF_MEMORY", "out of memory");
}

static tg_plugin_status *make_stream(fake_slot slot, tg_context *context, tg_stream **stream) {
  fake_device *device = context->device;
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter_work(slot, device);
  if (!status) {
    *stream = add_stream(device);
    status = *stream ? NULL : no_memory();
    device->streams += *stream != NULL;
  }
  pthread_mutex_unlock(&fake_lock);
  return status;
}

tg_plugin_status *fake_stream_create(tg_context *context, uint32_t flags, tg_stream **stream) {
  (void)flags;
  return make_stream(FAKE_SLOT_stream_create, context, stream);
}

/* There are no streams of others, so the wrapped one stands for itself. */
tg_plugin_status *fake_stream_wrap(tg_context *context, void *native, tg_stream **stream) {
  (void)native;
  return make_stream(FAKE_SLOT_stream_wrap, context, stream);
}

tg_plugin_status *fake_stream_sync(tg_context *context, tg_stream *stream) {
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter(FAKE_SLOT_stream_sync, context->device);
  status = status ? status : fake_wait(context->device, stream);
  pthread_mutex_unlock(&fake_lock);
  return status;
}

tg_plugin_status *fake_stream_query(tg_context *context, tg_stream *stream, int *done) {
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter_work(FAKE_SLOT_stream_query, context->device);
  if (!status) {
    stream = fake_stream_or_default(context->device, stream);
    *done = !stream->first && !stream->is_running;
  }
  pthread_mutex_unlock(&fake_lock);
  return status;
}

tg_plugin_status *fake_stream_wait_event(tg_context *context, tg_stream *stream, tg_event *event) {
  fake_device *device = context->device;
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter_work(FAKE_SLOT_stream_wait_event, device);
  fake_work *work = status ? NULL : fake_new_work(FAKE_WORK_WAIT, 0);
  if (work) {
    work->event = event;
    work->event_turn = event->turns;
    ++event->references;
    fake_queue(device, fake_stream_or_default(device, stream), work);
  } else if (!status) {
    status = no_memory();
  }
  pthread_mutex_unlock(&fake_lock);
  return status;
}

void fake_stream_destroy(tg_stream *stream) {
  pthread_mutex_lock(&fake_lock);
  fake_device *device = stream->device;
  --device->streams;
  stream->is_destroyed = true; /* what is queued still runs */
  if (!stream->first && !stream->is_running) {
    /* The thread may stand on it only while it waits, and then starts anew. */
    remove_destroyed(device);
  }
  pthread_mutex_unlock(&fake_lock);
}

tg_plugin_status *fake_capture_state(tg_context *context, tg_stream *stream, void *native,
                                     int *state) {
  (void)stream;
  (void)native;
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter_work(FAKE_SLOT_capture_state, context->device);
  *state = TG_CAPTURE_NONE;
  pthread_mutex_unlock(&fake_lock);
  return status;
}

/*===-- Events --------------------------------------------------------------===*/

tg_plugin_status *fake_event_create(tg_context *context, uint32_t flags, tg_event **event) {
  (void)flags;
  fake_device *device = context->device;
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter_work(FAKE_SLOT_event_create, device);
  if (!status) {
    *event = calloc(1, sizeof **event);
    if (*event) {
      (*event)->device = device;
      (*event)->references = 1;
      ++device->events;
    } else {
      status = no_memory();
    }
  }
  pthread_mutex_unlock(&fake_lock);
  return status;
}

tg_plugin_status *fake_event_record(tg_context *context, tg_event *event, tg_stream *stream) {
  fake_device *device = context->device;
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter_work(FAKE_SLOT_event_record, device);
  fake_work *work = status ? NULL : fake_new_work(FAKE_WORK_RECORD, 0);
  if (work) {
    work->event = event;
    work->event_turn = ++event->turns;
    ++event->references;
    fake_queue(device, fake_stream_or_default(device, stream), work);
  } else if (!status) {
    status = no_memory();
  }
  pthread_mutex_unlock(&fake_lock);
  return status;
}

tg_plugin_status *fake_event_sync(tg_event *event) {
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter_work(FAKE_SLOT_event_sync, event->device);
  for (const uint64_t until = event->turns;
       !status && event->done < until && !event->device->is_lost;) {
    pthread_cond_wait(&fake_changed, &fake_lock);
  }
  if (!status && event->device->is_lost) {
    status = fake_lost_status(event->device);
  }
  pthread_mutex_unlock(&fake_lock);
  return status;
}

tg_plugin_status *fake_event_query(tg_event *event, int *done) {
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter_work(FAKE_SLOT_event_query, event->device);
  *done = event->done >= event->turns;
  pthread_mutex_unlock(&fake_lock);
  return status;
}

tg_plugin_status *fake_event_elapsed(tg_event *start, tg_event *end, uint64_t *nanoseconds) {
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter_work(FAKE_SLOT_event_elapsed_ns, start->device);
  *nanoseconds = end->nanoseconds > start->nanoseconds ? end->nanoseconds - start->nanoseconds : 0;
  pthread_mutex_unlock(&fake_lock);
  return status;
}

void fake_event_destroy(tg_event *event) {
  pthread_mutex_lock(&fake_lock);
  --event->device->events;
  drop_event(event);
  pthread_mutex_unlock(&fake_lock);
}

/*===-- Launches ------------------------------------------------------------===*/

static tg_plugin_status *check_launch(const fake_device *device, const tg_launch *launch) {
  if (launch->native_stream) {
    return fake_fail(TG_INVALID, 400, "FAKE_ERROR_INVALID_HANDLE",
                     "no other library has streams of the device");
  }
  if ((launch->flags & TG_LAUNCH_COOPERATIVE && !device->cooperative) ||
      (launch->flags & TG_LAUNCH_DEPENDENT && !device->dependent)) {
    return fake_fail(TG_UNAVAILABLE, 801, "FAKE_ERROR_NOT_SUPPORTED",
                     "the device does not serve these flags");
  }
  for (int i = 0; i < 3; ++i) {
    if (launch->grid[i] > device->grid) {
      return fake_fail(TG_OUT_OF_RESOURCES, 9, "FAKE_ERROR_INVALID_CONFIGURATION",
                       "the grid is larger than %llu", (unsigned long long)device->grid);
    }
  }
  return NULL;
}

tg_plugin_status *fake_launch(tg_function *function, const tg_launch *launch, tg_stream *stream) {
  fake_device *device = function->module->device;
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter_work(FAKE_SLOT_launch, device);
  status = status ? status : check_launch(device, launch);
  fake_work *work = status ? NULL : fake_new_work(FAKE_WORK_RUN, launch->args_size);
  if (work) {
    if (launch->args_size > 0) {
      memcpy(work->bytes, launch->args, launch->args_size);
    }
    work->function = function;
    memcpy(work->grid, launch->grid, sizeof work->grid);
    fake_queue(device, fake_stream_or_default(device, stream), work);
  } else if (!status) {
    status = no_memory();
  }
  pthread_mutex_unlock(&fake_lock);
  return status;
}
