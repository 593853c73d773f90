//===- CacheKernelTest.cpp - Compiles and the cache -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFixture.h"

#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <gmock/gmock.h>
#include <optional>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {
const std::string source = "import triton.language as tl\n"
                           "SCALE = 3\n"
                           "def helper(v):\n"
                           "    return v * SCALE\n"
                           "def scale(x, n, BLOCK: tl.constexpr):\n"
                           "    i = tl.arange(0, BLOCK)\n"
                           "    tl.store(x + i, helper(tl.load(x + i, i < n)), i + n < n + n)\n";

struct Artifact {
  tg_artifact *artifact = nullptr;
  Artifact() = default;
  Artifact(Artifact &&other) noexcept : artifact(other.artifact) { other.artifact = nullptr; }
  ~Artifact() { tg_artifact_free(artifact); }
  std::string key() const { return tg_artifact_key(artifact); }
  bool isCached() const { return tg_artifact_is_cached(artifact) == 1; }
  std::string stage(const char *name) const {
    size_t size = 0;
    const char *bytes = tg_artifact_stage(artifact, name, &size);
    return bytes ? std::string(bytes, size) : "(absent)";
  }
};

/// One compile; fields are what can differ.
struct Request {
  std::string text = source, file = "scale.py", signature = "*fp32:16, i32, 64";
  std::string target = "cpu", kernel = "scale";
  std::optional<std::string> emit, keep;
  std::vector<tg_kv> options;
  uint32_t firstLine = 1;

  Artifact compile() const {
    tg_target *resolved = nullptr;
    EXPECT_EQ(textOf(tg_target_resolve(target.c_str(), &resolved)), "");
    tg_compile_request request = {};
    request.struct_size = sizeof request;
    request.source = {sizeof request.source, text.data(), text.size(), file.c_str(), firstLine};
    request.kernel = kernel.c_str();
    request.signature = signature.c_str();
    request.target = resolved;
    request.options = options.data();
    request.num_options = options.size();
    request.emit = emit ? emit->c_str() : nullptr;
    request.keep = keep ? keep->c_str() : nullptr;
    Artifact made;
    EXPECT_EQ(textOf(tg_compile(&request, &made.artifact)), "");
    tg_target_free(resolved);
    return made;
  }
};

class CacheKernel : public CacheFixture {
protected:
  /// A descriptor file of one target.
  std::string descriptor(const std::string &fields, const std::string &more = "") {
    const std::string path = folder + "/target" + std::to_string(descriptors++) + ".yaml";
    write(path, "schema: tegula.target/v1\nname: d\ntargets:\n  - {id: t, backend: cpu, " + fields +
                    "}\n" + more);
    return path;
  }
  std::string onlyEntry() const {
    std::string path;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder + "/kernels")) {
      if (entry.is_regular_file()) {
        EXPECT_EQ(path, "");
        path = entry.path();
      }
    }
    return path;
  }
  static std::string read(const std::string &path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  unsigned descriptors = 0;
};
} // namespace

TEST_F(CacheKernel, TheSecondCompileIsAHit) {
  const tg_cache_facts start = info();
  const Artifact first = Request().compile(), second = Request().compile();
  EXPECT_THAT(first.key(), testing::MatchesRegex("[0-9a-f]{64}"));
  EXPECT_EQ(second.key(), first.key());
  EXPECT_FALSE(first.isCached());
  EXPECT_TRUE(second.isCached());
  EXPECT_EQ(second.stage("object"), first.stage("object"));
  EXPECT_STREQ(tg_artifact_manifest(second.artifact), tg_artifact_manifest(first.artifact));
  const tg_cache_facts end = info();
  EXPECT_EQ(end.entries, 1u);
  EXPECT_EQ(end.hits - start.hits, 1u);
  EXPECT_EQ(end.misses - start.misses, 1u);
  EXPECT_EQ(end.stored - start.stored, 1u);
}

TEST_F(CacheKernel, AHitRuns) {
  Request().compile();
  const Artifact hit = Request().compile();
  ASSERT_TRUE(hit.isCached());
  tg_device *device = nullptr;
  ASSERT_EQ(textOf(tg_device_get("cpu", 0, &device)), "");
  tg_kernel *kernel = nullptr;
  ASSERT_EQ(textOf(tg_kernel_load(hit.artifact, device, &kernel)), "");
  alignas(64) float x[64] = {1, 2, 3};
  struct {
    float *x;
    int32_t n;
  } args = {x, 64};
  const uint32_t grid[3] = {1, 1, 1};
  ASSERT_EQ(tg_kernel_args_size(kernel), 12u);
  ASSERT_EQ(textOf(tg_kernel_launch(kernel, grid, &args, 12, nullptr)), "");
  EXPECT_EQ(x[2], 9.0f);
  tg_kernel_free(kernel);
}

