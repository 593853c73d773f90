//===- Literals.cpp - Values of literals ------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Literals.h"

#include "Characters.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Unicode.h"

using namespace tegula::frontend;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static std::string withoutUnderscores(StringRef spelling) {
  std::string digits;
  digits.reserve(spelling.size());
  for (char c : spelling) {
    if (c != '_') {
      digits += c;
    }
  }
  return digits;
}

/// words = words * factor + addend
static void multiplyAdd(llvm::SmallVectorImpl<uint64_t> &words, uint64_t factor, uint64_t addend) {
  unsigned __int128 carry = addend;
  for (uint64_t &word : words) {
    carry += static_cast<unsigned __int128>(word) * factor;
    word = static_cast<uint64_t>(carry);
    carry >>= 64;
  }
  if (carry != 0) {
    words.push_back(static_cast<uint64_t>(carry));
  }
}

bool tegula::frontend::parseInteger(StringRef spelling, llvm::SmallVectorImpl<uint64_t> &words) {
  words.clear();
  std::string storage = withoutUnderscores(spelling);
  StringRef digits = storage;
  unsigned bits = 0;
  if (digits.size() > 2 && digits[0] == '0' && llvm::isAlpha(digits[1])) {
    char letter = llvm::toLower(digits[1]);
    bits = letter == 'x' ? 4 : letter == 'o' ? 3 : 1;
    digits = digits.drop_front(2);
  }
  digits = digits.ltrim('0');
  if (bits != 0) {
    words.resize((digits.size() * bits + 63) / 64);
    size_t at = 0;
    for (char c : llvm::reverse(digits)) {
      uint64_t value = llvm::hexDigitValue(c);
      words[at / 64] |= value << (at % 64);
      // Octal digits may straddle two words.
      if (at % 64 + bits > 64) {
        words[at / 64 + 1] |= value >> (64 - at % 64);
      }
      at += bits;
    }
  } else {
    if (digits.size() > kMaxDecimalDigits) {
      return false;
    }
    while (!digits.empty()) {
      StringRef chunk = digits.take_front(19);
      uint64_t factor = 1, value = 0;
      for (char c : chunk) {
        factor *= 10;
        value = value * 10 + static_cast<uint64_t>(c - '0');
      }
      multiplyAdd(words, factor, value);
      digits = digits.drop_front(chunk.size());
    }
  }
  while (!words.empty() && words.back() == 0) {
    words.pop_back();
  }
  return true;
}

