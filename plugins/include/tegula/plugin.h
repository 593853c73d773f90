/*===- plugin.h - The contract between Tegula and a backend plugin --------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*
|*
|* A backend is one or two shared libraries named libtegula-<id>.so and
|* libtegula-<id>-rt.so. Each exports one function, tegula_plugin_query, which
|* returns a constant table. A table offers up to two components:
|*
|*   COMPILER  turns tile IR into code. It exchanges C++ objects of MLIR with the
|*             host and is therefore valid for exactly one LLVM and one set of
|*             Tegula headers; the host verifies both before it uses anything.
|*   RUNTIME   lists devices, loads code and launches it. Plain C, no LLVM, and
|*             stable: a library built against API 1.0 serves every host 1.x.
|*
|* Two libraries are recommended, so that running a kernel never loads LLVM.
|*
|* This header needs nothing but <stddef.h>, <stdint.h> and types.h, is valid
|* C11 and C++11, and may be included together with tegula.h.
|*
|* Rules that hold for everything below
|*
|*   Growth:     every struct that may grow starts with `struct_size`, set by
|*               whoever allocates it to its own sizeof. A reader tests the size
|*               before it reads a field (TEGULA_HAS_FIELD) and takes a missing
|*               field as zero. Larger structs than expected are welcome. Nothing
|*               is renumbered or removed within one major version.
|*   Null slots: a function pointer that is null means "not offered". Slots
|*               marked * must be there for the component to be accepted.
|*   Strings:    UTF-8, zero-terminated. Those in constant tables live as long as
|*               the library, which is never unloaded. Those that the host passes
|*               in live until the call returns: copy what you keep.
|*   Errors:     functions returning tg_plugin_status * return null for success.
|*               The object is the plugin's own; the host reads it through the
|*               status slots of the same table and frees it with status_free.
|*   Exceptions: none may cross the border, in either direction. Nothing may
|*               abort, exit, or change signal handlers or the locale; nothing
|*               prints, but for what kernels themselves print.
|*   Threads:    every slot may be called from any thread at any time, except
|*               that no object is used while or after it is destroyed.
|*   Globals:    no static constructor may do work; tegula_plugin_query is pure.
|*
|* How a library is found and checked
|*
|*   1. by file name, in the folder of first-party plugins and then in those of
|*      TEGULA_PLUGIN_PATH; or by the path that a target descriptor gives
|*   2. by its ELF note (below), read from the file: no code runs
|*   3. dlopen(RTLD_NOW | RTLD_LOCAL)
|*   4. tegula_plugin_query, version and struct sizes
|*   5. build facts, for the compiler component; then the identity probe
|*   6. declared names against those already taken
|*   7. registration
|*
|* The first failing step decides the message; its code is E100 ... E180
|* (docs/plugin-abi.md has the list; tegula-plugin inspect FILE shows every step). A
|* plugin that does not load never disturbs work that does not need it.
|*
\*===----------------------------------------------------------------------===*/

#ifndef TEGULA_PLUGIN_H
#define TEGULA_PLUGIN_H

#include "tegula/types.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*===-- Versions ------------------------------------------------------------===*/

/* Major: a break; the host refuses any other. Minor: appended fields and slots
 * only; a plugin with a larger minor than the host's is still accepted. */
#define TEGULA_API_MAJOR 1u
#define TEGULA_API_MINOR 1u /* changes by version: docs/plugin-abi.md */

/* Put in front of tegula_plugin_query when the library hides its symbols, as it
 * should. */
#define TEGULA_PLUGIN_EXPORT __attribute__((visibility("default")))

/* Whether the struct behind `pointer` is large enough to hold `field`. */
#define TEGULA_HAS_FIELD(type, pointer, field)                                                     \
  ((pointer)->struct_size >= offsetof(type, field) + sizeof((pointer)->field))

/*===-- The ELF note --------------------------------------------------------===*/

/* A note in section .note.tegula tells the host what a file is before any of its
 * code runs. Its name is "Tegula", its type TEGULA_NOTE_TYPE, and its content a
 * sequence of zero-terminated "key=value" strings:
 *
 *   id=<plugin id>                    [a-z][a-z0-9-]*
 *   components=compiler|runtime|compiler,runtime
 *   api=<major>.<minor>
 *   llvm=<major>.<minor>.<patch>      empty for a library without LLVM
 *   headers=<hash>                    of Tegula's public headers; empty likewise
 *
 * Unknown keys are ignored. The CMake function tegula_add_backend_plugin writes the note
 * and the build facts; other build systems use this macro once, at file scope of
 * one source file, with string literals. */
