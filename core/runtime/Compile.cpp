//===- Compile.cpp - Compiling through the C API ----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "LibraryPath.h"
#include "tegula/Runtime/CompilerEntry.h"

#include <cstring>
#include <dlfcn.h>
#include <mutex>

using namespace tegula::runtime;

/// Loads libTegulaCompiler.so, once. Failures are not remembered: the file may
/// appear later.
static tg_status *loadCompiler(const tegula_compiler_entry_table *&table) {
  static std::mutex lock;
  static const tegula_compiler_entry_table *loaded = nullptr;
  std::lock_guard<std::mutex> guard(lock);
  if (!loaded) {
    const std::string path = libraryFolder() + "/libTegulaCompiler.so";
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      return makeStatus(TG_UNAVAILABLE, std::string("the compiler cannot be loaded: ") + dlerror(),
                        "", "running compiled kernels needs no compiler");
    }
    auto entry =
        reinterpret_cast<tegula_compiler_entry_fn>(dlsym(library, "tegula_compiler_entry"));
    const tegula_compiler_entry_table *found = entry ? entry() : nullptr;
    if (!found || std::strcmp(found->version, tg_version()) != 0) {
      return makeStatus(TG_INCOMPATIBLE, path + ": expected the compiler of version " +
                                             tg_version() + ", got " +
                                             (found ? found->version : "a library without entry"));
    }
    loaded = found;
  }
  table = loaded;
  return nullptr;
}

tg_status *tg_compile(const tg_compile_request *request, tg_artifact **artifact) {
  return guarded([&]() -> tg_status * {
    *artifact = nullptr;
    const tegula_compiler_entry_table *table = nullptr;
    if (tg_status *status = loadCompiler(table)) {
      return status;
    }
    return table->compile(request, artifact);
  });
}

tg_status *tg_compiler_preload(void) {
  return guarded([&]() -> tg_status * {
    const tegula_compiler_entry_table *table = nullptr;
    if (tg_status *status = loadCompiler(table)) {
      return status;
    }
    return table->preload();
  });
}