bool tegula::frontend::parseFloat(StringRef spelling, double &value) {
  if (spelling.ends_with_insensitive("j")) {
    spelling = spelling.drop_back();
  }
  std::string digits = withoutUnderscores(spelling);
  if (digits.size() > kMaxDecimalDigits) {
    return false;
  }
  llvm::APFloat result(llvm::APFloat::IEEEdouble());
  llvm::Expected<llvm::APFloat::opStatus> status =
      result.convertFromString(digits, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return false;
  }
  value = result.convertToDouble();
  return true;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {

class TextDecoder {
public:
  TextDecoder(StringRef text, TextKind kind, std::string &out, EscapeError &error)
      : text(text), isBytes(kind == TextKind::Bytes), out(out), error(error) {}

  /// Reads the escape whose backslash is at `at` and returns where to go on, or
  /// npos after an error.
  size_t escape(size_t at);

private:
  size_t fail(size_t begin, size_t end, const llvm::Twine &message) {
    error = {begin, std::min(end, text.size()), message.str()};
    return StringRef::npos;
  }
  size_t hexEscape(size_t at, size_t numDigits);
  size_t namedEscape(size_t at);

  StringRef text;
  bool isBytes;
  std::string &out;
  EscapeError &error;
};

} // namespace

/// `\xhh`, `\uhhhh`, `\Uhhhhhhhh`
size_t TextDecoder::hexEscape(size_t at, size_t numDigits) {
  StringRef digits =
      text.substr(at + 2, numDigits).take_while([](char c) { return llvm::isHexDigit(c); });
  size_t end = at + 2 + digits.size();
  if (digits.size() != numDigits) {
    return fail(at, end,
                llvm::Twine("expected ") + llvm::Twine(numDigits) +
                    " hexadecimal digits after '\\" + text.substr(at + 1, 1) + "', got " +
                    llvm::Twine(digits.size()));
  }
  uint32_t value = 0;
  for (char c : digits) {
    value = value << 4 | llvm::hexDigitValue(c);
  }
  if (value > 0x10FFFF) {
    return fail(at, end, "expected a code point up to 10ffff, got " + digits);
  }
  if (isBytes) {
    out += static_cast<char>(value);
  } else {
    appendUTF8(out, value);
  }
  return end;
}

/// `\N{name}`
size_t TextDecoder::namedEscape(size_t at) {
  StringRef rest = text.substr(at + 2);
  size_t close = rest.find('}');
  if (!rest.starts_with("{") || close == StringRef::npos || close == 1) {
    return fail(at, at + 2, "expected '{name}' after '\\N'");
  }
  StringRef name = rest.slice(1, close);
  size_t end = at + 2 + close + 1;
  std::optional<llvm::sys::unicode::LooseMatchingResult> match =
      llvm::sys::unicode::nameToCodepointLooseMatching(name);
  if (!match) {
    return fail(at, end, "unknown character name '" + name + "'");
  }
  appendUTF8(out, static_cast<uint32_t>(match->CodePoint));
  return end;
}

size_t TextDecoder::escape(size_t at) {
  if (at + 1 >= text.size()) {
    out += '\\';
    return at + 1;
  }
  char c = text[at + 1];
  switch (c) {
  case '\n':
    return at + 2;
  case '\r':
    return at + (at + 2 < text.size() && text[at + 2] == '\n' ? 3 : 2);
  case '\\':
  case '\'':
  case '"':
    out += c;
    return at + 2;
  case 'a':
    out += '\a';
    return at + 2;
  case 'b':
    out += '\b';
    return at + 2;
  case 'f':
    out += '\f';
    return at + 2;
  case 'n':
    out += '\n';
    return at + 2;
  case 'r':
    out += '\r';
    return at + 2;
  case 't':
    out += '\t';
    return at + 2;
  case 'v':
    out += '\v';
    return at + 2;
  case 'x':
    return hexEscape(at, 2);
  case 'u':
  case 'U':
    if (isBytes) {
      break;
    }
    return hexEscape(at, c == 'u' ? 4 : 8);
  case 'N':
    if (isBytes) {
      break;
    }
    return namedEscape(at);
  default:
    break;
  }
  if (c >= '0' && c <= '7') {
    uint32_t value = 0;
    size_t end = at + 1;
    for (; end < text.size() && end < at + 4 && text[end] >= '0' && text[end] <= '7'; ++end) {
      value = value * 8 + static_cast<uint32_t>(text[end] - '0');
    }
    if (isBytes) {
      out += static_cast<char>(value);
    } else {
      appendUTF8(out, value);
    }
    return end;
  }
  out += '\\';
  return at + 1;
}

bool tegula::frontend::decodeText(StringRef text, TextKind kind, bool isRaw, std::string &out,
                                  EscapeError &error) {
  TextDecoder decoder(text, kind, out, error);
  for (size_t i = 0; i < text.size();) {
    char c = text[i];
    if (c == '\\' && !isRaw) {
      i = decoder.escape(i);
      if (i == StringRef::npos) {
        return false;
      }
      continue;
    }
    if (kind == TextKind::Bytes && !isAscii(c)) {
      error = {i, i + 1, "expected ASCII characters in a bytes literal"};
      return false;
    }
    if (c == '\r') {
      out += '\n';
      i += i + 1 < text.size() && text[i + 1] == '\n' ? 2 : 1;
      continue;
    }
    if (kind == TextKind::FString && (c == '{' || c == '}') && i + 1 < text.size() &&
        text[i + 1] == c) {
      ++i;
    }
    out += c;
    ++i;
  }
  return true;
}
