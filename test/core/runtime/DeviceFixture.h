//===- DeviceFixture.h - Tests on simulated devices -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TEST_DEVICEFIXTURE_H
#define TEGULA_TEST_DEVICEFIXTURE_H

#include "tegula/Runtime/Artifact.h"
#include "tegula/tegula.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tegula::test {

/// The devices of every test, unless it runs in a process of its own.
inline constexpr const char *devices =
    "device fake name=\"Fake One\" arch=f1 id=twin-1 memory=64M cooperative=1 dependent=1 "
    "cluster=8 shared=48K\n"
    "device fake name=\"Fake Two\" arch=f2 id=twin-12 memory=128M units=4 grid=1000\n"
    "device fake name=\"Fake Two\" arch=f2 id=twin-12 memory=128M units=4 peers=0\n"
    "device fake name=\"Fake Slow\" arch=f1 delay=2000\n"
    "device fake-npu name=\"Fake Other\" arch=n1\n";

/// Sets what the plugins read, before anything asks for devices.
inline void useDevices(const char *text) {
  setenv("TEGULA_PLUGIN_PATH", FAKE_FOLDER, 1);
  setenv("TEGULA_FAKE_DEVICES", text, 1);
  setenv("TEGULA_MINIMAL_DEVICES", "device minimal; device minimal", 1);
  unsetenv("TEGULA_FAKE_VISIBLE");
}
inline const bool isSet = (useDevices(devices), true);

/// "message [id]", which is freed; "" for success.
inline std::string textOf(tg_status *status) {
  if (!status) {
    return "";
  }
  const std::string text =
      std::string(tg_status_message(status)) + " [" + tg_status_id(status) + "]";
  tg_status_free(status);
  return text;
}

/// What to do about it.
inline std::string hintOf(tg_status *status) {
  const std::string hint = tg_status_hint(status);
  tg_status_free(status);
  return hint;
}

/// The code and the text.
inline std::string failure(tg_status *status, tg_code code) {
  EXPECT_EQ(tg_status_code(status), code);
  return textOf(status);
}

inline tg_device *device(int ordinal, const char *kind = "fake") {
  tg_device *found = nullptr;
  EXPECT_EQ(textOf(tg_device_get(kind, ordinal, &found)), "");
  return found;
}

//===----------------------------------------------------------------------===//
// The plugin's side
//===----------------------------------------------------------------------===//

template <typename Function>
Function *exported(const char *name, const char *library = "libtegula-fake-rt.so") {
  const std::string path = std::string(FAKE_FOLDER "/") + library;
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function *>(dlsym(handle, name));
}
/// A statement of plugins/fake-device/Fake.h.
inline void control(const std::string &text) {
  const char *problem = exported<const char *(const char *)>("tegula_fake_control")(text.c_str());
  EXPECT_STREQ(problem, nullptr);
}
inline uint64_t count(int index, const char *what) {
  return exported<uint64_t(int, const char *)>("tegula_fake_count")(index, what);
}
inline std::string trace() { return exported<const char *()>("tegula_fake_trace")(); }

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Programs of plugins/fake-device/Program.c.
inline constexpr const char *program = "fake-program 1\n"
                                       "kernel empty registers=12\n"
                                       "kernel fill\n  fill 0 @8 @12\n"
                                       "kernel add\n  add 0 @8 @12\n"
                                       "kernel copy\n  copy 0 16 @12\n"
                                       "kernel check\n  check 0 @8\n"
                                       "kernel slow\n  sleep 20000\n  fill 0 @8 @12\n"
                                       "kernel say\n  print hello from a fake\n"
                                       "kernel fault\n  fault\n";

struct Args {
  uint64_t pointer;
  uint32_t value, count;
  uint64_t source;
};

