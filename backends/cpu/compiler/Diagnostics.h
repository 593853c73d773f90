//===- Diagnostics.h - Identifiers of the CPU backend's messages ----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CPU_DIAGNOSTICS_H
#define TEGULA_CPU_DIAGNOSTICS_H

#include "tegula/Tile/IR/Diagnostics.h"

/// `diagID(diag::ScratchLimit)` ends a message.
namespace tegula::cpu::diag {
#define TEGULA_CPU_DIAGNOSTIC(Name, Id, Meaning, Action)                                           \
  inline constexpr llvm::StringLiteral Name = Id;
#include "Diagnostics.def"
} // namespace tegula::cpu::diag

namespace tegula::cpu {
using tile::diagID;
} // namespace tegula::cpu

#endif // TEGULA_CPU_DIAGNOSTICS_H
