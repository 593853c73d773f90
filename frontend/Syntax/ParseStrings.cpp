//===- ParseStrings.cpp - Strings and f-strings -----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Literals.h"
#include "ParserImpl.h"

using namespace tegula::frontend;
using llvm::StringRef;

/// What adjacent string literals add up to. Text is gathered in `text` and becomes a
/// node when a field or the end follows.
struct Parser::Pieces {
  ExprVector values;
  std::string text;
  SourceRange textRange; // of the literals that gave `text`
  bool isBytes = false;
  bool isFormat = false;

  void addRange(SourceRange range) {
    textRange = textRange.isValid() ? textRange.to(range) : range;
  }
  void flush(ASTContext &arena) {
    if (!text.empty()) {
      auto *value = arena.create<ConstantExpr>(textRange, ConstantKind::Str);
      value->text = arena.intern(text);
      values.push_back(value);
      text.clear();
    }
    textRange = SourceRange();
  }
};

/// Appends the meaning of text at `offset` or reports a bad escape.
bool Parser::decode(uint32_t offset, StringRef text, unsigned kind, bool isRaw, std::string &out) {
  EscapeError problem;
  if (decodeText(text, static_cast<TextKind>(kind), isRaw, out, problem)) {
    return true;
  }
  Diagnostic &diag = diags.error(diag::InvalidLiteral,
                                 SourceRange(&file, offset + static_cast<uint32_t>(problem.begin),
                                             offset + static_cast<uint32_t>(problem.end)),
                                 problem.message);
  if (text[problem.begin] == '\\') {
    diag.setHint("write a backslash as '\\\\', or put r in front of the string");
  }
  return false;
}

/// One or more literals side by side.
Expr *Parser::parseStrings() {
  uint32_t begin = token().begin;
  Pieces pieces;
  pieces.isBytes = getStringPrefix(spelling(token())).isBytes;
  while (at(TokenKind::String) || at(TokenKind::FStringStart)) {
    SourceRange range = rangeOf(token());
    if (getStringPrefix(range.getText()).isBytes != pieces.isBytes) {
      return error(diag::InvalidLiteral, range, "cannot join bytes and string literals");
    }
    if (!(at(TokenKind::String) ? parseString(pieces) : parseFString(pieces))) {
      return nullptr;
    }
  }
  if (!pieces.isFormat) {
    auto *value = make<ConstantExpr>(rangeFrom(begin),
                                     pieces.isBytes ? ConstantKind::Bytes : ConstantKind::Str);
    value->text = context.intern(pieces.text);
    return value;
  }
  pieces.flush(context);
  return make<JoinedStrExpr>(rangeFrom(begin), copy(pieces.values));
}

bool Parser::parseString(Pieces &pieces) {
  const Token t = token();
  StringPrefix prefix = getStringPrefix(spelling(t));
  uint32_t offset = t.begin + prefix.length + prefix.quoteLength;
  StringRef text = file.getText().slice(offset, t.end - prefix.quoteLength);
  TextKind kind = prefix.isBytes ? TextKind::Bytes : TextKind::String;
  if (!decode(offset, text, static_cast<unsigned>(kind), prefix.isRaw, pieces.text)) {
    return false;
  }
  pieces.addRange(rangeOf(t));
  advance();
  return true;
}

bool Parser::decodeMiddle(Pieces &pieces) {
  const Token t = token();
  TextKind kind = t.inFormatSpec ? TextKind::FStringFormat : TextKind::FString;
  if (!decode(t.begin, spelling(t), static_cast<unsigned>(kind), t.isRaw, pieces.text)) {
    return false;
  }
  pieces.addRange(rangeOf(t));
  advance();
  return true;
}

bool Parser::parseFString(Pieces &pieces) {
  pieces.isFormat = true;
  advance();
  while (!accept(TokenKind::FStringEnd)) {
    if (at(TokenKind::FStringMiddle)) {
      if (!decodeMiddle(pieces)) {
        return false;
      }
    } else if (at(TokenKind::LBrace)) {
      if (!parseField(pieces)) {
        return false;
      }
    } else {
      return false; // reported by the lexer
    }
  }
  return true;
}

/// `{value=!conversion:spec}`
bool Parser::parseField(Pieces &pieces) {
  Nesting guard(*this);
  if (!guard.check()) {
    return false;
  }
  const Token open = token();
  advance();
  if (at(TokenKind::RBrace) || at(TokenKind::Exclamation) || at(TokenKind::Colon)) {
    expected("an expression in f-string field");
    return false;
  }
  Expr *value = parseYieldOrExprList();
  if (!value) {
    return false;
  }
  bool isDebug = accept(TokenKind::Equal);
  if (isDebug) {
    // The text between the brace and what follows, blanks included.
    pieces.text += file.getText().slice(open.end, token().begin);
    pieces.addRange(SourceRange(&file, open.end, token().begin));
  }
  char conversion = 0;
  if (accept(TokenKind::Exclamation)) {
    StringRef name = at(TokenKind::Name) ? spelling(token()) : StringRef();
    if (name != "r" && name != "s" && name != "a") {
      expected("conversion 'r', 's' or 'a' after '!'");
      return false;
    }
    conversion = name[0];
    advance();
  }
  JoinedStrExpr *spec = nullptr;
  if (accept(TokenKind::Colon) && !(spec = parseFormatSpec())) {
    return false;
  }
  if (isDebug && !conversion && !spec) {
    conversion = 'r';
  }
  if (!accept(TokenKind::RBrace)) {
    const Token &got = token();
    if (got.kind != TokenKind::Error &&
        file.getLineIndex(got.begin) != file.getLineIndex(open.begin)) {
      error(diag::UnclosedBracket, rangeOf(open), "'{' was never closed");
    } else {
      expected("'}' after f-string field");
    }
    return false;
  }
  pieces.flush(context);
  auto *field = make<FormattedValueExpr>(rangeFrom(open.begin), value, conversion, spec);
  if (!field) {
    return false;
  }
  pieces.values.push_back(field);
  return true;
}

/// What stands between the colon of a field and its closing brace.
JoinedStrExpr *Parser::parseFormatSpec() {
  uint32_t begin = token().begin;
  Pieces pieces;
  while (at(TokenKind::FStringMiddle) || at(TokenKind::LBrace)) {
    if (!(at(TokenKind::LBrace) ? parseField(pieces) : decodeMiddle(pieces))) {
      return nullptr;
    }
  }
  pieces.flush(context);
  SourceRange range = pieces.values.empty() ? SourceRange(&file, begin, begin) : rangeFrom(begin);
  return make<JoinedStrExpr>(range, copy(pieces.values));
}
