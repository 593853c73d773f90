//===- Pointer.h - Whose memory an address is -------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What host languages ask about arrays of other libraries. Not part of the C API.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_POINTER_H
#define TEGULA_RUNTIME_POINTER_H

#include "tegula/tegula.h"

namespace tegula::runtime {

/// What the driver behind `device` says of an address.
struct PointerOwner {
  uint32_t memory = TG_MEM_HOST; ///< of tg_mem_kind; HOST also for what it has never seen
  int ordinal = -1;              ///< of the device among its kind; -1: the host
};
__attribute__((visibility("default"))) tg_status *ownerOf(tg_device *device, uint64_t address,
                                                          PointerOwner &out);

/// Whether kernels of a device work on ordinary memory of the process, as those of
/// the processor and of simulators do. False for devices whose arrays say where they
/// are, even if the hardware could reach the host's.
__attribute__((visibility("default"))) tg_status *usesHostMemory(tg_device *device, bool &out);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_POINTER_H
