/*===- HeadersTogether.c - Both C headers in one file ---------------------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*
|*
|* Compiled as C11 and as C++17, with every warning an error.
|*
\*===----------------------------------------------------------------------===*/

#include "tegula/plugin.h"
#include "tegula/tegula.h"

TEGULA_PLUGIN_NOTE("together", "compiler,runtime", "22.1.8", "hash");

/* The host reads a table of an older plugin without touching what it lacks. */
int has_last_slot(const tegula_runtime_v1 *table);
int has_last_slot(const tegula_runtime_v1 *table) {
  return TEGULA_HAS_FIELD(tegula_runtime_v1, table, status_free) && table->status_free != 0;
}
