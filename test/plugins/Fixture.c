//===- Fixture.c - A plugin that does nothing, right or broken ----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifdef NO_EXPORT
#define tegula_plugin_query some_other_name
#endif
#include "tegula/plugin.h"

#ifndef COMPONENTS
#define COMPONENTS "runtime"
#endif
#ifndef LLVM
#define LLVM ""
#endif
#ifndef HEADERS
#define HEADERS ""
#endif
#ifndef FIXTURE_TABLE_ID
#define FIXTURE_TABLE_ID FIXTURE_ID
#endif
#ifndef FIXTURE_API_TABLE
#define FIXTURE_API_TABLE TEGULA_API_MAJOR
#endif
#ifndef RUNTIME_SIZE
#define RUNTIME_SIZE sizeof(tegula_runtime_v1)
#endif

#if !defined(NO_NOTE) && !defined(RUNTIME_TABLE)
TEGULA_PLUGIN_NOTE(FIXTURE_ID, COMPONENTS, LLVM, HEADERS);
#endif

#ifdef CARRIES_LLVM
TEGULA_PLUGIN_EXPORT int _ZN4mlir9MLIRThing3runEv(void) { return 1; }
#endif

#ifdef STUBBORN
#include <stdlib.h>
#include <string.h>

/* Fails at the call that the variable FIXTURE_FAILS names. */
struct tg_plugin_status {
  uint32_t code;
};
static tg_plugin_status failure;
static tg_plugin_status *failAt(const char *call) {
  const char *wanted = getenv("FIXTURE_FAILS"), *code = getenv("FIXTURE_CODE");
  failure.code = code ? (uint32_t)atoi(code) : TG_INTERNAL;
  return wanted && strcmp(wanted, call) == 0 ? &failure : 0;
}
static const char *statusHint(const tg_plugin_status *s) { return "oil the fixture"; }
static int32_t nativeCode(const tg_plugin_status *s) { return 35; }
static const char *nativeName(const tg_plugin_status *s) { return "FIXTURE_STUCK"; }
#define STATUS_CODE s->code
#define STATUS_TEXT "the fixture is stuck"
#define DEVICES 1
#else
static tg_plugin_status *failAt(const char *call) { return 0; }
#define STATUS_CODE TG_INTERNAL
#define STATUS_TEXT ""
#define DEVICES 0
#endif

struct tg_driver {
  int unused;
};
static struct tg_driver driver;

static tg_plugin_status *openDriver(const tg_kv *options, size_t count, tg_driver **out) {
  *out = &driver;
  return failAt("open");
}
static tg_plugin_status *enumerate(tg_driver *d, size_t *count) {
  *count = DEVICES;
  return failAt("enumerate");
}
static tg_plugin_status *deviceInfo(tg_driver *d, int device, tg_device_info *info) {
  return failAt("info");
}
static tg_plugin_status *score(tg_driver *d, int device, const tg_variant *v, int32_t *out,
                               char *why, size_t capacity) {
  *out = 1;
  return failAt("score");
}
static tg_plugin_status *createContext(tg_driver *d, int device, tg_context **out) {
  return failAt("context");
}
static tg_plugin_status *allocate(tg_context *c, size_t size, uint32_t flags, tg_mem *mem) {
  return 0;
}
static tg_plugin_status *release(tg_context *c, tg_mem mem) { return 0; }
static tg_plugin_status *copy(tg_context *c, tg_mem to, size_t a, tg_mem from, size_t b, size_t n,
                              tg_stream *s) {
  return 0;
}
static tg_plugin_status *moduleLoad(tg_context *c, const void *image, size_t size,
                                    const tg_variant *v, tg_module **out) {
  return failAt("load");
}
static tg_plugin_status *kernelGet(tg_module *m, const char *name, tg_function **out,
                                   tg_kernel_info *info) {
  return failAt("kernel");
}
#ifndef NO_LAUNCH
static tg_plugin_status *launch(tg_function *f, const tg_launch *l, tg_stream *s) {
  return failAt("launch");
}
#endif
#ifdef UNRESOLVED
tg_plugin_status *fixture_that_nobody_defines(tg_context *c, tg_stream *s);
#define streamSync fixture_that_nobody_defines
#else
static tg_plugin_status *streamSync(tg_context *c, tg_stream *s) { return 0; }
#endif
static uint32_t statusCode(const tg_plugin_status *s) { return STATUS_CODE; }
static const char *statusText(const tg_plugin_status *s) { return STATUS_TEXT; }
static void statusFree(tg_plugin_status *s) {}

static const char *const kinds[] = {FIXTURE_ID, 0};

/* A later host's table: one more slot behind those of this version. */
typedef struct {
  tegula_runtime_v1 now;
  void *later;
} larger_runtime;

static const larger_runtime table = {{
#ifdef BIGGER
                                         .struct_size = sizeof(larger_runtime),
#else
                                         .struct_size = RUNTIME_SIZE,
#endif
                                         .device_kinds = kinds,
                                         .formats = kinds,
                                         .open = openDriver,
                                         .enumerate = enumerate,
                                         .device_info = deviceInfo,
                                         .score = score,
                                         .create_context = createContext,
                                         .alloc = allocate,
                                         .release = release,
                                         .copy = copy,
                                         .module_load = moduleLoad,
                                         .kernel_get = kernelGet,
#ifndef NO_LAUNCH
                                         .launch = launch,
#endif
                                         .stream_sync = streamSync,
                                         .status_code = statusCode,
                                         .status_text = statusText,
#ifdef STUBBORN
                                         .status_hint = statusHint,
                                         .status_native_code = nativeCode,
                                         .status_native_name = nativeName,
#endif
                                         .status_free = statusFree,
                                     },
                                     0};

static const tegula_plugin plugin = {
#ifdef OLDER
    /* As version 1.0 ended; what is behind is not for the host to read. */
    .struct_size = offsetof(tegula_plugin, report_to),
    .report_to = (const char *)1,
#else
    .struct_size = sizeof(tegula_plugin),
#endif
    .api_major = FIXTURE_API_TABLE,
#ifdef BIGGER
    .api_minor = TEGULA_API_MINOR + 1,
#elif !defined(OLDER) && FIXTURE_API_TABLE == 1
    .api_minor = TEGULA_API_MINOR,
#endif
    .id = FIXTURE_TABLE_ID,
    .version = "1",
    .vendor = "tests",
    .license = "none",
    .components = TEGULA_RUNTIME,
    .runtime = &table.now,
};

#ifdef RUNTIME_TABLE
__attribute__((visibility("hidden"))) const tegula_plugin *fixture_runtime_table(void);
const tegula_plugin *fixture_runtime_table(void) { return &plugin; }
#else
TEGULA_PLUGIN_EXPORT const tegula_plugin *tegula_plugin_query(uint32_t major, uint32_t minor) {
#ifdef NULL_TABLE
  (void)plugin;
  return 0;
#else
  return &plugin;
#endif
}
#endif
