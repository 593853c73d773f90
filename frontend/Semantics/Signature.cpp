//===- Signature.cpp - Reads kernel signatures ----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Signature.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstdlib>
#include <limits>

namespace tegula::frontend {

static bool isWordChar(char c) { return llvm::isAlnum(c) || c == '_'; }

namespace {

class SignatureReader {
public:
  SignatureReader(llvm::StringRef text, SignatureError error) : text(text), error(error) {}

  bool readAll(std::vector<SignatureEntry> &entries) {
    skipSpace();
    if (at == text.size()) {
      return true;
    }
    return readList(entries, '\0', 0);
  }

  std::optional<SignatureEntry> readOne() {
    SignatureEntry entry;
    skipSpace();
    if (!readEntry(entry, 0)) {
      return std::nullopt;
    }
    skipSpace();
    if (at != text.size()) {
      error(at, text.size() - at, "expected one entry, got more text after it");
      return std::nullopt;
    }
    return entry;
  }

private:
  /// Entries up to `close`, or to the end of the text when it is 0.
  bool readList(std::vector<SignatureEntry> &entries, char close, unsigned depth) {
    while (true) {
      skipSpace();
      if (close && at < text.size() && text[at] == close) {
        ++at;
        return true;
      }
      SignatureEntry entry;
      if (!readEntry(entry, depth)) {
        return false;
      }
      entries.push_back(std::move(entry));
      skipSpace();
      if (at == text.size()) {
        if (close) {
          error(at, 1, llvm::Twine("expected '") + llvm::Twine(close) + "' at the end");
          return false;
        }
        return true;
      }
      if (text[at] == ',') {
        ++at;
        continue;
      }
      if (close && text[at] == close) {
        continue;
      }
      error(at, 1,
            llvm::Twine("expected ',' between entries, got '") + llvm::Twine(text[at]) + "'" +
                (text[at] == '*' ? "; a pointer has its star in front, as in *fp32" : ""));
      return false;
    }
  }

  bool readEntry(SignatureEntry &entry, unsigned depth) {
    entry.begin = at;
    if (depth > 16) {
      error(at, 1, "tuples are nested more than 16 deep");
      return false;
    }
    bool ok = readEntryBody(entry, depth);
    entry.end = at;
    return ok;
  }

  bool readEntryBody(SignatureEntry &entry, unsigned depth) {
    if (at == text.size()) {
      error(at, 1, "expected a type or a value, got the end of the text");
      return false;
    }
    char c = text[at];
    if (c == ',' || c == ')') {
      error(at, 1, llvm::Twine("expected a type or a value, got '") + llvm::Twine(c) + "'");
      return false;
    }
    if (c == '(') {
      ++at;
      entry.isTuple = true;
      return readList(entry.items, ')', depth + 1);
    }
    if (c == '"' || c == '\'' || c == '-' || c == '+' || c == '.' || llvm::isDigit(c)) {
      HostValue value;
      if (!readLiteral(value)) {
        return false;
      }
      entry.value = std::move(value);
      return true;
    }

    size_t begin = at;
    llvm::StringRef word = readWord();
    if (word.empty()) {
      error(begin, 1, llvm::Twine("expected a type or a value, got '") + llvm::Twine(c) + "'");
      return false;
    }
    if (word == "constexpr" && depth > 0) {
      entry.isConstexpr = true;
      return true;
    }
    if (word == "tensordesc" && at < text.size() && text[at] == '<') {
      return readDescriptor(entry);
    }
    if (std::optional<HostValue> value = constantWord(word)) {
      entry.value = std::move(value);
      return true;
    }
    std::optional<DType> dtype = DType::parse(word);
    if (!dtype || dtype->isVoid()) {
      error(begin, word.size(),
            "unknown type '" + word +
                "'; expected for example *fp32, i32, fp16, u1, 64, \"text\", "
                "true, none or tl.float32");
      return false;
    }
    entry.dtype = dtype;
    if (!readHints(entry, begin, word, dtype->isPointer())) {
      return false;
    }
    if (at < text.size() && text[at] == '=') {
      ++at;
      HostValue value;
      if (!readLiteral(value)) {
        return false;
      }
      entry.value = std::move(value);
    }
    return true;
  }

