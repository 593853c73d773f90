/*===- Backend.h - What a fixture's table says to its backend -------------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*
|*
|* Backend.cpp is compiled once; each fixture links it to a table of its own.
|*
\*===----------------------------------------------------------------------===*/

#ifndef TEGULA_TEST_PLUGINS_BACKEND_H
#define TEGULA_TEST_PLUGINS_BACKEND_H

#ifdef __cplusplus
extern "C" {
#endif

#define HIDDEN __attribute__((visibility("hidden")))

/* What is really registered; lists end with null. */
extern HIDDEN const char *const fixture_dialects[];
extern HIDDEN const char *const fixture_passes[];
extern HIDDEN const char *const fixture_pipelines[];
/* Where to crash: "identity", "backend", "dialects", "passes", or "". */
extern HIDDEN const char *const fixture_crash;

HIDDEN void *fixture_backend(void);
HIDDEN void fixture_identity(const void *ids[4]);

#ifdef __cplusplus
}
#endif

#endif