TEST_F(CacheKernel, ADamagedEntryIsRebuilt) {
  const std::string object = Request().compile().stage("object");
  const std::string path = onlyEntry(), whole = read(path);
  const tg_cache_facts start = info();
  unsigned rebuilt = 0;
  for (size_t at = 0; at < whole.size(); at += whole.size() / 7) {
    std::string damaged = whole;
    damaged[at] ^= 1;
    write(path, damaged);
    const Artifact made = Request().compile();
    EXPECT_FALSE(made.isCached());
    EXPECT_EQ(made.stage("object"), object);
    EXPECT_EQ(read(path), whole);
    rebuilt += 1;
  }
  EXPECT_EQ(info().rebuilt - start.rebuilt, rebuilt);
  EXPECT_TRUE(Request().compile().isCached());
}

TEST_F(CacheKernel, ModesOfTheCache) {
  setenv("TEGULA_CACHE", "read-only", 1);
  const std::string key = Request().compile().key();
  EXPECT_EQ(info().entries, 0u);
  setenv("TEGULA_CACHE", "on", 1);
  Request().compile();
  EXPECT_EQ(info().entries, 1u);
  for (const char *mode : {"off", "read-only"}) {
    setenv("TEGULA_CACHE", mode, 1);
    const Artifact made = Request().compile();
    EXPECT_EQ(made.isCached(), std::string(mode) == "read-only");
    EXPECT_EQ(made.key(), key); // keys are there without a cache
  }
  unsetenv("TEGULA_CACHE");
  setenv("TEGULA_ALWAYS_COMPILE", "1", 1);
  std::filesystem::remove(onlyEntry());
  EXPECT_FALSE(Request().compile().isCached());
  EXPECT_EQ(info().entries, 1u);
  EXPECT_FALSE(Request().compile().isCached());
}

TEST_F(CacheKernel, EarlierStagesAreComputedEachTime) {
  for (const char *stage : {"tile", "lowered", "llvm", "asm"}) {
    Request request;
    request.emit = stage;
    const std::string first = request.compile().stage(stage);
    const Artifact second = request.compile();
    EXPECT_FALSE(second.isCached());
    EXPECT_EQ(second.stage(stage), first);
  }
  EXPECT_EQ(info().entries, 0u);
}

TEST_F(CacheKernel, KeptStagesAreInTheEntry) {
  Request request;
  request.keep = "all";
  const Artifact first = request.compile(), second = request.compile();
  ASSERT_TRUE(second.isCached());
  for (const char *stage : {"tile", "lowered", "llvm", "asm", "object"}) {
    EXPECT_EQ(second.stage(stage), first.stage(stage));
    EXPECT_NE(second.stage(stage), "(absent)");
  }
  EXPECT_EQ(Request().compile().stage("asm"), "(absent)");
}

TEST_F(CacheKernel, AWrongVariableIsAnError) {
  setenv("TEGULA_CACHE", "perhaps", 1);
  tg_compile_request request = {};
  request.struct_size = sizeof request;
  request.source = {sizeof request.source, source.data(), source.size(), "scale.py", 1};
  request.kernel = "scale";
  request.signature = "*fp32, i32, 64";
  tg_artifact *artifact = nullptr;
  EXPECT_EQ(textOf(tg_compile(&request, &artifact)),
            "environment variable TEGULA_CACHE: expected on, off or read-only, got 'perhaps' "
            "[cache-argument]");
}

