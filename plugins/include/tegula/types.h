/*===- types.h - Small types that all C headers of Tegula share -----------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*
|*
|* Included by tegula.h (the API for programs) and by plugin.h (the contract
|* with backends), so that one source file may include both. C11 and C++.
|*
\*===----------------------------------------------------------------------===*/

#ifndef TEGULA_TYPES_H
#define TEGULA_TYPES_H

/* What went wrong, coarsely: enough for a program to decide whether to retry,
 * skip or report. Numbers are never reused; new ones are only appended, so treat
 * an unknown one as TG_INTERNAL. */
typedef enum tg_code {
  TG_OK = 0,
  TG_INVALID = 1,       /* a wrong argument, file or option */
  TG_COMPILE_ERROR = 2, /* the kernel is wrong; the text has file:line:col */
  TG_NOT_FOUND = 3,     /* a kernel, file or plugin that does not exist */
  TG_UNAVAILABLE = 4,   /* no such device or driver on this machine */
  TG_INCOMPATIBLE = 5,  /* a plugin, artifact or device that does not fit */
  TG_OUT_OF_MEMORY = 6,
  TG_OUT_OF_RESOURCES = 7, /* registers, shared memory, grid limits */
  TG_LAUNCH_FAILED = 8,
  TG_TIMEOUT = 9,
  TG_INTERNAL = 10,     /* a fault of Tegula itself: please report */
  TG_TARGET_ERROR = 11, /* a target that does not exist, or a wrong descriptor of one */
  TG_ASSERTION = 12     /* a program of a kernel found that what it asserts does not hold */
} tg_code;

/* The error object of the C API; see tegula.h. */
typedef struct tg_status tg_status;

/* One option as text. Neither pointer is null; whoever passes it keeps both
 * alive until the call returns. */
typedef struct tg_kv {
  const char *key;
  const char *value;
} tg_kv;

#endif /* TEGULA_TYPES_H */