  /// After a type: `:16`, `:noalias`. A descriptor's are those of its base.
  bool readHints(SignatureEntry &entry, size_t begin, llvm::StringRef word, bool hasMemory) {
    while (at < text.size() && text[at] == ':') {
      ++at;
      size_t numberAt = at;
      if (text.substr(at).take_while(isWordChar) == "noalias") {
        readWord();
        if (!hasMemory) {
          error(begin, at - begin, "only pointers take noalias, got " + word);
          return false;
        }
        entry.noAlias = true;
        continue;
      }
      llvm::StringRef digits = readDigits();
      uint64_t number = 0;
      if (digits.getAsInteger(10, number) || number == 0 || number > (1u << 30)) {
        error(numberAt, std::max<size_t>(digits.size(), 1),
              "expected a positive number of at most 30 bits after ':', as in *fp32:16");
        return false;
      }
      if (hasMemory && !llvm::isPowerOf2_64(number)) {
        error(numberAt, digits.size(),
              "expected a power of two as the alignment of a pointer, got " + digits);
        return false;
      }
      if (!hasMemory && !entry.dtype->isInt()) {
        error(begin, at - begin, "only pointers and integers take a divisibility, got " + word);
        return false;
      }
      entry.divisibility = static_cast<int64_t>(number);
    }
    return true;
  }

  /// After the word `tensordesc`: `<fp16[64,64]>`, `<fp16[64,64],nan>:16`.
  bool readDescriptor(SignatureEntry &entry) {
    size_t begin = at;
    const size_t wordAt = begin - llvm::StringRef("tensordesc").size();
    ++at;
    llvm::StringRef element = readWord();
    std::optional<DType> dtype = DType::parse(element);
    if (!dtype || dtype->isVoid() || dtype->isPointer()) {
      error(begin + 1, std::max<size_t>(element.size(), 1),
            element.empty() ? llvm::Twine("expected an element type after '<'")
                            : "expected an element type, got '" + element + "'");
      return false;
    }
    entry.dtype = dtype;
    entry.isDescriptor = true;
    bool ok = consume('[');
    while (ok) {
      skipSpace();
      uint64_t extent = 0;
      llvm::StringRef digits = readDigits();
      if (digits.getAsInteger(10, extent) || extent == 0 || extent > (1u << 20)) {
        ok = false;
        break;
      }
      entry.blockShape.push_back(static_cast<int64_t>(extent));
      skipSpace();
      if (!consume(',')) {
        ok = consume(']');
        break;
      }
    }
    if (ok && consume(',')) {
      skipSpace();
      entry.isPaddedWithNan = true;
      ok = readWord() == "nan";
    }
    if (!ok || !consume('>')) {
      error(at, 1, "expected a block shape, as in tensordesc<fp16[64,64]>");
      return false;
    }
    return readHints(entry, wordAt, text.slice(wordAt, at), /*hasMemory=*/true);
  }

  bool consume(char c) {
    if (at < text.size() && text[at] == c) {
      ++at;
      return true;
    }
    return false;
  }

  std::optional<HostValue> constantWord(llvm::StringRef word) {
    HostValue value;
    if (word == "true" || word == "True" || word == "false" || word == "False") {
      value.kind = HostValue::Kind::Bool;
      value.integer = word == "true" || word == "True";
    } else if (word == "inf" || word == "nan") {
      value.kind = HostValue::Kind::Float;
      value.number = word == "inf" ? std::numeric_limits<double>::infinity()
                                   : std::numeric_limits<double>::quiet_NaN();
    } else if (word.starts_with("tl.")) {
      std::optional<DType> dtype = DType::parse(word.drop_front(3));
      if (!dtype) {
        return std::nullopt;
      }
      value.kind = HostValue::Kind::DType;
      value.text = word.drop_front(3).str();
    } else if (word != "none" && word != "None") {
      return std::nullopt;
    }
    value.isConstexpr = true;
    return value;
  }