TEST_F(CacheKernel, NullArtifactsHaveNoKey) {
  EXPECT_STREQ(tg_artifact_key(nullptr), "");
  EXPECT_EQ(tg_artifact_is_cached(nullptr), 0);
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// Each change of what a kernel depends on, and what the change is.
TEST_F(CacheKernel, EveryIngredientCounts) {
  const std::string native = descriptor("arch: native");
  const auto replaced = [](std::string text, const std::string &from, const std::string &to) {
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  std::vector<std::pair<std::string, Request>> requests;
  const auto add = [&](const char *what, const std::function<void(Request &)> &change) {
    Request request;
    change(request);
    requests.emplace_back(what, request);
  };
  add("nothing", [](Request &) {});
  add("the kernel",
      [&](Request &r) { r.text = replaced(source, "x + i, helper", "x + i, 1 + helper"); });
  add("a constant", [&](Request &r) { r.text = replaced(source, "SCALE = 3", "SCALE = 4"); });
  add("a function that it calls",
      [&](Request &r) { r.text = replaced(source, "v * SCALE", "v - SCALE"); });
  add("a line ahead of it", [&](Request &r) { r.text = "\n" + source; });
  add("the first line", [](Request &r) { r.firstLine = 7; });
  add("the file", [](Request &r) { r.file = "other.py"; });
  add("a name of a parameter", [&](Request &r) {
    r.text =
        replaced(replaced(replaced(replaced(source, "(x, n", "(y, n"), "(x + i, h", "(y + i, h"),
                          "load(x", "load(y"),
                 "y, n", "y, n");
  });
  add("a type", [](Request &r) { r.signature = "*fp64:16, i32, 64"; });
  add("a divisibility", [](Request &r) { r.signature = "*fp32:32, i32, 64"; });
  add("no divisibility", [](Request &r) { r.signature = "*fp32, i32, 64"; });
  add("another width", [](Request &r) { r.signature = "*fp32:16, i64, 64"; });
  add("a value", [](Request &r) { r.signature = "*fp32:16, i32, 128"; });
  add("a specialised value", [](Request &r) { r.signature = "*fp32:16, i32=1, 64"; });
  for (const tg_kv &option : {tg_kv{"num_warps", "8"}, tg_kv{"num_stages", "1"},
                              tg_kv{"num_ctas", "2"}, tg_kv{"debug", "1"}}) {
    add(option.key, [&](Request &r) { r.options = {option}; });
  }
  add("a kept stage", [](Request &r) { r.keep = "asm"; });
  add("two kept stages", [](Request &r) { r.keep = "asm,llvm"; });
  add("all stages", [](Request &r) { r.keep = "all"; });
  add("the last stage", [](Request &r) { r.emit = "asm"; });
#if defined(__x86_64__)
  add("an architecture", [&](Request &r) { r.target = descriptor("arch: x86-64-v2"); });
  add("another architecture", [&](Request &r) { r.target = descriptor("arch: x86-64-v3"); });
  add("a feature",
      [&](Request &r) { r.target = descriptor("arch: x86-64-v2, features: [\"+avx\"]"); });
  add("fused operations",
      [&](Request &r) { r.target = descriptor("arch: x86-64-v3", "numerics: {fma: never}\n"); });
#endif
  add("options of the target",
      [&](Request &r) { r.target = descriptor("arch: native, options: {skip_passes: [cse]}"); });
  add("threads of the target",
      [&](Request &r) { r.target = descriptor("arch: native, options: {threads: 3}"); });
  std::map<std::string, std::string> keys;
  for (const auto &[what, request] : requests) {
    const auto [position, isNew] = keys.try_emplace(request.compile().key(), what);
    EXPECT_TRUE(isNew) << what << " has the key of " << position->second;
  }
}

TEST_F(CacheKernel, WhatChangesNothingDoesNotCount) {
  const std::string key = Request().compile().key();
  const auto same = [&](const char *what, const std::function<void(Request &)> &change) {
    Request request;
    change(request);
    const Artifact made = request.compile();
    EXPECT_EQ(made.key(), key) << what;
    EXPECT_TRUE(made.isCached()) << what;
  };
  same("a comment behind it", [](Request &r) { r.text += "# a comment\n"; });
  same("a comment at the end of a line",
       [](Request &r) { r.text.insert(r.text.find("\ndef scale"), "  # why"); });
  same("a constant that it does not use", [](Request &r) { r.text += "OTHER = 4\n"; });
  same("a function that it does not call", [](Request &r) { r.text += "def f():\n    pass\n"; });
  same("defaults that are spelled out", [](Request &r) {
    r.options = {{"num_warps", "4"}, {"num_stages", "3"}, {"num_ctas", "1"}, {"debug", "0"}};
  });
  same("the last stage by name", [](Request &r) { r.emit = "object"; });
  same("a stage that is kept anyway", [](Request &r) { r.keep = "object"; });
  same("checks that are asked for and switched off",
       [](Request &r) { r.options = {{"debug", "1"}, {"sanitize_overflow", "0"}}; });
  same("blanks in the signature", [](Request &r) { r.signature = " *fp32:16,i32 ,64"; });
  same("the name of the target", [&](Request &r) { r.target = descriptor("arch: native"); });
  Request one, other;
  one.keep = "asm, llvm";
  other.keep = "llvm,asm,asm";
  EXPECT_EQ(one.compile().key(), other.compile().key());
}

//===----------------------------------------------------------------------===//
// Threads and processes
//===----------------------------------------------------------------------===//

TEST_F(CacheKernel, ThreadsCompileAKernelOnce) {
  const tg_cache_facts start = info();
  std::vector<std::thread> threads;
  std::vector<std::string> objects(8);
  for (std::string &object : objects) {
    threads.emplace_back([&object] { object = Request().compile().stage("object"); });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  const tg_cache_facts end = info();
  EXPECT_EQ(end.misses - start.misses, 1u);
  EXPECT_EQ(end.hits - start.hits, 7u);
  EXPECT_EQ(std::set<std::string>(objects.begin(), objects.end()).size(), 1u);
}

/// The child of a fork must not wait for threads that it does not have.
TEST_F(CacheKernel, AForkWhileOthersCompile) {
  Request().compile(); // everything is loaded
  std::atomic<bool> stop = false;
  std::thread busy([&] {
    Request request;
    for (unsigned i = 0; !stop; ++i) {
      request.signature = "*fp32:16, i32, " + std::to_string(64 << i % 4);
      std::filesystem::remove_all(folder + "/kernels");
      request.compile();
    }
  });
  for (int round = 0; round < 5; ++round) {
    usleep(20000);
    const pid_t child = fork();
    if (child == 0) {
      // LLVM's own locks may be held here, so the child looks at the cache alone.
      tg_cache_facts facts = {};
      facts.struct_size = sizeof facts;
      int stored = 0;
      tg_status *status = tg_cache_info(&facts);
      status =
          status ? status : tg_cache_put("tests", std::string(64, '0').c_str(), "a", 1, &stored);
      _exit(status == nullptr && stored == 1 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  busy.join();
}
