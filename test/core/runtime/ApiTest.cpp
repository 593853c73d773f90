//===- ApiTest.cpp - Wrong calls of the C API -------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/tegula.h"

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace {
/// Whole text of a status, which it frees: "message [id]", and the hint.
std::string textOf(tg_status *status) {
  std::string text = tg_status_message(status);
  text += std::string(" [") + tg_status_id(status) + "]";
  if (*tg_status_hint(status)) {
    text += std::string(" hint: ") + tg_status_hint(status);
  }
  tg_status_free(status);
  return text;
}

constexpr const char *source = "import triton.language as tl\n"
                               "def add(x, z, n, BLOCK: tl.constexpr):\n"
                               "    i = tl.arange(0, BLOCK)\n"
                               "    tl.store(z + i, tl.load(x + i, i < n), i < n)\n";

/// A kernel with promises about its arguments, compiled for this processor.
class Api : public testing::Test {
protected:
  void SetUp() override {
    request.struct_size = sizeof request;
    request.source = {sizeof request.source, source, std::strlen(source), "add.py", 1};
    request.kernel = "add";
    request.signature = "*fp32:16, *fp32, i32:8, 64";
  }
  void TearDown() override {
    tg_kernel_free(kernel);
    tg_artifact_free(artifact);
  }
  void load() {
    ASSERT_EQ(tg_compile(&request, &artifact), nullptr);
    tg_device *device = nullptr;
    ASSERT_EQ(tg_device_get("cpu", 0, &device), nullptr);
    ASSERT_EQ(tg_kernel_load(artifact, device, &kernel), nullptr);
  }
  std::string compileError() {
    std::string text = textOf(tg_compile(&request, &artifact));
    EXPECT_EQ(artifact, nullptr);
    return text;
  }

  struct Args {
    const float *x;
    float *z;
    int32_t n;
  };
  static constexpr size_t argsSize = 20;
  tg_compile_request request = {};
  tg_artifact *artifact = nullptr;
  tg_kernel *kernel = nullptr;
  alignas(64) float x[80] = {}, z[80] = {};
  const uint32_t one[3] = {1, 1, 1};
};
} // namespace

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

TEST_F(Api, CompileRefusesNullPointers) {
  EXPECT_EQ(textOf(tg_compile(&request, nullptr)),
            "expected a place for the artifact, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_compile(nullptr, &artifact)),
            "expected a compile request, got a null pointer [null-pointer]");
  request.kernel = nullptr;
  EXPECT_EQ(compileError(), "expected the name of a kernel, got a null pointer [null-pointer]");
  request.kernel = "add";
  request.num_params = 3;
  EXPECT_EQ(compileError(),
            "expected as many parameters as num_params says, got a null pointer [null-pointer]");
  request.num_params = 0;
  request.num_options = 1;
  EXPECT_EQ(compileError(),
            "expected as many options as num_options says, got a null pointer [null-pointer]");
  const tg_kv half = {"num_warps", nullptr};
  request.options = &half;
  EXPECT_EQ(compileError(),
            "expected a key and a value of each option, got a null pointer [null-pointer]");
  request.num_options = 0;
  request.source.file = nullptr;
  EXPECT_EQ(compileError(),
            "expected a file name of the source, got a null pointer [null-pointer]");
}

TEST_F(Api, CompileReadsTheFile) {
  const std::string text(request.source.text, request.source.text_size);
  const std::string path = ::testing::TempDir() + "/tegula-api-test.py";
  request.source.file = path.c_str();
  request.source.text = nullptr;
  request.source.text_size = 0;
  request.source.first_line = 7; // of no meaning for a whole file
  std::remove(path.c_str());
  EXPECT_EQ(compileError(), "cannot read '" + path + "': No such file or directory [file-access]");
  std::ofstream(path) << text;
  tg_status *status = tg_compile(&request, &artifact);
  ASSERT_EQ(status, nullptr) << tg_status_message(status);
  const std::string key = tg_artifact_key(artifact);
  // Nothing was asked for; unknown words and null are no faults.
  for (const char *what : {"remarks", "timing", "pipeline", "weather", (const char *)nullptr}) {
    EXPECT_STREQ(tg_artifact_report(artifact, what), "");
  }
  tg_artifact_free(artifact);
  artifact = nullptr;
  request.source.text = text.data();
  request.source.text_size = text.size();
  request.source.first_line = 1;
  ASSERT_EQ(tg_compile(&request, &artifact), nullptr);
  EXPECT_EQ(tg_artifact_key(artifact), key);
  const std::string folder = ::testing::TempDir();
  request.source.file = folder.c_str();
  request.source.text = nullptr;
  EXPECT_EQ(compileError(), "cannot read '" + folder + "': not a regular file [file-access]");
}

TEST_F(Api, CompileTakesOlderRequests) {
  // A program built when the struct ended with the target.
  request.struct_size = offsetof(tg_compile_request, options);
  request.options = reinterpret_cast<const tg_kv *>(1);
  request.num_options = 77;
  request.emit = reinterpret_cast<const char *>(1);
  tg_status *status = tg_compile(&request, &artifact);
  ASSERT_EQ(status, nullptr) << tg_status_message(status);
  EXPECT_NE(tg_artifact_stage(artifact, "object", nullptr), nullptr);
}

