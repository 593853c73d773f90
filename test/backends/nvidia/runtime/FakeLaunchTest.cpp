//===- FakeLaunchTest.cpp - Launches and faults without a GPU -------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CoreFiles.h"
#include "FakeDriver.h"

#include <dlfcn.h>
#include <sys/wait.h>

using tegula::nvidia::makeCore;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

namespace {

/// With the lines that FAKE_CUDA_TRACE gets.
class Launches : public FakeDriver {
protected:
  void SetUp() override {
    trace = testing::TempDir() + "fake-cuda-trace-" + std::to_string(getpid());
    setenv("FAKE_CUDA_TRACE", trace.c_str(), 1);
    FakeDriver::SetUp();
  }
  void TearDown() override {
    for (const char *name : {"FAKE_CUDA_TRACE", "FAKE_CUDA_CAPTURE", "FAKE_CUDA_CORE",
                             "FAKE_CUDA_DEVICES", "TEGULA_GPU_FAULTS", "FAKE_CUDA_ACTIVE"}) {
      unsetenv(name);
    }
    unlink(trace.c_str());
    FakeDriver::TearDown();
  }
  /// The lines since the last call, without what the others share.
  std::string lines() {
    std::ifstream stream(trace);
    std::string text(std::istreambuf_iterator<char>(stream), {});
    stream.close();
    unlink(trace.c_str());
    return text;
  }

  /// With the variables as they are now.
  void reopen() {
    table->destroy_context(context);
    table->close(driver);
    const tg_kv options[] = {{"path", library.c_str()}};
    ASSERT_EQ(take(table->open(options, 1, &driver)), "");
    ASSERT_EQ(take(table->adopt_primary_context(driver, 0, &context)), "");
  }

  std::string trace;
};

class OldDriver : public Launches {
protected:
  OldDriver() { library = OLD_CUDA; }
};

} // namespace

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

TEST_F(Launches, AttributesReachTheDriver) {
  tg_function *function = kernel("k", {{"waits_for_launches", "true"}});
  EXPECT_EQ(start(function), "");
  EXPECT_THAT(lines(), Not(HasSubstr("attribute")));
  EXPECT_EQ(start(function, TG_LAUNCH_COOPERATIVE), "");
  EXPECT_THAT(lines(), EndsWith("stream=0 attribute=2:1,0,0\n"));
  EXPECT_EQ(start(function, TG_LAUNCH_DEPENDENT), "");
  EXPECT_THAT(lines(), EndsWith("stream=0 attribute=6:1,0,0\n"));
  EXPECT_EQ(start(function, TG_LAUNCH_COOPERATIVE | TG_LAUNCH_DEPENDENT, 2), "");
  EXPECT_THAT(lines(), AllOf(HasSubstr("launch 64,1,1"),
                             EndsWith(" attribute=2:1,0,0 attribute=6:1,0,0 attribute=4:2,1,1\n")));
  table->module_unload(module);
}

TEST_F(Launches, KernelsThatNeverWaitStartAfterTheOnesBefore) {
  tg_function *function = kernel("k");
  EXPECT_EQ(start(function, TG_LAUNCH_DEPENDENT), "");
  EXPECT_THAT(lines(), AllOf(HasSubstr("launch 64,1,1"), Not(HasSubstr("attribute"))));
  table->module_unload(module);
}

TEST_F(Launches, CooperativeGridsMustFit) {
  tg_function *function = kernel("k");
  setenv("FAKE_CUDA_FAIL", "cuLaunchKernelEx=720", 1);
  // 4 blocks on each of 2 units.
  EXPECT_THAT(start(function, TG_LAUNCH_COOPERATIVE),
              AllOf(HasSubstr("7 expected a cooperative grid of at most 8 programs, which fit on "
                              "the device at once, got 64"),
                    HasSubstr("use a smaller grid")));
  table->module_unload(module);
}

TEST_F(OldDriver, CannotDoClustersAndDependentLaunches) {
  tg_function *function = kernel("k", {{"waits_for_launches", "true"}});
  EXPECT_EQ(start(function), "");
  EXPECT_THAT(start(function, TG_LAUNCH_DEPENDENT),
              AllOf(HasSubstr("4 the NVIDIA driver is too old for clusters and dependent launches"),
                    HasSubstr("install a driver for CUDA 11.8 or later")));
  table->module_unload(module);
}

