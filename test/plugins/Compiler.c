//===- Compiler.c - A compiler half without a compiler, wrong in one way --===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TegulaHeaderHash.h"
#include "tegula/plugin.h"

#ifdef NO_RUNTIME_TABLE
#define COMPONENTS "runtime"
#else
#define COMPONENTS "compiler"
#endif
TEGULA_PLUGIN_NOTE(FIXTURE_ID, COMPONENTS, LLVM_VERSION, TEGULA_HEADER_HASH);

#ifndef FACTS_HEADERS
#define FACTS_HEADERS TEGULA_HEADER_HASH
#endif

#ifndef FACTS_LLVM_MAJOR
#define FACTS_LLVM_MAJOR LLVM_MAJOR
#endif
#ifndef FACTS_ABI
#define FACTS_ABI TEGULA_CXX_ABI
#endif
#ifndef SANITIZERS
#define SANITIZERS TEGULA_SANITIZERS
#endif

static const tegula_build_facts facts = {
    .struct_size = sizeof(tegula_build_facts),
    .llvm_major = FACTS_LLVM_MAJOR,
    .llvm_minor = LLVM_MINOR,
    .core_header_hash = FACTS_HEADERS,
    .cxx_abi = FACTS_ABI,
};

static void *backend(void) { return 0; }

#ifndef NO_PROBE
/* Without MLIR of its own it cannot name any identity of MLIR's. */
static void identity(const void *ids[4]) { ids[0] = ids[1] = ids[2] = ids[3] = &facts; }
#endif

static const tegula_compiler_v1 compiler = {
#ifdef SHORT_COMPILER
    .struct_size = 24,
#else
    .struct_size = sizeof(tegula_compiler_v1),
#endif
    .backend = backend,
#ifndef NO_PROBE
    .identity = identity,
#endif
};

static const tegula_plugin plugin = {
#ifdef SMALL_TABLE
    .struct_size = 4,
#elif defined(SHORT_TABLE)
    .struct_size = 24,
#else
    .struct_size = sizeof(tegula_plugin),
#endif
    .api_major = TEGULA_API_MAJOR,
    .api_minor = TEGULA_API_MINOR,
    .id = FIXTURE_ID,
    .version = "1",
    .vendor = "tests",
    .license = "none",
#if defined(NO_RUNTIME_TABLE) || defined(OTHER_COMPONENTS)
    .components = TEGULA_RUNTIME,
#else
    .components = TEGULA_COMPILER,
#endif
    .sanitizers = SANITIZERS,
#ifndef NO_FACTS
    .facts = &facts,
#endif
#ifndef NO_COMPILER_TABLE
    .compiler = &compiler,
#endif
};

TEGULA_PLUGIN_EXPORT const tegula_plugin *tegula_plugin_query(uint32_t major, uint32_t minor) {
  return &plugin;
}
