/*===- device.h - Devices, memory, streams, events and launches -----------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*
|*
|* The part of the C API that runs kernels, on whatever devices the installed
|* plugins serve. Included by tegula.h, whose conventions hold. Nothing here loads
|* LLVM.
|*
|* A machine without devices, a plugin that does not load and a driver that is
|* missing are normal: they are left out of lists, and tg_device_problems tells of
|* them. An error of one device leaves the process and all other devices usable.
|*
\*===----------------------------------------------------------------------===*/

#ifndef TEGULA_DEVICE_H
#define TEGULA_DEVICE_H

#include "tegula/types.h"

#include <stddef.h>
#include <stdint.h>

#ifndef TG_API
#if defined(__GNUC__)
#define TG_API __attribute__((visibility("default")))
#else
#define TG_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct tg_artifact;

/*===-- Devices ------------------------------------------------------------===*/

/* A device: kind ("cpu", "cuda", ...) and ordinal among its kind. Devices live as
 * long as the process and are not freed. */
typedef struct tg_device tg_device;

/* Writes the first `capacity` devices of this machine, the best first: by plugin
 * ("cpu" last, others by name), then by ordinal. Only what is listed is opened: no
 * context is made before a device is used.
 *   kind:    null for all kinds; one that no plugin serves has no devices.
 *   devices: may be null when `capacity` is 0.
 *   count:   how many there are in all; 0 is no error. */
TG_API tg_status *tg_device_list(const char *kind, tg_device **devices, size_t capacity,
                                 size_t *count);
/*   Errors: UNAVAILABLE ("no-such-device") names the devices that are there. */
TG_API tg_status *tg_device_get(const char *kind, int ordinal, tg_device **device);
/* What kept plugins, drivers or single devices from being listed, as a JSON array of
 * {plugin, kind, code, id, message, hint}; "[]" when nothing did. Lives until this
 * thread's next call. */
TG_API tg_status *tg_device_problems(const char **json);

TG_API const char *tg_device_kind(const tg_device *device);
TG_API int tg_device_ordinal(const tg_device *device);
/* One line of text: "cuda:0 NVIDIA H200, sm_90, 132 compute units, 143771 MiB". */
TG_API const char *tg_device_describe(tg_device *device);
/* Set info->struct_size first. */
TG_API tg_status *tg_device_info_get(tg_device *device, tg_device_info *info);
/* Waits for all work of this process on the device, then does tg_device_print.
 *   Errors: also those of work that has failed since the last wait. */
TG_API tg_status *tg_device_sync(tg_device *device);
/* *lost is 1 when an earlier fault has made the device useless: all further work on
 * it fails with DEVICE_LOST, freeing does not. */
TG_API tg_status *tg_device_is_lost(tg_device *device, int *lost);
/* Has text that kernels have printed so far written to standard output. */
TG_API tg_status *tg_device_print(tg_device *device);

/*===-- Streams and events --------------------------------------------------===*/

/* An in-order queue of work. Wherever one is wanted, null is the default stream of
 * the device. Streams and events belong to one device; those of another are the
 * error INVALID ("other-device"). */
typedef struct tg_device_stream tg_device_stream;
/* A point in a stream. */
typedef struct tg_device_event tg_device_event;

TG_API tg_status *tg_stream_new(tg_device *device, tg_device_stream **stream);
/* Around the vendor's own stream (CUstream), which stays its owner's. */
TG_API tg_status *tg_stream_wrap(tg_device *device, void *native, tg_device_stream **stream);
TG_API tg_status *tg_stream_sync(tg_device_stream *stream);
TG_API tg_status *tg_stream_is_done(tg_device_stream *stream, int *done);
/* What is queued from now on runs after `event`, which may be of another device of
 * the same kind. */
TG_API tg_status *tg_stream_wait(tg_device_stream *stream, tg_device_event *event);
TG_API void tg_stream_free(tg_device_stream *stream); /* work queued still runs */

/*   flags: TG_EVENT_TIMING or 0 */
TG_API tg_status *tg_event_new(tg_device *device, uint32_t flags, tg_device_event **event);
TG_API tg_status *tg_event_record(tg_device_event *event, tg_device_stream *stream);
TG_API tg_status *tg_event_sync(tg_device_event *event);
TG_API tg_status *tg_event_is_done(tg_device_event *event, int *done);
/* Both recorded with TG_EVENT_TIMING and done.
 *   Errors: INVALID ("event-not-timed", "event-not-done") */
TG_API tg_status *tg_event_elapsed(tg_device_event *start, tg_device_event *end,
                                   uint64_t *nanoseconds);
TG_API void tg_event_free(tg_device_event *event);

/*===-- Memory --------------------------------------------------------------===*/

/* Memory of a device. Must outlive the work that uses it; tg_buffer_free waits for
 * the device first. */
typedef struct tg_buffer tg_buffer;

/*   kind: TG_MEM_DEVICE, TG_MEM_PINNED or TG_MEM_MANAGED. size: bytes, may be 0.
 *   Errors: OUT_OF_MEMORY, which leaves everything else as it was. */
