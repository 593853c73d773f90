//===- cpp-compile.cpp - Compile a kernel and run it, from C++ --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: cpp-compile scale.py
//
// Compiles the kernel `scale` of the file for the best device of this machine, runs
// it there with events around it, and checks what it wrote. Errors, those of the
// kernel's text included, are values.
//
//===----------------------------------------------------------------------===//

#include <tegula/tegula.hpp>

#include <cstdio>
#include <numeric>

namespace {

constexpr int kBlock = 256;

/// What failed, or nothing.
tegula::Status run(const char *file) {
  const auto devices = tegula::Device::list();
  if (!devices) {
    return devices.error();
  }
  if (devices->empty()) {
    return tegula::Error(TG_UNAVAILABLE, "no-such-device", "no device is present");
  }
  const tegula::Device device = devices->front();
  std::printf("device %s\n", device.describe().c_str());

  tegula::CompileRequest request;
  request.source.file = file;
  request.kernel = "scale";
  request.signature = "*fp32:16, *fp32:16, i32, fp32, " + std::to_string(kBlock);
  const auto kernel = tegula::compile(request, device);
  if (!kernel) {
    return kernel.error();
  }

  std::vector<float> x(1000);
  std::iota(x.begin(), x.end(), 0.0f);
  const auto input = device.upload(x);
  const auto output = device.allocate(x.size() * sizeof(float));
  auto start = device.makeEvent(), end = device.makeEvent();
  for (const auto *buffer : {&input, &output}) {
    if (!*buffer) {
      return buffer->error();
    }
  }
  for (const auto *event : {&start, &end}) {
    if (!*event) {
      return event->error();
    }
  }

  const auto programs = static_cast<uint32_t>((x.size() + kBlock - 1) / kBlock);
  if (auto status = start->record(); !status) {
    return status;
  }
  // Checked against the kernel's arguments: a wrong one is an error that names it.
  if (auto status = (*kernel)({programs}, *input, *output, x.size(), 3.0f); !status) {
    return status;
  }
  if (auto status = end->record(); !status) {
    return status;
  }
  if (auto status = end->sync(); !status) {
    return status;
  }
  if (const auto time = end->since(*start)) {
    std::printf("took %.1f us\n", static_cast<double>(*time) / 1000);
  }

  const auto out = output->read<float>();
  if (!out) {
    return out.error();
  }
  for (size_t i = 0; i < x.size(); ++i) {
    if ((*out)[i] != 3 * x[i]) {
      return tegula::Error(TG_INTERNAL, "wrong-result",
                           "element " + std::to_string(i) + ": expected " +
                               std::to_string(3 * x[i]) + ", got " + std::to_string((*out)[i]));
    }
  }
  std::printf("%s: right\n", kernel->name().c_str());
  return {};
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: cpp-compile scale.py\n");
    return 2;
  }
  if (const auto status = run(argv[1]); !status) {
    std::fprintf(stderr, "%s\n", status.error().describe().c_str());
    return 1;
  }
  return 0;
}
