//===- Handles.h - Owners of runtime objects --------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CTS_HANDLES_H
#define TEGULA_CTS_HANDLES_H

#include "Suite.h"

namespace tegula::cts {

template <typename T, void (*Free)(T *)> struct Freed {
  void operator()(T *object) const { Free(object); }
};
template <typename T, void (*Free)(T *)> using Handle = std::unique_ptr<T, Freed<T, Free>>;

using BufferPtr = Handle<tg_buffer, tg_buffer_free>;
using KernelPtr = Handle<tg_kernel, tg_kernel_free>;
using StreamPtr = Handle<tg_device_stream, tg_stream_free>;
using EventPtr = Handle<tg_device_event, tg_event_free>;
using BundlePtr = Handle<tg_bundle, tg_bundle_free>;
using WriterPtr = Handle<tg_bundle_writer, tg_bundle_writer_free>;

/// What a test throws when something that it needs fails, or is wrong.
struct Problem {
  std::string message;
};

/// Throws Problem unless it is null.
inline void need(tg_status *status, const char *what) {
  const Status owned(status);
  if (owned) {
    throw Problem{std::string(what) + ": " + firstLine(*owned)};
  }
}
inline void expect(bool condition, const std::string &message) {
  if (!condition) {
    throw Problem{message};
  }
}
/// Throws Problem unless `status` is an error of one of the codes; frees it.
void needError(tg_status *status, std::initializer_list<tg_code> codes, const std::string &what);

/// Runs a test that throws Problem.
template <typename Work> std::function<Verdict()> throwing(Work work) {
  return [work] {
    try {
      return work();
    } catch (const Problem &problem) {
      return Verdict::failed(problem.message);
    }
  };
}

BufferPtr makeBuffer(tg_device *device, size_t size, uint32_t kind = TG_MEM_DEVICE);
BufferPtr makeBuffer(tg_device *device, const Bytes &content);
Bytes contentOf(const tg_buffer *buffer);

/// A small kernel that writes `3 * i + n` to int32 elements 0 to n - 1 at x_ptr, 64 of
/// them a program, compiled for the target.
ArtifactPtr compileProbe(const tg_target *target);
/// Launches it once and looks at all elements of a buffer of `n` and a few more.
void runProbe(tg_kernel *kernel, int32_t n);

} // namespace tegula::cts

#endif // TEGULA_CTS_HANDLES_H
