/*===- tegula.h - The C API of Tegula -------------------------------------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*
|*
|* Compile kernels of the tile language and launch them, from C, C++ or any
|* language that calls C. The library behind it, libTegulaRuntime.so, holds no
|* LLVM; the first call of tg_compile loads libTegulaCompiler.so.
|*
|* Conventions, for every function unless its comment says otherwise:
|*   Errors:    a null tg_status * is success; any other must be freed with
|*              tg_status_free. Nothing here aborts or throws.
|*   Threads:   safe from any thread; one object must not be destroyed while
|*              another thread uses it.
|*   Strings:   UTF-8, zero-terminated unless a size goes with them. What is
|*              passed in is copied; what comes back lives as long as the object
|*              it was asked of.
|*   Null:      pointers must not be null unless "may be null" is said; functions
|*              that return a status answer "null-pointer" to one.
|*   Structs:   start with struct_size = sizeof of the caller's struct; fields
|*              are only ever appended, and absent ones read as zero.
|*
\*===----------------------------------------------------------------------===*/

#ifndef TEGULA_TEGULA_H
#define TEGULA_TEGULA_H

#include "tegula/bundle.h"
#include "tegula/device.h"
#include "tegula/types.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*===-- Version and status -------------------------------------------------===*/

/* "0.1.0". */
TG_API const char *tg_version(void);

/* tg_status, tg_code and tg_kv are in types.h. */
TG_API tg_code tg_status_code(const tg_status *status); /* TG_OK for null */
/* The whole message, for TG_COMPILE_ERROR all diagnostics as a terminal shows
 * them: file:line:col, the source line, a caret, notes. */
TG_API const char *tg_status_message(const tg_status *status);
/* What to do about it, or "". */
TG_API const char *tg_status_hint(const tg_status *status);
/* What exactly went wrong, in one stable word (docs/errors.md): "no-such-target",
 * "E111"; of a compile error the identifier of its first diagnostic. The message
 * leaves it out: whoever shows it adds " [id]" behind the first line, except where
 * there are diagnostics, whose texts have theirs. "" for null. */
TG_API const char *tg_status_id(const tg_status *status);
/* Diagnostics as a JSON array of {severity, id, file, line, column, end_line,
 * end_column, message, hint, notes}; "[]" where there are none. */
TG_API const char *tg_status_diagnostics_json(const tg_status *status);
TG_API void tg_status_free(tg_status *status); /* null is ignored */

/*===-- Targets -------------------------------------------------------------===*/

/* What to compile for: one entry of a target descriptor, resolved. */
typedef struct tg_target tg_target;

/* Resolves `what`: null (then TEGULA_TARGET, then the best device present), the
 * name of a built-in target ("cpu", or "cpu/x86-64-v3" for one of its architectures),
 * or the path of a YAML descriptor, after which ":ID" may name one of its targets
 * (docs/target-descriptors.md). Of a descriptor without ":ID" it is the target of
 * tg_target_choose, else its first, since compiling needs no device.
 *   Errors: TARGET_ERROR; one about a name lists the known ones, one about a
 *   descriptor has file:line:col. */
TG_API tg_status *tg_target_resolve(const char *what, tg_target **target);
TG_API const char *tg_target_id(const tg_target *target);
TG_API const char *tg_target_backend(const tg_target *target);
TG_API const char *tg_target_arch(const tg_target *target); /* "native" stays "native" */
/* The target as YAML text that tg_target_resolve accepts as a file. */
TG_API const char *tg_target_yaml(const tg_target *target);
/* The same with `native` replaced by the processor it means, and the SHA-256 of that
 * text as 64 hexadecimal digits: what artifacts and bundles carry. `native` has the
 * compiler loaded, which knows processors; where it cannot be loaded both are "". */
TG_API const char *tg_target_frozen_yaml(const tg_target *target);
TG_API const char *tg_target_hash(const tg_target *target);
/* The target that `what` (as above) gives to a device: of a descriptor that of the
 * first rule of `select` that matches it, of a built-in name or FILE:ID that very
 * target. With null and no TEGULA_TARGET the built-in one of the device's kind.
 *   Errors: TARGET_ERROR: "no-rule-matches" shows the table of tg_target_explain;
 *   "target-device" names the target and the device that it cannot serve. */
TG_API tg_status *tg_target_for_device(const char *what, tg_device *device, tg_target **target);
/* For work that no array ties to a device: the best device of this machine that `what`
 * gives a target, and that target; the CPU only through a rule or `fallback: cpu`.
 *   Errors: as tg_target_for_device. */
TG_API tg_status *tg_target_choose(const char *what, tg_device **device, tg_target **target);
/* Which device gets which target and why, and what was rejected: a table as text.
 * Lives until this thread's next call. */
