//===- Handles.cpp - Owners of runtime objects ----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include <algorithm>
#include <cstring>

using namespace tegula;
using namespace tegula::cts;

void tegula::cts::needError(tg_status *status, std::initializer_list<tg_code> codes,
                            const std::string &what) {
  const Status owned(status);
  expect(owned != nullptr, what + ": expected an error, got none");
  expect(std::find(codes.begin(), codes.end(), owned->code) != codes.end(),
         what + ": expected another kind of error than " + std::to_string(int(owned->code)) + ": " +
             firstLine(*owned));
  expect(!owned->message.empty() && !owned->id.empty(),
         what + ": expected a message and an identifier");
}

BufferPtr tegula::cts::makeBuffer(tg_device *device, size_t size, uint32_t kind) {
  tg_buffer *buffer = nullptr;
  need(tg_buffer_new(device, size, kind, &buffer), "tg_buffer_new");
  return BufferPtr(buffer);
}

BufferPtr tegula::cts::makeBuffer(tg_device *device, const Bytes &content) {
  BufferPtr buffer = makeBuffer(device, content.size());
  need(tg_buffer_write(buffer.get(), 0, content.data(), content.size(), nullptr),
       "tg_buffer_write");
  return buffer;
}

Bytes tegula::cts::contentOf(const tg_buffer *buffer) {
  Bytes content(tg_buffer_size(buffer));
  need(tg_buffer_read(buffer, 0, content.data(), content.size(), nullptr), "tg_buffer_read");
  return content;
}

ArtifactPtr tegula::cts::compileProbe(const tg_target *target) {
  static const char text[] = "import tegula\nimport tegula.language as tl\n\n\n@tegula.jit\n"
                             "def probe(x_ptr, n):\n"
                             "    at = tl.program_id(0) * 64 + tl.arange(0, 64)\n"
                             "    tl.store(x_ptr + at, at * 3 + n, mask=at < n)\n";
  tg_compile_request request = {};
  request.struct_size = sizeof request;
  request.source = {sizeof request.source, text, sizeof text - 1, "probe.py", 1};
  request.kernel = "probe";
  request.signature = "*i32:16, i32";
  request.target = target;
  tg_artifact *artifact = nullptr;
  need(tg_compile(&request, &artifact), "compiling a kernel");
  return ArtifactPtr(artifact, FreeArtifact());
}

void tegula::cts::runProbe(tg_kernel *kernel, int32_t n) {
  constexpr int32_t spare = 16, untouched = 0x5A5A5A5A;
  Bytes content(size_t(n + spare) * 4, 0x5A);
  const BufferPtr buffer = makeBuffer(tg_kernel_device(kernel), content);
  struct {
    uint64_t x;
    int32_t n;
  } args = {tg_buffer_address(buffer.get()), n};
  const uint32_t grid[3] = {uint32_t(n + 63) / 64, 1, 1};
  need(tg_kernel_launch(kernel, grid, &args, sizeof args, nullptr), "tg_kernel_launch");
  need(tg_device_sync(tg_kernel_device(kernel)), "tg_device_sync");
  content = contentOf(buffer.get());
  for (int32_t i = 0; i < n + spare; ++i) {
    int32_t value = 0;
    std::memcpy(&value, content.data() + size_t(i) * 4, 4);
    const int32_t wanted = i < n ? 3 * i + n : untouched;
    expect(value == wanted, "element " + std::to_string(i) + ": expected " +
                                std::to_string(wanted) + ", got " + std::to_string(value));
  }
}
