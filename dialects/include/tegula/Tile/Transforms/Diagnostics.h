//===- Diagnostics.h - Identifiers of the passes' messages ----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_TRANSFORMS_DIAGNOSTICS_H
#define TEGULA_TILE_TRANSFORMS_DIAGNOSTICS_H

#include "llvm/ADT/StringRef.h"

/// `diagID(diag::ViewOrigin)` ends a message (IR/Diagnostics.h).
namespace tegula::tile::diag {
#define TEGULA_TILE_DIAGNOSTIC(Name, Id, Meaning, Action)                                          \
  inline constexpr llvm::StringLiteral Name = Id;
#include "tegula/Tile/Transforms/Diagnostics.def"
} // namespace tegula::tile::diag

#endif // TEGULA_TILE_TRANSFORMS_DIAGNOSTICS_H
