//===- Memory.h - Atomic accesses of host memory --------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_SIMT_MEMORY_H
#define TEGULA_SIMT_MEMORY_H

#include <cstdint>

namespace tegula::simt {

/// As the table of services has them.
uint64_t atomicRMW(uint32_t kind, uint32_t type, uint32_t bits, void *address, uint64_t value);
uint64_t atomicCAS(uint32_t bits, void *address, uint64_t expected, uint64_t value);

} // namespace tegula::simt

#endif // TEGULA_SIMT_MEMORY_H
