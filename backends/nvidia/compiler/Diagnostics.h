//===- Diagnostics.h - Identifiers of the NVIDIA backend's messages
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_NVIDIA_DIAGNOSTICS_H
#define TEGULA_NVIDIA_DIAGNOSTICS_H

#include "tegula/Tile/IR/Diagnostics.h"

/// `diagID(diag::NoKernel)` ends a message.
namespace tegula::nvidia::diag {
#define TEGULA_NVIDIA_DIAGNOSTIC(Name, Id, Meaning, Action)                                        \
  inline constexpr llvm::StringLiteral Name = Id;
#include "Diagnostics.def"
} // namespace tegula::nvidia::diag

namespace tegula::nvidia {
using tile::diagID;
} // namespace tegula::nvidia

#endif // TEGULA_NVIDIA_DIAGNOSTICS_H