#define TEGULA_NOTE_NAME "Tegula"
#define TEGULA_NOTE_TYPE 1u
#define TEGULA_STRINGIFY_(x) #x
#define TEGULA_STRINGIFY(x) TEGULA_STRINGIFY_(x)
#define TEGULA_NOTE_TEXT(id, components, llvm, headers)                                            \
  "id=" id "\0components=" components "\0api=1.1\0llvm=" llvm "\0headers=" headers
#define TEGULA_PLUGIN_NOTE(id, components, llvm, headers)                                          \
  __attribute__((section(".note.tegula"), used, aligned(4))) static const struct {                 \
    uint32_t name_size, content_size, type;                                                        \
    char name[8]; /* "Tegula", its zero, and one byte of padding */                                \
    char content[(sizeof(TEGULA_NOTE_TEXT(id, components, llvm, headers)) + 3) & ~(size_t)3];      \
  } tegula_plugin_note = {7, sizeof(TEGULA_NOTE_TEXT(id, components, llvm, headers)),              \
                          TEGULA_NOTE_TYPE, TEGULA_NOTE_NAME,                                      \
                          TEGULA_NOTE_TEXT(id, components, llvm, headers)}

/*===-- Build facts ---------------------------------------------------------===*/

/* Bits of tegula_plugin.sanitizers. Host and compiler component must agree. */
enum { TEGULA_SANITIZER_ADDRESS = 1, TEGULA_SANITIZER_THREAD = 2, TEGULA_SANITIZER_MEMORY = 4 };

/* The value for the file being compiled. */
#if defined(__has_feature)
#define TEGULA_HAS_FEATURE_(x) __has_feature(x)
#else
#define TEGULA_HAS_FEATURE_(x) 0
#endif
#if TEGULA_HAS_FEATURE_(address_sanitizer) || defined(__SANITIZE_ADDRESS__)
#define TEGULA_SANITIZERS 1u
#elif TEGULA_HAS_FEATURE_(thread_sanitizer) || defined(__SANITIZE_THREAD__)
#define TEGULA_SANITIZERS 2u
#elif TEGULA_HAS_FEATURE_(memory_sanitizer)
#define TEGULA_SANITIZERS 4u
#else
#define TEGULA_SANITIZERS 0u
#endif

/* What a compiler component was built against. Compared with the host's own:
 * LLVM major and minor, header hash, sanitizers and C++ ABI must be equal (E140 ...
 * E143); a different build id is a warning, or E150 under TEGULA_PLUGIN_ABI=strict. */
typedef struct tegula_build_facts {
  uint32_t struct_size;
  uint16_t llvm_major, llvm_minor, llvm_patch;
  uint16_t reserved;
  const char *mlir_build_id; /* hex digits of libMLIR's build id, or "" */
  const char *llvm_build_id; /* of libLLVM's */
  const char *core_header_hash;
  const char *cxx_abi; /* "clang/libstdc++/cxx11/rtti=1/eh=0/abi_checks=0" */
} tegula_build_facts;

/* Facts of the library being built, in the file that tegula_add_backend_plugin adds to
 * it. Point tegula_plugin.facts here. */
extern __attribute__((visibility("hidden"))) const tegula_build_facts tegula_plugin_facts;

/*===-- Options of a target -------------------------------------------------===*/

/* Kinds of option values, as written in YAML. */
typedef enum tegula_option_kind {
  TEGULA_OPTION_BOOL = 1,   /* true, false */
  TEGULA_OPTION_INT = 2,    /* `minimum` <= value <= `maximum` unless both are 0 */
  TEGULA_OPTION_STRING = 3, /* any text */
  TEGULA_OPTION_CHOICE = 4, /* one of `choices` */
  TEGULA_OPTION_LIST = 5    /* a list of strings; arrives joined with commas */
} tegula_option_kind;

/* One key that may stand under `options:` of a target. The host checks
 * descriptors against these tables, so that a wrong key or value is reported with
 * its line and column and without running the backend. Values reach the backend
 * as text: "true", "8", "large". */
