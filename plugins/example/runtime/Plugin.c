/*===- Plugin.c - The runtime half of the example backend -----------------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*
|*
|* One device of kind `example`: the processor that runs this process. All work has
|* ended when a call returns, so contexts and streams have nothing to remember. What
|* stands here is every slot that Tegula cannot do without, and a few more.
|*
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct tg_driver {
  char unused;
};
struct tg_context {
  char unused;
};
struct tg_stream {
  char unused;
};
struct tg_event {
  struct timespec time;
  int is_recorded;
};

static tg_driver the_driver;

/*===-- Statuses ------------------------------------------------------------===*/

static tg_plugin_status no_memory = {TG_OUT_OF_MEMORY, "out of memory"};

tg_plugin_status *example_fail(uint32_t code, const char *format, ...) {
  tg_plugin_status *status = malloc(sizeof *status);
  if (!status) {
    return &no_memory;
  }
  status->code = code;
  va_list list;
  va_start(list, format);
  vsnprintf(status->text, sizeof status->text, format, list);
  va_end(list);
  return status;
}

static uint32_t status_code(const tg_plugin_status *status) { return status->code; }
static const char *status_text(const tg_plugin_status *status) { return status->text; }
static void status_free(tg_plugin_status *status) {
  if (status != &no_memory) {
    free(status);
  }
}

/*===-- The device ----------------------------------------------------------===*/

const char *example_arch(void) {
#if defined(__aarch64__)
  return "aarch64";
#else
  return "x86_64";
#endif
}

static tg_plugin_status *open_driver(const tg_kv *options, size_t count, tg_driver **driver) {
  (void)options, (void)count;
  *driver = &the_driver;
  return NULL;
}
static void close_driver(tg_driver *driver) { (void)driver; }

static tg_plugin_status *enumerate(tg_driver *driver, size_t *count) {
  (void)driver;
  *count = 1;
  return NULL;
}

static tg_plugin_status *check_device(int device) {
  return device == 0 ? NULL : example_fail(TG_NOT_FOUND, "expected device 0, got %d", device);
}