TEST_F(Api, CompileRefusesARequestWithoutSize) {
  request.struct_size = 0;
  static_assert(sizeof(tg_compile_request) == 128);
  EXPECT_EQ(compileError(), "expected the request's struct_size to be sizeof(tg_compile_request), "
                            "128 bytes, got 0 [invalid-option]");
}

TEST_F(Api, CompileErrorsCarryTheFirstIdentifier) {
  request.signature = "*fp32, *fp32, i32, 50";
  tg_status *status = tg_compile(&request, &artifact);
  EXPECT_EQ(tg_status_code(status), TG_COMPILE_ERROR);
  EXPECT_STREQ(tg_status_id(status), "invalid-shape");
  EXPECT_NE(std::string(tg_status_message(status)).find("[invalid-shape]\n"), std::string::npos);
  tg_status_free(status);
}

TEST_F(Api, KeptStagesAreChecked) {
  request.keep = "tile, asn";
  EXPECT_EQ(compileError(), "unknown stage 'asn'; expected tile, lowered, llvm, asm, object or all "
                            "[unknown-stage]");
  request.keep = nullptr;
  request.emit = "bundle";
  EXPECT_EQ(compileError(),
            "unknown stage 'bundle'; expected tile, lowered, llvm, asm or object [unknown-stage]");
}

TEST_F(Api, StagesHaveSeveralNames) {
  request.keep = "ttir,ptx";
  ASSERT_EQ(tg_compile(&request, &artifact), nullptr);
  for (const auto &[name, alias] :
       {std::pair{"tile", "ttir"}, {"asm", "ptx"}, {"object", "cubin"}, {"object", "elf-so"}}) {
    EXPECT_NE(tg_artifact_stage(artifact, name, nullptr), nullptr) << name;
    EXPECT_EQ(tg_artifact_stage(artifact, name, nullptr),
              tg_artifact_stage(artifact, alias, nullptr));
    EXPECT_STREQ(tg_stage_name(alias), name);
  }
  EXPECT_EQ(tg_artifact_stage(artifact, "llir", nullptr), nullptr); // not kept
  EXPECT_STREQ(tg_stage_name("ttgir"), "lowered");
  for (const char *none : {"", "asn", "bundle", "manifest"}) {
    EXPECT_EQ(tg_stage_name(none), nullptr) << none;
    EXPECT_EQ(tg_artifact_stage(artifact, none, nullptr), nullptr) << none;
  }
  EXPECT_EQ(tg_artifact_stage(artifact, nullptr, nullptr), nullptr);
}

TEST(ApiNull, AccessorsTakeNull) {
  EXPECT_STREQ(tg_target_id(nullptr), "");
  EXPECT_STREQ(tg_target_backend(nullptr), "");
  EXPECT_STREQ(tg_target_arch(nullptr), "");
  EXPECT_STREQ(tg_target_yaml(nullptr), "");
  EXPECT_STREQ(tg_artifact_manifest(nullptr), "");
  EXPECT_STREQ(tg_artifact_warnings(nullptr), "");
  EXPECT_STREQ(tg_artifact_report(nullptr, "remarks"), "");
  EXPECT_EQ(tg_artifact_stage(nullptr, "asm", nullptr), nullptr);
  EXPECT_STREQ(tg_device_describe(nullptr), "");
  EXPECT_EQ(tg_kernel_args_size(nullptr), 0u);
  tg_target_free(nullptr);
  tg_artifact_free(nullptr);
  tg_kernel_free(nullptr);
}

TEST(ApiNull, PlacesForResultsAreNeeded) {
  tg_device *device = nullptr;
  EXPECT_EQ(textOf(tg_target_resolve("cpu", nullptr)),
            "expected a place for the target, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_device_get("cpu", 0, nullptr)),
            "expected a place for the device, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_device_get(nullptr, 0, &device)),
            "expected a kind of device, got a null pointer [null-pointer]");
}

