//===- Text.h - Mutations of tokens and lines -----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mutations that suit any text with words, numbers, brackets and lines. A language
// adds its dictionary and the mutations that need its grammar.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TEST_FUZZ_TEXT_H
#define TEGULA_TEST_FUZZ_TEXT_H

#include "Random.h"

#include <string>
#include <string_view>
#include <vector>

namespace tegula::fuzz {

using Words = std::vector<std::string_view>;

/// The words of a language by the place they fit in: a word is replaced by one of
/// its own group where it is in one.
using Dictionary = std::vector<Words>;

struct Token {
  enum Kind { Space, Word, Number, String, Open, Close, Operator };
  Kind kind;
  std::string text;
};

/// Splits a text; joining the tokens gives it back. `wordSigns`: characters besides
/// letters, digits and '_' that belong to words, such as "%@!." in IR.
std::vector<Token> tokenize(std::string_view text, std::string_view wordSigns);
std::string join(const std::vector<Token> &tokens);

/// Lines with their line ends.
std::vector<std::string> splitLines(std::string_view text);
std::string join(const std::vector<std::string> &lines);

/// A numeral that is hard for somebody: powers of two and their neighbours, zeros
/// with signs, values without a finite form.
std::string extremeNumber(Random &random);

/// One mutation of tokens: replace, swap, delete, repeat, move, nest.
std::string mutateTokens(std::string_view text, std::string_view wordSigns,
                         const Dictionary &dictionary, Random &random);

/// One mutation of lines: delete, repeat, move, swap, indent.
std::string mutateLines(std::string_view text, Random &random);

/// One mutation of bytes, without regard for any structure.
std::string mutateBytes(std::string_view text, Random &random);

} // namespace tegula::fuzz

#endif // TEGULA_TEST_FUZZ_TEXT_H
