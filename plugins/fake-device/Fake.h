/*===- Fake.h - Devices that are not there --------------------------------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* A runtime half in plain C that simulates devices of several kinds, so that
|* choosing, errors and losses can be tested where there is no such hardware. Its
|* devices run small programs given as text (Program.c) on a thread of their own,
|* so that streams and events are as asynchronous as those of real devices.
|*
|* TEGULA_FAKE_DEVICES says which devices there are: statements, one a line or
|* parted by ';', or the path of a file that holds them (it then has a '/' and no
|* '=' in it). '#' starts a comment. Without it there are no devices.
|*
|*   device KIND [KEY=VALUE ...]     KIND: fake, fake-cuda, fake-hip or fake-npu
|*     name="Fake One"    as shown               default: "Fake device"
|*     arch=f1            architecture           default: f1
|*     id=a               stable identity        default: fake-INDEX
|*     memory=64M         bytes, with K, M or G  default: 256M
|*     units=4            compute units          default: 1
|*     grid=1024          largest extent of a grid, each way      default: 2147483647
|*     shared=48K         most dynamic shared memory of a launch  default: 64K
|*     cluster=8          largest cluster; 0: none                default: 0
|*     cooperative=1, dependent=1    the launch flags it serves   default: 0
|*     peers=0            whether it reaches other devices        default: 1
|*     delay=100          microseconds that each queued piece of work takes  default: 0
|*     lose=5             its fifth program makes it useless      default: never
|*     accepts=fake/f1:90,cubin:40    scores by format and architecture, the first
|*                        that fits counts; default: format fake, and of its own
|*                        architecture 100, of a lower number of the same letters
|*                        70, of "any" 10
|*   fail SLOT [device=N] [at=K] [times=M] [code=NAME] [text="..."]
|*     The K-th call (default: the next) of a slot of tegula_runtime_v1 fails, and
|*     M - 1 more (default 1). NAME as the tg_code without TG_: "out-of-memory"
|*     (default: launch-failed). The slot `run` is a program that fails while it
|*     runs, which the next wait for its stream tells.
|*   driver missing                  open answers UNAVAILABLE
|*
|* TEGULA_FAKE_VISIBLE=2,0 leaves only these devices, in this order, as the vendors'
|* own variables do.
|*
|* Tests get more from tegula_fake_control, which is exported:
|*   any statement `fail`; `lose N`, `revive N`, `clear` (plans, counters and trace)
|*
\*===----------------------------------------------------------------------===*/

#ifndef TEGULA_FAKE_H
#define TEGULA_FAKE_H

#include "tegula/plugin.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A second library with the same sources and another identity may be built. */
#ifndef FAKE_ID
#define FAKE_ID "fake"
#endif

/* Slots that are counted and can be made to fail; `run` is none of the table's. */
/* clang-format off */
#define FAKE_SLOTS(X) \
  X(open) X(enumerate) X(device_info) X(device_query) X(score) X(pointer_owner) \
  X(create_context) X(adopt_primary_context) X(device_lost) X(alloc) X(release) X(copy) \
  X(fill) X(peer_copy) X(module_load) X(kernel_get) X(launch) X(print_drain) \
  X(stream_create) X(stream_wrap) X(stream_sync) X(stream_query) X(stream_wait_event) \
  X(capture_state) X(event_create) X(event_record) X(event_sync) X(event_query) \
  X(event_elapsed_ns) X(run)
/* clang-format on */
typedef enum fake_slot {
#define FAKE_SLOT(name) FAKE_SLOT_##name,
  FAKE_SLOTS(FAKE_SLOT)
#undef FAKE_SLOT
      FAKE_NUM_SLOTS
} fake_slot;

enum { FAKE_MAX_DEVICES = 16, FAKE_MAX_ACCEPTS = 16, FAKE_MAX_PLANS = 64, FAKE_TEXT = 96 };

/*===-- Statuses (Status.c) -------------------------------------------------===*/

struct tg_plugin_status {
  uint32_t code;
  int32_t native;
  const char *native_name; /* a literal */
  char hint[FAKE_TEXT];
  char text[512];
};
/* `native_name` may be "". Never null. */
tg_plugin_status *fake_fail(uint32_t code, int32_t native, const char *native_name,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));
void fake_status_free(tg_plugin_status *status);
/* "out-of-memory" <-> TG_OUT_OF_MEMORY; 0 for other words. */
uint32_t fake_code(const char *name);

/*===-- The driver (Config.c, Device.c) ------------------------------------===*/

typedef struct fake_accept {
  char format[FAKE_TEXT], arch[FAKE_TEXT]; /* arch "": any */
  int32_t score;
} fake_accept;

typedef struct fake_plan {
  fake_slot slot;
  int device; /* -1: any */
  uint64_t first, last;
  uint32_t code;
  char text[FAKE_TEXT];
} fake_plan;

