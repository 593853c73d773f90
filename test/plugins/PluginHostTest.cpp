//===- PluginHostTest.cpp - Finding and refusing plugins ----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/PluginHost.h"
#include "tegula/Runtime/Artifact.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>

using namespace tegula::runtime;
namespace fs = std::filesystem;

static std::string fixture(const std::string &id) {
  return std::string(FIXTURES) + "/libtegula-" + id + ".so";
}

namespace {
class PluginHost : public testing::Test {
protected:
  void SetUp() override {
    folder = testing::TempDir() + "tegula-plugins-" + std::to_string(getpid());
    fs::create_directories(folder);
    setenv("TEGULA_PLUGIN_PATH", (folder + ":" FIXTURES).c_str(), 1);
  }
  void TearDown() override {
    unsetenv("TEGULA_PLUGIN_PATH");
    fs::remove_all(folder);
  }
  /// Loads a file that must be refused with `id`; its message must hold `part`.
  static void expectRefused(const std::string &path, const char *id, const char *part) {
    const tegula_plugin *plugin = nullptr;
    tg_status *status = loadPluginFile(path, &plugin);
    ASSERT_NE(status, nullptr) << path;
    EXPECT_STREQ(tg_status_id(status), id) << tg_status_message(status);
    EXPECT_NE(std::string(tg_status_message(status)).find(part), std::string::npos)
        << tg_status_message(status);
    EXPECT_EQ(plugin, nullptr);
    tg_status_free(status);
  }
  std::string write(const std::string &name, const std::string &bytes) {
    const std::string path = folder + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  static std::string read(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string folder;
};
} // namespace

TEST_F(PluginHost, LoadsOnce) {
  const tegula_plugin *first = nullptr, *second = nullptr, *third = nullptr;
  tg_status *status = loadPlugin("good", TEGULA_RUNTIME, &first);
  ASSERT_EQ(status, nullptr) << tg_status_message(status);
  EXPECT_STREQ(first->id, "good");
  ASSERT_EQ(loadPlugin("good", TEGULA_RUNTIME, &second), nullptr);
  ASSERT_EQ(loadPluginFile(fixture("good"), &third), nullptr);
  EXPECT_EQ(first, second);
  EXPECT_EQ(first, third);
}

TEST_F(PluginHost, LargerStructsAndNewerMinorAreWelcome) {
  const tegula_plugin *plugin = nullptr;
  tg_status *status = loadPluginFile(fixture("bigger"), &plugin);
  ASSERT_EQ(status, nullptr) << tg_status_message(status);
  EXPECT_GT(plugin->runtime->struct_size, sizeof(tegula_runtime_v1));
}

TEST_F(PluginHost, OlderMinorLacksItsFields) {
  const tegula_plugin *plugin = nullptr;
  tg_status *status = loadPluginFile(fixture("older"), &plugin);
  ASSERT_EQ(status, nullptr) << tg_status_message(status);
  EXPECT_EQ(plugin->api_minor, 0);
  EXPECT_FALSE(TEGULA_HAS_FIELD(tegula_plugin, plugin, report_to));
}

TEST_F(PluginHost, MissingListsEveryPlace) {
  const tegula_plugin *plugin = nullptr;
  tg_status *status = loadPlugin("nosuch", TEGULA_RUNTIME, &plugin);
  ASSERT_NE(status, nullptr);
  EXPECT_STREQ(tg_status_id(status), "E100");
  EXPECT_EQ(tg_status_code(status), TG_NOT_FOUND);
  const std::string message = tg_status_message(status);
  for (const std::string &place : pluginFolders()) {
    for (const char *name : {"/libtegula-nosuch-rt.so", "/libtegula-nosuch.so"}) {
      EXPECT_NE(message.find(place + name + ": no such file"), std::string::npos) << message;
    }
  }
  tg_status_free(status);
}

TEST_F(PluginHost, IdsAreNotPaths) {
  const tegula_plugin *plugin = nullptr;
  tg_status *status = loadPlugin("../x", TEGULA_RUNTIME, &plugin);
  EXPECT_STREQ(tg_status_id(status), "E100");
  EXPECT_EQ(std::string(tg_status_message(status)).find("no such file"), std::string::npos);
  tg_status_free(status);
}

TEST_F(PluginHost, OtherComponentIsNotEnough) {
  const tegula_plugin *plugin = nullptr;
  tg_status *status = loadPlugin("good", TEGULA_COMPILER, &plugin);
  EXPECT_STREQ(tg_status_id(status), "E100");
  EXPECT_NE(std::string(tg_status_message(status)).find("has no compiler component"),
            std::string::npos);
  tg_status_free(status);
}

TEST_F(PluginHost, MissingFile) { expectRefused(folder + "/x.so", "E100", "no such plugin file"); }

TEST_F(PluginHost, NotElf) {
  expectRefused(write("libtegula-text.so", "hello, this is no library at all"), "E110",
                "is not an ELF file");
  expectRefused(write("libtegula-empty.so", ""), "E110", "is not an ELF file");
}

TEST_F(PluginHost, OtherMachine) {
  std::string bytes = read(fixture("good"));
  bytes[18] = 8; // e_machine: MIPS
  expectRefused(write("libtegula-mips.so", bytes), "E110",
                "is not a shared library of this machine");
  bytes[4] = 1; // 32 bits
  expectRefused(write("libtegula-small.so", bytes), "E110",
                "is not a 64-bit little-endian ELF file");
}

TEST_F(PluginHost, TruncatedAnywhere) {
  const std::string bytes = read(fixture("good"));
  ASSERT_GT(bytes.size(), 4000u);
  for (size_t size = 4; size < bytes.size(); size += 1 + bytes.size() / 200) {
    const tegula_plugin *plugin = nullptr;
    tg_status *status = loadPluginFile(write("libtegula-cut.so", bytes.substr(0, size)), &plugin);
    ASSERT_NE(status, nullptr) << size;
    EXPECT_STREQ(tg_status_id(status), "E110") << size << tg_status_message(status);
    tg_status_free(status);
  }
}

TEST_F(PluginHost, DamagedHeadersAreSurvived) {
  const std::string good = read(fixture("good"));
  // Each byte of the ELF header and of the program headers, set to its extremes.
  for (size_t at = 4; at < 600; at += 3) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string bytes = good;
      bytes[at] = value;
      PluginNote note;
      tg_status_free(readPluginNote(write("libtegula-odd.so", bytes), note));
    }
  }
}

