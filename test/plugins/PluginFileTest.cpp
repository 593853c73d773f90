//===- PluginFileTest.cpp - Odd files in the plugin folders ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/PluginHost.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <link.h>
#include <random>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using namespace tegula::runtime;
namespace fs = std::filesystem;

static std::string fixture(const std::string &id) {
  return std::string(FIXTURES) + "/libtegula-" + id + ".so";
}

static std::string read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Whether any library of that file name is in the process.
static bool isMapped(const std::string &name) {
  struct Search {
    std::string name;
    bool found = false;
  } search{"/" + name};
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *data) {
        auto &wanted = *static_cast<Search *>(data);
        wanted.found |= std::string(info->dlpi_name).ends_with(wanted.name);
        return 0;
      },
      &search);
  return search.found;
}

namespace {
class PluginFile : public testing::Test {
protected:
  void SetUp() override {
    folder = testing::TempDir() + "tegula-files-" + std::to_string(getpid());
    fs::remove_all(folder);
    fs::create_directories(folder + "/a");
    fs::create_directories(folder + "/b");
    setenv("TEGULA_PLUGIN_PATH", (folder + "/a:" + folder + "/b").c_str(), 1);
  }
  void TearDown() override {
    unsetenv("TEGULA_PLUGIN_PATH");
    fs::remove_all(folder);
  }
  std::string write(const std::string &name, const std::string &bytes) {
    const std::string path = folder + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  static void expectFailure(const PluginReport &report, PluginStep step, const char *id,
                            const std::string &detail) {
    const PluginCheck *failure = report.failure();
    ASSERT_NE(failure, nullptr) << report.note.path;
    EXPECT_EQ(failure, &report.at(step)) << failure->name;
    EXPECT_EQ(failure->id, id);
    EXPECT_EQ(failure->detail, detail);
  }
  std::string folder;
};
} // namespace

//===----------------------------------------------------------------------===//
// Kinds of files
//===----------------------------------------------------------------------===//

TEST_F(PluginFile, FoldersAndPipes) {
  fs::create_directory(folder + "/a/libtegula-dir.so");
  expectFailure(inspectPlugin(folder + "/a/libtegula-dir.so", PluginDepth::Register),
                PluginStep::File, "E110", "is a folder");
  const std::string pipe = folder + "/a/libtegula-pipe.so";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0); // opening it must not wait for a writer
  expectFailure(inspectPlugin(pipe, PluginDepth::Register), PluginStep::File, "E110",
                "is no ordinary file");
  expectFailure(inspectPlugin("/dev/zero", PluginDepth::Register), PluginStep::File, "E110",
                "is no ordinary file");
}

TEST_F(PluginFile, LinksAndRelativePaths) {
  write("a/real.so", read(fixture("good")));
  fs::create_symlink("real.so", folder + "/a/libtegula-good.so");
  fs::create_symlink("nowhere.so", folder + "/a/libtegula-lost.so");
  fs::create_symlink("libtegula-loop.so", folder + "/a/libtegula-loop.so");
  const PluginReport good = inspectPlugin(folder + "/a/libtegula-good.so", PluginDepth::Names);
  EXPECT_EQ(good.failure(), nullptr);
  EXPECT_STREQ(good.plugin->id, "good");
  expectFailure(inspectPlugin(folder + "/a/libtegula-lost.so", PluginDepth::Names),
                PluginStep::File, "E110", "cannot be read: No such file or directory");
  expectFailure(inspectPlugin(folder + "/a/libtegula-loop.so", PluginDepth::Names),
                PluginStep::File, "E110", "cannot be read: Too many levels of symbolic links");

  // The loader would look for a bare name in its own folders; we mean the file.
  const fs::path before = fs::current_path();
  fs::current_path(folder + "/a");
  for (const char *path : {"libtegula-good.so", "./real.so", "../a/real.so"}) {
    const PluginReport report = inspectPlugin(path, PluginDepth::Names);
    EXPECT_EQ(report.failure(), nullptr) << path;
    EXPECT_EQ(report.plugin, good.plugin) << path;
    EXPECT_EQ(report.note.path, path);
  }
  setenv("TEGULA_PLUGIN_PATH", ".", 1);
  const tegula_plugin *plugin = nullptr;
  EXPECT_EQ(loadPlugin("good", TEGULA_RUNTIME, &plugin), nullptr);
  EXPECT_EQ(plugin, good.plugin);
  fs::current_path(before);
}

