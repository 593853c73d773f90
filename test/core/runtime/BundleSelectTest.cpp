//===- BundleSelectTest.cpp - Which variant runs where ----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BundleFixture.h"
#include "DeviceFixture.h"
#include "gmock/gmock.h"

#include <algorithm>

using namespace bundletest;
using namespace tegula::test;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

class BundleSelect : public Devices {
protected:
  /// A bundle with the kernel `fill` for these, in this order.
  static Owned<tg_bundle> make(const std::vector<tg_artifact> &artifacts) {
    const Owned<tg_bundle_writer> writer = makeWriter();
    for (const tg_artifact &artifact : artifacts) {
      EXPECT_EQ(take(tg_bundle_writer_add(writer.get(), &artifact)), "");
    }
    return reopen(bytesOf(*writer));
  }
  /// "fake:1 f2": where it is loaded, and for what it was compiled.
  static std::string chosen(const tg_bundle *bundle, tg_device *device) {
    tg_kernel *kernel = nullptr;
    if (tg_status *status = tg_bundle_load(bundle, "fill", device, &kernel)) {
      return textOf(status);
    }
    const Owned<tg_kernel> owned(kernel);
    const std::string manifest = tg_kernel_manifest(kernel);
    const size_t arch = manifest.find("\"arch\": \"") + 9;
    tg_device *where = tg_kernel_device(kernel);
    return std::string(tg_device_kind(where)) + ":" + std::to_string(tg_device_ordinal(where)) +
           " " + manifest.substr(arch, manifest.find('"', arch) - arch);
  }
  static std::string explain(const tg_bundle *bundle, tg_device *device) {
    const char *text = nullptr;
    EXPECT_EQ(textOf(tg_bundle_explain(bundle, "fill", device, &text)), "");
    return text ? text : "";
  }
};

TEST_F(BundleSelect, TheBestScoreOfADeviceWins) {
  const Owned<tg_bundle> bundle =
      make({artifact("fill", "any"), artifact("fill", "f1"), artifact("fill", "f2")});
  EXPECT_EQ(chosen(bundle.get(), device(0)), "fake:0 f1");
  EXPECT_EQ(chosen(bundle.get(), device(1)), "fake:1 f2");
  EXPECT_EQ(chosen(bundle.get(), device(0, "fake-npu")), "fake-npu:0 any");
  EXPECT_EQ(explain(bundle.get(), device(1)),
            "  device  variant        score  reason\n"
            "  fake:1  fake any fake     10  runs on any device\n"
            "  fake:1  fake f1 fake      70  made for f1, an older "
            "one than f2\n"
            "* fake:1  fake f2 fake     100  made for f2\n");
}

TEST_F(BundleSelect, TheFirstOfEqualOnesIsTaken) {
  tg_artifact a = artifact("fill", "any"), b = artifact("fill", "any");
  b.features = {"+extra"};
  const Owned<tg_bundle> first = make({a, b}), second = make({b, a});
  EXPECT_TRUE(
      explain(first.get(), device(0))
          .starts_with("  device  variant        score  reason\n* fake:0  fake any fake     10  "));
  const auto featuresOf = [](const tg_bundle *bundle) {
    tg_kernel *kernel = nullptr;
    EXPECT_EQ(textOf(tg_bundle_load(bundle, "fill", device(0), &kernel)), "");
    const Owned<tg_kernel> owned(kernel);
    return std::string(tg_kernel_manifest(kernel));
  };
  EXPECT_THAT(featuresOf(first.get()), Not(HasSubstr("+extra")));
  EXPECT_THAT(featuresOf(second.get()), HasSubstr("+extra"));
}

TEST_F(BundleSelect, WithoutADeviceTheBestOneThatFitsIsTaken) {
  // fake:0 could run the last as well, but comes first only where it can run something.
  EXPECT_EQ(chosen(make({artifact("fill", "f2")}).get(), nullptr), "fake:1 f2");
  EXPECT_EQ(chosen(make({artifact("fill", "n1")}).get(), nullptr), "fake-npu:0 n1");
  EXPECT_EQ(chosen(make({artifact("fill", "n1"), artifact("fill", "any")}).get(), nullptr),
            "fake:0 any");
}