  bool readLiteral(HostValue &value) {
    value.isConstexpr = true;
    size_t begin = at;
    if (at == text.size()) {
      error(at, 1, "expected a value, got the end of the text");
      return false;
    }
    if (text[at] == '"' || text[at] == '\'') {
      return readString(value);
    }
    if (text[at] == '-' || text[at] == '+') {
      ++at;
    }
    while (at < text.size() &&
           (isWordChar(text[at]) || text[at] == '.' ||
            ((text[at] == '-' || text[at] == '+') && (text[at - 1] == 'e' || text[at - 1] == 'E') &&
             !text.slice(begin, at).contains_insensitive("0x")))) {
      ++at;
    }
    llvm::StringRef word = text.slice(begin, at);
    if (std::optional<HostValue> constant = constantWord(word)) {
      value = std::move(*constant);
      return true;
    }
    llvm::StringRef digits = word;
    bool negative = digits.consume_front("-");
    digits.consume_front("+");
    llvm::APInt number;
    if (digits == "inf") {
      value.kind = HostValue::Kind::Float;
      value.number = negative ? -std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::infinity();
      return true;
    }
    if (!digits.empty() && !digits.getAsInteger(digits.starts_with("0x") ? 0 : 10, number)) {
      value.kind = HostValue::Kind::Int;
      if (number.getActiveBits() <= 63) {
        value.integer = static_cast<int64_t>(number.getZExtValue());
        value.integer = negative ? -value.integer : value.integer;
      } else {
        value.text = (negative ? "-" : "") + llvm::toString(number, 10, /*Signed=*/false);
      }
      return true;
    }
    std::string copy = word.str();
    char *stop = nullptr;
    value.kind = HostValue::Kind::Float;
    value.number = std::strtod(copy.c_str(), &stop);
    if (copy.empty() || *stop != '\0') {
      error(begin, std::max<size_t>(word.size(), 1), "expected a value, got '" + word + "'");
      return false;
    }
    return true;
  }

  bool readString(HostValue &value) {
    size_t begin = at;
    char quote = text[at++];
    value.kind = HostValue::Kind::String;
    while (at < text.size() && text[at] != quote) {
      if (text[at] == '\\' && at + 1 < text.size()) {
        ++at;
      }
      value.text.push_back(text[at++]);
    }
    if (at == text.size()) {
      error(begin, text.size() - begin, "string is not closed");
      return false;
    }
    ++at;
    return true;
  }

  llvm::StringRef readWord() {
    size_t begin = at;
    while (at < text.size() && text[at] == '*' && at - begin < 4) {
      ++at;
    }
    while (at < text.size() && (isWordChar(text[at]) || text[at] == '.')) {
      ++at;
    }
    return text.slice(begin, at);
  }

  llvm::StringRef readDigits() {
    size_t begin = at;
    while (at < text.size() && llvm::isDigit(text[at])) {
      ++at;
    }
    return text.slice(begin, at);
  }

  void skipSpace() {
    while (at < text.size() && llvm::isSpace(text[at])) {
      ++at;
    }
  }

  llvm::StringRef text;
  SignatureError error;
  size_t at = 0;
};

} // namespace

bool readSignature(llvm::StringRef text, std::vector<SignatureEntry> &entries,
                   SignatureError error) {
  return SignatureReader(text, error).readAll(entries);
}

std::optional<SignatureEntry> readSignatureEntry(llvm::StringRef text, SignatureError error) {
  return SignatureReader(text, error).readOne();
}

} // namespace tegula::frontend
