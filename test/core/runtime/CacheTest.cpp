//===- CacheTest.cpp - The cache when things go wrong -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/Cache.h"
#include "CacheFixture.h"

#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tegula::runtime;

namespace {
std::string keyOf(unsigned number) {
  std::string text = std::to_string(number);
  // Distinct folders, as digests have them.
  std::string key(64, '0');
  key[0] = "0123456789abcdef"[number * 7 % 16];
  key[1] = "0123456789abcdef"[number * 7 / 16 % 16];
  return key.replace(64 - text.size(), text.size(), text);
}

class Cache : public CacheFixture {
protected:
  bool put(unsigned number, const std::string &data) {
    int stored = -1;
    EXPECT_EQ(
        textOf(tg_cache_put("tests", keyOf(number).c_str(), data.data(), data.size(), &stored)),
        "");
    return stored == 1;
  }
  /// "(absent)" for what is not there.
  std::string get(unsigned number) {
    char *data = nullptr;
    size_t size = 0;
    EXPECT_EQ(textOf(tg_cache_get("tests", keyOf(number).c_str(), &data, &size)), "");
    const std::string text = data ? std::string(data, size) : "(absent)";
    tg_cache_data_free(data);
    return text;
  }
  std::string pathOf(unsigned number) {
    const std::string key = keyOf(number);
    return folder + "/tests/" + key.substr(0, 2) + "/" + key;
  }
};

/// Runs `body` in a child, whose limits and mounts are its own; its exit code.
template <typename Body> int inChild(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(body());
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
} // namespace

TEST_F(Cache, KeepsWhatItIsGiven) {
  EXPECT_EQ(get(1), "(absent)");
  EXPECT_TRUE(put(1, "one"));
  EXPECT_TRUE(put(2, std::string("\0two\0", 5)));
  EXPECT_TRUE(put(3, ""));
  EXPECT_EQ(get(1), "one");
  EXPECT_EQ(get(2), std::string("\0two\0", 5));
  EXPECT_EQ(get(3), "");
  EXPECT_TRUE(put(1, "another"));
  EXPECT_EQ(get(1), "another");
  EXPECT_EQ(info().entries, 3u);
  EXPECT_EQ(partsLeft(), 0u);
}

TEST_F(Cache, ADamagedEntryIsAbsentUntilItIsReplaced) {
  put(1, "one");
  for (const char *content : {"", "short", "TEGULA-CACHE\n1\n"}) {
    write(pathOf(1), content);
    EXPECT_EQ(get(1), "(absent)");
  }
  EXPECT_TRUE(put(1, "one"));
  EXPECT_EQ(get(1), "one");
}

TEST_F(Cache, AnEntryUnderAnotherNameIsAbsent) {
  put(1, "one");
  put(2, "two");
  std::filesystem::copy_file(pathOf(1), pathOf(2),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(get(2), "(absent)");
}

TEST_F(Cache, OtherThingsInThePlaceOfAnEntry) {
  put(1, "one");
  std::filesystem::remove(pathOf(1));
  ASSERT_EQ(mkfifo(pathOf(1).c_str(), 0600), 0); // a reader of it would wait for ever
  EXPECT_EQ(get(1), "(absent)");
  EXPECT_TRUE(put(1, "one"));
  std::filesystem::remove(pathOf(1));
  std::filesystem::create_symlink(pathOf(1), pathOf(1));
  EXPECT_EQ(get(1), "(absent)");
  EXPECT_TRUE(put(1, "one"));
  EXPECT_EQ(get(1), "one");
  std::filesystem::remove(pathOf(1));
  std::filesystem::create_directory(pathOf(1));
  EXPECT_EQ(get(1), "(absent)");
  EXPECT_FALSE(put(1, "one"));
  EXPECT_EQ(partsLeft(), 0u);
}

TEST_F(Cache, ReadOnlyAndOff) {
  put(1, "one");
  setenv("TEGULA_CACHE", "read-only", 1);
  EXPECT_EQ(get(1), "one");
  EXPECT_FALSE(put(2, "two"));
  setenv("TEGULA_CACHE", "off", 1);
  EXPECT_EQ(get(1), "(absent)");
  EXPECT_FALSE(put(2, "two"));
  setenv("TEGULA_CACHE", "ON", 1);
  EXPECT_EQ(get(1), "one");
  EXPECT_EQ(get(2), "(absent)");
}

TEST_F(Cache, FoldersThatAreNone) {
  write(folder + "/file", "text");
  setenv("TEGULA_CACHE_DIR", (folder + "/file").c_str(), 1);
  const uint64_t failed = info().failed;
  EXPECT_EQ(get(1), "(absent)");
  EXPECT_FALSE(put(1, "one"));
  std::filesystem::create_symlink("loop", folder + "/loop");
  setenv("TEGULA_CACHE_DIR", (folder + "/loop").c_str(), 1);
  EXPECT_EQ(get(1), "(absent)");
  EXPECT_FALSE(put(1, "one"));
  setenv("TEGULA_CACHE_DIR", "/proc/none", 1);
  EXPECT_EQ(get(1), "(absent)");
  EXPECT_FALSE(put(1, "one"));
  EXPECT_GE(info().failed, failed + 3);
}

/// What is read from the cache runs: not from a folder that somebody else made.
TEST_F(Cache, WithoutAHomeTheFolderMustBePrivate) {
  const int code = inChild([&] {
    for (const char *name : {"TEGULA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) {
      unsetenv(name);
    }
    setenv("TMPDIR", folder.c_str(), 1);
    const std::string own = folder + "/tegula-" + std::to_string(getuid());
    if (!put(1, "one") || get(1) != "one" || own != info().folder) {
      return 1;
    }
    chmod(own.c_str(), 0777);
    if (put(1, "two") || get(1) != "(absent)") {
      return 2;
    }
    std::filesystem::rename(own, folder + "/elsewhere");
    chmod((folder + "/elsewhere").c_str(), 0700);
    std::filesystem::create_symlink("elsewhere", own);
    return put(1, "two") || get(1) != "(absent)" ? 3 : 0;
  });
  EXPECT_EQ(code, 0);
}

TEST_F(Cache, AFolderThatVanishesIsMadeAgain) {
  put(1, "one");
  std::filesystem::remove_all(folder);
  EXPECT_EQ(get(1), "(absent)");
  EXPECT_TRUE(put(1, "one"));
  std::filesystem::remove_all(folder + "/tests");
  EXPECT_TRUE(put(1, "one"));
  EXPECT_EQ(get(1), "one");
}

TEST_F(Cache, AFolderWithoutPermission) {
  put(1, "one");
  const int code = inChild([&] {
    std::filesystem::permissions(folder, std::filesystem::perms(0755));
    // Permissions bind everyone but root.
    if (geteuid() == 0 && (setegid(65534) != 0 || seteuid(65534) != 0)) {
      return 9;
    }
    if (get(1) != "one" || put(1, "two") || put(2, "two") || get(1) != "one") {
      return 1;
    }
    return textOf(tg_cache_clear()) == "entries of the cache that cannot be removed: 1; " +
                                           pathOf(1) + ": Permission denied [file-access]"
               ? 0
               : 2;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(partsLeft(), 0u);
}

TEST_F(Cache, FilesMayNotGrow) {
  put(1, "one");
  const int code = inChild([&] {
    const rlimit limit = {1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    // Its signal would end the process.
    signal(SIGXFSZ, SIG_DFL);
    const bool failed = !put(2, std::string(5000, 'x'));
    return failed && put(3, "three") && get(1) == "one" && get(2) == "(absent)" && get(3) == "three"
               ? 0
               : 1;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(partsLeft(), 0u);
}

TEST_F(Cache, ADiskThatIsFull) {
  if (mount("none", folder.c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "needs the right to mount";
  }
  EXPECT_TRUE(put(1, "one"));
  unsigned stored = 0;
  for (unsigned i = 2; i < 40; ++i) {
    stored += put(i, std::string(5000, char('a' + i % 26)));
  }
  EXPECT_GT(stored, 3u);
  EXPECT_LT(stored, 38u);
  EXPECT_EQ(get(1), "one");
  for (unsigned i = 2; i < 40; ++i) {
    const std::string found = get(i);
    EXPECT_TRUE(found == "(absent)" || found == std::string(5000, char('a' + i % 26)));
  }
  EXPECT_EQ(partsLeft(), 0u);
  umount2(folder.c_str(), MNT_DETACH);
}

//===----------------------------------------------------------------------===//
// Limit
//===----------------------------------------------------------------------===//

static void setAge(const std::string &path, long seconds) {
  timespec times[2] = {};
  clock_gettime(CLOCK_REALTIME, &times[1]);
  times[1].tv_sec -= seconds;
  times[0] = times[1];
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

TEST_F(Cache, TheEntriesUnusedLongestGoFirst) {
  for (unsigned i = 0; i < 20; ++i) {
    put(i, std::string(1000, 'x'));
    setAge(pathOf(i), 10000 - 100 * long(i));
  }
  const uint64_t each = info().bytes / 20;
  EXPECT_EQ(get(0), std::string(1000, 'x')); // now it is the newest
  setenv("TEGULA_CACHE_LIMIT", std::to_string(10 * each).c_str(), 1);
  CacheSettings settings;
  ASSERT_EQ(readCacheSettings(settings), nullptr);
  evictFromCache(settings);
  EXPECT_EQ(info().entries, 9u);
  for (unsigned i = 0; i < 20; ++i) {
    EXPECT_EQ(std::filesystem::exists(pathOf(i)), i == 0 || i >= 12) << i;
  }
}

TEST_F(Cache, StoresKeepTheLimit) {
  setenv("TEGULA_CACHE_LIMIT", "50K", 1);
  for (unsigned i = 0; i < 300; ++i) {
    EXPECT_TRUE(put(i, std::string(1000, 'x')));
    // The size is looked at when a sixteenth of the limit is new.
    EXPECT_LE(info().bytes, (50u << 10) / 16 * 17 + 1200);
  }
  EXPECT_EQ(get(299), std::string(1000, 'x'));
}

TEST_F(Cache, WhatIsLargerThanTheLimitIsNotStored) {
  setenv("TEGULA_CACHE_LIMIT", "1K", 1);
  EXPECT_FALSE(put(1, std::string(2000, 'x')));
  EXPECT_TRUE(put(2, std::string(500, 'x')));
}

TEST_F(Cache, OldPartsAreRemoved) {
  put(1, "one");
  const std::string young = pathOf(1) + ".1-2-3.part", old = pathOf(1) + ".1-2-4.part";
  write(young, "o");
  write(old, "o");
  setAge(old, 4000);
  CacheSettings settings;
  ASSERT_EQ(readCacheSettings(settings), nullptr);
  evictFromCache(settings);
  EXPECT_TRUE(std::filesystem::exists(young));
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_EQ(info().entries, 1u);
}

TEST_F(Cache, ClearLeavesOtherFiles) {
  put(1, "one");
  write(pathOf(1) + ".1-2-3.part", "o");
  std::filesystem::create_directories(folder + "/reproducers/ab");
  const std::vector<std::string> others = {folder + "/notes.txt", folder + "/tests/notes",
                                           folder + "/reproducers/k.mlir", pathOf(1) + "0"};
  for (const std::string &path : others) {
    write(path, "mine");
  }
  ASSERT_EQ(textOf(tg_cache_clear()), "");
  EXPECT_EQ(get(1), "(absent)");
  EXPECT_EQ(partsLeft(), 0u);
  for (const std::string &path : others) {
    EXPECT_TRUE(std::filesystem::exists(path)) << path;
  }
}

//===----------------------------------------------------------------------===//
// Wrong calls
//===----------------------------------------------------------------------===//

TEST_F(Cache, RefusesMalformedNames) {
  char *data = nullptr;
  size_t size = 0;
  const std::string key = keyOf(1);
  for (const char *kind : {"kernels", "reproducers", "A", "../x", ""}) {
    EXPECT_EQ(textOf(tg_cache_get(kind, key.c_str(), &data, &size)),
              "expected a kind of letters a-z, digits and '-', at most 32, other than 'kernels' "
              "and 'reproducers', got '" +
                  std::string(kind) + "' [cache-argument]");
  }
  EXPECT_EQ(textOf(tg_cache_put("tests", "12", "a", 1, nullptr)),
            "expected a key of 64 hexadecimal digits in small letters, got '12' [cache-argument]");
  EXPECT_EQ(textOf(tg_cache_get(nullptr, key.c_str(), &data, &size)),
            "expected a kind of the cache, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_cache_get("tests", nullptr, &data, &size)),
            "expected a key of the cache, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_cache_get("tests", key.c_str(), nullptr, &size)),
            "expected a place for the data, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_cache_get("tests", key.c_str(), &data, nullptr)),
            "expected a place for the size, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_cache_put("tests", key.c_str(), nullptr, 1, nullptr)),
            "expected the data of an entry, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_cache_info(nullptr)),
            "expected a place for the facts of the cache, got a null pointer [null-pointer]");
  tg_cache_facts facts = {};
  EXPECT_EQ(textOf(tg_cache_info(&facts)), "expected struct_size to be sizeof(tg_cache_facts), 80 "
                                           "bytes, got 0 [cache-argument]");
}

TEST_F(Cache, RefusesMalformedVariables) {
  const struct {
    const char *name, *value, *expected;
  } cases[] = {{"TEGULA_CACHE", "of", "on, off or read-only"},
               {"TEGULA_CACHE_LIMIT", "2 GB", "a number of bytes such as 500M or 2G"},
               {"TEGULA_CACHE_LIMIT", "M", "a number of bytes such as 500M or 2G"},
               {"TEGULA_CACHE_LIMIT", "-1", "a number of bytes such as 500M or 2G"},
               {"TEGULA_CACHE_LIMIT", "99999999T", "a number of bytes such as 500M or 2G"},
               {"TEGULA_ALWAYS_COMPILE", "2", "1 or 0"}};
  for (const auto &[name, value, expected] : cases) {
    setenv(name, value, 1);
    EXPECT_EQ(textOf(tg_cache_clear()), std::string("environment variable ") + name +
                                            ": expected " + expected + ", got '" + value +
                                            "' [cache-argument]");
    unsetenv(name);
  }
}

TEST_F(Cache, LimitsAreInUnitsOf1024) {
  for (const auto &[text, value] : {std::pair<const char *, uint64_t>{"1000", 1000},
                                    {"3k", 3 << 10},
                                    {"500M", 500 << 20},
                                    {"2G", uint64_t(2) << 30},
                                    {"1t", uint64_t(1) << 40},
                                    {"0", 0}}) {
    setenv("TEGULA_CACHE_LIMIT", text, 1);
    EXPECT_EQ(info().limit, value);
  }
}