typedef struct tegula_option {
  uint32_t struct_size;
  uint32_t kind; /* tegula_option_kind */
  const char *name;
  const char *default_value;  /* as text; null: none, the backend decides */
  const char *help;           /* one line */
  int64_t minimum, maximum;   /* for INT */
  const char *const *choices; /* for CHOICE: ends with null */
} tegula_option;

/*===-- The compiler component ----------------------------------------------===*/

/* All lists end with null. What is declared here is checked against the names
 * already registered (E170) before `backend` is called; registering anything not
 * declared is a fault of the plugin. */
typedef struct tegula_compiler_v1 {
  uint32_t struct_size;
  uint32_t reserved;
  const char *const *dialects;         /* namespaces: "tile_cpu" */
  const char *const *passes;           /* arguments, each starting with "<id>-" */
  const char *const *pipelines;        /* "<id>-lower", ... */
  const tegula_option *const *options; /* options that matter for compiling */
  const char *const *arch_examples;    /* valid values of `arch`, for messages */
  const char *const *emit_formats;     /* valid entries of `emit`: "elf-so" */
  const char *const *device_kinds;     /* devices that run the code: "cpu" */

  /* * The backend: a `tegula::compiler::BackendCompiler *` (header
   * tegula/Compiler/BackendCompiler.h), the same object at each call, which lives
   * as long as the library. Called only after every check has passed. */
  void *(*backend)(void);

  /* * Identity probe. Stores what this library believes to be
   *     ids[0]  the TypeID of mlir::ModuleOp
   *     ids[1]  the TypeID of mlir::FunctionOpInterface
   *     ids[2]  the TypeID of mlir::OpTrait::IsTerminator
   *     ids[3]  the address of one function or object of libLLVM, namely
   *             &llvm::DebugFlag
   * each as an opaque pointer. The host compares them with what libMLIR and
   * libLLVM themselves use. A difference means that the library carries a second
   * copy of either, or was built with another compiler family; passes would then
   * be silently wrong, so it is refused (E160). */
  void (*identity)(const void *ids[4]);
} tegula_compiler_v1;

/*===-- Objects of the runtime component ------------------------------------===*/

/* All are the plugin's own and opaque to the host.
 *
 *   tg_driver     the vendor's library, opened; at most one per process is used
 *   tg_context    a device made ready for work
 *   tg_module     code loaded into a context
 *   tg_function   one kernel of a module; lives as long as the module
 *   tg_stream     an in-order queue of a context. Null: its default stream
 *   tg_event      a point in a stream
 *
 * Contexts are destroyed after everything made from them, drivers last. */
typedef struct tg_driver tg_driver;
typedef struct tg_context tg_context;
typedef struct tg_module tg_module;
typedef struct tg_function tg_function;
typedef struct tg_stream tg_stream;
typedef struct tg_event tg_event;

/* The plugin's error object. Not the tg_status of tegula.h: the host copies its
 * text into one of those. Allocation of it may itself fail; a plugin then returns
 * the address of a static one, which its status_free ignores. */
typedef struct tg_plugin_status tg_plugin_status;

/* One answer of device_query. */
typedef enum tg_value_kind {
  TG_VALUE_NONE = 0,
  TG_VALUE_INT = 1,
  TG_VALUE_FLOAT = 2,
  TG_VALUE_STRING = 3
} tg_value_kind;

typedef struct tg_value {
  uint32_t struct_size;
  uint32_t kind; /* tg_value_kind */
  int64_t integer;
  double number;
  const char *text; /* lives as long as the driver */
} tg_value;

/* Keys of device_query. Unknown keys answer TG_VALUE_NONE with success. */
typedef enum tg_query {
  TG_QUERY_MEMORY_FREE = 1,       /* bytes, now */
  TG_QUERY_CLOCK_KHZ = 2,         /* current clock of the cores */
  TG_QUERY_TEMPERATURE = 3,       /* degrees Celsius */
  TG_QUERY_COMPUTE_MODE = 4,      /* text */
  TG_QUERY_COOPERATIVE = 5,       /* 1 if TG_LAUNCH_COOPERATIVE works */
  TG_QUERY_CLUSTER = 6,           /* largest cluster, in blocks; 0: none */
  TG_QUERY_DEPENDENT_LAUNCH = 7,  /* 1 if TG_LAUNCH_DEPENDENT works */
  TG_QUERY_MANAGED_MEMORY = 8,    /* 1 if TG_MEM_MANAGED may be allocated */
  TG_QUERY_UNIFIED_ADDRESSING = 9 /* 1 if host memory is reachable by its address */
} tg_query;