TEST_F(BundleSelect, NothingFits) {
  const Owned<tg_bundle> bundle = make({artifact("fill", "n1"), artifact("fill", "x", "absent")});
  EXPECT_EQ(chosen(bundle.get(), device(0)),
            "bundle: no variant of kernel 'fill' runs on fake:0\n"
            "  device  variant        score  reason\n"
            "  fake:0  fake n1 fake       -  is for n1, this device is f1\n"
            "  fake:0  absent x fake      -  is for backend 'absent', not 'fake' [no-variant]");
  tg_kernel *kernel = nullptr;
  EXPECT_EQ(failure(tg_bundle_load(bundle.get(), "add", nullptr, &kernel), TG_NOT_FOUND),
            "bundle: no kernel 'add'; its kernels: fill [bundle-kernel]");
  const char *text = nullptr;
  EXPECT_EQ(failure(tg_bundle_explain(bundle.get(), "fil", nullptr, &text), TG_NOT_FOUND),
            "bundle: no kernel 'fil'; its kernels: fill [bundle-kernel]");
}

TEST_F(BundleSelect, ADeviceThatFailsIsPassedOver) {
  const Owned<tg_bundle> bundle = make({artifact("fill", "any")});
  control("fail score device=0 times=2 text=\"out of order\"");
  EXPECT_THAT(explain(bundle.get(), nullptr), HasSubstr("  fake:0      fake any fake      -  "));
  EXPECT_EQ(chosen(bundle.get(), nullptr), "fake:1 any");
  EXPECT_EQ(chosen(bundle.get(), nullptr), "fake:0 any");
}

TEST_F(BundleSelect, AFailureOfLoadingIsTold) {
  const Owned<tg_bundle> bundle = make({artifact("fill", "any")});
  control("fail module_load device=0 code=out-of-memory text=\"full\"");
  EXPECT_THAT(chosen(bundle.get(), nullptr), HasSubstr("full"));
}

TEST_F(BundleSelect, KernelsRunAfterTheirBundleIsGone) {
  tg_kernel *kernel = nullptr;
  ASSERT_EQ(
      textOf(tg_bundle_load(make({artifact("fill", "any")}).get(), "fill", device(1), &kernel)),
      "");
  tg_buffer *memory = buffer(device(1), 64);
  EXPECT_EQ(textOf(run(kernel, memory, 7, 16)), "");
  EXPECT_EQ(wordsOf(memory), std::vector<uint32_t>(16, 7));
  tg_buffer_free(memory);
  tg_kernel_free(kernel);
}

TEST_F(BundleSelect, ArgumentsAreKnown) {
  tg_kernel *kernel = nullptr;
  ASSERT_EQ(
      textOf(tg_bundle_load(make({artifact("fill", "any")}).get(), "fill", device(0), &kernel)),
      "");
  const Owned<tg_kernel> owned(kernel);
  ASSERT_EQ(tg_kernel_num_args(kernel), 2u);
  tg_arg_info info = {};
  info.struct_size = sizeof info;
  ASSERT_EQ(textOf(tg_kernel_arg_get(kernel, 0, &info)), "");
  EXPECT_STREQ(info.name, "x");
  EXPECT_STREQ(info.type, "*i32");
  EXPECT_STREQ(info.access, "");
  EXPECT_EQ(info.size, 8u);
  EXPECT_EQ(info.divisibility, 16u);
  ASSERT_EQ(textOf(tg_kernel_arg_get(kernel, 1, &info)), "");
  EXPECT_EQ(info.offset, 8u);
  // An older program's struct ends earlier.
  info = {};
  info.struct_size = offsetof(tg_arg_info, name);
  ASSERT_EQ(textOf(tg_kernel_arg_get(kernel, 1, &info)), "");
  EXPECT_EQ(info.size, 4u);
  EXPECT_EQ(info.name, nullptr);
  EXPECT_EQ(failure(tg_kernel_arg_get(kernel, 2, &info), TG_NOT_FOUND),
            "kernel 'fill': expected an argument below 2, got 2 [launch-arguments]");
  EXPECT_EQ(failure(tg_kernel_arg_get(kernel, 0, nullptr), TG_INVALID),
            "expected a place for the argument's facts, got a null pointer [null-pointer]");
  EXPECT_EQ(failure(tg_kernel_arg_get(nullptr, 0, &info), TG_INVALID),
            "expected a kernel, got a null pointer [null-pointer]");
  EXPECT_EQ(tg_kernel_num_args(nullptr), 0u);
}

} // namespace
