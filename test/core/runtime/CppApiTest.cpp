//===- CppApiTest.cpp - The C++ API -----------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/tegula.hpp"

#include "DeviceFixture.h"
#include "gmock/gmock.h"

#include <fstream>

using namespace tegula;

namespace {

constexpr const char *source =
    "import triton.language as tl\n"
    "def mix(out, x, n, small, wide, f, d, flag, BLOCK: tl.constexpr):\n"
    "    i = tl.arange(0, BLOCK)\n"
    "    v = tl.load(x + i, i < n) + small + wide + f\n"
    "    tl.store(out + i, tl.where(flag, v, d.to(tl.float32)), i < n)\n";

class CppApi : public testing::Test {
protected:
  static Device cpu() { return *Device::get("cpu"); }
  static Kernel mix() {
    CompileRequest request;
    request.source = {"mix.py", source};
    request.kernel = "mix";
    request.signature = "*fp32:16, *fp32:16, i32, i8, u64, fp32, fp64, i1, 64";
    Result<Kernel> kernel = compile(request, cpu());
    EXPECT_TRUE(kernel) << kernel.error().describe();
    return std::move(*kernel);
  }
  template <typename... Values> static std::string refusal(const Kernel &kernel, Values... values) {
    const Result<Arguments> result = kernel.pack(values...);
    return result ? "packed" : result.error().describe();
  }
};

TEST_F(CppApi, CompilesAndRuns) {
  const Kernel kernel = mix();
  EXPECT_EQ(kernel.name(), "mix");
  EXPECT_EQ(kernel.arguments().size(), 8u);
  const std::vector<float> x(64, 1.0f);
  const Result<Buffer> in = cpu().upload(x), out = cpu().allocate(64 * sizeof(float));
  ASSERT_TRUE(in && out);
  const Status status = kernel({1}, *out, *in, 64, -3, uint64_t(10), 0.5f, 2.0, true);
  ASSERT_TRUE(status) << status.error().describe();
  EXPECT_EQ(*out->read<float>(), std::vector<float>(64, 8.5f));
  // With pointers, a stream and events.
  Result<Stream> stream = cpu().makeStream();
  Result<Event> start = cpu().makeEvent(), end = cpu().makeEvent();
  ASSERT_TRUE(stream && start && end);
  alignas(64) float from[64] = {}, to[64] = {};
  const Result<Arguments> arguments =
      kernel.pack(to, static_cast<const float *>(from), 64, 0, 0, 0, 4, false);
  ASSERT_TRUE(arguments) << arguments.error().describe();
  ASSERT_TRUE(start->record(*stream));
  ASSERT_TRUE(kernel.launch({1}, *arguments, &*stream));
  ASSERT_TRUE(end->record(*stream));
  ASSERT_TRUE(end->sync());
  EXPECT_TRUE(end->since(*start));
  EXPECT_TRUE(stream->sync());
  EXPECT_TRUE(*stream->isDone());
  EXPECT_EQ(to[63], 4.0f);
}

TEST_F(CppApi, ArgumentsAreChecked) {
  const Kernel kernel = mix();
  float *p = nullptr;
  EXPECT_EQ(refusal(kernel, p, p, 64),
            "kernel 'mix': expected 8 arguments (out, x, n, small, wide, f, d, flag), got 3 "
            "[launch-arguments]");
  const auto with = [&](auto x, auto n, auto small, auto wide, auto f, auto flag) {
    return refusal(kernel, p, x, n, small, wide, f, 1.0, flag);
  };
  EXPECT_EQ(with(p, 1, 1, 1, 1, true), "packed");
  EXPECT_EQ(with(static_cast<void *>(p), 2147483647, -128, ~uint64_t(0), 1, 1), "packed");
  EXPECT_EQ(with(nullptr, -1L, int8_t(127), 0, 0.5, false), "packed");
  double *d = nullptr;
  EXPECT_EQ(with(d, 1, 1, 1, 1, true), "kernel 'mix': argument 'x': expected a buffer or pointer "
                                       "of type *fp32, got *fp64 [launch-argument-type]");
  EXPECT_EQ(with(7, 1, 1, 1, 1, true), "kernel 'mix': argument 'x': expected a buffer or pointer "
                                       "of type *fp32, got 7 [launch-argument-type]");
  EXPECT_EQ(with(p, 2147483648L, 1, 1, 1, true),
            "kernel 'mix': argument 'n': expected a value of type i32, got 2147483648 "
            "[launch-argument-type]");
  EXPECT_EQ(with(p, p, 1, 1, 1, true), "kernel 'mix': argument 'n': expected a value of type i32, "
                                       "got a pointer [launch-argument-type]");
  EXPECT_EQ(with(p, 1, 128, 1, 1, true), "kernel 'mix': argument 'small': expected a value of type "
                                         "i8, got 128 [launch-argument-type]");
  EXPECT_EQ(with(p, 1, -129, 1, 1, true), "kernel 'mix': argument 'small': expected a value of "
                                          "type i8, got -129 [launch-argument-type]");
  EXPECT_EQ(with(p, 1, 1, -1, 1, true), "kernel 'mix': argument 'wide': expected a value of type "
                                        "u64, got -1 [launch-argument-type]");
  EXPECT_EQ(with(p, 1.0, 1, 1, 1, true), "kernel 'mix': argument 'n': expected a value of type "
                                         "i32, got 1.000000 [launch-argument-type]");
  EXPECT_THAT(with(p, 1, 1, 1, 1, 2), testing::HasSubstr("argument 'flag': expected a value of "));
  EXPECT_EQ(with(p, 1, Bits{0x100}, 1, 1, true),
            "kernel 'mix': argument 'small': expected a value of type i8, got bits that do not fit "
            "[launch-argument-type]");
  EXPECT_EQ(with(p, 1, Bits{0xff}, 1, Bits{0x3f800000}, true), "packed");
}

TEST_F(CppApi, BuffersOfOtherDevicesAreRefused) {
  const Kernel kernel = mix();
  const Result<Buffer> fake = Device(test::device(0)).allocate(64);
  ASSERT_TRUE(fake);
  const Result<Arguments> result = kernel.pack(*fake, nullptr, 0, 0, 0, 0, 0, 0);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(),
              testing::HasSubstr("argument 'out': expected a buffer or pointer of type *fp32, got "
                                 "memory of fake:0 Fake One"));
  const Result<Arguments> number = kernel.pack(nullptr, nullptr, *fake, 0, 0, 0, 0, 0);
  ASSERT_FALSE(number);
  EXPECT_EQ(number.error().message(),
            "kernel 'mix': argument 'n': expected a value of type i32, got a buffer");
}

