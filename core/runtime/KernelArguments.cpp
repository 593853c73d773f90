//===- KernelArguments.cpp - What a loaded kernel takes ---------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "Kernel.h"

#include <algorithm>
#include <cstring>

using namespace tegula::runtime;

size_t tg_kernel_num_args(const tg_kernel *kernel) { return kernel ? kernel->args.size() : 0; }

tg_status *tg_kernel_arg_get(const tg_kernel *kernel, size_t index, tg_arg_info *info) {
  return guarded([&]() -> tg_status * {
    if (!kernel || !info) {
      return nullPointer(kernel ? "a place for the argument's facts" : "a kernel");
    }
    if (info->struct_size < sizeof info->struct_size) {
      return makeStatus(TG_INVALID, status::ApiArgument,
                        "expected struct_size to be set, got " + std::to_string(info->struct_size));
    }
    if (index >= kernel->args.size()) {
      return makeStatus(TG_NOT_FOUND, status::LaunchArguments,
                        "kernel '" + kernel->name + "': expected an argument below " +
                            std::to_string(kernel->args.size()) + ", got " + std::to_string(index));
    }
    const tg_artifact_arg &arg = kernel->args[index];
    tg_arg_info all = {sizeof all,       arg.offset,       arg.size,          arg.divisibility,
                       arg.name.c_str(), arg.type.c_str(), arg.access.c_str()};
    // Older programs have a smaller struct.
    all.struct_size = uint32_t(std::min<size_t>(info->struct_size, sizeof all));
    std::memcpy(info, &all, all.struct_size);
    return nullptr;
  });
}
