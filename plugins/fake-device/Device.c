/*===- Device.c - The driver of simulated devices -------------------------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "Fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tg_driver fake_driver;
pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t fake_changed = PTHREAD_COND_INITIALIZER;

/* Devices of the second library have one kind, named after it. */
#ifdef FAKE_MINIMAL
const char *const fake_kinds[] = {FAKE_ID, NULL};
#else
const char *const fake_kinds[] = {"fake", "fake-cuda", "fake-hip", "fake-npu", NULL};
#endif

#ifndef FAKE_VARIABLE
#define FAKE_VARIABLE "TEGULA_FAKE_DEVICES"
#endif

/*===-- Opening -------------------------------------------------------------===*/

/* The whole file as text, at most 1 MiB; or null. */
static char *read_file(const char *path) {
  FILE *file = fopen(path, "re");
  if (!file) {
    return NULL;
  }
  char *text = NULL;
  size_t size = 0;
  for (;;) {
    char *more = realloc(text, size + 4096 + 1);
    if (!more) {
      break;
    }
    text = more;
    const size_t got = fread(text + size, 1, 4096, file);
    size += got;
    text[size] = '\0';
    if (got < 4096 || size > (1u << 20)) {
      break;
    }
  }
  if (text && (ferror(file) || size > (1u << 20))) { /* a folder; /dev/zero */
    free(text);
    text = NULL;
  }
  fclose(file);
  return text;
}

/* TEGULA_FAKE_VISIBLE: "2,0" */
static tg_plugin_status *hide(void) {
  fake_driver.num_visible = 0;
  const char *list = getenv("TEGULA_FAKE_VISIBLE");
  for (int i = 0; !list && i < fake_driver.num_devices; ++i) {
    fake_driver.visible[fake_driver.num_visible++] = &fake_driver.devices[i];
  }
  while (list && *list != '\0') {
    char *end = NULL;
    const unsigned long index = strtoul(list, &end, 10);
    if (end == list || (*end != ',' && *end != '\0') ||
        fake_driver.num_visible == FAKE_MAX_DEVICES) {
      return fake_fail(TG_INVALID, 1, "FAKE_ERROR_INVALID",
                       "TEGULA_FAKE_VISIBLE: expected numbers with commas between, got '%s'", list);
    }
    /* As with the vendors' variables, numbers of no device are passed over. */
    if (index < (unsigned long)fake_driver.num_devices) {
      fake_driver.visible[fake_driver.num_visible++] = &fake_driver.devices[index];
    }
    list = *end == ',' ? end + 1 : end;
  }
  return NULL;
}

static tg_plugin_status *configure(void) {
  const char *value = getenv(FAKE_VARIABLE);
  if (!value) {
    return NULL;
  }
  char error[512] = "", *file = NULL;
  if (strchr(value, '/') && !strchr(value, '=')) {
    file = read_file(value);
    if (!file) {
      return fake_fail(TG_INVALID, 1, "FAKE_ERROR_INVALID", FAKE_VARIABLE ": cannot read '%s'",
                       value);
    }
  }
  const bool fine = fake_configure(file ? file : value, false, error, sizeof error);
  free(file);
  return fine ? NULL : fake_fail(TG_INVALID, 1, "FAKE_ERROR_INVALID", FAKE_VARIABLE ": %s", error);
}

tg_plugin_status *fake_open(const tg_kv *options, size_t num_options, tg_driver **driver) {
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = NULL;
  if (!fake_driver.is_open) {
    fake_driver.num_devices = fake_driver.num_plans = 0;
    status = configure();
    status = status ? status : hide();
    fake_driver.is_open = !status; /* a failure planned below does not read it again */
  }
  status = status ? status : fake_enter(FAKE_SLOT_open, NULL);
  if (!status && fake_driver.is_missing) {
    const char *path = "libfake.so.1";
    for (size_t i = 0; i < num_options; ++i) {
      path = strcmp(options[i].key, "path") == 0 ? options[i].value : path;
    }
    status = fake_fail(TG_UNAVAILABLE, 100, "FAKE_ERROR_NO_DRIVER",
                       "the driver's library is missing; tried %s: no such file", path);
  }
  *driver = status ? NULL : &fake_driver;
  pthread_mutex_unlock(&fake_lock);
  return status;
}

