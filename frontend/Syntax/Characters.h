//===- Characters.h - Classes of characters ----------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_FRONTEND_SYNTAX_CHARACTERS_H
#define TEGULA_FRONTEND_SYNTAX_CHARACTERS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace tegula::frontend {

inline bool isAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }
inline bool isContinuationByte(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }
inline bool isDecDigit(char c) { return c >= '0' && c <= '9'; }
inline bool isNewline(char c) { return c == '\n' || c == '\r'; }
inline bool isAsciiNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool isAsciiNameChar(char c) { return isAsciiNameStart(c) || isDecDigit(c); }

/// Decodes the first code point of a non-empty text. Returns its length in bytes,
/// or 0 if the bytes are not UTF-8 (overlong forms and surrogates are not).
unsigned decodeUTF8(llvm::StringRef text, uint32_t &codePoint);

/// Appends a code point. Surrogates, which strings of the language may hold, are
/// written in the same three-byte form.
void appendUTF8(std::string &out, uint32_t codePoint);

/// Whether a non-ASCII code point may be part of a name. Coarser than the Unicode
/// tables: refused are spaces, punctuation, symbols and pictures.
bool isNonAsciiNameChar(uint32_t codePoint);

} // namespace tegula::frontend

#endif // TEGULA_FRONTEND_SYNTAX_CHARACTERS_H
