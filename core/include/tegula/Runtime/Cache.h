//===- Cache.h - The cache on disk ----------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// One folder that many processes and machines use at the same time without locks.
// Each entry is a file of its own, <folder>/<kind>/<2 digits>/<64 digits>, that
// appears by a rename and is checked as a whole when read. Whatever goes wrong is a
// miss or an entry that is not stored, never an error: docs/cache.md.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_CACHE_H
#define TEGULA_RUNTIME_CACHE_H

#include "tegula/Runtime/Artifact.h"
#include "tegula/Runtime/Status.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tegula::runtime {

/// Version of what keys are made of and of what entries hold.
inline constexpr const char *kCacheFormat = "tegula.cache/v1";

/// The kind of compiled kernels.
inline constexpr const char *kKernels = "kernels";

enum class CacheMode { Off, On, ReadOnly };

/// What the environment says at one moment.
struct CacheSettings {
  std::string folder;
  CacheMode mode = CacheMode::On;
  uint64_t limit = 0;         ///< bytes of all entries together
  bool alwaysCompile = false; ///< kernels are stored, not looked up

  bool mayRead() const { return mode != CacheMode::Off; }
  bool mayWrite() const { return mode == CacheMode::On; }
};

/// Reads TEGULA_CACHE_DIR, TEGULA_CACHE, TEGULA_CACHE_LIMIT and
/// TEGULA_ALWAYS_COMPILE. INVALID ("cache-argument") for a value that is none.
TG_CXX_API tg_status *readCacheSettings(CacheSettings &settings);

enum class CacheAnswer {
  Found,
  Absent,
  Damaged, ///< there is a file, but not a whole one
};

/// Reads one entry; `payload` is set when it is found.
TG_CXX_API CacheAnswer readCache(const CacheSettings &settings, std::string_view kind,
                                 std::string_view key, std::string &payload);

/// Writes one entry over what is there. False when that fails, after telling once a
/// process why. Removes the entries unused longest when the folder is over its limit.
TG_CXX_API bool writeCache(const CacheSettings &settings, std::string_view kind,
                           std::string_view key, std::string_view payload);

/// The same for kernels, counted. Sets the key of the artifact that it finds.
TG_CXX_API CacheAnswer findKernel(const CacheSettings &settings, const std::string &key,
                                  tg_artifact &artifact);
/// `found`: what findKernel answered.
TG_CXX_API void storeKernel(const CacheSettings &settings, const tg_artifact &artifact,
                            CacheAnswer found);
/// Counts a kernel that another thread of this process compiled just now.
TG_CXX_API void countSharedKernel(const std::string &key);

/// One file of the cache as a walk over the folder sees it.
struct CacheFile {
  std::string kind, key, path;
  uint64_t size = 0;
  int64_t time = 0;    ///< last use, in nanoseconds
  bool isPart = false; ///< what a process was writing when it ended, or still writes
};

/// Calls `visit` for each entry of each kind, and for parts. Files that vanish
/// meanwhile are left out.
TG_CXX_API void walkCache(const std::string &folder,
                          const std::function<void(const CacheFile &)> &visit);

/// The same for one kind and the entries whose keys start with these two digits.
TG_CXX_API void walkCacheFolder(const std::string &folder, const std::string &kind,
                                const std::string &prefix,
                                const std::function<void(const CacheFile &)> &visit);

/// Whether an entry is whole, by reading it; a kernel also whether it is an artifact.
TG_CXX_API CacheAnswer verifyCacheFile(const CacheFile &file);

/// Removes the entries unused longest until all are below nine tenths of the limit, if
/// they are over it, and old parts.
TG_CXX_API void evictFromCache(const CacheSettings &settings);

/// Removes everything that walkCache finds. The number of files that stay.
TG_CXX_API uint64_t clearCache(const std::string &folder, std::string &reason);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_CACHE_H