static uint64_t pages_to_bytes(int name) {
  long pages = sysconf(name), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

static tg_plugin_status *device_info(tg_driver *driver, int device, tg_device_info *info) {
  (void)driver;
  tg_device_info full = {0};
  full.kind = "example";
  full.id = "example:0";
  full.name = "this processor, one program at a time";
  full.arch = example_arch();
  full.memory_total = pages_to_bytes(_SC_PHYS_PAGES);
  full.memory_free = pages_to_bytes(_SC_AVPHYS_PAGES);
  full.compute_units = 1;
  full.warp_size = 1;
  full.max_threads_per_block = 1;
  full.max_grid[0] = 0x7fffffff;
  full.max_grid[1] = full.max_grid[2] = 65535;
  /* The host's struct may be of an older and shorter kind. */
  full.struct_size = info->struct_size;
  memcpy(info, &full, info->struct_size < sizeof full ? info->struct_size : sizeof full);
  return check_device(device);
}

static tg_plugin_status *device_query(tg_driver *driver, int device, uint32_t key,
                                      tg_value *value) {
  (void)driver;
  value->kind = TG_VALUE_NONE;
  if (key == TG_QUERY_MEMORY_FREE) {
    value->kind = TG_VALUE_INT;
    value->integer = (int64_t)pages_to_bytes(_SC_AVPHYS_PAGES);
  } else if (key == TG_QUERY_MANAGED_MEMORY || key == TG_QUERY_UNIFIED_ADDRESSING) {
    value->kind = TG_VALUE_INT;
    value->integer = 1;
  }
  return check_device(device);
}

static tg_plugin_status *score(tg_driver *driver, int device, const tg_variant *variant,
                               int32_t *result, char *why, size_t capacity) {
  (void)driver;
  const char *format = variant->format ? variant->format : "none";
  const char *arch = variant->arch ? variant->arch : "none";
  if (strcmp(format, "c-so") != 0) {
    *result = -1;
    snprintf(why, capacity, "needs format c-so, got %s", format);
  } else if (strcmp(arch, example_arch()) != 0) {
    *result = -1;
    snprintf(why, capacity, "is for %s, this processor is %s", arch, example_arch());
  } else {
    *result = 20;
    snprintf(why, capacity, "runs on this processor");
  }
  return check_device(device);
}

static tg_plugin_status *pointer_owner(tg_driver *driver, uint64_t address, tg_pointer_info *info) {
  (void)driver, (void)address;
  info->kind = TG_MEM_HOST;
  info->device = -1;
  info->base = info->size = 0;
  return NULL;
}

static tg_plugin_status *create_context(tg_driver *driver, int device, tg_context **context) {
  (void)driver;
  tg_plugin_status *status = check_device(device);
  if (!status && !(*context = calloc(1, sizeof **context))) {
    status = &no_memory;
  }
  return status;
}
static void destroy_context(tg_context *context) { free(context); }

/*===-- Memory --------------------------------------------------------------===*/

static tg_plugin_status *allocate(tg_context *context, size_t size, uint32_t flags, tg_mem *mem) {
  (void)context;
  /* A piece of no bytes too has an address of its own. */
  size_t rounded = ((size ? size : 1) + 255) / 256 * 256;
  void *memory = rounded >= size ? aligned_alloc(256, rounded) : NULL;
  if (!memory) {
    return example_fail(TG_OUT_OF_MEMORY, "no memory for %zu bytes, %llu are free", size,
                        (unsigned long long)pages_to_bytes(_SC_AVPHYS_PAGES));
  }
  *mem = (tg_mem){(uint64_t)(uintptr_t)memory, size, flags, 0, memory};
  return NULL;
}

static tg_plugin_status *release(tg_context *context, tg_mem mem) {
  (void)context;
  free(mem.owner);
  return NULL;
}

static tg_plugin_status *check_range(const char *what, const tg_mem *mem, size_t offset,
                                     size_t size) {
  /* Memory of others may have no known size. */
  if ((mem->size == 0 && !mem->owner) || (offset <= mem->size && size <= mem->size - offset)) {
    return NULL;
  }
  return example_fail(TG_INVALID, "%s: expected a range within %llu bytes, got %zu at %zu", what,
                      (unsigned long long)mem->size, size, offset);
}

static char *bytes_at(const tg_mem *mem, size_t offset) {
  return (char *)(uintptr_t)mem->address + offset;
}

static tg_plugin_status *copy(tg_context *context, tg_mem target, size_t target_offset,
                              tg_mem source, size_t source_offset, size_t size, tg_stream *stream) {
  (void)context, (void)stream;
  tg_plugin_status *status = check_range("copy to", &target, target_offset, size);
  if (!status) {
    status = check_range("copy from", &source, source_offset, size);
  }
  if (!status && size > 0) {
    memmove(bytes_at(&target, target_offset), bytes_at(&source, source_offset), size);
  }
  return status;
}

static tg_plugin_status *fill(tg_context *context, tg_mem mem, size_t offset, uint32_t pattern,
                              size_t size, tg_stream *stream) {
  (void)context, (void)stream;
  tg_plugin_status *status = check_range("fill", &mem, offset, size);
  if (status) {
    return status;
  }
  for (size_t i = 0; i < size; i += 4) {
    memcpy(bytes_at(&mem, offset) + i, &pattern, size - i < 4 ? size - i : 4);
  }
  return NULL;
}

/*===-- Streams and events --------------------------------------------------===*/

static tg_plugin_status *stream_create(tg_context *context, uint32_t flags, tg_stream **stream) {
  (void)context, (void)flags;
  *stream = calloc(1, sizeof **stream);
  return *stream ? NULL : &no_memory;
}
static tg_plugin_status *stream_sync(tg_context *context, tg_stream *stream) {
  (void)context, (void)stream;
  return NULL;
}
static tg_plugin_status *stream_query(tg_context *context, tg_stream *stream, int *done) {
  (void)context, (void)stream;
  *done = 1;
  return NULL;
}
static tg_plugin_status *stream_wait_event(tg_context *context, tg_stream *stream,
                                           tg_event *event) {
  (void)context, (void)stream, (void)event;
  return NULL;
}
static void stream_destroy(tg_stream *stream) { free(stream); }

static tg_plugin_status *event_create(tg_context *context, uint32_t flags, tg_event **event) {
  (void)context, (void)flags;
  *event = calloc(1, sizeof **event);
  return *event ? NULL : &no_memory;
}
static tg_plugin_status *event_record(tg_context *context, tg_event *event, tg_stream *stream) {
  (void)context, (void)stream;
  clock_gettime(CLOCK_MONOTONIC, &event->time);
  event->is_recorded = 1;
  return NULL;
}
static tg_plugin_status *event_sync(tg_event *event) {
  (void)event;
  return NULL;
}
static tg_plugin_status *event_query(tg_event *event, int *done) {
  *done = event->is_recorded;
  return NULL;
}
static tg_plugin_status *event_elapsed(tg_event *start, tg_event *end, uint64_t *nanoseconds) {
  if (!start->is_recorded || !end->is_recorded) {
    return example_fail(TG_INVALID, "expected two events that were recorded");
  }
  int64_t spent = (int64_t)(end->time.tv_sec - start->time.tv_sec) * 1000000000 +
                  (end->time.tv_nsec - start->time.tv_nsec);
  *nanoseconds = spent > 0 ? (uint64_t)spent : 0;
  return NULL;
}
static void event_destroy(tg_event *event) { free(event); }

/*===-- The table -----------------------------------------------------------===*/

static const char *const device_kinds[] = {"example", NULL};
static const char *const formats[] = {"c-so", NULL};

static const tegula_runtime_v1 runtime = {
    .struct_size = sizeof(tegula_runtime_v1),
    .device_kinds = device_kinds,
    .formats = formats,
    .open = open_driver,
    .close = close_driver,
    .enumerate = enumerate,
    .device_info = device_info,
    .device_query = device_query,
    .score = score,
    .pointer_owner = pointer_owner,
    .create_context = create_context,
    .destroy_context = destroy_context,
    .alloc = allocate,
    .release = release,
    .copy = copy,
    .fill = fill,
    .module_load = example_module_load,
    .module_unload = example_module_unload,
    .kernel_get = example_kernel_get,
    .launch = example_launch,
    .stream_create = stream_create,
    .stream_sync = stream_sync,
    .stream_query = stream_query,
    .stream_wait_event = stream_wait_event,
    .stream_destroy = stream_destroy,
    .event_create = event_create,
    .event_record = event_record,
    .event_sync = event_sync,
    .event_query = event_query,
    .event_elapsed_ns = event_elapsed,
    .event_destroy = event_destroy,
    .status_code = status_code,
    .status_text = status_text,
    .status_free = status_free,
};

static const tegula_plugin plugin = {
    .struct_size = sizeof(tegula_plugin),
    .api_major = TEGULA_API_MAJOR,
    .api_minor = TEGULA_API_MINOR,
    .id = "example",
    .version = "0.1.0",
    .vendor = "Tegula",
    .license = "Apache-2.0 WITH LLVM-exception",
    .components = TEGULA_RUNTIME,
    .sanitizers = TEGULA_SANITIZERS,
    .facts = &tegula_plugin_facts,
    .runtime = &runtime,
};

const tegula_plugin *tegula_plugin_query(uint32_t host_major, uint32_t host_minor) {
  (void)host_minor;
  return host_major == TEGULA_API_MAJOR ? &plugin : NULL;
}
