//===- Literals.h - Values of literals ---------------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_FRONTEND_SYNTAX_LITERALS_H
#define TEGULA_FRONTEND_SYNTAX_LITERALS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace tegula::frontend {

/// More digits than this are refused in decimal literals, whose value takes
/// quadratic time to compute (the limit is Python's).
inline constexpr size_t kMaxDecimalDigits = 4300;

/// Value of an Int token without leading zero words; zero gives no words. False if
/// there are too many digits.
bool parseInteger(llvm::StringRef spelling, llvm::SmallVectorImpl<uint64_t> &words);

/// Value of a Float token, or of an Imaginary one without its `j`, correctly
/// rounded; too large ones are infinite. False if there are too many digits.
bool parseFloat(llvm::StringRef spelling, double &value);

/// An escape sequence that means nothing. Offsets are relative to the text.
struct EscapeError {
  size_t begin = 0;
  size_t end = 0;
  std::string message;
};

enum class TextKind {
  String,
  Bytes,
  FString,       // doubled braces mean one brace
  FStringFormat, // a format spec: braces are not doubled
};

/// Appends the meaning of the text between quotes. Line ends become '\n'. An unknown
/// escape keeps its backslash, as in Python. False and `error` after a bad escape.
bool decodeText(llvm::StringRef text, TextKind kind, bool isRaw, std::string &out,
                EscapeError &error);

} // namespace tegula::frontend

#endif // TEGULA_FRONTEND_SYNTAX_LITERALS_H
