//===- FakeDriverTest.cpp - The runtime half without a GPU ----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls the slots of the plugin's table with a driver library that computes nothing
// (FakeCuda.c): what is checked before the driver is asked, and what becomes of its errors.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"

using testing::AllOf;
using testing::HasSubstr;

TEST_F(FakeDriver, OpeningSaysWhatIsMissing) {
  tg_driver *other = nullptr;
  const tg_kv nowhere[] = {{"path", "/no/such/libcuda.so.1"}};
  EXPECT_THAT(take(table->open(nowhere, 1, &other)),
              AllOf(HasSubstr("4 the NVIDIA driver's library is not here: "),
                    HasSubstr("/no/such/libcuda.so.1"),
                    HasSubstr("install the NVIDIA driver; the CUDA toolkit is not needed")));
  const tg_kv empty[] = {{"path", EMPTY_CUDA}};
  EXPECT_THAT(take(table->open(empty, 1, &other)),
              AllOf(HasSubstr("the NVIDIA driver is too old: it has no function cuInit"),
                    HasSubstr("install a driver for CUDA 12 or later")));
  const tg_kv fake[] = {{"path", FAKE_CUDA}};
  setenv("FAKE_CUDA_FAIL", "cuInit=999", 1);
  EXPECT_THAT(take(table->open(fake, 1, &other)), HasSubstr("4 starting the driver: a planted"));
  // No device is no error.
  setenv("FAKE_CUDA_FAIL", "cuInit=100", 1);
  ASSERT_EQ(take(table->open(fake, 1, &other)), "");
  size_t count = 99;
  EXPECT_EQ(take(table->enumerate(other, &count)), "");
  EXPECT_EQ(count, 0u);
  table->close(other);
}

TEST_F(FakeDriver, DevicesAreDescribed) {
  tg_device_info info = {};
  info.struct_size = sizeof info;
  ASSERT_EQ(take(table->device_info(driver, 0, &info)), "");
  EXPECT_STREQ(info.id, "GPU-00112233-4455-6677-8899-aabbccddeeff");
  EXPECT_STREQ(info.arch, "sm_90");
  EXPECT_STREQ(info.driver_version, "13.0");
  EXPECT_EQ(info.clock_khz, 0u); // not known
  EXPECT_THAT(take(table->device_info(driver, 1, &info)),
              HasSubstr("expected one of 1 devices, got number 1"));
  tg_context *none = nullptr;
  EXPECT_THAT(take(table->adopt_primary_context(driver, 7, &none)), HasSubstr("no device 7"));
  // A caller with a shorter struct.
  tg_device_info old = {};
  old.struct_size = offsetof(tg_device_info, arch);
  ASSERT_EQ(take(table->device_info(driver, 0, &old)), "");
  EXPECT_EQ(old.arch, nullptr);
  EXPECT_STREQ(old.name, "Fake GPU");
}

TEST_F(FakeDriver, Scores) {
  EXPECT_EQ(score("sm_90", "cubin"), std::pair(100, std::string("made for this chip")));
  EXPECT_EQ(score("sm_90a", "cubin").first, 100);
  EXPECT_EQ(score("sm_80", "cubin").first, -1);
  EXPECT_EQ(score("sm_100", "cubin").first, -1);
  EXPECT_EQ(score("sm_80", "ptx").first, 40);
  EXPECT_EQ(score("sm_90a", "ptx").first, 47);
  EXPECT_EQ(score("sm_80a", "ptx"),
            std::pair(-1, std::string("is for sm_80a, this device is sm_90")));
  EXPECT_EQ(score("sm_100f", "ptx").first, -1);
  EXPECT_EQ(score("sm_90", "elf-so"), std::pair(-1, std::string("needs format cubin or ptx")));
  EXPECT_EQ(score("gfx942", "ptx").second, "is for 'gfx942', which is no NVIDIA architecture");
  EXPECT_EQ(score("sm_90x", "ptx").first, -1);
  EXPECT_EQ(score("sm_80", "ptx", "9.0").first, 40);
  EXPECT_EQ(score("sm_80", "ptx", "9.1").second,
            "needs PTX 9.1, the driver for CUDA 13.0 takes up to 9.0");
}

TEST_F(FakeDriver, MemoryIsCheckedBeforeTheDriverIsAsked) {
  tg_mem mem = {};
  EXPECT_THAT(take(table->alloc(context, 16, 9, &mem)),
              HasSubstr("expected device, pinned or managed memory, got kind 9"));
  ASSERT_EQ(take(table->alloc(context, 16, TG_MEM_DEVICE, &mem)), "");
  tg_mem host = {};
  char bytes[32] = "0123456789abcdef";
  host.address = reinterpret_cast<uint64_t>(bytes);
  host.device = -1;
  EXPECT_THAT(take(table->copy(context, mem, 8, host, 0, 9, nullptr)),
              HasSubstr("target: expected a range within 16 bytes, got 9 bytes from 8 on"));
  EXPECT_THAT(take(table->copy(context, host, 0, mem, SIZE_MAX, 2, nullptr)),
              HasSubstr("source: expected a range within 16 bytes"));
  EXPECT_THAT(take(table->fill(context, mem, 17, 0, 0, nullptr)), HasSubstr("target: expected"));
  EXPECT_EQ(take(table->copy(context, mem, 0, host, 0, 16, nullptr)), "");
  EXPECT_EQ(take(table->fill(context, mem, 3, 0x44434241, 6, nullptr)), "");
  EXPECT_EQ(take(table->copy(context, host, 16, mem, 0, 16, nullptr)), "");
  EXPECT_EQ(std::string(bytes + 16, 16), "012ABCDAB9abcdef");
  EXPECT_EQ(take(table->release(context, mem)), "");
}

