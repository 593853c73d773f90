/*===- Runtime.h - What the files of the runtime half share ---------------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#ifndef EXAMPLE_RUNTIME_H
#define EXAMPLE_RUNTIME_H

#include "tegula/plugin.h"

/* An error: what the host reads through the status slots of the table. */
struct tg_plugin_status {
  uint32_t code;
  char text[256];
};

/* A new one; `format` as in printf. */
__attribute__((format(printf, 2, 3))) tg_plugin_status *example_fail(uint32_t code,
                                                                     const char *format, ...);

/* The processor family of this library: what `arch` of a target is compared with. */
const char *example_arch(void);

/* Module.c */
tg_plugin_status *example_module_load(tg_context *context, const void *image, size_t size,
                                      const tg_variant *variant, tg_module **module);
void example_module_unload(tg_module *module);
tg_plugin_status *example_kernel_get(tg_module *module, const char *name, tg_function **function,
                                     tg_kernel_info *info);
tg_plugin_status *example_launch(tg_function *function, const tg_launch *launch, tg_stream *stream);

#endif /* EXAMPLE_RUNTIME_H */
