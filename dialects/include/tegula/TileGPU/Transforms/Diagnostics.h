//===- Diagnostics.h - Identifiers of the passes' messages ----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_TRANSFORMS_DIAGNOSTICS_H
#define TEGULA_TILEGPU_TRANSFORMS_DIAGNOSTICS_H

#include "llvm/ADT/StringRef.h"

/// `diagID(diag::SharedMemory)` ends a message (IR/Diagnostics.h).
namespace tegula::tilegpu::diag {
#define TEGULA_TILEGPU_DIAGNOSTIC(Name, Id, Meaning, Action)                                       \
  inline constexpr llvm::StringLiteral Name = Id;
#include "tegula/TileGPU/Transforms/Diagnostics.def"
} // namespace tegula::tilegpu::diag

#endif // TEGULA_TILEGPU_TRANSFORMS_DIAGNOSTICS_H
