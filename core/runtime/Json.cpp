//===- Json.cpp - The JSON of bundles ---------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Json.h"

#include <charconv>
#include <cstdio>
#include <utility>

using namespace tegula::runtime;

namespace {

/// How deep lists and objects may nest: each level is a call of this reader.
constexpr int kMaxDepth = 32;

class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  std::string run(Json &out) {
    value(out, 0);
    skipSpace();
    if (problem.empty() && at != text.size()) {
      expected("the end");
    }
    return std::move(problem);
  }

private:
  /// Keeps the first problem; false, so that callers may return it.
  bool expected(const char *what) {
    if (problem.empty()) {
      std::string got = "the end";
      if (at < text.size()) {
        char buffer[16];
        const auto byte = static_cast<unsigned char>(text[at]);
        std::snprintf(buffer, sizeof buffer, byte > ' ' && byte < 127 ? "'%c'" : "byte 0x%02x",
                      byte);
        got = buffer;
      }
      problem = std::string("expected ") + what + ", got " + got + " at byte " + std::to_string(at);
    }
    return false;
  }
  void skipSpace() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t')) {
      ++at;
    }
  }
  bool take(char c) {
    skipSpace();
    if (at < text.size() && text[at] == c) {
      ++at;
      return true;
    }
    return false;
  }
  bool takeWord(std::string_view word) {
    if (text.substr(at).starts_with(word)) {
      at += word.size();
      return true;
    }
    return false;
  }

  bool value(Json &out, int depth) {
    skipSpace();
    if (depth > kMaxDepth) {
      return expected("at most 32 levels");
    }
    if (take('"')) {
      return string(out.value.emplace<std::string>());
    }
    if (take('[')) {
      return list(out.value.emplace<JsonList>(), depth);
    }
    if (take('{')) {
      return object(out.value.emplace<JsonObject>(), depth);
    }
    if (takeWord("true") || takeWord("false")) {
      out.value = text[at - 2] == 'u';
      return true;
    }
    return integer(out.value.emplace<int64_t>());
  }

  bool list(JsonList &out, int depth) {
    if (take(']')) {
      return true;
    }
    do {
      if (!value(out.emplace_back(), depth + 1)) {
        return false;
      }
    } while (take(','));
    return take(']') || expected("',' or ']'");
  }

  bool object(JsonObject &out, int depth) {
    if (take('}')) {
      return true;
    }
    do {
      std::string key;
      if (!take('"')) {
        return expected("a key");
      }
      if (!string(key)) {
        return false;
      }
      if (!take(':')) {
        return expected("':'");
      }
      const auto [it, isNew] = out.try_emplace(std::move(key));
      if (!isNew) {
        return expected(("one value of '" + it->first + "'").c_str());
      }
      if (!value(it->second, depth + 1)) {
        return false;
      }
    } while (take(','));
    return take('}') || expected("',' or '}'");
  }

  bool integer(int64_t &out) {
    const char *begin = text.data() + at, *end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(begin, end, out);
    const char *digits = begin + (begin != end && *begin == '-');
    const bool isPadded = stop - digits > 1 && *digits == '0';
    const bool isFraction = stop != end && (*stop == '.' || *stop == 'e' || *stop == 'E');
    if (error != std::errc() || isPadded || isFraction || (out == 0 && digits != begin)) {
      return expected("a string, a list, an object, true, false or an integer of 64 bits");
    }
    at += size_t(stop - begin);
    return true;
  }

  bool hexUnit(unsigned &out) {
    const char *begin = text.data() + at;
    const auto [stop, error] = std::from_chars(begin, begin + 4, out, 16);
    if (error != std::errc() || stop != begin + 4) {
      return expected("four hexadecimal digits");
    }
    at += 4;
    return true;
  }

  bool escape(std::string &out) {
    if (at == text.size()) {
      return expected("a string's end");
    }
    static constexpr std::string_view from = "\"\\/bfnrt", to = "\"\\/\b\f\n\r\t";
    if (const size_t plain = from.find(text[at]); plain != std::string_view::npos) {
      out += to[plain];
      ++at;
      return true;
    }
    // What is written as \u is below space; the rest stands for itself.
    unsigned unit = 0;
    const size_t start = at;
    if (text[at] != 'u' || text.size() - at < 5) {
      return expected("an escape such as \\n");
    }
    ++at;
    if (!hexUnit(unit)) {
      return false;
    }
    if (unit == 0 || unit > 0x7f) {
      at = start;
      return expected("an escape between \\u0001 and \\u007f");
    }
    out += char(unit);
    return true;
  }

  /// Bytes of the UTF-8 sequence at `at`, or 0: overlong forms and surrogates are none.
  size_t sequence() const {
    const auto byte = [&](size_t i) {
      return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
    };
    const unsigned lead = byte(0);
    const size_t size = lead < 0x80   ? 1
                        : lead < 0xc2 ? 0
                        : lead < 0xe0 ? 2
                        : lead < 0xf0 ? 3
                        : lead < 0xf5 ? 4
                                      : 0;
    for (size_t i = 1; i < size; ++i) {
      if ((byte(i) & 0xc0) != 0x80) {
        return 0;
      }
    }
    const unsigned next = byte(1);
    const bool wrong = (lead == 0xe0 && next < 0xa0) || (lead == 0xed && next > 0x9f) ||
                       (lead == 0xf0 && next < 0x90) || (lead == 0xf4 && next > 0x8f);
    return wrong ? 0 : size;
  }

  /// Behind the opening quote.
  bool string(std::string &out) {
    while (at < text.size() && text[at] != '"') {
      if (text[at] == '\\') {
        ++at;
        if (!escape(out)) {
          return false;
        }
        continue;
      }
      const size_t size = static_cast<unsigned char>(text[at]) < ' ' ? 0 : sequence();
      if (size == 0) {
        return expected("a character of UTF-8");
      }
      out += text.substr(at, size);
      at += size;
    }
    if (at == text.size()) {
      return expected("a string's end");
    }
    ++at;
    return true;
  }

  std::string_view text;
  size_t at = 0;
  std::string problem;
};

void render(const std::string &text, std::string &out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < ' ') {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\u%04x", unsigned(c));
      out += buffer;
    } else {
      out += c;
    }
  }
  out += '"';
}

struct Renderer {
  void operator()(bool value) { out += value ? "true" : "false"; }
  void operator()(int64_t value) { out += std::to_string(value); }
  void operator()(const std::string &value) { render(value, out); }
  void operator()(const JsonList &list) {
    out += '[';
    for (const Json &item : list) {
      out += &item == list.data() ? "" : ",";
      std::visit(*this, item.value);
    }
    out += ']';
  }
  void operator()(const JsonObject &object) {
    bool isFirst = true;
    out += '{';
    for (const auto &[key, item] : object) {
      out += isFirst ? "" : ",";
      isFirst = false;
      render(key, out);
      out += ':';
      std::visit(*this, item.value);
    }
    out += '}';
  }
  std::string &out;
};

} // namespace

std::string tegula::runtime::parseJson(std::string_view text, Json &out) {
  return Parser(text).run(out);
}

std::string tegula::runtime::renderJson(const Json &json) {
  std::string out;
  std::visit(Renderer{out}, json.value);
  return out;
}