TEST_F(PluginHost, NoNote) { expectRefused(fixture("bare"), "E110", "has no note .note.tegula"); }

TEST_F(PluginHost, DamagedNote) {
  std::string bytes = read(fixture("good"));
  const size_t at = bytes.find("api=1.");
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 7, "api=one");
  expectRefused(write("libtegula-damaged.so", bytes), "E110", "has a damaged note .note.tegula");
}

TEST_F(PluginHost, OtherMajorInTheNoteRunsNoCode) {
  std::string bytes = read(fixture("good"));
  bytes.replace(bytes.find("api=1."), 7, "api=9.0");
  expectRefused(write("libtegula-nine.so", bytes), "E131", "expected plugin API 1.x, got 9.0");
}

TEST_F(PluginHost, WritableByEverybody) {
  const std::string path = write("libtegula-open.so", read(fixture("good")));
  fs::permissions(path, fs::perms::others_write, fs::perm_options::add);
  expectRefused(path, "E113", "may be written by everybody, so its code is not trusted");
}

TEST_F(PluginHost, Tables) {
  expectRefused(fixture("hidden"), "E130", "does not export tegula_plugin_query");
  expectRefused(fixture("major"), "E131", "expected plugin API 1.x, got 2.0");
  expectRefused(fixture("other"), "E130", "its note says 'other', its table 'somebody'");
  expectRefused(fixture("slot"), "E135", "its runtime table lacks 'launch'");
  expectRefused(fixture("null"), "E131", "does not serve plugin API 1.1");
  expectRefused(fixture("cut-table"), "E134", "its runtime table is too small: expected ");
}