TEST(ApiNull, DevicesThatAreNotThere) {
  tg_device *device = nullptr;
  EXPECT_EQ(textOf(tg_device_get("cpu", -1, &device)),
            "no device cpu:-1; the only one of its kind is cpu:0 [no-such-device]");
  EXPECT_EQ(textOf(tg_device_get("", 0, &device)).substr(0, 63),
            "no plugin serves devices of kind ''; kinds served: cuda, cpu [n");
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

TEST_F(Api, LoadRefusesNullPointers) {
  tg_device *device = nullptr;
  ASSERT_EQ(tg_device_get("cpu", 0, &device), nullptr);
  ASSERT_EQ(tg_compile(&request, &artifact), nullptr);
  EXPECT_EQ(textOf(tg_kernel_load(nullptr, device, &kernel)),
            "expected an artifact, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_kernel_load(artifact, nullptr, &kernel)),
            "expected a device, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_kernel_load(artifact, device, nullptr)),
            "expected a place for the kernel, got a null pointer [null-pointer]");
}

TEST_F(Api, LoadNeedsCode) {
  tg_device *device = nullptr;
  ASSERT_EQ(tg_device_get("cpu", 0, &device), nullptr);
  request.emit = "tile";
  ASSERT_EQ(tg_compile(&request, &artifact), nullptr);
  EXPECT_EQ(textOf(tg_kernel_load(artifact, device, &kernel)),
            "kernel 'add': the artifact has no stage 'object' [wrong-artifact] hint: compile it to "
            "that stage");
}

TEST_F(Api, LaunchRefusesNullPointersAndShortBlocks) {
  load();
  const Args args = {x, z, 64};
  EXPECT_EQ(textOf(tg_kernel_launch(nullptr, one, &args, argsSize, nullptr)),
            "expected a kernel, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_kernel_launch(kernel, nullptr, &args, argsSize, nullptr)),
            "expected a grid, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_kernel_launch(kernel, one, nullptr, argsSize, nullptr)),
            "expected a block of arguments, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_kernel_launch(kernel, one, &args, 19, nullptr)),
            "kernel 'add': expected 20 bytes of arguments, got 19 [launch-arguments] hint: pack "
            "them as the artifact's manifest says");
}

TEST_F(Api, GridLimits) {
  load();
  const Args args = {x, z, 64};
  const std::string hint = " [invalid-grid] hint: launch several times, or give each program more "
                           "to do";
  const uint32_t wide[3] = {0x80000000u, 1, 1}, tall[3] = {1, 65536, 1};
  const uint32_t all[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  const std::string most = "kernel 'add': expected a grid of at most 2147483647 x 65535 x 65535, ";
  EXPECT_EQ(textOf(tg_kernel_launch(kernel, wide, &args, argsSize, nullptr)),
            most + "got 2147483648 x 1 x 1" + hint);
  EXPECT_EQ(textOf(tg_kernel_launch(kernel, tall, &args, argsSize, nullptr)),
            most + "got 1 x 65536 x 1" + hint);
  EXPECT_EQ(textOf(tg_kernel_launch(kernel, all, &args, argsSize, nullptr)),
            most + "got 4294967295 x 4294967295 x 4294967295" + hint);
}

TEST_F(Api, EmptyGridsDoNothing) {
  load();
  x[0] = 1;
  // Not even the promises are looked at: nothing runs.
  const Args args = {x + 1, z, 3};
  for (const auto &grid : {std::array<uint32_t, 3>{0, 1, 1}, {1, 0, 1}, {5, 5, 0}}) {
    EXPECT_EQ(tg_kernel_launch(kernel, grid.data(), &args, argsSize, nullptr), nullptr);
  }
  EXPECT_EQ(z[0], 0);
}

TEST_F(Api, PromisesAreKept) {
  load();
  x[1] = 2;
  Args args = {x, z, 64};
  ASSERT_EQ(tg_kernel_launch(kernel, one, &args, argsSize, nullptr), nullptr);
  EXPECT_EQ(z[1], 2);
  args = {x, z + 1, -8}; // nothing is promised of z
  EXPECT_EQ(tg_kernel_launch(kernel, one, &args, argsSize, nullptr), nullptr);
  args = {nullptr, z, 0}; // divisible by anything, and nothing is loaded
  EXPECT_EQ(tg_kernel_launch(kernel, one, &args, argsSize, nullptr), nullptr);
}

TEST_F(Api, BrokenPromisesAreNamed) {
  load();
  const Args pointer = {x + 1, z, 64};
  char address[32];
  std::snprintf(address, sizeof address, "%p", static_cast<const void *>(x + 1));
  EXPECT_EQ(textOf(tg_kernel_launch(kernel, one, &pointer, argsSize, nullptr)),
            "kernel 'add': argument 'x': expected an address divisible by 16, as the kernel was "
            "compiled for, got " +
                std::string(address) +
                " [misaligned] hint: compile the kernel for the type '*fp32' instead of "
                "'*fp32:16', or align the argument");
  const Args number = {x, z, -63};
  EXPECT_EQ(textOf(tg_kernel_launch(kernel, one, &number, argsSize, nullptr)),
            "kernel 'add': argument 'n': expected a number divisible by 8, as the kernel was "
            "compiled for, got -63 [misaligned] hint: compile the kernel for the type 'i32' "
            "instead of 'i32:8', or pass such a number");
  // A block that itself lies anywhere.
  unsigned char odd[argsSize + 1];
  std::memcpy(odd + 1, &number, argsSize);
  EXPECT_NE(textOf(tg_kernel_launch(kernel, one, odd + 1, argsSize, nullptr)).find("[misaligned]"),
            std::string::npos);
}

TEST_F(Api, ManifestsNamePromises) {
  ASSERT_EQ(tg_compile(&request, &artifact), nullptr);
  const std::string manifest = tg_artifact_manifest(artifact);
  EXPECT_NE(manifest.find("\"divisibility\": 16"), std::string::npos) << manifest;
  EXPECT_NE(manifest.find("\"divisibility\": 8"), std::string::npos) << manifest;
}
