//===- PrivateCache.cpp - Tests leave the user's cache alone ----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linked into every GoogleTest program: unless TEGULA_CACHE_DIR names a folder, as
// tools/check does, the program gets an empty one that is removed when it ends.
//
//===----------------------------------------------------------------------===//

#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace {
struct PrivateCache {
  PrivateCache() {
    if (getenv("TEGULA_CACHE_DIR")) {
      return;
    }
    std::string name = std::filesystem::temp_directory_path() / "tegula-test-XXXXXX";
    if (mkdtemp(name.data())) {
      folder = name;
      setenv("TEGULA_CACHE_DIR", name.c_str(), 1);
    }
  }
  ~PrivateCache() {
    // A child that only forked does not own it.
    std::error_code error;
    if (!folder.empty() && getpid() == owner) {
      std::filesystem::remove_all(folder, error);
    }
  }
  const pid_t owner = getpid();
  std::string folder;
};
} // namespace

static const PrivateCache privateCache;
