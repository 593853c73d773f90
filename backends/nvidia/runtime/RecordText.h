//===- RecordText.h - Prints and failures as text -*- C++ -*-
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_NVIDIA_RECORDTEXT_H
#define TEGULA_NVIDIA_RECORDTEXT_H

#include "tegula/NVIDIA/KernelRecords.h"

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tegula::nvidia {

/// The bytes of the TextRecord at an address of the device; null if they cannot be read.
using ReadText = std::function<const std::string *(uint64_t address)>;

/// The lines of all prints in `words`: those of one program in its order, each print's
/// together.
std::string describePrints(const uint32_t *words, size_t count, const ReadText &read);

/// "FILE:LINE:COL: assertion failed in program (0, 0, 0) at element (3): text" of the
/// record with `key`.
std::string describeFailure(const uint32_t *words, size_t count, uint64_t key,
                            const ReadText &read);

} // namespace tegula::nvidia

#endif // TEGULA_NVIDIA_RECORDTEXT_H