/* A piece of memory, passed by value: this struct never changes. The host makes
 * one of kind TG_MEM_HOST, or one around a foreign device pointer with a null
 * `owner`; all others come from alloc. */
typedef struct tg_mem {
  uint64_t address; /* as a kernel sees it */
  uint64_t size;    /* bytes; 0: unknown, ranges are then not checked */
  uint32_t kind;    /* tg_mem_kind */
  int32_t device;   /* ordinal; -1 for the host */
  void *owner;      /* the plugin's; null for memory it did not allocate */
} tg_mem;

/* Whose memory a pointer is; the answer of pointer_owner. */
typedef struct tg_pointer_info {
  uint32_t struct_size;
  uint32_t kind;  /* tg_mem_kind; TG_MEM_HOST also for "never seen" */
  int32_t device; /* ordinal; -1 for the host */
  uint32_t reserved;
  uint64_t base; /* start and size of the allocation; 0: unknown */
  uint64_t size;
} tg_pointer_info;

/* Compiled code and the facts to choose and load it by. Everything lives until
 * the call returns. */
typedef struct tg_variant {
  uint32_t struct_size;
  uint32_t num_features;
  const char *backend; /* plugin id */
  const char *triple;
  const char *arch;            /* "native" was replaced by the real one */
  const char *format;          /* "elf-so", "cubin", "ptx", "hsaco" */
  const char *const *features; /* num_features of "+x" or "-x" the code relies on */
  const char *manifest;        /* the whole manifest as JSON (docs/kernel-abi.md) */
  /* Scalars at the top of the manifest, as text: scratch_bytes, num_warps, ... A
   * plugin that needs no more than these needs no JSON reader. */
  const tg_kv *facts;
  size_t num_facts;
  const tg_kv *options; /* `options:` of the target the code was compiled for */
  size_t num_options;
} tg_variant;

/* One launch. */
typedef struct tg_launch {
  uint32_t struct_size;
  uint32_t flags;        /* tg_launch_flag */
  uint32_t grid[3];      /* programs; none is 0: the host drops empty launches */
  uint32_t block[3];     /* threads of one program; 0: from the manifest */
  uint32_t cluster[3];   /* programs; 0: from the manifest */
  uint32_t shared_bytes; /* dynamic shared memory on top of the manifest's */
  const void *args;      /* packed as docs/kernel-abi.md says, at an 8-byte boundary;
                            read before the call returns */
  size_t args_size;
  void *native_stream; /* a stream of the vendor's own kind that some other library
                          owns; used instead of the tg_stream when not null, so that
                          launching into it needs no wrapping */
} tg_launch;

/* Answers of capture_state. */
enum { TG_CAPTURE_NONE = 0, TG_CAPTURE_ACTIVE = 1, TG_CAPTURE_BROKEN = 2 };

/* Receives text that kernels printed; `size` bytes, not terminated. */
typedef void (*tg_print_sink)(void *user, const char *text, size_t size);

/*===-- The runtime component -----------------------------------------------===*/

