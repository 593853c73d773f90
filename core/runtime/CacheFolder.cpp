//===- CacheFolder.cpp - Where Tegula keeps files of its own --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/CacheFolder.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unistd.h>

std::string tegula::runtime::cacheFolder() {
  auto named = [](const char *variable) -> std::string {
    const char *value = std::getenv(variable);
    return value ? value : "";
  };
  if (std::string folder = named("TEGULA_CACHE_DIR"); !folder.empty()) {
    return folder;
  }
  if (std::string folder = named("XDG_CACHE_HOME"); !folder.empty()) {
    return folder + "/tegula";
  }
  if (std::string folder = named("HOME"); !folder.empty()) {
    return folder + "/.cache/tegula";
  }
  std::string folder = named("TMPDIR");
  return (folder.empty() ? "/tmp" : folder) + "/tegula-" + std::to_string(getuid());
}

bool tegula::runtime::namesCacheFolder() {
  for (const char *variable : {"TEGULA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) {
    if (const char *value = std::getenv(variable); value && *value) {
      return true;
    }
  }
  return false;
}

bool tegula::runtime::writeWholeFile(const std::string &path, const std::string &text,
                                     std::string &error) {
  std::error_code code;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), code);
  if (code) {
    error = code.message();
    return false;
  }
  // A pipe or a device is written to, not replaced by a file.
  const bool isSpecial = std::filesystem::is_other(path, code);
  static std::atomic<unsigned> count = 0;
  const std::string part =
      isSpecial ? path
                : path + "." + std::to_string(getpid()) + "." + std::to_string(count++) + ".part";
  std::FILE *file = std::fopen(part.c_str(), "wb");
  if (!file) {
    error = std::strerror(errno);
    return false;
  }
  bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  written = std::fclose(file) == 0 && written;
  if (!written || (!isSpecial && std::rename(part.c_str(), path.c_str()) != 0)) {
    error = std::strerror(errno);
    if (!isSpecial) {
      std::remove(part.c_str());
    }
    return false;
  }
  return true;
}
