/*===- Status.c - Errors of simulated devices -----------------------------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "Fake.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tg_plugin_status no_memory = {TG_OUT_OF_MEMORY, 2, "FAKE_ERROR_OUT_OF_MEMORY", "",
                                     "out of memory"};

tg_plugin_status *fake_fail(uint32_t code, int32_t native, const char *native_name,
                            const char *format, ...) {
  tg_plugin_status *status = calloc(1, sizeof *status);
  if (!status) {
    return &no_memory;
  }
  status->code = code;
  status->native = native;
  status->native_name = native_name;
  va_list args;
  va_start(args, format);
  vsnprintf(status->text, sizeof status->text, format, args);
  va_end(args);
  return status;
}

void fake_status_free(tg_plugin_status *status) {
  if (status != &no_memory) {
    free(status);
  }
}

uint32_t fake_code(const char *name) {
  static const struct {
    const char *name;
    uint32_t code;
  } codes[] = {{"invalid", TG_INVALID},
               {"not-found", TG_NOT_FOUND},
               {"unavailable", TG_UNAVAILABLE},
               {"incompatible", TG_INCOMPATIBLE},
               {"out-of-memory", TG_OUT_OF_MEMORY},
               {"out-of-resources", TG_OUT_OF_RESOURCES},
               {"launch-failed", TG_LAUNCH_FAILED},
               {"timeout", TG_TIMEOUT},
               {"internal", TG_INTERNAL},
               {"assertion", TG_ASSERTION},
               {"device-lost", TG_DEVICE_LOST},
               {"unknown", 99}}; /* as a newer plugin might say */
  for (size_t i = 0; i < sizeof codes / sizeof *codes; ++i) {
    if (strcmp(codes[i].name, name) == 0) {
      return codes[i].code;
    }
  }
  return 0;
}
