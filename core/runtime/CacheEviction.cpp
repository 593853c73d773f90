//===- CacheEviction.cpp - Keeping the cache below its limit --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFiles.h"
#include "tegula/Runtime/Cache.h"
#include "tegula/Runtime/CacheEntry.h"
#include "tegula/Runtime/Log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace tegula::runtime;

static constexpr int64_t kSecond = 1000000000;
/// No process writes one entry for so long, unless it was stopped.
static constexpr int64_t kOldPart = 3600 * kSecond;

namespace {
struct CloseFolder {
  void operator()(DIR *folder) const { closedir(folder); }
};
} // namespace

/// Names in a folder without "." and ".."; none for one that cannot be read.
static std::vector<std::string> namesIn(const std::string &folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, CloseFolder> stream(opendir(folder.c_str()));
  while (const dirent *entry = stream ? readdir(stream.get()) : nullptr) {
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0) {
      names.emplace_back(entry->d_name);
    }
  }
  return names;
}

void tegula::runtime::walkCacheFolder(const std::string &folder, const std::string &kind,
                                      const std::string &prefix,
                                      const std::function<void(const CacheFile &)> &visit) {
  const std::string inside = folder + "/" + kind + "/" + prefix;
  for (const std::string &name : namesIn(inside)) {
    CacheFile file;
    file.kind = kind;
    file.key = name.substr(0, 64);
    file.isPart = name.size() > 64 && name[64] == '.' && name.ends_with(".part");
    // Nothing but files of our own making is counted, and none else removed.
    if (!isCacheKey(file.key) || !file.key.starts_with(prefix) ||
        (name.size() != 64 && !file.isPart)) {
      continue;
    }
    file.path = inside + "/" + name;
    struct stat info;
    if (lstat(file.path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) {
      continue;
    }
    file.size = uint64_t(info.st_size);
    file.time = int64_t(info.st_mtim.tv_sec) * kSecond + info.st_mtim.tv_nsec;
    visit(file);
  }
}

void tegula::runtime::walkCache(const std::string &folder,
                                const std::function<void(const CacheFile &)> &visit) {
  for (const std::string &kind : namesIn(folder)) {
    if (!isCacheKind(kind)) {
      continue;
    }
    for (const std::string &prefix : namesIn(folder + "/" + kind)) {
      if (prefix.size() == 2) {
        walkCacheFolder(folder, kind, prefix, visit);
      }
    }
  }
}

void tegula::runtime::evictFromCache(const CacheSettings &settings) {
  std::vector<CacheFile> entries;
  uint64_t bytes = 0;
  const int64_t now = int64_t(std::time(nullptr)) * kSecond;
  walkCache(settings.folder, [&](const CacheFile &file) {
    if (!file.isPart) {
      entries.push_back(file);
      bytes += file.size;
    } else if (now - file.time > kOldPart) {
      unlink(file.path.c_str());
    }
  });
  if (bytes <= settings.limit) {
    return;
  }
  std::sort(entries.begin(), entries.end(),
            [](const CacheFile &a, const CacheFile &b) { return a.time < b.time; });
  const uint64_t goal = settings.limit / 10 * 9;
  uint64_t removed = 0;
  const uint64_t before = bytes;
  for (const CacheFile &entry : entries) {
    if (bytes <= goal) {
      break;
    }
    // Another process may be removing the same ones.
    if (unlink(entry.path.c_str()) == 0 || errno == ENOENT || errno == ESTALE) {
      bytes -= entry.size;
      removed += 1;
    }
  }
  if (isLogged("cache")) {
    logLine("cache", "evicted: " + std::to_string(removed) + " entries, " +
                         std::to_string(before - bytes) + " bytes; " + std::to_string(bytes) +
                         " left");
  }
}

uint64_t tegula::runtime::clearCache(const std::string &folder, std::string &reason) {
  uint64_t left = 0;
  walkCache(folder, [&](const CacheFile &file) {
    if (unlink(file.path.c_str()) != 0 && errno != ENOENT && errno != ESTALE) {
      reason = file.path + ": " + std::strerror(errno);
      left += 1;
    }
  });
  return left;
}
