//===- LexLiterals.cpp - Extent of numbers and strings ---------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds where literals end. Their values are computed in Literals.cpp.
//
//===----------------------------------------------------------------------===//

#include "tegula/Frontend/Lexer.h"

#include "Characters.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tegula::frontend;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static bool isHexDigit(char c) { return llvm::isHexDigit(c); }
static bool isOctDigit(char c) { return c >= '0' && c <= '7'; }
static bool isBinDigit(char c) { return c == '0' || c == '1'; }

/// Reads digits with single underscores between them. False if an underscore has
/// no digit after it or there is no digit at all.
bool Lexer::lexDigits(bool (*isDigit)(char)) {
  if (!isDigit(peek())) {
    return false;
  }
  while (true) {
    while (isDigit(peek())) {
      ++pos;
    }
    if (peek() != '_') {
      return true;
    }
    ++pos;
    if (!isDigit(peek())) {
      return false;
    }
  }
}

/// Ends a number, which no name may follow: `1x` is refused, `1if x else 2` is two
/// tokens.
Token Lexer::finishNumber(TokenKind kind, uint32_t begin, StringRef what) {
  if (peek() == 'j' || peek() == 'J') {
    if (kind == TokenKind::Int && text[begin] == '0' && pos - begin > 1 &&
        llvm::isAlpha(text[begin + 1])) {
      // `0x1j` has no meaning; reported below.
    } else {
      kind = TokenKind::Imaginary;
      ++pos;
    }
  }
  if (!isAsciiNameChar(peek()) && isAscii(peek())) {
    return make(kind, begin);
  }
  StringRef word = text.substr(pos).take_while(isAsciiNameChar);
  bool isKeyword = llvm::StringSwitch<bool>(word)
                       .Cases({"and", "else", "for", "if", "in", "is", "not", "or"}, true)
                       .Default(false);
  if (isKeyword) {
    return make(kind, begin);
  }
  uint32_t bad = pos;
  pos += static_cast<uint32_t>(word.size());
  if (word.empty()) {
    return make(kind, begin); // a non-ASCII character, judged by itself
  }
  bool isSuffix = word.find_first_not_of("fFlLuU") == StringRef::npos;
  return fail(begin, pos,
              llvm::Twine("invalid ") + what + " literal: unexpected '" + text.slice(bad, bad + 1) +
                  "'",
              diag::InvalidLiteral, isSuffix ? "numbers have no suffix in Python" : "");
}