typedef struct tegula_runtime_v1 {
  uint32_t struct_size;
  uint32_t reserved;
  const char *const *device_kinds;     /* * "cuda"; ends with null */
  const char *const *formats;          /* * formats module_load takes */
  const tegula_option *const *options; /* options that matter when running; may list
                                          those of the compiler half too, so that a
                                          descriptor is checked without LLVM */

  /*-- Driver and devices --*/

  /* * Opens the vendor's library with dlopen. Called until it succeeds, never again
   * after it has, or has answered UNAVAILABLE.
   *   options: from `runtime: library:` of the descriptor: key "path".
   *   Errors:  UNAVAILABLE when the library is not there, naming every name that
   *            was tried and the loader's reason. A machine without devices is no
   *            error: enumerate then counts 0. */
  tg_plugin_status *(*open)(const tg_kv *options, size_t num_options, tg_driver **driver);
  /* All contexts are gone by then. */
  void (*close)(tg_driver *driver);
  /* * Number of devices, in the vendor's order, after the vendor's own environment
   * variables for hiding some. */
  tg_plugin_status *(*enumerate)(tg_driver *driver, size_t *count);
  /* * `info->struct_size` is set by the host; fill in what fits. */
  tg_plugin_status *(*device_info)(tg_driver *driver, int device, tg_device_info *info);
  tg_plugin_status *(*device_query)(tg_driver *driver, int device, uint32_t key, tg_value *value);
  /* * How well `device` runs `variant`: larger is better, negative is "cannot".
   *     100  made for exactly this chip        70  for an older one of its family
   *      40  must still be compiled by the driver    10  runs on any such device
   *   why:    receives the reason in words, cut to `capacity` bytes with the zero;
   *           when negative, what is missing: "needs avx512f, which this CPU lacks". */
  tg_plugin_status *(*score)(tg_driver *driver, int device, const tg_variant *variant,
                             int32_t *score, char *why, size_t capacity);
  /* Whose memory `address` is. Must be cheap: it runs once per new array. */
  tg_plugin_status *(*pointer_owner)(tg_driver *driver, uint64_t address, tg_pointer_info *info);

  /*-- Contexts --*/

  /* * A context that shares the device with others in the process. */
  tg_plugin_status *(*create_context)(tg_driver *driver, int device, tg_context **context);
  /* The context that the vendor's own runtime library uses (and with it torch and
   * others), so that pointers and streams may be exchanged. Preferred over
   * create_context where offered; not destroyed by destroy_context, only let go. */
  tg_plugin_status *(*adopt_primary_context)(tg_driver *driver, int device, tg_context **context);
  void (*destroy_context)(tg_context *context);
  /* Sets *lost to 1 when an earlier error has made the context useless. */
  tg_plugin_status *(*device_lost)(tg_context *context, int *lost);

  /*-- Memory --*/

  /* * `size` bytes of kind `flags` (tg_mem_kind), aligned to 256 bytes at least. A
   * size of 0 gives a valid, distinct piece.
   *   Errors: OUT_OF_MEMORY says how much was asked for and how much is free. */
  tg_plugin_status *(*alloc)(tg_context *context, size_t size, uint32_t flags, tg_mem *mem);
  /* * Waits for nothing: the host has synchronised. */
  tg_plugin_status *(*release)(tg_context *context, tg_mem mem);
  /* * Copies `size` bytes, any kind of memory to any, in stream order. Between
   * ordinary host memory and a device the call returns when the host side may be
   * reused.
   *   Errors: INVALID if a range leaves its piece, before the driver is called. */
  tg_plugin_status *(*copy)(tg_context *context, tg_mem target, size_t target_offset, tg_mem source,
                            size_t source_offset, size_t size, tg_stream *stream);
  /* Fills with a 32-bit pattern; `size` need not be a multiple of 4. */
  tg_plugin_status *(*fill)(tg_context *context, tg_mem mem, size_t offset, uint32_t pattern,
                            size_t size, tg_stream *stream);
  /* Between devices of this driver; the stream is the target's. */
  tg_plugin_status *(*peer_copy)(tg_context *target_context, tg_mem target, size_t target_offset,
                                 tg_context *source_context, tg_mem source, size_t source_offset,
                                 size_t size, tg_stream *stream);

  /*-- Code --*/

  /* * Loads an image. The bytes are copied if they are needed later.
   *   Errors: INCOMPATIBLE for code of another device; the driver's compile log, if
   *           any, is in the message. */
  tg_plugin_status *(*module_load)(tg_context *context, const void *image, size_t size,
                                   const tg_variant *variant, tg_module **module);
  /* The host has synchronised. Functions of the module die with it. */
  void (*module_unload)(tg_module *module);
  /* * Errors: NOT_FOUND; OUT_OF_RESOURCES when it can never be launched here. `info`
   * may be null. */
  tg_plugin_status *(*kernel_get)(tg_module *module, const char *name, tg_function **function,
                                  tg_kernel_info *info);
  /* * Launches. The hot path: no lock that other launches take, no allocation, and
   * safe from many threads with one function.
   *   Errors: LAUNCH_FAILED with the native code; OUT_OF_RESOURCES for limits. Faults
   *           of the kernel itself may surface at a later call on the context. */
  tg_plugin_status *(*launch)(tg_function *function, const tg_launch *launch, tg_stream *stream);
  /* Hands text that kernels have printed so far to `sink`, from this thread. */
  tg_plugin_status *(*print_drain)(tg_context *context, tg_print_sink sink, void *user);

  /*-- Streams --*/

  tg_plugin_status *(*stream_create)(tg_context *context, uint32_t flags, tg_stream **stream);
  /* A stream around one that another library owns; stream_destroy then leaves the
   * native one alone. */
  tg_plugin_status *(*stream_wrap)(tg_context *context, void *native, tg_stream **stream);
  /* * Waits for all work of the stream; null: for all work of the context, in
   * whatever streams, those of other libraries included. */
  tg_plugin_status *(*stream_sync)(tg_context *context, tg_stream *stream);
  /* *done is 1 when nothing is left to do. */
  tg_plugin_status *(*stream_query)(tg_context *context, tg_stream *stream, int *done);
  /* Work queued from now on runs after `event`. */
  tg_plugin_status *(*stream_wait_event)(tg_context *context, tg_stream *stream, tg_event *event);
  void (*stream_destroy)(tg_stream *stream);
  /* Whether a stream records a graph instead of running; `native` may be null and
   * then `stream` counts. Answers TG_CAPTURE_... */
  tg_plugin_status *(*capture_state)(tg_context *context, tg_stream *stream, void *native,
                                     int *state);

  /*-- Events --*/

  tg_plugin_status *(*event_create)(tg_context *context, uint32_t flags, tg_event **event);
  tg_plugin_status *(*event_record)(tg_context *context, tg_event *event, tg_stream *stream);
  tg_plugin_status *(*event_sync)(tg_event *event);
  tg_plugin_status *(*event_query)(tg_event *event, int *done);
  /* Nanoseconds from `start` to `end`, both recorded with TG_EVENT_TIMING and done;
   * never negative. */
  tg_plugin_status *(*event_elapsed_ns)(tg_event *start, tg_event *end, uint64_t *nanoseconds);
  void (*event_destroy)(tg_event *event);

  /*-- Statuses: what the host reads of an error; strings live as long as it --*/

  uint32_t (*status_code)(const tg_plugin_status *status);    /* * a tg_code */
  const char *(*status_text)(const tg_plugin_status *status); /* * lower case, no
                                                                 full stop at the end */
  const char *(*status_hint)(const tg_plugin_status *status); /* what to do, or "" */
  /* The vendor's number and name of the error: 700, "CUDA_ERROR_ILLEGAL_ADDRESS". */
  int32_t (*status_native_code)(const tg_plugin_status *status);
  const char *(*status_native_name)(const tg_plugin_status *status);
  void (*status_free)(tg_plugin_status *status); /* * */
} tegula_runtime_v1;