TEST_F(PluginFile, PermissionsMissing) {
  const std::string path = write("a/libtegula-good.so", read(fixture("good")));
  fs::permissions(path, fs::perms::none);
  // The user of the tests may be root, whom permissions do not stop.
  const bool isRoot = geteuid() == 0;
  if (isRoot) {
    fs::permissions(folder, fs::perms::all);
    ASSERT_EQ(seteuid(65534), 0);
  }
  PluginNote note;
  tg_status *status = readPluginNote(path, note);
  if (isRoot) {
    ASSERT_EQ(seteuid(0), 0);
  }
  ASSERT_NE(status, nullptr);
  EXPECT_STREQ(tg_status_id(status), "E110");
  EXPECT_EQ(tg_status_message(status), path + ": cannot be read: Permission denied");
  tg_status_free(status);
}

TEST_F(PluginFile, WritableByEverybodyThroughALink) {
  const std::string path = write("open.so", read(fixture("good")));
  fs::permissions(path, fs::perms::others_write, fs::perm_options::add);
  fs::create_symlink(path, folder + "/a/libtegula-good.so");
  const PluginReport report = inspectPlugin(folder + "/a/libtegula-good.so", PluginDepth::Register);
  expectFailure(report, PluginStep::File, "E113",
                "may be written by everybody, so its code is not trusted");
  EXPECT_EQ(report.failure()->hint, "chmod o-w " + folder + "/a/libtegula-good.so");
  EXPECT_EQ(report.plugin, nullptr);
}

//===----------------------------------------------------------------------===//
// Order of folders
//===----------------------------------------------------------------------===//

TEST_F(PluginFile, TheFirstOfAnIdCounts) {
  const std::string first = write("a/libtegula-good.so", read(fixture("good")));
  const std::string second = write("b/libtegula-good.so", read(fixture("good")));
  std::vector<std::string> problems;
  std::vector<std::string> found;
  for (const PluginNote &note : discoverPlugins(&problems)) {
    if (note.id == "good") {
      found.push_back(note.path);
    }
  }
  EXPECT_EQ(found, std::vector{first});
  EXPECT_EQ(problems, std::vector{second + ": is not used: " + first +
                                  " serves as plugin 'good' already [E101]"});
  for (const PluginReport &report : scanPlugins(PluginDepth::Names)) {
    if (report.note.id == "good") {
      EXPECT_EQ(report.hiddenBy, report.note.path == second ? first : "");
      EXPECT_EQ(report.plugin == nullptr, report.note.path == second);
    }
  }
}

TEST_F(PluginFile, OtherNamesAreNotFoundAndHideNothing) {
  const std::string copy = write("a/libtegula-backup.so", read(fixture("good")));
  fs::create_symlink("libtegula-good.so", folder + "/a/libtegula-again.so");
  const std::string right = write("a/libtegula-good.so", read(fixture("good")));
  std::vector<std::string> problems, found;
  for (const PluginNote &note : discoverPlugins(&problems)) {
    if (note.id == "good") {
      found.push_back(note.path);
    }
  }
  EXPECT_EQ(found, std::vector{right});
  const std::string why = ": is plugin 'good', which is looked for as libtegula-good.so and "
                          "libtegula-good-rt.so [E110]";
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].substr(0, problems[0].find('\n')), folder + "/a/libtegula-again.so" + why);
  EXPECT_EQ(problems[1].substr(0, problems[1].find('\n')), copy + why);
  for (const PluginReport &report : scanPlugins(PluginDepth::File)) {
    if (report.note.path == copy) {
      expectFailure(report, PluginStep::Note, "E110",
                    "is plugin 'good', which is looked for as libtegula-good.so and "
                    "libtegula-good-rt.so");
      EXPECT_EQ(report.failure()->hint, "rename the file");
    }
  }
  const tegula_plugin *plugin = nullptr;
  ASSERT_EQ(loadPlugin("good", TEGULA_RUNTIME, &plugin), nullptr);
  EXPECT_EQ(pluginPath(plugin), right);
}

