//===- Diagnostics.h - Identifiers of the AMD backend's messages
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_AMD_DIAGNOSTICS_H
#define TEGULA_AMD_DIAGNOSTICS_H

#include "tegula/Tile/IR/Diagnostics.h"

/// `diagID(diag::NoKernel)` ends a message.
namespace tegula::amd::diag {
#define TEGULA_AMD_DIAGNOSTIC(Name, Id, Meaning, Action)                                           \
  inline constexpr llvm::StringLiteral Name = Id;
#include "Diagnostics.def"
} // namespace tegula::amd::diag

namespace tegula::amd {
using tile::diagID;
} // namespace tegula::amd

#endif // TEGULA_AMD_DIAGNOSTICS_H
