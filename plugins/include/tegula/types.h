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

#include <stdint.h>

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
  TG_ASSERTION = 12,    /* a program of a kernel found that what it asserts does not hold */
  TG_DEVICE_LOST = 13   /* an earlier fault has made the device useless to this process */
} tg_code;

/* The error object of the C API; see tegula.h. */
typedef struct tg_status tg_status;

/* One option as text. Neither pointer is null; whoever passes it keeps both
 * alive until the call returns. */
typedef struct tg_kv {
  const char *key;
  const char *value;
} tg_kv;

/* What a device is. Strings live as long as the device. Zero or null:
 * unknown. */
typedef struct tg_device_info {
  uint32_t struct_size;
  int32_t ordinal;  /* index among this driver's devices */
  const char *kind; /* "cpu", "cuda", "hip": what arrays call their device */
  const char *id;   /* survives reboots and re-ordering: UUID, PCI address */
  const char *name; /* as the vendor prints it */
  const char *arch; /* comparable with `arch` of a target */
  const char *driver_version;
  const char *api_version;
  const char *pci_address;
  uint64_t memory_total, memory_free; /* bytes */
  uint32_t compute_units;             /* SMs, CUs, cores */
  uint32_t warp_size;                 /* 1 for CPUs */
  uint64_t shared_memory_per_block;   /* largest that one block may ask for */
  uint64_t shared_memory_per_unit;
  uint32_t registers_per_unit; /* 32-bit ones */
  uint32_t max_threads_per_block;
  uint32_t clock_khz; /* nominal */
  uint32_t memory_clock_khz;
  uint32_t memory_bus_bits;
  uint32_t l2_bytes;
  uint32_t max_grid[3];
  uint32_t reserved;
} tg_device_info;

/* Kinds of memory. */
typedef enum tg_mem_kind {
  TG_MEM_HOST = 0, /* ordinary host memory, not allocated by the plugin */
  TG_MEM_DEVICE = 1,
  TG_MEM_PINNED = 2, /* of the host, page-locked */
  TG_MEM_MANAGED = 3 /* reachable from both sides */
} tg_mem_kind;

/* What loading a kernel revealed. Zero: unknown or not applicable. */
typedef struct tg_kernel_info {
  uint32_t struct_size;
  uint32_t registers;            /* per thread */
  uint32_t spill_bytes;          /* per thread */
  uint32_t local_bytes;          /* per thread */
  uint32_t shared_static_bytes;  /* per block */
  uint32_t shared_dynamic_limit; /* most that `shared_bytes` of a launch may ask for */
  uint32_t max_threads_per_block;
  uint32_t blocks_per_unit; /* occupancy with the manifest's block size */
  uint32_t max_cluster;     /* in blocks */
  uint32_t code_bytes;
} tg_kernel_info;

/* Bits of the `flags` of a launch. A bit that the device cannot serve is the error
 * UNAVAILABLE, never ignored. */
typedef enum tg_launch_flag {
  TG_LAUNCH_COOPERATIVE = 1, /* all blocks resident together */
  TG_LAUNCH_DEPENDENT = 2    /* may start before its predecessor in the stream has
                                ended; the kernel itself waits for the data */
} tg_launch_flag;

/* Flags of events. */
enum { TG_EVENT_TIMING = 1 /* the time between it and another may be asked */ };

#endif /* TEGULA_TYPES_H */
