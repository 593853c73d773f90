//===- CacheSettings.cpp - What the environment says of the cache ---------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFiles.h"
#include "tegula/Runtime/Cache.h"
#include "tegula/Runtime/CacheFolder.h"

#include <cctype>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

using namespace tegula::runtime;

static constexpr uint64_t kDefaultLimit = uint64_t(2) << 30;

/// The value of a variable in small letters; "" where it is not set.
static std::string variable(const char *name) {
  const char *value = std::getenv(name);
  std::string text = value ? value : "";
  for (char &c : text) {
    c = char(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

static tg_status *wrong(const char *name, const char *expected) {
  return makeStatus(TG_INVALID, status::CacheArgument,
                    std::string("environment variable ") + name + ": expected " + expected +
                        ", got '" + std::getenv(name) + "'");
}

/// "500M" and the like, in units of 1024.
static bool parseSize(std::string text, uint64_t &size) {
  unsigned shift = 0;
  const size_t unit = text.empty() ? std::string::npos : std::string("kmgt").find(text.back());
  if (unit != std::string::npos) {
    shift = 10 * unsigned(unit + 1);
    text.pop_back();
  }
  if (text.empty() || text.size() > 18 ||
      text.find_first_not_of("0123456789") != std::string::npos) {
    return false;
  }
  const uint64_t number = std::strtoull(text.c_str(), nullptr, 10);
  size = number << shift;
  return size >> shift == number;
}

/// A folder of the system's temporary ones, which others may have made first: what is
/// read from the cache is executed. 0700 and this user's, or made so now.
static bool isPrivate(const std::string &folder) {
  struct stat info;
  if (lstat(folder.c_str(), &info) != 0 &&
      (mkdir(folder.c_str(), 0700) != 0 || lstat(folder.c_str(), &info) != 0)) {
    return false;
  }
  return S_ISDIR(info.st_mode) && info.st_uid == geteuid() && (info.st_mode & 022) == 0;
}

static bool isYes(const std::string &text) {
  return text == "on" || text == "1" || text == "true" || text == "yes";
}
static bool isNo(const std::string &text) {
  return text == "off" || text == "0" || text == "false" || text == "no";
}

tg_status *tegula::runtime::readCacheSettings(CacheSettings &settings) {
  settings = {};
  settings.folder = cacheFolder();
  settings.limit = kDefaultLimit;
  if (const std::string mode = variable("TEGULA_CACHE"); !mode.empty()) {
    if (isNo(mode)) {
      settings.mode = CacheMode::Off;
    } else if (mode == "read-only") {
      settings.mode = CacheMode::ReadOnly;
    } else if (!isYes(mode)) {
      return wrong("TEGULA_CACHE", "on, off or read-only");
    }
  }
  if (settings.mode != CacheMode::Off && !namesCacheFolder() && !isPrivate(settings.folder)) {
    settings.mode = CacheMode::Off;
    reportCacheTrouble(settings.folder + " is not a folder that only this user can write to");
  }
  if (const std::string limit = variable("TEGULA_CACHE_LIMIT");
      !limit.empty() && !parseSize(limit, settings.limit)) {
    return wrong("TEGULA_CACHE_LIMIT", "a number of bytes such as 500M or 2G");
  }
  if (const std::string always = variable("TEGULA_ALWAYS_COMPILE"); !always.empty()) {
    settings.alwaysCompile = isYes(always);
    if (!settings.alwaysCompile && !isNo(always)) {
      return wrong("TEGULA_ALWAYS_COMPILE", "1 or 0");
    }
  }
  return nullptr;
}
