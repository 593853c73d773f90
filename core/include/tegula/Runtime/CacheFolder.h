//===- CacheFolder.h - Where Tegula keeps files of its own ------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_CACHEFOLDER_H
#define TEGULA_RUNTIME_CACHEFOLDER_H

#include "tegula/Runtime/Status.h"

#include <string>

namespace tegula::runtime {

/// TEGULA_CACHE_DIR, else `tegula` in XDG_CACHE_HOME or ~/.cache, else a folder of
/// this user's in the system's temporary folder. It need not exist.
TG_CXX_API std::string cacheFolder();

/// Whether one of the variables names it; else it lies in the temporary folder, where
/// others may have made it.
TG_CXX_API bool namesCacheFolder();

/// Writes a file at once or not at all (by renaming a complete one), with its
/// folder. False after setting `error` to the system's reason.
TG_CXX_API bool writeWholeFile(const std::string &path, const std::string &text,
                               std::string &error);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_CACHEFOLDER_H
