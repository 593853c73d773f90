//===- Plugin.cpp - The table of NVIDIA's runtime half --------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

using namespace tegula::nvidia;

static uint32_t statusCode(const tg_plugin_status *status) { return status->code; }
static const char *statusText(const tg_plugin_status *status) { return status->text.c_str(); }
static const char *statusHint(const tg_plugin_status *status) { return status->hint.c_str(); }
static int32_t statusNativeCode(const tg_plugin_status *status) { return status->nativeCode; }
static const char *statusNativeName(const tg_plugin_status *status) {
  return status->nativeName.c_str();
}

static const char *const deviceKinds[] = {"cuda", nullptr};
static const char *const formats[] = {"cubin", "ptx", nullptr};
static const tegula_option *const options[] = {nullptr};

static const tegula_runtime_v1 runtimeTable = {
    .struct_size = sizeof(tegula_runtime_v1),
    .reserved = 0,
    .device_kinds = deviceKinds,
    .formats = formats,
    .options = options,
    .open = openDriver,
    .close = closeDriver,
    .enumerate = enumerateDevices,
    .device_info = deviceInfo,
    .device_query = queryDevice,
    .score = scoreVariant,
    .pointer_owner = pointerOwner,
    .create_context = adoptContext,
    .adopt_primary_context = adoptContext,
    .destroy_context = destroyContext,
    .device_lost = isLost,
    .alloc = allocate,
    .release = release,
    .copy = copy,
    .fill = fill,
    .peer_copy = peerCopy,
    .module_load = loadModule,
    .module_unload = unloadModule,
    .kernel_get = getKernel,
    .launch = launch,
    .print_drain = drainPrints,
    .stream_create = createStream,
    .stream_wrap = wrapStream,
    .stream_sync = syncStream,
    .stream_query = queryStream,
    .stream_wait_event = waitForEvent,
    .stream_destroy = destroyStream,
    .capture_state = captureState,
    .event_create = createEvent,
    .event_record = recordEvent,
    .event_sync = syncEvent,
    .event_query = queryEvent,
    .event_elapsed_ns = elapsed,
    .event_destroy = destroyEvent,
    .status_code = statusCode,
    .status_text = statusText,
    .status_hint = statusHint,
    .status_native_code = statusNativeCode,
    .status_native_name = statusNativeName,
    .status_free = freeStatus,
};

static const tegula_plugin plugin = {
    .struct_size = sizeof(tegula_plugin),
    .api_major = TEGULA_API_MAJOR,
    .api_minor = TEGULA_API_MINOR,
    .id = "nvidia",
    .version = "0.1.0",
    .vendor = "Tegula",
    .license = "Apache-2.0 WITH LLVM-exception",
    .components = TEGULA_RUNTIME,
    .sanitizers = TEGULA_SANITIZERS,
    .facts = &tegula_plugin_facts,
    .compiler = nullptr,
    .runtime = &runtimeTable,
    .report_to = nullptr,
};

const tegula_plugin *tegula_plugin_query(uint32_t hostMajor, uint32_t) {
  return hostMajor == TEGULA_API_MAJOR ? &plugin : nullptr;
}
