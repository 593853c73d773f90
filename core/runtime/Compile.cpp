//===- Compile.cpp - Compiling through the C API ----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFiles.h"
#include "Guard.h"
#include "LibraryPath.h"
#include "PluginCheck.h"
#include "tegula/Runtime/CompilerEntry.h"
#include "tegula/Runtime/Target.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
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
      return makeStatus(TG_UNAVAILABLE, status::CompilerUnavailable,
                        "the compiler cannot be loaded: " + loaderError(),
                        "install libTegulaCompiler.so beside libTegulaRuntime.so; running "
                        "compiled kernels needs no compiler");
    }
    auto entry =
        reinterpret_cast<tegula_compiler_entry_fn>(dlsym(library, "tegula_compiler_entry"));
    const tegula_compiler_entry_table *found = entry ? entry() : nullptr;
    if (!found || std::strcmp(found->version, tg_version()) != 0) {
      return makeStatus(TG_INCOMPATIBLE, status::VersionMismatch,
                        path + ": expected the compiler of version " + tg_version() + ", got " +
                            (found ? std::string("version ") + found->version
                                   : "a library that is no compiler of Tegula"),
                        "install libTegulaCompiler.so and libTegulaRuntime.so from one release");
    }
    loaded = found;
  }
  table = loaded;
  return nullptr;
}

tg_status *tegula::runtime::loadCompilerTable(const tegula_compiler_entry_table *&table) {
  return loadCompiler(table);
}

/// A copy in which fields that the caller's older struct lacks are zero. `text` holds
/// the source if it is read here.
static tg_status *readRequest(const tg_compile_request *given, tg_compile_request &request,
                              std::string &text) {
  if (!given) {
    return nullPointer("a compile request");
  }
  // What every version of the struct has.
  constexpr size_t least = offsetof(tg_compile_request, params);
  if (given->struct_size < least) {
    return makeStatus(TG_INVALID, status::InvalidOption,
                      "expected the request's struct_size to be sizeof(tg_compile_request), " +
                          std::to_string(sizeof request) + " bytes, got " +
                          std::to_string(given->struct_size));
  }
  request = {};
  std::memcpy(&request, given, std::min<size_t>(given->struct_size, sizeof request));
  if (!request.source.file) {
    return nullPointer("a file name of the source");
  }
  if (!request.source.text) {
    if (const int error = readCacheFile(request.source.file, text)) {
      return makeStatus(TG_INVALID, status::FileAccess,
                        "cannot read '" + std::string(request.source.file) + "': " +
                            (error == EINVAL ? "not a regular file" : std::strerror(error)));
    }
    request.source.text = text.c_str();
    request.source.text_size = text.size();
    request.source.first_line = 1;
  }
  if (!request.kernel) {
    return nullPointer("the name of a kernel");
  }
  if ((request.num_params > 0 && !request.params) ||
      (request.num_options > 0 && !request.options)) {
    return nullPointer(request.num_params > 0 && !request.params
                           ? "as many parameters as num_params says"
                           : "as many options as num_options says");
  }
  for (size_t i = 0; i < request.num_options; ++i) {
    if (!request.options[i].key || !request.options[i].value) {
      return nullPointer("a key and a value of each option");
    }
  }
  return nullptr;
}

tg_status *tg_compile(const tg_compile_request *request, tg_artifact **artifact) {
  return guarded([&]() -> tg_status * {
    if (!artifact) {
      return nullPointer("a place for the artifact");
    }
    *artifact = nullptr;
    tg_compile_request copy;
    std::string text;
    if (tg_status *status = readRequest(request, copy, text)) {
      return status;
    }
    const tegula_compiler_entry_table *table = nullptr;
    if (tg_status *status = loadCompiler(table)) {
      return status;
    }
    return table->compile(&copy, artifact);
  });
}

tg_status *tg_language_describe(const char **json) {
  return guarded([&]() -> tg_status * {
    if (!json) {
      return nullPointer("a place for the text");
    }
    *json = nullptr;
    const tegula_compiler_entry_table *table = nullptr;
    if (tg_status *status = loadCompiler(table)) {
      return status;
    }
    return table->language(json);
  });
}

tg_status *tegula::runtime::freezeTarget(tg_target &target) {
  const tegula_compiler_entry_table *table = nullptr;
  if (tg_status *status = loadCompiler(table)) {
    return status;
  }
  return table->freeze(&target);
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