/*===-- The entry -----------------------------------------------------------===*/

/* Bits of tegula_plugin.components. */
enum { TEGULA_COMPILER = 1, TEGULA_RUNTIME = 2 };

/* The constant table that tegula_plugin_query returns. */
typedef struct tegula_plugin {
  uint32_t struct_size;
  uint16_t api_major, api_minor; /* TEGULA_API_MAJOR, TEGULA_API_MINOR */
  const char *id;                /* "nvidia": [a-z][a-z0-9-]*, equal to that of the note */
  const char *version;           /* of the plugin itself, "0.1.0" */
  const char *vendor;
  const char *license;                /* an SPDX expression */
  uint32_t components;                /* TEGULA_COMPILER, TEGULA_RUNTIME */
  uint32_t sanitizers;                /* TEGULA_SANITIZERS */
  const tegula_build_facts *facts;    /* needed for the compiler component */
  const tegula_compiler_v1 *compiler; /* null if absent */
  const tegula_runtime_v1 *runtime;   /* null if absent */
  /* Since 1.1: where to report faults of the plugin, an URL or an address. Shown in
   * hints; null if there is none. */
  const char *report_to;
} tegula_plugin;

/* The one symbol of a plugin, named TEGULA_PLUGIN_QUERY. Pure: no allocation, no
 * driver, same answer each time.
 *   host_major, host_minor: the host's API. A plugin that serves several majors may
 *   pick a table by them. Null: this host cannot be served (E131). */
typedef const tegula_plugin *(*tegula_plugin_query_fn)(uint32_t host_major, uint32_t host_minor);
#define TEGULA_PLUGIN_QUERY "tegula_plugin_query"
TEGULA_PLUGIN_EXPORT const tegula_plugin *tegula_plugin_query(uint32_t host_major,
                                                              uint32_t host_minor);

#ifdef __cplusplus
}
#endif

#endif /* TEGULA_PLUGIN_H */
