//===- CacheEntry.h - The form of one file of the cache -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_CACHEENTRY_H
#define TEGULA_RUNTIME_CACHEENTRY_H

#include "tegula/Runtime/Status.h"

#include <string>
#include <string_view>

namespace tegula::runtime {

/// Kinds are folder names: a letter a-z, then letters, digits and '-', 32 at most.
TG_CXX_API bool isCacheKind(std::string_view kind);
/// Keys are file names: 64 hexadecimal digits in small letters.
TG_CXX_API bool isCacheKey(std::string_view key);

/// A whole file: magic, version, kind, key, size, SHA-256 of all that and of the
/// payload, payload.
TG_CXX_API std::string writeCacheEntry(std::string_view kind, std::string_view key,
                                       std::string_view payload);

/// Sets `payload` to the part of `file` that holds it. False unless the file is whole,
/// unchanged and of this kind and key. Takes any bytes.
TG_CXX_API bool readCacheEntry(std::string_view file, std::string_view kind, std::string_view key,
                               std::string_view &payload);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_CACHEENTRY_H
