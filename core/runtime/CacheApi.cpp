//===- CacheApi.cpp - The cache in the C API ------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFiles.h"
#include "Guard.h"
#include "tegula/Runtime/Cache.h"
#include "tegula/Runtime/CacheEntry.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

using namespace tegula::runtime;

tg_status *tg_cache_info(tg_cache_facts *facts) {
  return guarded([&]() -> tg_status * {
    if (!facts) {
      return nullPointer("a place for the facts of the cache");
    }
    constexpr size_t least = offsetof(tg_cache_facts, folder);
    if (facts->struct_size < least) {
      return makeStatus(TG_INVALID, status::CacheArgument,
                        "expected struct_size to be sizeof(tg_cache_facts), " +
                            std::to_string(sizeof *facts) + " bytes, got " +
                            std::to_string(facts->struct_size));
    }
    CacheSettings settings;
    if (tg_status *status = readCacheSettings(settings)) {
      return status;
    }
    thread_local std::string folder;
    folder = settings.folder;
    tg_cache_facts full = {};
    full.struct_size = facts->struct_size;
    full.mode = uint32_t(settings.mode);
    full.folder = folder.c_str();
    full.limit = settings.limit;
    walkCache(folder, [&](const CacheFile &file) {
      full.entries += file.isPart ? 0 : 1;
      full.bytes += file.isPart ? 0 : file.size;
    });
    const CacheCounts &counts = cacheCounts();
    full.hits = counts.hits;
    full.misses = counts.misses;
    full.stored = counts.stored;
    full.rebuilt = counts.rebuilt;
    full.failed = counts.failed;
    std::memcpy(facts, &full, std::min<size_t>(full.struct_size, sizeof full));
    return nullptr;
  });
}

tg_status *tg_cache_clear(void) {
  return guarded([&]() -> tg_status * {
    CacheSettings settings;
    if (tg_status *status = readCacheSettings(settings)) {
      return status;
    }
    std::string reason;
    if (const uint64_t left = clearCache(settings.folder, reason)) {
      return makeStatus(TG_INVALID, status::FileAccess,
                        "entries of the cache that cannot be removed: " + std::to_string(left) +
                            "; " + reason);
    }
    return nullptr;
  });
}

static tg_status *checkBlob(const char *kind, const char *key, CacheSettings &settings) {
  if (!kind || !key) {
    return nullPointer(kind ? "a key of the cache" : "a kind of the cache");
  }
  // Kernels are code, and only the compiler makes them.
  if (!isCacheKind(kind) || std::strcmp(kind, kKernels) == 0 ||
      std::strcmp(kind, "reproducers") == 0) {
    return makeStatus(TG_INVALID, status::CacheArgument,
                      "expected a kind of letters a-z, digits and '-', at most 32, other than "
                      "'kernels' and 'reproducers', got '" +
                          std::string(kind) + "'");
  }
  if (!isCacheKey(key)) {
    return makeStatus(TG_INVALID, status::CacheArgument,
                      "expected a key of 64 hexadecimal digits in small letters, got '" +
                          std::string(key) + "'");
  }
  return readCacheSettings(settings);
}

tg_status *tg_cache_get(const char *kind, const char *key, char **data, size_t *size) {
  return guarded([&]() -> tg_status * {
    if (!data || !size) {
      return nullPointer(data ? "a place for the size" : "a place for the data");
    }
    *data = nullptr;
    *size = 0;
    CacheSettings settings;
    if (tg_status *status = checkBlob(kind, key, settings)) {
      return status;
    }
    std::string payload;
    if (readCache(settings, kind, key, payload) != CacheAnswer::Found) {
      return nullptr;
    }
    // One more byte, so that no data is not an absent entry.
    auto *copy = static_cast<char *>(std::malloc(payload.size() + 1));
    if (!copy) {
      // no test: needs a machine without memory
      return makeStatus(TG_OUT_OF_MEMORY, status::OutOfMemory, "out of memory");
    }
    std::memcpy(copy, payload.c_str(), payload.size() + 1);
    *data = copy;
    *size = payload.size();
    return nullptr;
  });
}

tg_status *tg_cache_put(const char *kind, const char *key, const char *data, size_t size,
                        int *stored) {
  return guarded([&]() -> tg_status * {
    if (stored) {
      *stored = 0;
    }
    CacheSettings settings;
    if (tg_status *status = checkBlob(kind, key, settings)) {
      return status;
    }
    if (!data && size > 0) {
      return nullPointer("the data of an entry");
    }
    const bool written = writeCache(settings, kind, key, {data ? data : "", size});
    if (stored) {
      *stored = written ? 1 : 0;
    }
    return nullptr;
  });
}

void tg_cache_data_free(char *data) { std::free(data); }