Token Lexer::lexNumber() {
  uint32_t begin = pos;
  auto invalid = [&](const llvm::Twine &message) {
    pos += static_cast<uint32_t>(text.substr(pos).take_while(isAsciiNameChar).size());
    return fail(begin, pos, message, diag::InvalidLiteral);
  };
  if (peek() == '0' && llvm::isAlpha(peek(1))) {
    char letter = llvm::toLower(peek(1));
    if (letter == 'x' || letter == 'o' || letter == 'b') {
      StringRef what = letter == 'x' ? "hexadecimal" : letter == 'o' ? "octal" : "binary";
      bool (*isDigit)(char) = letter == 'x' ? isHexDigit : letter == 'o' ? isOctDigit : isBinDigit;
      pos += 2;
      if (peek() == '_') {
        ++pos;
      }
      bool hasDigits = lexDigits(isDigit);
      if (isDecDigit(peek())) {
        return invalid("invalid digit '" + text.substr(pos, 1) + "' in " + what + " literal");
      }
      if (!hasDigits) {
        return invalid("invalid " + what + " literal: expected a digit");
      }
      return finishNumber(TokenKind::Int, begin, what);
    }
  }
  static constexpr StringRef kUnderscore = "invalid decimal literal: expected a digit after '_'";
  TokenKind kind = TokenKind::Int;
  if (peek() != '.' && !lexDigits(isDecDigit)) {
    return invalid(kUnderscore);
  }
  StringRef whole = text.slice(begin, pos);
  if (peek() == '.') {
    kind = TokenKind::Float;
    ++pos;
    if (isDecDigit(peek()) && !lexDigits(isDecDigit)) {
      return invalid(kUnderscore);
    }
  }
  if (peek() == 'e' || peek() == 'E') {
    unsigned sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    // `1else 2` is a number and a keyword.
    if (isDecDigit(peek(1 + sign))) {
      kind = TokenKind::Float;
      pos += 1 + sign;
      if (!lexDigits(isDecDigit)) {
        return invalid(kUnderscore);
      }
    } else if (sign == 1) {
      pos += 2;
      return invalid("invalid decimal literal: expected an exponent");
    }
  }
  bool isImaginary = peek() == 'j' || peek() == 'J';
  if (kind == TokenKind::Int && !isImaginary && whole.size() > 1 && whole[0] == '0' &&
      whole.find_first_not_of("0_") != StringRef::npos) {
    return fail(begin, pos, "leading zeros are not allowed in a decimal integer literal",
                diag::InvalidLiteral, "write an octal number as 0o...");
  }
  return finishNumber(kind, begin, "decimal");
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

StringPrefix tegula::frontend::getStringPrefix(StringRef text) {
  StringPrefix prefix;
  while (prefix.length < text.size()) {
    char c = llvm::toLower(text[prefix.length]);
    if (c == '"' || c == '\'') {
      StringRef quotes = text.substr(prefix.length);
      prefix.quoteLength = quotes.size() >= 3 && quotes[1] == c && quotes[2] == c ? 3 : 1;
      break;
    }
    prefix.isRaw |= c == 'r';
    prefix.isBytes |= c == 'b';
    prefix.isFormat |= c == 'f';
    ++prefix.length;
  }
  return prefix;
}

/// Reads a string whose prefix starts at `begin`; the quote is at `pos`.
Token Lexer::lexString(uint32_t begin) {
  StringPrefix prefix = getStringPrefix(text.substr(begin, pos - begin + 3));
  char quote = peek();
  pos += prefix.quoteLength;
  if (prefix.isFormat) {
    fstrings.push_back({begin,
                        static_cast<uint32_t>(brackets.size()),
                        prefix.quoteLength,
                        quote,
                        prefix.isRaw,
                        {}});
    return make(TokenKind::FStringStart, begin);
  }
  while (!atEnd()) {
    char c = peek();
    if (c == quote && (prefix.quoteLength == 1 || (peek(1) == quote && peek(2) == quote))) {
      pos += prefix.quoteLength;
      return make(TokenKind::String, begin);
    }
    if (c == '\\') {
      // Also in a raw string the next character does not end the literal.
      ++pos;
      if (!atEnd()) {
        uint32_t length = newlineLength(pos);
        pos += length != 0 ? length : 1;
      }
      continue;
    }
    if (isNewline(c) && prefix.quoteLength == 1) {
      break;
    }
    ++pos;
  }
  if (!fstrings.empty() && fstrings.back().quote == quote &&
      fstrings.back().quoteLength == prefix.quoteLength && prefix.length == 0) {
    // The quote was meant to end the f-string around it.
    pos = begin + prefix.quoteLength;
    return failString(begin, pos, "expected '}' before end of f-string", diag::UnclosedBracket);
  }
  if (prefix.quoteLength == 3) {
    return failString(begin, begin + prefix.length + 3,
                      "unterminated triple-quoted string literal");
  }
  return failString(begin, pos, "unterminated string literal");
}

/// Reports an error after which nothing is known of the f-strings around it.
Token Lexer::failString(uint32_t begin, uint32_t end, const llvm::Twine &message, DiagID id) {
  if (!fstrings.empty()) {
    brackets.truncate(fstrings.front().bracketBase);
    fstrings.clear();
  }
  return fail(begin, end, message, id);
}

/// Reads text of an f-string or of a format spec, or the character that ends it.
Token Lexer::lexFStringMiddle() {
  uint32_t begin = pos;
  FString &top = fstrings.back();
  const char quote = top.quote;
  const bool inSpec = !top.fieldInSpec.empty();
  auto middle = [&] { return Token{TokenKind::FStringMiddle, begin, pos, top.isRaw, inSpec}; };
  while (!atEnd()) {
    char c = peek();
    if (c == quote && (top.quoteLength == 1 || (peek(1) == quote && peek(2) == quote))) {
      if (inSpec) {
        pos += top.quoteLength;
        return failString(pos - top.quoteLength, pos, "expected '}' before end of f-string",
                          diag::UnclosedBracket);
      }
      if (pos != begin) {
        return middle();
      }
      pos += top.quoteLength;
      fstrings.pop_back();
      return make(TokenKind::FStringEnd, begin);
    }
    if (isNewline(c) && top.quoteLength == 1) {
      break;
    }
    if (c == '\\') {
      char next = peek(1);
      uint32_t length = newlineLength(pos + 1);
      if (next == '{' || next == '}' || pos + 1 >= text.size()) {
        ++pos;
      } else if (length != 0) {
        pos += 1 + length;
      } else if (!top.isRaw && next == 'N' && peek(2) == '{') {
        // The braces belong to the name of a character.
        size_t end = text.find_first_of("}\"'\r\n", pos);
        pos = static_cast<uint32_t>(end == StringRef::npos ? text.size() : end);
        pos += peek() == '}' ? 1 : 0;
      } else {
        pos += 2;
      }
      continue;
    }
    if (c == '{' || c == '}') {
      if (!inSpec && peek(1) == c) {
        pos += 2;
        continue;
      }
      if (pos != begin) {
        return middle();
      }
      if (c == '{') {
        top.fieldInSpec.push_back(false);
        return lexOpen(TokenKind::LBrace, /*isField=*/true);
      }
      if (inSpec) {
        return lexClose(TokenKind::RBrace);
      }
      ++pos;
      return fail(begin, pos, "single '}' is not allowed in an f-string", diag::UnclosedBracket,
                  "write '}}' for a brace");
    }
    ++pos;
  }
  uint32_t start = top.begin;
  return top.quoteLength == 3
             ? failString(start, start + 4, "unterminated triple-quoted f-string literal")
             : failString(start, pos, "unterminated f-string literal");
}
