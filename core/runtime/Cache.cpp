//===- Cache.cpp - Entries of the cache on disk ---------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/Cache.h"
#include "CacheFiles.h"
#include "tegula/Runtime/CacheEntry.h"
#include "tegula/Runtime/Log.h"

#include <cerrno>
#include <cstring>
#include <ctime>

using namespace tegula::runtime;

static std::string pathOf(const std::string &folder, std::string_view kind, std::string_view key) {
  std::string path = folder + "/";
  path.append(kind).append("/").append(key.substr(0, 2)).append("/").append(key);
  return path;
}

/// "kernels 0123456789ab", for the log.
static std::string shortName(std::string_view kind, std::string_view key) {
  return std::string(kind) + " " + std::string(key.substr(0, 12));
}

static void log(const std::string &text) {
  if (isLogged("cache")) {
    logLine("cache", text);
  }
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

CacheAnswer tegula::runtime::readCache(const CacheSettings &settings, std::string_view kind,
                                       std::string_view key, std::string &payload) {
  if (!settings.mayRead()) {
    return CacheAnswer::Absent;
  }
  const std::string path = pathOf(settings.folder, kind, key);
  std::string file;
  const int error = readCacheFile(path, file);
  // A file in the place of a folder is told of when something is to be written.
  if (error == ENOENT || error == ENOTDIR || error == ESTALE) {
    return CacheAnswer::Absent;
  }
  if (error == EINVAL || error == EFBIG) { // a folder, a pipe, or no file of ours
    return CacheAnswer::Damaged;
  }
  if (error != 0) {
    reportCacheTrouble("cannot read " + path + ": " + std::strerror(error));
    return CacheAnswer::Absent;
  }
  std::string_view found;
  if (!readCacheEntry(file, kind, key, found)) {
    log("damaged: " + shortName(kind, key));
    return CacheAnswer::Damaged;
  }
  if (settings.mayWrite()) {
    touchCacheFile(path);
  }
  file.erase(0, size_t(found.data() - file.data()));
  payload = std::move(file);
  return CacheAnswer::Found;
}

CacheAnswer tegula::runtime::verifyCacheFile(const CacheFile &file) {
  std::string bytes;
  const int error = readCacheFile(file.path, bytes);
  if (error == ENOENT || error == ESTALE) {
    return CacheAnswer::Absent;
  }
  std::string_view payload;
  tg_artifact artifact;
  const bool isWhole = error == 0 && readCacheEntry(bytes, file.kind, file.key, payload) &&
                       (file.kind != kKernels || readArtifact(payload, artifact));
  return isWhole ? CacheAnswer::Found : CacheAnswer::Damaged;
}

/// Whether a store of so many bytes has to be followed by a look at the size of the
/// cache. Cheap: a cache has 256 folders of equal chance, and that of the new entry is a
/// sample.
static bool mayBeFull(const CacheSettings &settings, std::string_view kind, std::string_view key,
                      uint64_t size) {
  static std::atomic<uint64_t> stores = 0, unseen = 0;
  constexpr uint64_t interval = 64, share = 16;
  // Others store as well, so the first look is at once.
  if (stores++ % interval != 0 && (unseen += size) < settings.limit / share) {
    return false;
  }
  unseen = 0;
  constexpr uint64_t folders = 256, enough = 16;
  uint64_t entries = 0, bytes = 0;
  const std::string kindName(kind), prefix(key.substr(0, 2));
  walkCacheFolder(settings.folder, kindName, prefix, [&](const CacheFile &file) {
    entries += 1;
    bytes += file.size;
  });
  // Few entries are soon counted, and say little about the rest.
  return entries < enough || bytes >= settings.limit / folders / 2;
}

bool tegula::runtime::writeCache(const CacheSettings &settings, std::string_view kind,
                                 std::string_view key, std::string_view payload) {
  if (!settings.mayWrite()) {
    return false;
  }
  const std::string entry = writeCacheEntry(kind, key, payload);
  if (entry.size() > settings.limit) {
    log("larger than the limit: " + shortName(kind, key) + ", " + std::to_string(entry.size()) +
        " bytes");
    return false;
  }
  const std::string path = pathOf(settings.folder, kind, key);
  if (const int error = writeCacheFile(path, entry)) {
    reportCacheTrouble("cannot write " + path + ": " + std::strerror(error));
    return false;
  }
  log("stored: " + shortName(kind, key) + ", " + std::to_string(entry.size()) + " bytes");
  if (mayBeFull(settings, kind, key, entry.size())) {
    evictFromCache(settings);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

CacheAnswer tegula::runtime::findKernel(const CacheSettings &settings, const std::string &key,
                                        tg_artifact &artifact) {
  if (!settings.mayRead()) {
    return CacheAnswer::Absent;
  }
  CacheAnswer answer = CacheAnswer::Absent;
  if (!settings.alwaysCompile) {
    std::string payload;
    answer = readCache(settings, kKernels, key, payload);
    if (answer == CacheAnswer::Found && !readArtifact(payload, artifact)) {
      log("damaged: " + shortName(kKernels, key));
      answer = CacheAnswer::Damaged;
    }
  }
  if (answer == CacheAnswer::Found) {
    cacheCounts().hits++;
    artifact.key = key;
    artifact.isCached = true;
    log("hit: " + shortName(kKernels, key) + ", kernel '" + artifact.kernel + "'");
  } else {
    cacheCounts().misses++;
    log("miss: " + shortName(kKernels, key));
  }
  return answer;
}

void tegula::runtime::storeKernel(const CacheSettings &settings, const tg_artifact &artifact,
                                  CacheAnswer found) {
  if (settings.mayWrite() &&
      writeCache(settings, kKernels, artifact.key, writeArtifact(artifact))) {
    (found == CacheAnswer::Damaged ? cacheCounts().rebuilt : cacheCounts().stored)++;
  }
}

void tegula::runtime::countSharedKernel(const std::string &key) {
  cacheCounts().hits++;
  log("shared: " + shortName(kKernels, key));
}