TEST_F(Launches, ProgramsStayOneBlockWhateverNumCtasSays) {
  EXPECT_EQ(start(kernel("k", {{"num_ctas", "2"}})), "");
  EXPECT_THAT(lines(), Not(HasSubstr("attribute")));
  table->module_unload(module);
}

TEST_F(Launches, SmallProgramsShareBlocks) {
  // 64 programs, on two multiprocessors that get four blocks each.
  EXPECT_EQ(start(kernel("k", {{"threads", "32"}, {"most_programs", "8"}})), "");
  EXPECT_THAT(lines(), HasSubstr("launch 8,1,1 threads=256 "));
  EXPECT_EQ(start(kernel("k", {{"threads", "32"}, {"most_programs", "7"}})), "");
  EXPECT_THAT(lines(), HasSubstr("launch 16,1,1 threads=128 "));
  // Not where the launch says how blocks belong together.
  tg_function *function = kernel("k", {{"threads", "32"}, {"most_programs", "8"}});
  EXPECT_EQ(start(function, TG_LAUNCH_COOPERATIVE), "");
  EXPECT_THAT(lines(), HasSubstr("launch 64,1,1 threads=32 "));
  table->module_unload(module);
}

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

TEST_F(Launches, LoadingDoesNotDisturbACapture) {
  setenv("FAKE_CUDA_CAPTURE", "1", 1); // what is forbidden then fails with 900
  tg_function *function = kernel("k", {{"records", "true"}});
  EXPECT_EQ(start(function, 0, 0, 64), "");
  tg_mem mem = {};
  EXPECT_EQ(take(table->alloc(context, 16, TG_MEM_DEVICE, &mem)), "");
  EXPECT_EQ(take(table->release(context, mem)), "");
  table->module_unload(module);
}

