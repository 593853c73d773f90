//===- Text.cpp - Mutations of tokens and lines ---------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Text.h"
#include "Target.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace tegula::fuzz {

//===----------------------------------------------------------------------===//
// Splitting and joining
//===----------------------------------------------------------------------===//

static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isLetter(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80);
}

std::vector<Token> tokenize(std::string_view text, std::string_view wordSigns) {
  const auto isWord = [&](char c) {
    return isLetter(c) || isDigit(c) || wordSigns.find(c) != wordSigns.npos;
  };
  std::vector<Token> tokens;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    size_t end = i + 1;
    Token::Kind kind = Token::Operator;
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      kind = Token::Space;
    } else if (isDigit(c)) {
      kind = Token::Number;
      while (end < text.size() && (isDigit(text[end]) || text[end] == '.')) {
        ++end;
      }
    } else if (isWord(c)) {
      kind = Token::Word;
      while (end < text.size() && isWord(text[end])) {
        ++end;
      }
    } else if (c == '"' || c == '\'') {
      kind = Token::String;
      while (end < text.size() && text[end] != c && text[end] != '\n') {
        ++end;
      }
      end = std::min(end + 1, text.size());
    } else if (c == '(' || c == '[' || c == '{') {
      kind = Token::Open;
    } else if (c == ')' || c == ']' || c == '}') {
      kind = Token::Close;
    } else {
      // `**`, `<=`, `->`, `//=` and the like.
      while (end < text.size() && end < i + 3 &&
             std::string_view("=*/<>").find(text[end]) != std::string_view::npos) {
        ++end;
      }
    }
    tokens.push_back({kind, std::string(text.substr(i, end - i))});
    i = end;
  }
  return tokens;
}

std::string join(const std::vector<Token> &tokens) {
  std::string text;
  for (const Token &token : tokens) {
    text += token.text;
  }
  return text;
}

std::vector<std::string> splitLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