/* One piece of memory. */
typedef struct fake_piece {
  struct fake_piece *next;
  char *bytes;
  size_t size;
  uint32_t kind;
} fake_piece;

typedef struct fake_device {
  int index; /* in the configuration; objects and plans count by it */
  const char *kind;
  char name[FAKE_TEXT], arch[FAKE_TEXT], id[FAKE_TEXT];
  uint64_t memory, units, grid, shared, cluster, cooperative, dependent, peers, delay, lose;
  fake_accept accepts[FAKE_MAX_ACCEPTS];
  int num_accepts;

  /* With the lock held. */
  uint64_t calls[FAKE_NUM_SLOTS], programs;
  uint64_t used, contexts, modules, streams, events;
  fake_piece *pieces;
  bool is_lost;
  char *printed;
  size_t printed_size;

  pthread_t worker;
  bool has_worker, must_stop;
  tg_stream *queues; /* all streams, the default one included */
  tg_stream *default_stream;
} fake_device;

struct tg_driver {
  fake_device devices[FAKE_MAX_DEVICES];
  int num_devices;
  fake_device *visible[FAKE_MAX_DEVICES];
  int num_visible;
  fake_plan plans[FAKE_MAX_PLANS];
  int num_plans;
  bool is_missing, is_open;
  uint64_t calls[FAKE_NUM_SLOTS]; /* of open and enumerate */
};

struct tg_context {
  fake_device *device;
};

/* One driver, one lock for all of it, and one signal for whatever changes. */
extern tg_driver fake_driver;
extern pthread_mutex_t fake_lock;
extern pthread_cond_t fake_changed;
extern const char *const fake_kinds[];

/* Reads statements into the driver. False: `error` says what is wrong. */
bool fake_configure(const char *text, bool is_control, char *error, size_t capacity);

/* With the lock held: counts the call, and answers with what is planned for it.
 * `device` may be null. */