TG_API tg_status *tg_buffer_new(tg_device *device, size_t size, uint32_t kind, tg_buffer **buffer);
TG_API void tg_buffer_free(tg_buffer *buffer); /* null is ignored */
/* As a kernel sees it: what goes into the argument block. */
TG_API uint64_t tg_buffer_address(const tg_buffer *buffer);
TG_API size_t tg_buffer_size(const tg_buffer *buffer);
TG_API tg_device *tg_buffer_device(const tg_buffer *buffer);
/* Between ordinary memory of this process and a buffer, in the order of the stream
 * (may be null); when the call returns, `data` has been read or is complete.
 *   Errors: INVALID ("buffer-range") if [offset, offset + size) leaves the buffer. */
TG_API tg_status *tg_buffer_write(tg_buffer *buffer, size_t offset, const void *data, size_t size,
                                  tg_device_stream *stream);
TG_API tg_status *tg_buffer_read(const tg_buffer *buffer, size_t offset, void *data, size_t size,
                                 tg_device_stream *stream);
/* Between buffers, also of two devices; in the order of a stream of the target's.
 *   Errors: INVALID ("buffer-range") also for two ranges of one buffer that overlap. */
TG_API tg_status *tg_buffer_copy(tg_buffer *target, size_t target_offset, const tg_buffer *source,
                                 size_t source_offset, size_t size, tg_device_stream *stream);
/* Repeats a 32-bit pattern; `size` need not be a multiple of 4. */
TG_API tg_status *tg_buffer_fill(tg_buffer *buffer, size_t offset, uint32_t pattern, size_t size,
                                 tg_device_stream *stream);

/*===-- Kernels -------------------------------------------------------------===*/

/* Code loaded for one device. */
typedef struct tg_kernel tg_kernel;
typedef void *tg_stream_handle; /* the vendor's own; null: the device's default stream */

/* Loads the object stage of an artifact for a device. The kernel keeps what it
 * needs; the artifact may be freed. */
TG_API tg_status *tg_kernel_load(const struct tg_artifact *artifact, tg_device *device,
                                 tg_kernel **kernel);
TG_API const char *tg_kernel_name(const tg_kernel *kernel);
TG_API tg_device *tg_kernel_device(const tg_kernel *kernel);
/* The manifest as JSON (docs/kernel-abi.md): arguments with offsets and sizes. */
TG_API const char *tg_kernel_manifest(const tg_kernel *kernel);
/* What loading has revealed. Set info->struct_size first. */
TG_API tg_status *tg_kernel_info_get(const tg_kernel *kernel, tg_kernel_info *info);
/* One run-time argument in the packed block. Strings live as long as the kernel. */
typedef struct tg_arg_info {
  uint32_t struct_size;
  uint32_t offset, size; /* bytes in the block */
  uint32_t divisibility; /* what the compile took for granted of the value; 1: nothing */
  const char *name;      /* "x"; of a descriptor "d", "d.shape.0", "d.strides.0" */
  const char *type;      /* as in signatures: "*fp32", "i32" */
  const char *access;    /* of a pointer (docs/kernel-abi.md); else "" */
} tg_arg_info;
TG_API size_t tg_kernel_num_args(const tg_kernel *kernel);
/* Set info->struct_size first.
 *   Errors: NOT_FOUND ("launch-arguments") if there is no such index. */
TG_API tg_status *tg_kernel_arg_get(const tg_kernel *kernel, size_t index, tg_arg_info *info);
/* Bytes of the packed argument block. */
TG_API size_t tg_kernel_args_size(const tg_kernel *kernel);
/* Launches grid[0] x grid[1] x grid[2] programs. A zero in `grid` is a no-op.
 *   args: packed as docs/kernel-abi.md says; copied before the call returns; may
 *         be null for a kernel without arguments.
 *   Errors: INVALID for a block that is too small, and for a pointer or number that
 *   is not divisible by what the kernel was compiled for ("misaligned");
 *   OUT_OF_RESOURCES for a grid beyond the device's limits ("invalid-grid").
 * CPU devices have finished when the call returns. */
TG_API tg_status *tg_kernel_launch(tg_kernel *kernel, const uint32_t grid[3], const void *args,
                                   size_t args_size, tg_stream_handle stream);

/* A launch with everything that can be said about it. */
typedef struct tg_launch_request {
  uint32_t struct_size;
  uint32_t flags; /* of tg_launch_flag */
  uint32_t grid[3];
  uint32_t cluster[3];   /* programs; 0: as compiled */
  uint32_t shared_bytes; /* dynamic shared memory on top of the kernel's own */
  const void *args;
  size_t args_size;
  tg_device_stream *stream; /* may be null */
  void *native_stream;      /* the vendor's own; not together with `stream` */
} tg_launch_request;
/*   Errors: as tg_kernel_launch; UNAVAILABLE for a flag that the device cannot serve. */
TG_API tg_status *tg_kernel_launch_request(tg_kernel *kernel, const tg_launch_request *request);
TG_API void tg_kernel_free(tg_kernel *kernel);

#ifdef __cplusplus
}
#endif

#endif /* TEGULA_DEVICE_H */
