//===- Token.cpp - Names of tokens -----------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Frontend/Lexer.h"

#include "Characters.h"

using namespace tegula::frontend;
using llvm::StringRef;

/// In the order of TokenKind. Spellings are quoted in messages.
static const char *const kNames[] = {
    "end of file",
    "invalid text",
    "newline",
    "indentation",
    "end of block",
    "name",
    "integer",
    "number",
    "imaginary number",
    "string",
    "f-string",
    "f-string text",
    "end of f-string",
    "'('",
    "')'",
    "'['",
    "']'",
    "'{'",
    "'}'",
    "','",
    "':'",
    "';'",
    "'.'",
    "'...'",
    "'->'",
    "':='",
    "'='",
    "'@'",
    "'!'",
    "'+'",
    "'-'",
    "'*'",
    "'/'",
    "'//'",
    "'%'",
    "'**'",
    "'<<'",
    "'>>'",
    "'&'",
    "'|'",
    "'^'",
    "'~'",
    "'<'",
    "'>'",
    "'<='",
    "'>='",
    "'=='",
    "'!='",
    "'+='",
    "'-='",
    "'*='",
    "'/='",
    "'//='",
    "'%='",
    "'@='",
    "'&='",
    "'|='",
    "'^='",
    "'<<='",
    "'>>='",
    "'**='",
    "'False'",
    "'None'",
    "'True'",
    "'and'",
    "'as'",
    "'assert'",
    "'async'",
    "'await'",
    "'break'",
    "'class'",
    "'continue'",
    "'def'",
    "'del'",
    "'elif'",
    "'else'",
    "'except'",
    "'finally'",
    "'for'",
    "'from'",
    "'global'",
    "'if'",
    "'import'",
    "'in'",
    "'is'",
    "'lambda'",
    "'nonlocal'",
    "'not'",
    "'or'",
    "'pass'",
    "'raise'",
    "'return'",
    "'try'",
    "'while'",
    "'with'",
    "'yield'",
};
static_assert(std::size(kNames) == static_cast<size_t>(TokenKind::KwYield) + 1);

bool tegula::frontend::isKeyword(TokenKind kind) { return kind >= TokenKind::KwFalse; }

std::string tegula::frontend::describe(TokenKind kind) { return kNames[static_cast<size_t>(kind)]; }

std::string tegula::frontend::describe(const Token &token, const SourceFile &file) {
  StringRef text = file.getText().slice(token.begin, token.end);
  switch (token.kind) {
  case TokenKind::Name:
  case TokenKind::Int:
  case TokenKind::Float:
  case TokenKind::Imaginary:
    // Nobody wants to read a number of a thousand digits in a message.
    if (text.size() > 40) {
      text = text.take_front(37);
      while (!text.empty() && isContinuationByte(text.back())) {
        text = text.drop_back();
      }
      if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0x80) {
        text = text.drop_back();
      }
      return describe(token.kind) + " '" + text.str() + "...'";
    }
    return describe(token.kind) + " '" + text.str() + "'";
  default:
    return isKeyword(token.kind) ? "keyword " + describe(token.kind) : describe(token.kind);
  }
}
