//===- CacheFiles.h - Reading and writing files of the cache --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_CACHEFILES_H
#define TEGULA_RUNTIME_CACHEFILES_H

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace tegula::runtime {

/// What this process did with the cache (tg_cache_facts).
struct CacheCounts {
  std::atomic<uint64_t> hits = 0, misses = 0, stored = 0, rebuilt = 0, failed = 0;
};
CacheCounts &cacheCounts();

/// Tells why an entry could not be read or written: the first time in a process as a
/// warning, later only with TEGULA_LOG=cache. Counts it as failed.
void reportCacheTrouble(const std::string &text);

/// The whole of a file. 0, or the system's error number; EINVAL for what is no file,
/// EFBIG for one of more than 1 GiB.
int readCacheFile(const std::string &path, std::string &bytes);

/// Notes that an entry is in use, at most once an hour. Errors do not matter.
void touchCacheFile(const std::string &path);

/// Writes `path` at once or not at all, with its folders. 0, or the system's error
/// number, and then nothing is left behind. ENOENT: somebody removed the folder or the
/// file while it was written, each time of a few.
int writeCacheFile(const std::string &path, std::string_view bytes);

/// The same for a file of the user's: no folders are made, nothing is forgiven, of a
/// link the file it names is replaced, and a pipe or device is written into.
int replaceFile(const std::string &path, std::string_view bytes);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_CACHEFILES_H
