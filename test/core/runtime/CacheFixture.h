//===- CacheFixture.h - A cache of its own for a test -----------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TEST_CACHEFIXTURE_H
#define TEGULA_TEST_CACHEFIXTURE_H

#include "tegula/tegula.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <string>

/// "message [id]" of a status, which it frees; "" for success.
inline std::string textOf(tg_status *status) {
  std::string text =
      status ? std::string(tg_status_message(status)) + " [" + tg_status_id(status) + "]" : "";
  tg_status_free(status);
  return text;
}

/// TEGULA_CACHE_DIR names an empty folder, and no other variable of the cache is set.
class CacheFixture : public testing::Test {
protected:
  void SetUp() override {
    for (const char *name :
         {"TEGULA_CACHE_DIR", "TEGULA_CACHE", "TEGULA_CACHE_LIMIT", "TEGULA_ALWAYS_COMPILE"}) {
      const char *value = std::getenv(name);
      before[name] = value ? value : "";
      unsetenv(name);
    }
    folder = std::filesystem::temp_directory_path() / "tegula-cache-XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    setenv("TEGULA_CACHE_DIR", folder.c_str(), 1);
  }
  void TearDown() override {
    for (const auto &[name, value] : before) {
      value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
    }
    std::error_code error;
    std::filesystem::remove_all(folder, error);
  }

  static tg_cache_facts info() {
    tg_cache_facts facts = {};
    facts.struct_size = sizeof facts;
    EXPECT_EQ(textOf(tg_cache_info(&facts)), "");
    return facts;
  }
  unsigned partsLeft() const {
    unsigned count = 0;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
      count += entry.path().extension() == ".part";
    }
    return count;
  }
  static void write(const std::string &path, const std::string &text) {
    std::ofstream(path, std::ios::binary) << text;
    ASSERT_TRUE(std::filesystem::exists(path));
  }

  std::string folder;

private:
  std::map<std::string, std::string> before;
};

#endif // TEGULA_TEST_CACHEFIXTURE_H