TG_API tg_status *tg_target_explain(const char *what, const char **text);
TG_API void tg_target_free(tg_target *target);

/*===-- Host values: how a compile sees names outside the kernel --------------===*/

typedef enum tg_host_kind {
  TG_HOST_NONE = 0,
  TG_HOST_BOOL = 1,     /* integer                                             */
  TG_HOST_INT = 2,      /* integer, or decimal digits in text when too large   */
  TG_HOST_FLOAT = 3,    /* number                                              */
  TG_HOST_STRING = 4,   /* text, text_size                                     */
  TG_HOST_TUPLE = 5,    /* items, num_items; lists too; names for a named one  */
  TG_HOST_DTYPE = 6,    /* text: "fp32", "bf16", "fp8e4nv", "*fp32", "void"    */
  TG_HOST_LANGUAGE = 7, /* text: dotted path in the language: "tl", "tl.load",
                           "tl.math.exp", "triton", "triton.cdiv"              */
  TG_HOST_FUNCTION = 8, /* a jit function: handle, text = its name             */
  TG_HOST_OBJECT = 9    /* any other host object: handle, text = its type      */
} tg_host_kind;

/* One value. Memory behind it belongs to whoever filled it in and must live
 * until the compile ends. `constexpr_` marks a value wrapped as a constexpr. */
typedef struct tg_host_value {
  uint32_t kind;
  uint32_t constexpr_;
  int64_t integer;
  double number;
  const char *text;
  size_t text_size;
  const struct tg_host_value *items;
  size_t num_items;
  const char *const *names; /* num_items field names of a named tuple, or null */
  void *handle;
} tg_host_value;

typedef enum tg_compare_op {
  TG_CMP_EQ,
  TG_CMP_NE,
  TG_CMP_LT,
  TG_CMP_LE,
  TG_CMP_GT,
  TG_CMP_GE,
  TG_CMP_IS,
  TG_CMP_IN
} tg_compare_op;

/* Source text of a function or of a whole file. */
typedef struct tg_source {
  uint32_t struct_size;
  const char *text; /* null in a tg_compile_request: `file` is read           */
  size_t text_size;
  const char *file;    /* as shown in messages                                 */
  uint32_t first_line; /* 1-based line of the file at which `text` starts      */
} tg_source;

/* Answers of the callbacks below. */
enum { TG_FOUND = 1, TG_ABSENT = 0, TG_FAILED = -1 /* *error set, static or kept alive */ };

/* How names that the kernel does not bind are found. `scope` is null for the
 * kernel itself, else the handle of the jit function whose body mentions the
 * name. All callbacks are made on the thread that called tg_compile. */
typedef struct tg_resolver {
  uint32_t struct_size;
  void *user;
  int (*lookup)(void *user, void *scope, const char *name, tg_host_value *out, const char **error);
  int (*get_attribute)(void *user, const tg_host_value *object, const char *name,
                       tg_host_value *out, const char **error);
  int (*get_item)(void *user, const tg_host_value *object, const tg_host_value *key,
                  tg_host_value *out, const char **error);
  int (*call)(void *user, const tg_host_value *callee, const tg_host_value *args, size_t num_args,
              const char *const *keywords, const tg_host_value *keyword_args, size_t num_keywords,
              tg_host_value *out, const char **error);
  int (*compare)(void *user, uint32_t op, const tg_host_value *lhs, const tg_host_value *rhs,
                 tg_host_value *out, const char **error);
  /* Source of a TG_HOST_FUNCTION. */
  int (*function_source)(void *user, const tg_host_value *function, tg_source *out,
                         const char **error);
} tg_resolver;

/*===-- Compiling -----------------------------------------------------------===*/

/* One parameter of the kernel. Either `type` is set (a run-time argument:
 * "*fp32:16", "i32", "fp32", "u1") or `value` (known at compile time). Both: an
 * argument of that type specialised to that value, absent at run time. */
typedef struct tg_param {
  const char *name;           /* may be null: by position */
  const char *type;           /* may be null */
  const tg_host_value *value; /* may be null */
} tg_param;

typedef struct tg_compile_request {
  uint32_t struct_size;
  tg_source source;
  const char *kernel;     /* name of the function                             */
  const tg_param *params; /* one per parameter of the kernel, or:             */
  size_t num_params;
  const char *signature;   /* "*fp32:16, *fp32:16, i32, 1024"; used when params is null */
  const tg_target *target; /* may be null: the default                         */
  const tg_kv *options;    /* num_warps, num_stages, num_ctas, debug, ...      */
  size_t num_options;
  const tg_resolver *resolver; /* may be null: names come from the source file */
  /* The last stage wanted: "tile", "lowered", "llvm", "asm", "object", or what
   * tg_stage_name takes for one of them; null means "object". Earlier stages named in `keep` (comma
   * separated, or "all") are kept as text. */
  const char *emit;
  const char *keep;
} tg_compile_request;