TEST_F(Launches, CapturedKernelsAreNeverUnloaded) {
  void *handle = dlopen(FAKE_CUDA, RTLD_NOW);
  ASSERT_NE(handle, nullptr);
  const int *unloads = static_cast<int *>(dlsym(handle, "fakeUnloads"));
  ASSERT_NE(unloads, nullptr);
  const int before = *unloads;
  EXPECT_EQ(start(kernel("k"), 0, 0, 64), "");
  table->module_unload(module);
  EXPECT_EQ(*unloads, before + 1);
  setenv("FAKE_CUDA_CAPTURE", "1", 1);
  EXPECT_EQ(start(kernel("k"), 0, 0, 64), "");
  unsetenv("FAKE_CUDA_CAPTURE");
  table->module_unload(module);
  EXPECT_EQ(*unloads, before + 1);
  dlclose(handle);
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

TEST_F(Launches, AFaultIsNamedOnceThenTheDeviceIsLost) {
  int lost = 7;
  EXPECT_EQ(take(table->device_lost(context, &lost)), "");
  EXPECT_EQ(lost, 0);
  EXPECT_THAT(
      fails("cuCtxSynchronize=700",
            [](FakeDriver &test) { return test.table->stream_sync(test.context, nullptr); }),
      AllOf(HasSubstr("8 waiting for kernels and copies: an illegal memory access"),
            HasSubstr("compute-sanitizer"), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS 700")));
  EXPECT_EQ(take(table->device_lost(context, &lost)), "");
  EXPECT_EQ(lost, 1);
  tg_mem mem = {};
  EXPECT_THAT(take(table->alloc(context, 16, TG_MEM_DEVICE, &mem)),
              AllOf(HasSubstr("13 an earlier fault of a kernel has made the device useless"),
                    HasSubstr("start the process again")));
  tg_stream *stream = nullptr;
  EXPECT_THAT(take(table->stream_create(context, 0, &stream)), HasSubstr("13 an earlier fault"));
}

/// What waiting says after a fault.
static tg_plugin_status *waitForAll(FakeDriver &test) {
  return test.table->stream_sync(test.context, nullptr);
}

TEST_F(Launches, AFaultIsOfAKernelSinceTheLastWait) {
  tg_function *early = kernel("early", {{"defined_at", "a.py:3"}});
  tg_function *late = kernel("late", {{"defined_at", "b.py:14"}});
  tg_function *plain = kernel("plain");
  EXPECT_EQ(start(early), "");
  EXPECT_EQ(take(waitForAll(*this)), "");
  for (tg_function *function : {late, plain, late}) {
    EXPECT_EQ(start(function), "");
  }
  EXPECT_THAT(fails("cuCtxSynchronize=700", waitForAll),
              AllOf(HasSubstr("an illegal memory access; in one of kernel 'late' (b.py:14) and "
                              "kernel 'plain' /"),
                    Not(HasSubstr("early"))));
  // It stays known.
  EXPECT_THAT(take(waitForAll(*this)),
              HasSubstr("made the device useless; in one of kernel 'late' (b.py:14)"));
}

TEST_F(Launches, OnlyAFewKernelsAreNamed) {
  for (const char *name : {"a", "b", "c", "d", "e", "f"}) {
    EXPECT_EQ(start(kernel(name), 0, 0, 64), "");
  }
  EXPECT_THAT(fails("cuCtxSynchronize=700", waitForAll),
              HasSubstr("in one of kernel 'f', kernel 'e', kernel 'd', kernel 'c' and 2 before "
                        "them"));
}

TEST_F(Launches, AStreamThatIsDoneIsNotMeant) {
  tg_stream *stream = nullptr;
  ASSERT_EQ(take(table->stream_wrap(context, reinterpret_cast<void *>(64), &stream)), "");
  EXPECT_EQ(start(kernel("done"), 0, 0, 64), "");
  EXPECT_EQ(start(kernel("other", {{"defined_at", "o.py:1"}}), 0, 0, 128), "");
  EXPECT_EQ(take(table->stream_sync(context, stream)), "");
  EXPECT_THAT(fails("cuCtxSynchronize=719", waitForAll), HasSubstr("; in kernel 'other' (o.py:1)"));
  table->stream_destroy(stream);
}

TEST_F(Launches, AFaultOfOneDeviceLeavesTheOthers) {
  setenv("FAKE_CUDA_DEVICES", "2", 1);
  tg_driver *two = nullptr;
  const tg_kv options[] = {{"path", FAKE_CUDA}};
  ASSERT_EQ(take(table->open(options, 1, &two)), "");
  tg_context *second = nullptr;
  ASSERT_EQ(take(table->adopt_primary_context(two, 1, &second)), "");
  EXPECT_THAT(fails("cuCtxSynchronize=700", waitForAll), HasSubstr("illegal"));
  EXPECT_THAT(take(waitForAll(*this)), HasSubstr("13 an earlier fault"));
  EXPECT_EQ(take(table->stream_sync(second, nullptr)), "");
  std::swap(context, second);
  EXPECT_EQ(start(kernel("k")), "");
  EXPECT_THAT(lines(), HasSubstr("launch 64,1,1 device=1 "));
  table->module_unload(module);
  std::swap(context, second);
  table->destroy_context(second);
  table->close(two);
}

TEST_F(Launches, WhatIsNotKnownExactlyIsSaid) {
  setenv("TEGULA_GPU_FAULTS", "1", 1);
  reopen();
  EXPECT_EQ(start(kernel("k", {{"defined_at", "k.py:5"}})), "");
  EXPECT_THAT(fails("cuCtxSynchronize=700", waitForAll),
              HasSubstr("in kernel 'k' (k.py:5); no exact line, though TEGULA_GPU_FAULTS asks for "
                        "it: CUDA's report does not tell"));
  setenv("FAKE_CUDA_ACTIVE", "1", 1);
  reopen();
  unsetenv("FAKE_CUDA_ACTIVE");
  EXPECT_THAT(fails("cuCtxSynchronize=700", waitForAll),
              HasSubstr("for it: the GPU was in use before Tegula was imported"));
  setenv("TEGULA_GPU_FAULTS", "False", 1);
  reopen();
  EXPECT_THAT(fails("cuCtxSynchronize=700", waitForAll), Not(HasSubstr("no exact line")));
}

/// Leaves a core file where the fake driver finds it.
class CoreFiles : public Launches {
protected:
  void SetUp() override {
    Launches::SetUp();
    core = testing::TempDir() + "fake-core-" + std::to_string(getpid());
    std::ofstream(core, std::ios::binary) << makeCore();
    setenv("FAKE_CUDA_CORE", core.c_str(), 1);
    setenv("TEGULA_GPU_FAULTS", "1", 1);
    setenv("TMPDIR", testing::TempDir().c_str(), 1);
    reopen();
  }
  void TearDown() override {
    unlink(core.c_str());
    unsetenv("TMPDIR");
    Launches::TearDown();
  }

  std::string core;
};

TEST_F(CoreFiles, SayItExactly) {
  EXPECT_THAT(fails("cuCtxSynchronize=700", waitForAll),
              HasSubstr("an illegal memory access; in kernel 'kernel' at /src/k.py:12, block (3, "
                        "0, 1), thread 37: illegal address /  ("));
  EXPECT_THAT(take(waitForAll(*this)), HasSubstr("useless; in kernel 'kernel' at /src/k.py:12"));
}

TEST_F(CoreFiles, AreFaultsThoughCallsSucceed) {
  EXPECT_EQ(start(kernel("other")), "");
  EXPECT_THAT(take(waitForAll(*this)), HasSubstr("8 waiting for kernels and copies: a kernel has "
                                                 "faulted; in kernel 'kernel' at /src/k.py:12"));
  EXPECT_THAT(take(waitForAll(*this)), HasSubstr("13 an earlier fault"));
  int lost = 0;
  EXPECT_EQ(take(table->device_lost(context, &lost)), "");
  EXPECT_EQ(lost, 1);
}

TEST_F(CoreFiles, OfOtherDevicesAreTheirs) {
  setenv("FAKE_CUDA_DEVICES", "2", 1);
  reopen();
  tg_context *second = nullptr;
  ASSERT_EQ(take(table->adopt_primary_context(driver, 1, &second)), "");
  EXPECT_EQ(take(table->stream_sync(second, nullptr)), ""); // there is a file from here on
  uint32_t word = 1;
  tg_mem mem = {};
  mem.address = reinterpret_cast<uint64_t>(&word);
  mem.size = sizeof word;
  EXPECT_THAT(take(table->fill(context, mem, 0, 0, sizeof word, nullptr)),
              HasSubstr(": a kernel has faulted; in kernel 'kernel'"));
  EXPECT_EQ(take(table->stream_sync(second, nullptr)), "");
  table->destroy_context(second);
}

TEST_F(OldDriver, HasNoExactLines) {
  setenv("TEGULA_GPU_FAULTS", "1", 1);
  reopen();
  EXPECT_THAT(fails("cuCtxSynchronize=700", waitForAll),
              HasSubstr("no exact line, though TEGULA_GPU_FAULTS asks for it: the driver is too "
                        "old for it"));
}

//===----------------------------------------------------------------------===//
// Forks
//===----------------------------------------------------------------------===//

/// Runs `body` in a child; its text.
template <typename Body> static std::string inChild(const Body &body) {
  int ends[2] = {};
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = body();
    const bool isWritten = write(ends[1], text.data(), text.size()) == ssize_t(text.size());
    _exit(isWritten ? 0 : 1);
  }
  close(ends[1]);
  char bytes[1024] = "";
  const ssize_t size = read(ends[0], bytes, sizeof bytes);
  close(ends[0]);
  int state = 0;
  waitpid(child, &state, 0);
  EXPECT_EQ(state, 0);
  return std::string(bytes, size > 0 ? size_t(size) : 0);
}

TEST_F(Launches, AChildOfForkIsToldAndTheParentLives) {
  tg_function *function = kernel("k");
  const std::string launched = inChild([&] { return start(function); });
  EXPECT_THAT(
      launched,
      AllOf(
          HasSubstr(
              "8 this process was forked from one that had opened CUDA, which does not work in it"),
          HasSubstr(
              "start children with the method 'spawn', or fork before the first use of a GPU")));
  EXPECT_THAT(inChild([&] {
                tg_context *other = nullptr;
                return take(table->adopt_primary_context(driver, 0, &other));
              }),
              HasSubstr("8 this process was forked"));
  EXPECT_EQ(inChild([&] {
              int lost = 7;
              return take(table->device_lost(context, &lost)) + std::to_string(lost);
            }),
            "0");
  EXPECT_EQ(start(function), "");
  table->module_unload(module);
}

TEST_F(Launches, AChildMayOpenTheDriverItself) {
  EXPECT_EQ(inChild([&] {
              tg_driver *own = nullptr;
              tg_context *other = nullptr;
              const tg_kv options[] = {{"path", FAKE_CUDA}};
              return take(table->open(options, 1, &own)) +
                     take(table->adopt_primary_context(own, 0, &other)) + "fine";
            }),
            "fine");
}