TEST_F(PluginFile, WhatCannotServeHidesNothing) {
  write("a/libtegula-good.so", "text");
  std::string other = read(fixture("good"));
  other.replace(other.find("api=1."), 7, "api=9.0");
  write("a/libtegula-good-rt.so", other);
  const std::string right = write("b/libtegula-good.so", read(fixture("good")));
  const auto reports = scanPlugins(PluginDepth::File);
  const auto it = std::find_if(reports.begin(), reports.end(), [&](const PluginReport &report) {
    return report.note.path == right;
  });
  ASSERT_NE(it, reports.end());
  EXPECT_EQ(it->hiddenBy, "");
}

TEST_F(PluginFile, OneFolderTwiceIsOneFolder) {
  write("a/libtegula-good.so", read(fixture("good")));
  fs::create_symlink("libtegula-good.so", folder + "/a/libtegula-zzz.so");
  setenv("TEGULA_PLUGIN_PATH", (folder + "/a::" + folder + "/a/:" + folder + "/b/../a").c_str(), 1);
  std::vector<std::string> problems;
  size_t count = 0;
  for (const PluginNote &note : discoverPlugins(&problems)) {
    count += note.id == "good";
  }
  EXPECT_EQ(count, 1u);
  EXPECT_TRUE(problems.empty()) << problems.front();
}

//===----------------------------------------------------------------------===//
// What comes along
//===----------------------------------------------------------------------===//

TEST_F(PluginFile, RealSanitizersAreSeenBeforeLoading) {
  if (TEGULA_SANITIZERS != 0) {
    GTEST_SKIP() << "the tests themselves are built with it";
  }
  expectFailure(inspectPlugin(fixture("real-asan"), PluginDepth::Register), PluginStep::Load,
                "E141",
                "expected a plugin built without sanitizers, got one built with the address "
                "sanitizer");
  EXPECT_FALSE(isMapped("libtegula-real-asan.so"));
}

TEST_F(PluginFile, SecondLLVM) {
  const PluginReport first = inspectPlugin(fixture("second-llvm"), PluginDepth::Names);
  ASSERT_NE(first.failure(), nullptr);
  EXPECT_EQ(first.failure(), &first.at(PluginStep::Load));
  EXPECT_EQ(first.failure()->id, "E160");
  EXPECT_EQ(first.failure()->detail.find("brings a second LLVM into the process: " FIXTURES
                                         "/libLLVM.so.21.1"),
            0u)
      << first.failure()->detail;
  // It is in the process now, and is refused all the same.
  const PluginReport again = inspectPlugin(fixture("second-llvm"), PluginDepth::Names);
  ASSERT_NE(again.failure(), nullptr);
  EXPECT_EQ(again.failure()->detail, first.failure()->detail);
  EXPECT_EQ(again.plugin, nullptr);
}

TEST_F(PluginFile, FileDepthRunsNoCode) {
  const std::string path = write("a/libtegula-quiet.so", read(fixture("null")));
  const PluginReport report = inspectPlugin(path, PluginDepth::File);
  EXPECT_EQ(report.failure(), nullptr); // its table is null, which nobody has asked for
  EXPECT_EQ(report.at(PluginStep::Load).state, CheckState::NotRun);
  EXPECT_FALSE(isMapped("libtegula-quiet.so"));
  EXPECT_EQ(inspectPlugin(path, PluginDepth::Names).failure()->id, "E131");
}

