//===- Stream.h - Streams and events behind the C API -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_STREAM_H
#define TEGULA_RUNTIME_STREAM_H

#include "Device.h"

struct tg_device_stream {
  tg_device *device = nullptr;
  tg_stream *stream = nullptr;
};

struct tg_device_event {
  tg_device *device = nullptr;
  tg_event *event = nullptr;
  bool isTimed = false;
  std::atomic<bool> isRecorded{false};
};

#endif // TEGULA_RUNTIME_STREAM_H