TEST_F(CppApi, ErrorsAreValues) {
  CompileRequest request;
  request.source = {"wrong.py", "def k(x):\n    y\n"};
  request.kernel = "k";
  request.signature = "*fp32";
  const Result<Kernel> kernel = compile(request, cpu());
  ASSERT_FALSE(kernel);
  const Error copy = kernel.error();
  EXPECT_EQ(copy.code(), TG_COMPILE_ERROR);
  EXPECT_EQ(copy.id(), "undefined-name");
  EXPECT_THAT(copy.describe(), testing::HasSubstr("wrong.py:2:5: error: "));
  EXPECT_THAT(copy.diagnosticsJson(), testing::HasSubstr("\"line\":2"));
  const Result<Device> device = Device::get("fake", 77);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().id(), "no-such-device");
  EXPECT_EQ(Error(TG_INVALID, "a-b", "one\ntwo", "do").describe(), "one [a-b]\ntwo\nhint: do");
}

TEST_F(CppApi, ListsDevices) {
  const Result<std::vector<Device>> all = Device::list(), fakes = Device::list("fake");
  ASSERT_TRUE(all && fakes);
  EXPECT_EQ(all->back(), cpu());
  EXPECT_EQ(fakes->size(), 4u);
  EXPECT_EQ(all->front().kind(), "fake");
  EXPECT_STREQ(fakes->at(1).info()->arch, "f2");
  EXPECT_TRUE(Device::list("no-such-kind")->empty());
}

TEST_F(CppApi, WritesAndReadsBundles) {
  CompileRequest request;
  const std::string file = testing::TempDir() + "/tegula-cpp-api.py",
                    path = testing::TempDir() + "/tegula-cpp-api.tgb";
  std::ofstream(file) << source;
  request.source.file = file; // read by the library
  request.kernel = "mix";
  request.signature = "*fp32:16, *fp32:16, i32, i8, u64, fp32, fp64, i1, 64";
  request.options = {{"num_warps", "8"}};
  BundleWriter writer;
  for (const char *name : {"cpu/x86-64", "cpu/x86-64-v2"}) {
    const Result<Target> target = Target::resolve(name);
    ASSERT_TRUE(target) << target.error().describe();
    const Result<Artifact> artifact = compile(request, *target);
    ASSERT_TRUE(artifact) << artifact.error().describe();
    EXPECT_FALSE(artifact->stage("object").empty());
    ASSERT_TRUE(writer.add(*artifact));
    EXPECT_EQ(writer.add(*artifact).error().id(), "bundle-variant");
  }
  ASSERT_TRUE(writer.write(path));
  const Result<Bundle> bundle = Bundle::open(path);
  ASSERT_TRUE(bundle) << bundle.error().describe();
  EXPECT_EQ(bundle->kernels(), std::vector<std::string>{"mix"});
  EXPECT_THAT(bundle->manifest(), testing::HasSubstr("\"num_warps\":8"));
  const Result<Kernel> kernel = bundle->load("mix", cpu());
  ASSERT_TRUE(kernel) << kernel.error().describe();
  EXPECT_THAT(kernel->manifest(), testing::HasSubstr("x86-64-v2"));
  EXPECT_THAT(*bundle->explain("mix", cpu()), testing::HasSubstr("* cpu:0   cpu x86-64-v2"));
  EXPECT_EQ(bundle->load("mul").error().id(), "bundle-kernel");
  EXPECT_EQ(Bundle::fromBytes("\x89TG").error().id(), "wrong-bundle");
  EXPECT_EQ(bundle->load("mix", Device(test::device(0))).error().id(), "no-variant");
}

} // namespace