//===----------------------------------------------------------------------===//
// Damage
//===----------------------------------------------------------------------===//

/// Ranges of a library that are not code: where damage matters to a reader.
static std::vector<std::pair<size_t, size_t>> headerRanges(const std::string &bytes) {
  const auto *header = reinterpret_cast<const Elf64_Ehdr *>(bytes.data());
  const auto *segments = reinterpret_cast<const Elf64_Phdr *>(bytes.data() + header->e_phoff);
  const auto *sections = reinterpret_cast<const Elf64_Shdr *>(bytes.data() + header->e_shoff);
  std::vector<std::pair<size_t, size_t>> ranges = {
      {0, sizeof(Elf64_Ehdr)},
      {header->e_phoff, header->e_phnum * sizeof(Elf64_Phdr)},
      {header->e_shoff, header->e_shnum * sizeof(Elf64_Shdr)}};
  for (int i = 0; i < header->e_phnum; ++i) {
    if (segments[i].p_type == PT_NOTE || segments[i].p_type == PT_DYNAMIC) {
      ranges.push_back({segments[i].p_offset, segments[i].p_filesz});
    }
  }
  for (int i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type == SHT_DYNSYM || sections[i].sh_type == SHT_STRTAB) {
      ranges.push_back({sections[i].sh_offset, sections[i].sh_size});
    }
  }
  return ranges;
}

TEST_F(PluginFile, TwoThousandCorruptionsOfHeaders) {
  const std::string good = read(fixture("headers")); // a compiler half: all steps read it
  const auto ranges = headerRanges(good);
  std::mt19937 random(1);
  const auto below = [&](size_t limit) { return size_t(random() % limit); };
  const std::string path = folder + "/a/libtegula-headers.so";
  size_t refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = good;
    for (size_t change = 1 + below(4); change > 0; --change) {
      const auto &[offset, size] = ranges[below(ranges.size())];
      const size_t at = offset + below(size);
      switch (below(4)) {
      case 0:
        bytes[at] = char(random());
        break;
      case 1: // a whole field, set to an extreme
        for (size_t i = at & ~size_t(7); i < (at | 7) + 1 && i < bytes.size(); ++i) {
          bytes[i] = round % 2 ? '\xff' : '\0';
        }
        break;
      case 2:
        bytes[at] = char(bytes[at] ^ (1 << below(8)));
        break;
      case 3:
        if (below(8) == 0) {
          bytes.resize(at + 1);
        } else {
          bytes[at] = char(bytes[at] + 1);
        }
        break;
      }
      if (bytes.size() < good.size()) {
        break; // ranges are those of the whole file
      }
    }
    std::ofstream(path, std::ios::binary) << bytes;
    const PluginReport report = inspectPlugin(path, PluginDepth::File);
    refused += report.failure() != nullptr;
    PluginNote note;
    tg_status_free(readPluginNote(path, note));
    // Whatever it says, it says it in words.
    EXPECT_TRUE(!report.failure() || !report.failure()->detail.empty());
  }
  EXPECT_EQ(refused, 2000u); // even whole it is one for other headers
}

TEST_F(PluginFile, ManyLargeNotesAreNotRead) {
  std::string bytes = read(fixture("good"));
  auto *header = reinterpret_cast<Elf64_Ehdr *>(bytes.data());
  auto *segments = reinterpret_cast<Elf64_Phdr *>(bytes.data() + header->e_phoff);
  for (int i = 0; i < header->e_phnum; ++i) {
    segments[i].p_type = PT_NOTE;
    segments[i].p_offset = 0;
    segments[i].p_filesz = size_t(2) << 20;
  }
  bytes.resize(size_t(4) << 20);
  expectFailure(inspectPlugin(write("a/libtegula-good.so", bytes), PluginDepth::File),
                PluginStep::File, "E110", "has notes of more than 1 MiB");
}