TEST_F(FakeDriver, ErrorsKeepTheDriversWords) {
  EXPECT_THAT(fails("cuMemAlloc_v2=2",
                    [](FakeDriver &test) {
                      tg_mem mem = {};
                      return test.table->alloc(test.context, 1 << 20, TG_MEM_DEVICE, &mem);
                    }),
              AllOf(HasSubstr("6 allocating 1048576 bytes, of which 12345 are free: a planted"),
                    HasSubstr("(CUDA_ERROR_FAKE 2)")));
  EXPECT_THAT(
      fails("cuCtxSynchronize=4242",
            [](FakeDriver &test) { return test.table->stream_sync(test.context, nullptr); }),
      HasSubstr("waiting for kernels and copies: unknown error"));
  // Not ready is an answer, not an error.
  EXPECT_EQ(fails("cuStreamQuery=600",
                  [](FakeDriver &test) {
                    int done = 7;
                    tg_plugin_status *status =
                        test.table->stream_query(test.context, nullptr, &done);
                    EXPECT_EQ(done, 0);
                    return status;
                  }),
            "");
}

TEST_F(FakeDriver, CodeAndItsLimits) {
  std::vector<tg_kv> facts;
  tg_variant variant = {};
  variant.struct_size = sizeof variant;
  variant.format = "elf-so";
  tg_module *module = nullptr;
  EXPECT_THAT(take(table->module_load(context, "x", 1, &variant, &module)),
              HasSubstr("expected code of format cubin or ptx, got elf-so"));
  variant.format = "ptx";
  setenv("FAKE_CUDA_FAIL", "cuModuleLoadDataEx=222", 1);
  EXPECT_THAT(take(table->module_load(context, "x", 1, &variant, &module)),
              AllOf(HasSubstr("5 loading ptx: a planted error:\nptxas: line 3: planted"),
                    HasSubstr("the driver for CUDA 13.0 takes PTX up to 9.0")));
  unsetenv("FAKE_CUDA_FAIL");
  const auto kernel = [&](const char *name, std::vector<tg_kv> given) {
    facts = std::move(given);
    variant.facts = facts.data();
    variant.num_facts = facts.size();
    EXPECT_EQ(take(table->module_load(context, "x", 1, &variant, &module)), "");
    tg_function *function = nullptr;
    std::string text = take(table->kernel_get(module, name, &function, nullptr));
    table->module_unload(module);
    return text;
  };
  EXPECT_EQ(kernel("k", {}), "");
  EXPECT_THAT(kernel("missing", {}), HasSubstr("3 finding the kernel 'missing'"));
  EXPECT_THAT(kernel("k", {{"shared_bytes", "232449"}}),
              AllOf(HasSubstr("7 expected at most 232448 bytes of shared memory, got 232449"),
                    HasSubstr("use smaller tiles or fewer stages")));
  EXPECT_THAT(kernel("k", {{"num_warps", "32"}}),
              AllOf(HasSubstr("7 expected at most 512 threads in a program, which its 120 "
                              "registers for each allow, got 1024"),
                    HasSubstr("use fewer warps or smaller tiles")));
}

TEST_F(FakeDriver, StreamsThatRecordAreNotWaitedFor) {
  tg_mem mem = {}, host = {};
  ASSERT_EQ(take(table->alloc(context, 16, TG_MEM_DEVICE, &mem)), "");
  char bytes[16] = "";
  host.address = reinterpret_cast<uint64_t>(bytes);
  setenv("FAKE_CUDA_CAPTURE", "1", 1);
  int state = 7;
  EXPECT_EQ(take(table->capture_state(context, nullptr, nullptr, &state)), "");
  EXPECT_EQ(state, TG_CAPTURE_ACTIVE);
  EXPECT_EQ(fails("cuStreamSynchronize=900",
                  [](FakeDriver &test) {
                    tg_mem a = {}, b = {};
                    static char from[4] = "abc", to[4] = "";
                    a.address = reinterpret_cast<uint64_t>(to);
                    b.address = reinterpret_cast<uint64_t>(from);
                    return test.table->copy(test.context, a, 0, b, 0, 4, nullptr);
                  }),
            "");
  unsetenv("FAKE_CUDA_CAPTURE");
  EXPECT_EQ(take(table->release(context, mem)), "");
}