typedef struct tg_artifact tg_artifact;

TG_API tg_status *tg_compile(const tg_compile_request *request, tg_artifact **artifact);
/* Tegula's own name of a stage ("lowered" for "ttgir" and for itself), or null for
 * what is no stage. `name` may be null. */
TG_API const char *tg_stage_name(const char *name);
/* Bytes of a stage under any of its names, or null when it was not kept. */
TG_API const char *tg_artifact_stage(const tg_artifact *artifact, const char *stage, size_t *size);
/* The manifest as JSON (docs/kernel-abi.md). */
TG_API const char *tg_artifact_manifest(const tg_artifact *artifact);
/* Warnings of a successful compile, rendered; "" when there are none. */
TG_API const char *tg_artifact_warnings(const tg_artifact *artifact);
/* What the compile says of itself, where its options asked for it; "" for all else:
 *   "remarks"        option explain=true: what was made of the kernel's operations and
 *                    why, rendered like warnings;
 *   "remarks-json"   the same in the form of tg_status_diagnostics_json;
 *   "pipeline"       option print_pipeline=true: the passes up to the last stage wanted,
 *                    as tegula-opt takes them on the stage "tile";
 *   "timing"         option time_passes=true: a tree of steps with their seconds;
 *   "timing-json"    the same: {"name", "seconds", "steps": [...]}.
 * A compile with one of these options, or with save_temps=FOLDER, which writes every
 * stage and what is given to external tools into that folder, leaves the cache alone. */
TG_API const char *tg_artifact_report(const tg_artifact *artifact, const char *what);
/* What the artifact depends on, as 64 hexadecimal digits: equal keys mean equal code
 * (docs/cache.md). "" for null. */
TG_API const char *tg_artifact_key(const tg_artifact *artifact);
/* 1 when it came from the cache, or from a compile of another thread at the same
 * time, else 0. */
TG_API int tg_artifact_is_cached(const tg_artifact *artifact);
TG_API void tg_artifact_free(tg_artifact *artifact);

/* Every function of the kernel language: a JSON array of objects with `name`, `signature`,
 * `summary`, `method` and `library`. The text lives as long as the process. */
TG_API tg_status *tg_language_describe(const char **json);

/* Loads the compiler and the language library now rather than at the first
 * compile. */
TG_API tg_status *tg_compiler_preload(void);

/*===-- The cache on disk ----------------------------------------------------===*/

/* tg_compile keeps what it makes in the cache (docs/cache.md): TEGULA_CACHE_DIR,
 * TEGULA_CACHE, TEGULA_CACHE_LIMIT and TEGULA_ALWAYS_COMPILE are read at each call.
 * Many processes and machines may share one folder. A folder that cannot be read or
 * written is no error: then nothing is found and nothing stored.
 *   Errors of all: INVALID ("cache-argument") for a malformed kind, key or variable. */
typedef struct tg_cache_facts {
  uint32_t struct_size;
  uint32_t mode;      /* 0 off, 1 on, 2 read-only                                  */
  const char *folder; /* lives until this thread's next tg_cache_info              */
  uint64_t entries, bytes, limit;
  /* Of this process. Kernels: found, not found, stored, stored in place of a damaged
   * entry. `failed`: entries of all kinds that could not be read or written. */
  uint64_t hits, misses, stored, rebuilt, failed;
} tg_cache_facts;

/* Counts the entries, so it reads the whole folder. Set struct_size first. */
TG_API tg_status *tg_cache_info(tg_cache_facts *facts);
/* Removes all entries of all kinds; other files of the folder stay.
 *   Errors: INVALID ("file-access") when some cannot be removed. */
TG_API tg_status *tg_cache_clear(void);

/* Bytes of others in the same folder, with the same guarantees: at once or not at
 * all, checked when read, removed when unused and the folder is full.
 *   kind: letters a-z, digits and '-', at most 32, first a letter; not "kernels" or
 *         "reproducers".
 *   key:  64 hexadecimal digits in small letters, such as a SHA-256 of everything
 *         that the bytes depend on, the writer's version included.
 * Absent or damaged: *data is null and *size 0. Free *data with tg_cache_data_free. */
TG_API tg_status *tg_cache_get(const char *kind, const char *key, char **data, size_t *size);
/* *stored (may be null) becomes 1 or 0. */
TG_API tg_status *tg_cache_put(const char *kind, const char *key, const char *data, size_t size,
                               int *stored);
TG_API void tg_cache_data_free(char *data); /* null is ignored */

#ifdef __cplusplus
}
#endif

#endif /* TEGULA_TEGULA_H */