inline tg_artifact artifact(const std::string &kernel, const char *arch = "any",
                            const char *backend = "fake", const char *format = "fake") {
  tg_artifact made;
  made.kernel = kernel;
  made.backend = backend;
  made.arch = arch;
  made.format = format;
  made.triple = "fake-unknown-unknown";
  made.stages["object"] = program;
  made.manifest = "{}";
  if (kernel != "empty" && kernel != "say" && kernel != "fault") {
    made.args.resize(2);
    made.args[0].name = "x";
    made.args[0].type = "*i32";
    made.args[0].size = 8;
    made.args[0].divisibility = 16;
    made.args[1].name = "value";
    made.args[1].type = "i32";
    made.args[1].offset = 8;
    made.args[1].size = 4;
    made.argsSize = sizeof(Args);
  }
  return made;
}

inline tg_kernel *load(const std::string &name, tg_device *device) {
  const tg_artifact made =
      artifact(name, "any", tg_device_kind(device) == std::string("minimal") ? "minimal" : "fake");
  tg_kernel *kernel = nullptr;
  EXPECT_EQ(textOf(tg_kernel_load(&made, device, &kernel)), "");
  return kernel;
}

inline tg_buffer *buffer(tg_device *device, size_t size) {
  tg_buffer *made = nullptr;
  EXPECT_EQ(textOf(tg_buffer_new(device, size, TG_MEM_DEVICE, &made)), "");
  return made;
}

inline tg_device_stream *stream(tg_device *device) {
  tg_device_stream *made = nullptr;
  EXPECT_EQ(textOf(tg_stream_new(device, &made)), "");
  return made;
}

inline tg_device_event *event(tg_device *device, uint32_t flags = TG_EVENT_TIMING) {
  tg_device_event *made = nullptr;
  EXPECT_EQ(textOf(tg_event_new(device, flags, &made)), "");
  return made;
}

/// Queues one program.
inline tg_status *run(tg_kernel *kernel, tg_buffer *target, uint32_t value, uint32_t words,
                      tg_device_stream *stream = nullptr, tg_buffer *source = nullptr) {
  const Args args = {tg_buffer_address(target), value, words, tg_buffer_address(source)};
  tg_launch_request request = {};
  request.struct_size = sizeof request;
  request.grid[0] = request.grid[1] = request.grid[2] = 1;
  request.args = &args;
  request.args_size = sizeof args;
  request.stream = stream;
  return tg_kernel_launch_request(kernel, &request);
}

inline std::vector<uint32_t> wordsOf(const tg_buffer *buffer, tg_device_stream *stream = nullptr) {
  std::vector<uint32_t> words(tg_buffer_size(buffer) / 4);
  EXPECT_EQ(textOf(tg_buffer_read(buffer, 0, words.data(), words.size() * 4, stream)), "");
  return words;
}

/// All counters of leaks of a device are zero.
inline void expectNothingLeft(int index) {
  for (const char *what :
       {"live-buffers", "live-bytes", "live-modules", "live-streams", "live-events"}) {
    EXPECT_EQ(count(index, what), 0u) << what << " of device " << index;
  }
}

/// Each test starts without plans and ends without leaks.
class Devices : public testing::Test {
protected:
  void SetUp() override {
    device(0);
    control("clear");
  }
  void TearDown() override {
    for (int i = 0; i < 5; ++i) {
      expectNothingLeft(i);
    }
  }
};

/// Runs `body` in a process that has not asked for devices, with these; `body` ends
/// with success unless a check of it fails.
#define IN_NEW_PROCESS(text, body)                                                                 \
  GTEST_FLAG_SET(death_test_style, "threadsafe");                                                  \
  EXPECT_EXIT(                                                                                     \
      {                                                                                            \
        tegula::test::useDevices(text);                                                            \
        body();                                                                                    \
        std::fflush(nullptr);                                                                      \
        std::_Exit(testing::Test::HasFailure() ? 1 : 0);                                           \
      },                                                                                           \
      testing::ExitedWithCode(0), "")

} // namespace tegula::test

#endif // TEGULA_TEST_DEVICEFIXTURE_H
