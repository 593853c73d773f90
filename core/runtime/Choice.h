//===- Choice.h - Targets for devices ------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_CHOICE_H
#define TEGULA_RUNTIME_CHOICE_H

#include "Descriptor.h"
#include "tegula/Runtime/Select.h"

#include <functional>
#include <optional>

namespace tegula::runtime {

/// Why a target cannot serve a device, or "".
using ServeFn = std::function<std::string(const tg_target &, const DeviceFacts &)>;

/// A device's row of the table, and the target itself.
struct Choice {
  DeviceChoice row;
  std::optional<tg_target> target;
};

/// What a descriptor gives to a device.
Choice chooseFor(const Descriptor &descriptor, const DeviceFacts &device, const ServeFn &serve);

/// "80.3 GB", of 10^9 bytes, as vendors count.
std::string gigabytes(const DeviceFacts &device);

/// What one target, named by itself, is to a device. `rule` is for the table.
Choice chooseFor(const tg_target &target, const std::string &rule, const DeviceFacts &device,
                 const ServeFn &serve);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_CHOICE_H