void fake_close(tg_driver *driver) {
  for (int i = 0; i < driver->num_devices; ++i) {
    fake_stop(&driver->devices[i]);
  }
}

/*===-- Asking --------------------------------------------------------------===*/

fake_device *fake_visible(int device) {
  return device >= 0 && device < fake_driver.num_visible ? fake_driver.visible[device] : NULL;
}

static tg_plugin_status *no_such(int device) {
  return fake_fail(TG_NOT_FOUND, 101, "FAKE_ERROR_INVALID_DEVICE", "there is no device %d", device);
}

tg_plugin_status *fake_lost_status(const fake_device *device) {
  return fake_fail(TG_DEVICE_LOST, 999, "FAKE_ERROR_DEVICE_LOST", "'%s' does not answer",
                   device->name);
}

tg_plugin_status *fake_enumerate(tg_driver *driver, size_t *count) {
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter(FAKE_SLOT_enumerate, NULL);
  *count = status ? 0 : (size_t)driver->num_visible;
  pthread_mutex_unlock(&fake_lock);
  return status;
}

tg_plugin_status *fake_device_info(tg_driver *driver, int index, tg_device_info *info) {
  (void)driver;
  fake_device *device = fake_visible(index);
  if (!device) {
    return no_such(index);
  }
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter(FAKE_SLOT_device_info, device);
  tg_device_info full = {0};
  full.struct_size = info->struct_size;
  full.ordinal = index;
  full.kind = device->kind;
  full.id = device->id;
  full.name = device->name;
  full.arch = device->arch;
  full.driver_version = "1.0";
  full.memory_total = device->memory;
  full.memory_free = device->memory - device->used;
  full.compute_units = (uint32_t)device->units;
  full.warp_size = 32;
  full.shared_memory_per_block = full.shared_memory_per_unit = device->shared;
  full.max_threads_per_block = 1024;
  full.max_grid[0] = full.max_grid[1] = full.max_grid[2] = (uint32_t)device->grid;
  if (!status) {
    memcpy(info, &full, full.struct_size < sizeof full ? full.struct_size : sizeof full);
  }
  pthread_mutex_unlock(&fake_lock);
  return status;
}

tg_plugin_status *fake_query(tg_driver *driver, int index, uint32_t key, tg_value *value) {
  (void)driver;
  fake_device *device = fake_visible(index);
  if (!device) {
    return no_such(index);
  }
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter(FAKE_SLOT_device_query, device);
  value->kind = TG_VALUE_INT;
  switch (key) {
  case TG_QUERY_MEMORY_FREE:
    value->integer = (int64_t)(device->memory - device->used);
    break;
  case TG_QUERY_COOPERATIVE:
    value->integer = (int64_t)device->cooperative;
    break;
  case TG_QUERY_CLUSTER:
    value->integer = (int64_t)device->cluster;
    break;
  case TG_QUERY_DEPENDENT_LAUNCH:
    value->integer = (int64_t)device->dependent;
    break;
  case TG_QUERY_MANAGED_MEMORY:
    value->integer = 1;
    break;
  default:
    value->kind = TG_VALUE_NONE;
  }
  pthread_mutex_unlock(&fake_lock);
  return status;
}

/*===-- Scores --------------------------------------------------------------===*/

/* "f12" is 12 of family "f". */
static size_t family_of(const char *arch, unsigned long *number) {
  const size_t letters = strcspn(arch, "0123456789");
  *number = strtoul(arch + letters, NULL, 10);
  return letters;
}

