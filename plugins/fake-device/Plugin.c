/*===- Plugin.c - The table of simulated devices --------------------------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* With FAKE_MINIMAL the table has nothing but the slots that must be there, so that
|* hosts can be tested with a plugin that offers no more.
|*
\*===----------------------------------------------------------------------===*/

#include "Fake.h"

#ifdef FAKE_MINIMAL
#define OPTIONAL(function) NULL
#else
#define OPTIONAL(function) function
#endif

static uint32_t status_code(const tg_plugin_status *status) { return status->code; }
static const char *status_text(const tg_plugin_status *status) { return status->text; }
#ifndef FAKE_MINIMAL
static const char *status_hint(const tg_plugin_status *status) { return status->hint; }
static int32_t status_native_code(const tg_plugin_status *status) { return status->native; }
static const char *status_native_name(const tg_plugin_status *status) {
  return status->native_name;
}
#endif

/* Code of other formats may be chosen, where a configuration accepts it. */
static const char *const formats[] = {"fake", "elf-so", "cubin", "ptx", "hsaco", NULL};
static const tegula_option *const options[] = {NULL};

static const tegula_runtime_v1 table = {
    .struct_size = sizeof(tegula_runtime_v1),
    .device_kinds = fake_kinds,
    .formats = formats,
    .options = options,
    .open = fake_open,
    .close = OPTIONAL(fake_close),
    .enumerate = fake_enumerate,
    .device_info = fake_device_info,
    .device_query = OPTIONAL(fake_query),
    .score = fake_score,
    .pointer_owner = OPTIONAL(fake_pointer_owner),
    .create_context = fake_create_context,
    .adopt_primary_context = OPTIONAL(fake_adopt_context),
    .destroy_context = OPTIONAL(fake_destroy_context),
    .device_lost = OPTIONAL(fake_device_lost),
    .alloc = fake_alloc,
    .release = fake_release,
    .copy = fake_copy,
    .fill = OPTIONAL(fake_fill),
    .peer_copy = OPTIONAL(fake_peer_copy),
    .module_load = fake_module_load,
    .module_unload = fake_module_unload, /* or what is loaded stays */
    .kernel_get = fake_kernel_get,
    .launch = fake_launch,
    .print_drain = OPTIONAL(fake_print_drain),
    .stream_create = OPTIONAL(fake_stream_create),
    .stream_wrap = OPTIONAL(fake_stream_wrap),
    .stream_sync = fake_stream_sync,
    .stream_query = OPTIONAL(fake_stream_query),
    .stream_wait_event = OPTIONAL(fake_stream_wait_event),
    .stream_destroy = OPTIONAL(fake_stream_destroy),
    .capture_state = OPTIONAL(fake_capture_state),
    .event_create = OPTIONAL(fake_event_create),
    .event_record = OPTIONAL(fake_event_record),
    .event_sync = OPTIONAL(fake_event_sync),
    .event_query = OPTIONAL(fake_event_query),
    .event_elapsed_ns = OPTIONAL(fake_event_elapsed),
    .event_destroy = OPTIONAL(fake_event_destroy),
    .status_code = status_code,
    .status_text = status_text,
    .status_hint = OPTIONAL(status_hint),
    .status_native_code = OPTIONAL(status_native_code),
    .status_native_name = OPTIONAL(status_native_name),
    .status_free = fake_status_free,
};

static const tegula_plugin plugin = {
    .struct_size = sizeof(tegula_plugin),
    .api_major = TEGULA_API_MAJOR,
    .api_minor = TEGULA_API_MINOR,
    .id = FAKE_ID,
    .version = "0.1.0",
    .vendor = "Tegula",
    .license = "Apache-2.0 WITH LLVM-exception",
    .components = TEGULA_RUNTIME,
    .sanitizers = TEGULA_SANITIZERS,
    .runtime = &table,
};

TEGULA_PLUGIN_NOTE(FAKE_ID, "runtime", "", "");

const tegula_plugin *tegula_plugin_query(uint32_t host_major, uint32_t host_minor) {
  (void)host_minor;
  return host_major == TEGULA_API_MAJOR ? &plugin : NULL;
}
