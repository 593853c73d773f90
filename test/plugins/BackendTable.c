/*===- BackendTable.c - The table of a fixture with a backend -------------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*
|*
|* Right unless told otherwise: DECLARES_x lists what is declared, REGISTERS_x what
|* is registered if that differs; CRASH_AT where it crashes.
|*
\*===----------------------------------------------------------------------===*/

#include "Backend.h"
#include "TegulaHeaderHash.h"
#include "tegula/plugin.h"

#ifndef COMPONENTS
#define COMPONENTS "compiler"
#endif
TEGULA_PLUGIN_NOTE(FIXTURE_ID, COMPONENTS, LLVM_VERSION, TEGULA_HEADER_HASH);

#ifndef DECLARES_DIALECTS
#define DECLARES_DIALECTS
#endif
#ifndef DECLARES_PASSES
#define DECLARES_PASSES
#endif
#ifndef DECLARES_PIPELINES
#define DECLARES_PIPELINES
#endif
#ifndef REGISTERS_DIALECTS
#define REGISTERS_DIALECTS DECLARES_DIALECTS
#endif
#ifndef REGISTERS_PASSES
#define REGISTERS_PASSES DECLARES_PASSES
#endif
#ifndef REGISTERS_PIPELINES
#define REGISTERS_PIPELINES DECLARES_PIPELINES
#endif
#ifndef CRASH_AT
#define CRASH_AT ""
#endif
#ifndef MLIR_BUILD_ID
#define MLIR_BUILD_ID HOST_MLIR_BUILD_ID
#endif

const char *const fixture_dialects[] = {REGISTERS_DIALECTS 0};
const char *const fixture_passes[] = {REGISTERS_PASSES 0};
const char *const fixture_pipelines[] = {REGISTERS_PIPELINES 0};
const char *const fixture_crash = CRASH_AT;

static const char *const dialects[] = {DECLARES_DIALECTS 0};
static const char *const passes[] = {DECLARES_PASSES 0};
static const char *const pipelines[] = {DECLARES_PIPELINES 0};

static const tegula_build_facts facts = {
    .struct_size = sizeof(tegula_build_facts),
    .llvm_major = LLVM_MAJOR,
    .llvm_minor = LLVM_MINOR,
    .mlir_build_id = MLIR_BUILD_ID,
    .llvm_build_id = HOST_LLVM_BUILD_ID,
    .core_header_hash = TEGULA_HEADER_HASH,
    .cxx_abi = TEGULA_CXX_ABI,
};

#ifdef OTHER_LLVM_OBJECT
static void store_identity(const void *ids[4]) {
  fixture_identity(ids);
  ids[3] = &facts;
}
#else
#define store_identity fixture_identity
#endif

static const tegula_compiler_v1 compiler = {
    .struct_size = sizeof(tegula_compiler_v1),
    .dialects = dialects,
    .passes = passes,
    .pipelines = pipelines,
    .backend = fixture_backend,
    .identity = store_identity,
};

#ifdef RUNTIME_TABLE
/* In the same file: Fixture.c, built without an entry of its own. */
extern HIDDEN const tegula_plugin *fixture_runtime_table(void);
#endif

static tegula_plugin plugin = {
    .struct_size = sizeof(tegula_plugin),
    .api_major = TEGULA_API_MAJOR,
    .api_minor = TEGULA_API_MINOR,
    .id = FIXTURE_ID,
    .version = "1",
    .vendor = "tests",
    .license = "none",
    .components = TEGULA_COMPILER,
    .sanitizers = TEGULA_SANITIZERS,
    .facts = &facts,
    .compiler = &compiler,
    .report_to = "faults@example.org",
};

TEGULA_PLUGIN_EXPORT const tegula_plugin *tegula_plugin_query(uint32_t major, uint32_t minor) {
#ifdef RUNTIME_TABLE
  plugin.components |= TEGULA_RUNTIME;
  plugin.runtime = fixture_runtime_table()->runtime;
#endif
  return &plugin;
}