static int32_t score_own(const fake_device *device, const char *arch, char *why, size_t capacity) {
  unsigned long mine = 0, theirs = 0;
  const size_t letters = family_of(device->arch, &mine);
  if (strcmp(arch, device->arch) == 0) {
    snprintf(why, capacity, "made for %s", arch);
    return 100;
  }
  if (strcmp(arch, "any") == 0 || *arch == '\0') {
    snprintf(why, capacity, "runs on any device");
    return 10;
  }
  if (family_of(arch, &theirs) == letters && memcmp(arch, device->arch, letters) == 0 &&
      theirs < mine) {
    snprintf(why, capacity, "made for %s, an older one than %s", arch, device->arch);
    return 70;
  }
  snprintf(why, capacity, "is for %s, this device is %s", arch, device->arch);
  return -1;
}

tg_plugin_status *fake_score(tg_driver *driver, int index, const tg_variant *variant,
                             int32_t *score, char *why, size_t capacity) {
  (void)driver;
  fake_device *device = fake_visible(index);
  if (!device) {
    return no_such(index);
  }
  const char *format = variant->format ? variant->format : "";
  const char *arch = variant->arch ? variant->arch : "";
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter(FAKE_SLOT_score, device);
  *score = -1;
  const fake_accept *found = NULL;
  for (int i = device->num_accepts; i-- > 0;) {
    const fake_accept *it = &device->accepts[i];
    const bool fits =
        strcmp(it->format, format) == 0 && (it->arch[0] == '\0' || strcmp(it->arch, arch) == 0);
    found = fits ? it : found;
  }
  if (found) {
    *score = found->score;
    snprintf(why, capacity, found->score < 0 ? "refuses %s for %s" : "accepts %s for %s", format,
             arch);
  } else if (device->num_accepts == 0 && strcmp(format, "fake") == 0) {
    *score = score_own(device, arch, why, capacity);
  } else {
    snprintf(why, capacity, "does not accept %s for %s", format, arch);
  }
  pthread_mutex_unlock(&fake_lock);
  return status;
}

/*===-- Contexts ------------------------------------------------------------===*/

static tg_plugin_status *make_context(fake_slot slot, int index, tg_context **context) {
  fake_device *device = fake_visible(index);
  if (!device) {
    return no_such(index);
  }
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter_work(slot, device);
  tg_context *made = status ? NULL : calloc(1, sizeof *made);
  if (made && fake_start(device)) {
    made->device = device;
    ++device->contexts;
    *context = made;
  } else if (!status) {
    free(made);
    status = fake_fail(TG_OUT_OF_RESOURCES, 2, "FAKE_ERROR_NO_THREAD", "cannot start a thread");
  }
  pthread_mutex_unlock(&fake_lock);
  return status;
}

tg_plugin_status *fake_create_context(tg_driver *driver, int device, tg_context **context) {
  (void)driver;
  return make_context(FAKE_SLOT_create_context, device, context);
}

tg_plugin_status *fake_adopt_context(tg_driver *driver, int device, tg_context **context) {
  (void)driver;
  return make_context(FAKE_SLOT_adopt_primary_context, device, context);
}

void fake_destroy_context(tg_context *context) {
  pthread_mutex_lock(&fake_lock);
  --context->device->contexts;
  free(context);
  pthread_mutex_unlock(&fake_lock);
}

tg_plugin_status *fake_device_lost(tg_context *context, int *lost) {
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter(FAKE_SLOT_device_lost, context->device);
  *lost = context->device->is_lost;
  pthread_mutex_unlock(&fake_lock);
  return status;
}

tg_plugin_status *fake_print_drain(tg_context *context, tg_print_sink sink, void *user) {
  fake_device *device = context->device;
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter_work(FAKE_SLOT_print_drain, device);
  char *text = status ? NULL : device->printed;
  const size_t size = device->printed_size;
  if (text) {
    device->printed = NULL;
    device->printed_size = 0;
  }
  pthread_mutex_unlock(&fake_lock);
  if (text) {
    sink(user, text, size);
    free(text);
  }
  return status;
}
