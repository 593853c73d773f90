//===- Kernel.h - A kernel behind the C API ---------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_KERNEL_H
#define TEGULA_RUNTIME_KERNEL_H

#include "Device.h"
#include "tegula/Runtime/Artifact.h"

#include <string>
#include <vector>

/// Code loaded for one device. Constant once made.
struct tg_kernel {
  tg_device *device = nullptr;
  const tegula_runtime_v1 *table = nullptr;
  tg_module *module = nullptr;
  tg_function *function = nullptr;
  size_t argsSize = 0;
  std::string name, manifest;
  const std::string *lastingName = nullptr; ///< the name, for as long as the process lives
  std::vector<tg_artifact_arg> args;        ///< all of them
  std::vector<tg_artifact_arg> promises;    ///< those with a divisibility
  tg_kernel_info info = {};

  tg_kernel() = default;
  tg_kernel(const tg_kernel &) = delete;
  tg_kernel &operator=(const tg_kernel &) = delete;
  ~tg_kernel();
};

#endif // TEGULA_RUNTIME_KERNEL_H
