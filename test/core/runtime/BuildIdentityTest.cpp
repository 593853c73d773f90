//===- BuildIdentityTest.cpp - Which build of a library is loaded -----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/BuildIdentity.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <sys/stat.h>

using namespace tegula::runtime;

namespace {
/// Loads a copy of a library of the tests from a place of its own.
class Library {
public:
  explicit Library(const std::string &name) {
    folder = std::filesystem::temp_directory_path() / "tegula-library-XXXXXX";
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    path = folder + "/" + name;
    std::filesystem::copy_file(std::string(BUILD_ID_FOLDER) + "/" + name, path);
  }
  ~Library() {
    if (handle) {
      dlclose(handle);
    }
    std::filesystem::remove_all(folder);
  }
  std::string identity() {
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(handle, nullptr) << dlerror();
    return buildIdentity(dlsym(handle, "tegula_test_symbol"));
  }
  std::string folder, path;

private:
  void *handle = nullptr;
};
} // namespace

TEST(BuildIdentity, IsTheBuildIdWhereverTheFileLies) {
  Library one("libwith-build-id.so"), other("libwith-build-id.so");
  const std::string identity = one.identity();
  EXPECT_THAT(identity, testing::MatchesRegex("[0-9a-f]{40}"));
  EXPECT_EQ(other.identity(), identity);
  EXPECT_NE(runtimeIdentity(), identity);
  EXPECT_THAT(runtimeIdentity(), testing::MatchesRegex("[0-9a-f]{40}"));
}

TEST(BuildIdentity, IsTheFileWithoutABuildId) {
  Library one("libwithout-build-id.so"), other("libwithout-build-id.so");
  const timespec times[2] = {{1000, 0}, {1000, 5}};
  ASSERT_EQ(utimensat(AT_FDCWD, other.path.c_str(), times, 0), 0);
  const std::string identity = one.identity();
  EXPECT_THAT(identity, testing::StartsWith("file "));
  EXPECT_NE(other.identity(), identity);
  EXPECT_THAT(other.identity(), testing::HasSubstr(" 1000.5 "));
}

TEST(BuildIdentity, OfNoLibraryIsNothing) {
  const auto onHeap = std::make_unique<char>();
  EXPECT_EQ(buildIdentity(onHeap.get()), "");
  EXPECT_EQ(buildIdentity(nullptr), "");
}