std::string join(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines) {
    text += line;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Mutations
//===----------------------------------------------------------------------===//

std::string extremeNumber(Random &random) {
  static constexpr std::array<std::string_view, 36> numbers = {
      "0",
      "1",
      "2",
      "3",
      "7",
      "16",
      "64",
      "127",
      "128",
      "255",
      "256",
      "1000",
      "1024",
      "4096",
      "65535",
      "65536",
      "1048576",
      "2147483647",
      "2147483648",
      "4294967295",
      "4294967296",
      "1099511627776",
      "9223372036854775807",
      "9223372036854775808",
      "18446744073709551615",
      "18446744073709551616",
      "340282366920938463463374607431768211456",
      "0.0",
      "1.5",
      "1e-45",
      "1e38",
      "1e39",
      "1e308",
      "1e400",
      "0x7fffffff",
      "0xffffffffffffffff"};
  return (random.oneIn(4) ? "-" : "") + std::string(random.pick(numbers));
}

/// An index of a token that is not blank and, unless `any`, of that kind; the size
/// if there is none.
static size_t pickToken(const std::vector<Token> &tokens, Random &random, bool any,
                        Token::Kind kind = Token::Word) {
  const size_t start = random.below(tokens.size());
  for (size_t i = 0; i < tokens.size(); ++i) {
    const size_t at = (start + i) % tokens.size();
    if (any ? tokens[at].kind != Token::Space : tokens[at].kind == kind) {
      return at;
    }
  }
  return tokens.size();
}

static const Words *groupOf(const Dictionary &dictionary, std::string_view word) {
  for (const Words &group : dictionary) {
    if (std::find(group.begin(), group.end(), word) != group.end()) {
      return &group;
    }
  }
  return nullptr;
}

/// Brackets around the token at `at`, seldom so many that a limit is met.
static void nest(std::vector<Token> &tokens, size_t at, Random &random) {
  static constexpr std::array<std::string_view, 5> pairs = {"()", "[]", "{}", "<>", "-("};
  const std::string_view pair = random.pick(pairs);
  const size_t depth = random.oneIn(16) ? 50 + random.below(400) : 1 + random.below(3);
  std::string open, close;
  for (size_t i = 0; i < depth; ++i) {
    open += pair == "-(" ? "-(" : std::string(1, pair[0]);
    close += pair == "-(" ? ')' : pair[1];
  }
  tokens[at].text = open + tokens[at].text + close;
}

std::string mutateTokens(std::string_view text, std::string_view wordSigns,
                         const Dictionary &dictionary, Random &random) {
  std::vector<Token> tokens = tokenize(text, wordSigns);
  if (tokens.empty()) {
    return std::string(random.pick(random.pick(dictionary)));
  }
  const size_t at = pickToken(tokens, random, /*any=*/true);
  if (at == tokens.size()) {
    return std::string(text) + std::string(random.pick(random.pick(dictionary)));
  }
  Token &token = tokens[at];
  switch (random.below(12)) {
  case 0:
  case 1:
  case 2: { // by another of its kind, if the dictionary knows it
    const Words *group = groupOf(dictionary, token.text);
    token.text = random.pick(group ? *group : random.pick(dictionary));
    break;
  }
  case 3: { // by another of the text
    const size_t other = pickToken(tokens, random, /*any=*/false, token.kind);
    token.text = tokens[other].text;
    break;
  }
  case 4: { // two of a kind change places
    const size_t other = pickToken(tokens, random, /*any=*/false, token.kind);
    std::swap(token.text, tokens[other].text);
    break;
  }
  case 5:
    tokens.erase(tokens.begin() + at);
    break;
  case 6:
    tokens.insert(tokens.begin() + at, token);
    break;
  case 7:
  case 8: {
    const size_t number = pickToken(tokens, random, /*any=*/false, Token::Number);
    (number == tokens.size() ? token : tokens[number]).text = extremeNumber(random);
    break;
  }
  case 9:
    nest(tokens, at, random);
    break;
  case 10: { // a run of tokens appears elsewhere
    const size_t length = std::min(tokens.size() - at, 1 + random.below(12));
    std::vector<Token> run(tokens.begin() + at, tokens.begin() + at + length);
    const size_t to = random.below(tokens.size());
    tokens.insert(tokens.begin() + to, run.begin(), run.end());
    break;
  }
  default:
    tokens.insert(tokens.begin() + at,
                  {Token::Word, std::string(random.pick(random.pick(dictionary))) + " "});
    break;
  }
  return join(tokens);
}

std::string mutateLines(std::string_view text, Random &random) {
  std::vector<std::string> lines = splitLines(text);
  if (lines.empty()) {
    return std::string(text);
  }
  const size_t at = random.below(lines.size()), to = random.below(lines.size());
  switch (random.below(7)) {
  case 0:
    lines.erase(lines.begin() + at);
    break;
  case 1:
    lines.insert(lines.begin() + to, lines[at]);
    break;
  case 2:
    std::swap(lines[at], lines[to]);
    break;
  case 3: { // a block moves
    const size_t first = std::min(at, to), count = 1 + random.below(4);
    const size_t last = std::min(first + count, lines.size());
    std::rotate(lines.begin() + first, lines.begin() + last, lines.end());
    break;
  }
  case 4: { // a block is repeated
    const size_t last = std::min(at + 1 + random.below(6), lines.size());
    const std::vector<std::string> block(lines.begin() + at, lines.begin() + last);
    lines.insert(lines.begin() + to, block.begin(), block.end());
    break;
  }
  case 5:
    lines[at].insert(0, random.oneIn(8) ? "\t" : random.oneIn(2) ? "    " : "  ");
    break;
  default: {
    const size_t blanks = std::min(lines[at].find_first_not_of(' '), lines[at].size());
    lines[at].erase(0, random.oneIn(2) ? blanks : std::min<size_t>(blanks, 4));
    break;
  }
  }
  return join(lines);
}

std::string mutateBytes(std::string_view input, Random &random) {
  std::string text(input);
  if (text.empty()) {
    return std::string(1, static_cast<char>(random.below(256)));
  }
  const size_t at = random.below(text.size());
  switch (random.below(5)) {
  case 0:
    text[at] = static_cast<char>(random.below(256));
    break;
  case 1:
    text[at] = static_cast<char>(text[at] ^ (1u << random.below(8)));
    break;
  case 2:
    text.erase(at, 1 + random.below(16));
    break;
  case 3:
    text.insert(at, 1, static_cast<char>(random.oneIn(2) ? random.below(256) : random.below(128)));
    break;
  default:
    text.insert(random.below(text.size()), text.substr(at, 1 + random.below(32)));
    break;
  }
  return text;
}

std::string crossOver(std::string_view first, std::string_view second, Random &random) {
  std::vector<std::string> lines = splitLines(first);
  const std::vector<std::string> others = splitLines(second);
  if (others.empty()) {
    return std::string(first);
  }
  const size_t begin = random.below(others.size());
  const size_t end = std::min(begin + 1 + random.below(12), others.size());
  const size_t to = random.below(lines.size() + 1);
  // Half of the time the lines there give way.
  if (random.oneIn(2)) {
    lines.erase(lines.begin() + to, lines.begin() + std::min(to + end - begin, lines.size()));
  }
  lines.insert(lines.begin() + to, others.begin() + begin, others.begin() + end);
  return join(lines);
}

} // namespace tegula::fuzz