TEST_F(PluginHost, CompilerFacts) {
  expectRefused(fixture("compiler"), "E111", "expected a plugin built for LLVM 22.1, got 21.1.0");
  expectRefused(fixture("headers"), "E142", "got 0123");
  expectRefused(fixture("older-mlir"), "E111",
                "expected a plugin linked to libMLIR.so.22.1, got libMLIR.so.21.1");
  expectRefused(fixture("carries"), "E112", "it defines _ZN4mlir9MLIRThing3runEv");
}

TEST_F(PluginHost, FirstFailureDecides) {
  write("libtegula-broken.so", "text");
  const tegula_plugin *plugin = nullptr;
  tg_status *status = loadPlugin("broken", TEGULA_RUNTIME, &plugin);
  EXPECT_STREQ(tg_status_id(status), "E110");
  EXPECT_EQ(tg_status_message(status), folder + "/libtegula-broken.so: is not an ELF file");
  tg_status_free(status);
}

TEST_F(PluginHost, DiscoveryReadsNotesOnly) {
  write("libtegula-text.so", "text");
  std::vector<std::string> problems;
  bool foundGood = false, foundNull = false, foundCpu = false;
  for (const PluginNote &note : discoverPlugins(&problems)) {
    foundGood |= note.id == "good" && note.components == TEGULA_RUNTIME && note.apiMajor == 1;
    foundNull |= note.id == "null"; // would fail if its code ran
    foundCpu |= note.id == "cpu";
  }
  EXPECT_TRUE(foundGood);
  EXPECT_TRUE(foundNull);
  EXPECT_TRUE(foundCpu);
  bool named = false;
  for (const std::string &problem : problems) {
    named |= problem.find("libtegula-text.so: is not an ELF file") != std::string::npos;
  }
  EXPECT_TRUE(named);
}

TEST_F(PluginHost, CompilerTables) {
  expectRefused(fixture("no-facts"), "E140", "its compiler component has no build facts");
  expectRefused(fixture("facts-llvm"), "E140", "got 21.1");
  expectRefused(fixture("facts-abi"), "E143", "got gcc/libstdc++");
  expectRefused(fixture("facts-headers"), "E142", "expected facts of Tegula headers ");
  expectRefused(fixture("sanitized"), "E141", "got one built with the address sanitizer");
  expectRefused(fixture("no-probe"), "E135", "its compiler table lacks 'identity'");
  expectRefused(fixture("small-table"), "E134", "its table is too small: expected 8 bytes or more");
  expectRefused(fixture("short-table"), "E134", "its table is too small: expected ");
  expectRefused(fixture("short-compiler"), "E134", "its compiler table is too small: expected ");
  expectRefused(fixture("no-runtime-table"), "E130", "its runtime table is missing");
  expectRefused(fixture("no-compiler-table"), "E130", "its compiler table is missing");
  expectRefused(fixture("other-components"), "E130",
                "its note offers a compiler, its table a runtime");
}

TEST_F(PluginHost, LibrariesThatTheLoaderRefuses) {
  const tegula_plugin *plugin = nullptr;
  const std::string path = fixture("unresolved");
  tg_status *status = loadPluginFile(path, &plugin);
  EXPECT_STREQ(tg_status_id(status), "E120");
  EXPECT_EQ(tg_status_message(status), path + ": cannot be loaded: " + path +
                                           ": undefined symbol: fixture_that_nobody_defines");
  EXPECT_STREQ(tg_status_hint(status), "a library it needs is missing or of another version");
  tg_status_free(status);
}

//===----------------------------------------------------------------------===//
// Statuses of a runtime half
//===----------------------------------------------------------------------===//