tg_plugin_status *fake_enter(fake_slot slot, fake_device *device);
/* The same for work, which a lost device refuses. */
tg_plugin_status *fake_enter_work(fake_slot slot, fake_device *device);
tg_plugin_status *fake_lost_status(const fake_device *device);
/* A device as the host numbers it, or null. */
fake_device *fake_visible(int device);
/* Appends a line to the trace. */
void fake_trace(const fake_device *device, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*===-- Asking the driver (Device.c) ---------------------------------------===*/

tg_plugin_status *fake_open(const tg_kv *options, size_t num_options, tg_driver **driver);
void fake_close(tg_driver *driver);
tg_plugin_status *fake_enumerate(tg_driver *driver, size_t *count);
tg_plugin_status *fake_device_info(tg_driver *driver, int device, tg_device_info *info);
tg_plugin_status *fake_query(tg_driver *driver, int device, uint32_t key, tg_value *value);
tg_plugin_status *fake_score(tg_driver *driver, int device, const tg_variant *variant,
                             int32_t *score, char *why, size_t capacity);
tg_plugin_status *fake_create_context(tg_driver *driver, int device, tg_context **context);
tg_plugin_status *fake_adopt_context(tg_driver *driver, int device, tg_context **context);
void fake_destroy_context(tg_context *context);
tg_plugin_status *fake_device_lost(tg_context *context, int *lost);
tg_plugin_status *fake_print_drain(tg_context *context, tg_print_sink sink, void *user);

/*===-- Memory (Memory.c) --------------------------------------------------===*/

tg_plugin_status *fake_alloc(tg_context *context, size_t size, uint32_t flags, tg_mem *mem);
tg_plugin_status *fake_release(tg_context *context, tg_mem mem);
tg_plugin_status *fake_copy(tg_context *context, tg_mem target, size_t target_offset, tg_mem source,
                            size_t source_offset, size_t size, tg_stream *stream);
tg_plugin_status *fake_fill(tg_context *context, tg_mem mem, size_t offset, uint32_t pattern,
                            size_t size, tg_stream *stream);
tg_plugin_status *fake_peer_copy(tg_context *target_context, tg_mem target, size_t target_offset,
                                 tg_context *source_context, tg_mem source, size_t source_offset,
                                 size_t size, tg_stream *stream);
tg_plugin_status *fake_pointer_owner(tg_driver *driver, uint64_t address, tg_pointer_info *info);
/* Whether the range lies in memory of the device. */
bool fake_owns(const fake_device *device, uint64_t address, uint64_t size);

/*===-- Programs (Program.c) -----------------------------------------------===*/

typedef enum fake_op {
  FAKE_FILL,
  FAKE_ADD,
  FAKE_COPY,
  FAKE_CHECK,
  FAKE_PRINT,
  FAKE_SLEEP,
  FAKE_FAULT
} fake_op;

/* A number, or the 32-bit word at that offset of the arguments. */
typedef struct fake_operand {
  bool is_argument;
  uint32_t value;
} fake_operand;

typedef struct fake_step {
  fake_op op;
  fake_operand operands[3];
  char text[FAKE_TEXT];
} fake_step;

struct tg_function {
  tg_module *module;
  char name[FAKE_TEXT];
  uint32_t registers, shared, threads;
  fake_step *steps;
  size_t num_steps;
};

struct tg_module {
  fake_device *device;
  tg_function **functions;
  size_t num_functions;
  bool takes_any_name; /* foreign code: every kernel is there and does nothing */
};

tg_plugin_status *fake_module_load(tg_context *context, const void *image, size_t size,
                                   const tg_variant *variant, tg_module **module);
void fake_module_unload(tg_module *module);
tg_plugin_status *fake_kernel_get(tg_module *module, const char *name, tg_function **function,
                                  tg_kernel_info *info);
/* With the lock held; may let it go while it sleeps. Null, or what went wrong. */
tg_plugin_status *fake_run(fake_device *device, const tg_function *function, const char *args,
                           size_t args_size, const uint32_t grid[3]);

/*===-- Streams, events, launches (Queue.c) --------------------------------===*/

typedef enum fake_work_kind {
  FAKE_WORK_COPY,
  FAKE_WORK_FILL,
  FAKE_WORK_RUN,
  FAKE_WORK_RECORD,
  FAKE_WORK_WAIT
} fake_work_kind;
typedef struct fake_work {
  struct fake_work *next;
  fake_work_kind kind;
  char *target, *source;
  size_t size;
  uint32_t pattern;
  const tg_function *function;
  uint32_t grid[3];
  tg_event *event;
  uint64_t event_turn;
  uint64_t number;
  size_t num_bytes; /* of `bytes`: arguments, or a copy of what is on the host */
  char bytes[];
} fake_work;

struct tg_stream {
  tg_stream *next;
  fake_device *device;
  int number; /* 0: the default one */
  fake_work *first, *last;
  uint64_t queued, done; /* pieces of work */
  bool is_running, is_destroyed;
  tg_plugin_status *failure; /* of work that has run; the next wait tells */
};

struct tg_event {
  fake_device *device;
  uint64_t turns, done; /* how often recorded, and how many of these have happened */
  uint64_t nanoseconds;
  int references;
};

/* `extra` bytes behind it. Null: no memory. */
fake_work *fake_new_work(fake_work_kind kind, size_t extra);
/* With the lock held. The stream takes the work. */
void fake_queue(fake_device *device, tg_stream *stream, fake_work *work);
/* With the lock held: waits for all work of the stream, null: of all streams. */
tg_plugin_status *fake_wait(fake_device *device, tg_stream *stream);
tg_stream *fake_stream_or_default(fake_device *device, tg_stream *stream);
/* With the lock held. All that is queued will never run. */
void fake_lose(fake_device *device);
bool fake_start(fake_device *device);
void fake_stop(fake_device *device);

tg_plugin_status *fake_launch(tg_function *function, const tg_launch *launch, tg_stream *stream);
tg_plugin_status *fake_stream_create(tg_context *context, uint32_t flags, tg_stream **stream);
tg_plugin_status *fake_stream_wrap(tg_context *context, void *native, tg_stream **stream);
tg_plugin_status *fake_stream_sync(tg_context *context, tg_stream *stream);
tg_plugin_status *fake_stream_query(tg_context *context, tg_stream *stream, int *done);
tg_plugin_status *fake_stream_wait_event(tg_context *context, tg_stream *stream, tg_event *event);
void fake_stream_destroy(tg_stream *stream);
tg_plugin_status *fake_capture_state(tg_context *context, tg_stream *stream, void *native,
                                     int *state);
tg_plugin_status *fake_event_create(tg_context *context, uint32_t flags, tg_event **event);
tg_plugin_status *fake_event_record(tg_context *context, tg_event *event, tg_stream *stream);
tg_plugin_status *fake_event_sync(tg_event *event);
tg_plugin_status *fake_event_query(tg_event *event, int *done);
tg_plugin_status *fake_event_elapsed(tg_event *start, tg_event *end, uint64_t *nanoseconds);
void fake_event_destroy(tg_event *event);

/*===-- For tests -----------------------------------------------------------===*/

/* Null: done; else what is wrong with the statement. */
TEGULA_PLUGIN_EXPORT const char *tegula_fake_control(const char *text);
/* Calls of a slot by its name, or "live-buffers", "live-bytes", "live-contexts",
 * "live-modules", "live-streams", "live-events", "programs". Device -1: of the
 * driver. ~0: no such thing. */
TEGULA_PLUGIN_EXPORT uint64_t tegula_fake_count(int device, const char *what);
/* What has run since `clear`, in order: lines "DEVICE.STREAM what". */
TEGULA_PLUGIN_EXPORT const char *tegula_fake_trace(void);

#endif /* TEGULA_FAKE_H */
