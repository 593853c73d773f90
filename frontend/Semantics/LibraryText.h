//===- LibraryText.h - Source of the language library ---------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_FRONTEND_SEMANTICS_LIBRARYTEXT_H
#define TEGULA_FRONTEND_SEMANTICS_LIBRARYTEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tegula::frontend {

struct LibraryText {
  llvm::StringLiteral name; ///< `reduce.py`
  llvm::StringLiteral text;
};

/// The files of frontend/library; the build writes the definition.
llvm::ArrayRef<LibraryText> libraryTexts();

} // namespace tegula::frontend

#endif // TEGULA_FRONTEND_SEMANTICS_LIBRARYTEXT_H
