//===- BuildIdentity.h - Which build of a library is loaded --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_BUILDIDENTITY_H
#define TEGULA_RUNTIME_BUILDIDENTITY_H

#include "tegula/Runtime/Status.h"

#include <string>

namespace tegula::runtime {

/// Text that differs between builds of the library that `address` (of its code or
/// data) lies in: its build id as it is in memory, else size, time and inode of its
/// file. "" when no library holds the address.
TG_CXX_API std::string buildIdentity(const void *address);

/// That of libTegulaRuntime.
TG_CXX_API std::string runtimeIdentity();

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_BUILDIDENTITY_H
