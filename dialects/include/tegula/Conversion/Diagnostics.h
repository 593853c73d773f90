//===- Diagnostics.h - Identifiers of the messages -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_DIAGNOSTICS_H
#define TEGULA_CONVERSION_DIAGNOSTICS_H

#include "llvm/ADT/StringRef.h"

/// `diagID(diag::LibraryCall)` ends a message (IR/Diagnostics.h).
namespace tegula::conversion::diag {
#define TEGULA_CONVERSION_DIAGNOSTIC(Name, Id, Meaning, Action)                                    \
  inline constexpr llvm::StringLiteral Name = Id;
#include "tegula/Conversion/Diagnostics.def"
} // namespace tegula::conversion::diag

#endif // TEGULA_CONVERSION_DIAGNOSTICS_H