namespace {
/// A plugin that fails where it is told to.
class Stubborn : public PluginHost {
protected:
  void TearDown() override {
    allow();
    PluginHost::TearDown();
  }
  static void failAt(const char *call, tg_code code) {
    setenv("FIXTURE_FAILS", call, 1);
    setenv("FIXTURE_CODE", std::to_string(code).c_str(), 1);
  }
  static void allow() {
    unsetenv("FIXTURE_FAILS");
    unsetenv("FIXTURE_CODE");
  }
  /// Code, identifier and whole text of a failure.
  static void expectFailure(tg_status *status, tg_code code, const char *id,
                            const std::string &prefix, const char *slot) {
    ASSERT_NE(status, nullptr);
    EXPECT_EQ(tg_status_code(status), code);
    EXPECT_STREQ(tg_status_id(status), id);
    EXPECT_EQ(tg_status_message(status), prefix + "the fixture is stuck (FIXTURE_STUCK, code 35; " +
                                             slot + " of plugin 'stubborn')");
    EXPECT_STREQ(tg_status_hint(status), "oil the fixture");
    tg_status_free(status);
  }
};
} // namespace

TEST_F(Stubborn, EveryMomentHasItsIdentifier) {
  tg_device *device = nullptr;
  const auto get = [&] { return tg_device_get("stubborn", 0, &device); };
  const std::string prefix = "device stubborn:0: ",
                    driver = prefix + "driver of plugin 'stubborn': ";
  failAt("open", TG_INTERNAL);
  expectFailure(get(), TG_INTERNAL, "internal-fault", driver, "open");
  failAt("enumerate", TG_INTERNAL);
  expectFailure(get(), TG_INTERNAL, "internal-fault", driver, "enumerate");
  failAt("info", TG_INVALID);
  expectFailure(get(), TG_INVALID, "no-such-device",
                prefix + "device 0 of plugin 'stubborn': ", "device_info");
  allow();
  ASSERT_EQ(get(), nullptr);

  // The context is made by what needs it first.
  tg_buffer *buffer = nullptr;
  const auto allocate = [&] { return tg_buffer_new(device, 4, TG_MEM_DEVICE, &buffer); };
  failAt("context", TG_OUT_OF_MEMORY);
  expectFailure(allocate(), TG_OUT_OF_MEMORY, "out-of-memory", prefix, "create_context");
  failAt("context", tg_code(99)); // a later version's
  expectFailure(allocate(), TG_INTERNAL, "internal-fault", prefix, "create_context");
  allow();

  tg_artifact artifact;
  artifact.kernel = "k";
  artifact.backend = "stubborn";
  artifact.stages["object"] = "code";
  tg_kernel *kernel = nullptr;
  const auto load = [&] { return tg_kernel_load(&artifact, device, &kernel); };
  failAt("score", TG_INCOMPATIBLE);
  expectFailure(load(), TG_INCOMPATIBLE, "wrong-artifact", "kernel 'k': " + prefix, "score");
  failAt("load", TG_OUT_OF_RESOURCES);
  expectFailure(load(), TG_OUT_OF_RESOURCES, "out-of-resources", "kernel 'k': ", "module_load");
  failAt("kernel", TG_NOT_FOUND);
  expectFailure(load(), TG_NOT_FOUND, "wrong-artifact", "kernel 'k': ", "kernel_get");
  allow();
  ASSERT_EQ(load(), nullptr);

  const uint32_t grid[3] = {1, 1, 1};
  const auto launch = [&] { return tg_kernel_launch(kernel, grid, nullptr, 0, nullptr); };
  failAt("launch", TG_LAUNCH_FAILED);
  expectFailure(launch(), TG_LAUNCH_FAILED, "device-failure", "kernel 'k': ", "launch");
  failAt("launch", TG_TIMEOUT);
  expectFailure(launch(), TG_TIMEOUT, "device-failure", "kernel 'k': ", "launch");
  failAt("launch", TG_INVALID);
  expectFailure(launch(), TG_INVALID, "launch-arguments", "kernel 'k': ", "launch");
  allow();
  EXPECT_EQ(launch(), nullptr);
  tg_kernel_free(kernel);
}
