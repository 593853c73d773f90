//===- ParsePatterns.cpp - Match statements ---------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No kernel has a match statement, but the host code beside it may. Patterns become
// the expressions they look like; a few illegal ones are let through.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace tegula::frontend;
using llvm::StringRef;

/// Called at a `match` that startsMatch() has found to be a keyword.
Stmt *Parser::parseMatch() {
  const Token opener = token();
  advance();
  uint32_t begin = token().begin;
  Expr *subject = parseStarOrNamedExpr();
  if (subject && at(TokenKind::Comma)) {
    ExprVector elements = {subject};
    while (accept(TokenKind::Comma) && !at(TokenKind::Colon)) {
      Expr *element = parseStarOrNamedExpr();
      if (!element) {
        return nullptr;
      }
      elements.push_back(element);
    }
    subject = make<TupleExpr>(rangeFrom(begin), copy(elements));
  }
  if (!subject || !expect(TokenKind::Colon, "match subject") ||
      !expect(TokenKind::Newline, "':'")) {
    return nullptr;
  }
  Nesting guard(*this);
  if (!guard.check()) {
    return nullptr;
  }
  uint32_t outerLine = lineBegin;
  ++stmtHeight;
  advance(); // the Indent
  llvm::SmallVector<MatchCase, 8> cases;
  bool ok = true;
  while (ok && !at(TokenKind::Dedent) && !at(TokenKind::EndOfFile)) {
    lineBegin = token().begin;
    ok = parseCase(cases.emplace_back());
  }
  accept(TokenKind::Dedent);
  --stmtHeight;
  lineBegin = outerLine;
  return ok ? context.create<MatchStmt>(rangeFrom(opener.begin), subject, copy(cases)) : nullptr;
}

bool Parser::parseCase(MatchCase &matchCase) {
  const Token opener = token();
  matchCase = {};
  if (!atName("case")) {
    expected("'case' in match block");
    return false;
  }
  advance();
  if (!(matchCase.pattern = parsePatterns())) {
    return false;
  }
  if (accept(TokenKind::KwIf) && !(matchCase.guard = parseNamedExpr())) {
    return false;
  }
  if (!parseBlock("case pattern", opener, matchCase.body)) {
    return false;
  }
  matchCase.range = rangeFrom(opener.begin);
  return true;
}

/// One pattern or a bare sequence of them.
Expr *Parser::parsePatterns() {
  uint32_t begin = token().begin;
  bool isSequence = at(TokenKind::Star);
  Expr *first = parsePattern();
  if (!first || (!at(TokenKind::Comma) && !isSequence)) {
    return first;
  }
  ExprVector elements = {first};
  while (accept(TokenKind::Comma) && !at(TokenKind::Colon) && !at(TokenKind::KwIf)) {
    Expr *element = parsePattern();
    if (!element) {
      return nullptr;
    }
    elements.push_back(element);
  }
  return make<TupleExpr>(rangeFrom(begin), copy(elements));
}

NameExpr *Parser::parseCaptureName(StringRef after) {
  StringRef name;
  SourceRange range;
  return expectName(name, range, "name after " + after) ? make<NameExpr>(range, name) : nullptr;
}

/// `*name`, `a | b`, `pattern as name`
Expr *Parser::parsePattern() {
  Nesting guard(*this);
  if (!guard.check()) {
    return nullptr;
  }
  uint32_t begin = token().begin;
  if (accept(TokenKind::Star)) {
    NameExpr *name = parseCaptureName("'*'");
    return name ? make<StarredExpr>(rangeFrom(begin), name) : nullptr;
  }
  Expr *pattern = parseClosedPattern();
  while (pattern && at(TokenKind::Pipe)) {
    SourceRange opRange = rangeOf(token());
    advance();
    Expr *other = parseClosedPattern();
    pattern = other ? make<BinOpExpr>(rangeFrom(begin), BinaryOp::BitOr, pattern, other, opRange)
                    : nullptr;
  }
  if (!pattern || !accept(TokenKind::KwAs)) {
    return pattern;
  }
  NameExpr *name = parseCaptureName("'as'");
  return name ? make<NamedExprExpr>(rangeFrom(begin), name, pattern) : nullptr;
}

Expr *Parser::parseClosedPattern() {
  switch (token().kind) {
  case TokenKind::Name:
    return parseNamePattern();
  case TokenKind::LParen:
    return parseSequencePattern(TokenKind::RParen);
  case TokenKind::LBracket:
    return parseSequencePattern(TokenKind::RBracket);
  case TokenKind::LBrace:
    return parseMappingPattern();
  case TokenKind::KwNone:
  case TokenKind::KwTrue:
  case TokenKind::KwFalse:
  case TokenKind::String:
  case TokenKind::FStringStart:
    return parseAtom();
  default:
    // A number with a sign, or a complex one: `-1`, `1 + 2j`. The precedence is
    // that of `+`, so that `|` is left alone.
    return parseBinary(4);
  }
}

/// `name`, `module.value`, `Class(a, key=b)`
Expr *Parser::parseNamePattern() {
  uint32_t begin = token().begin;
  Expr *value = parseCaptureName("'case'");
  while (value && accept(TokenKind::Dot)) {
    StringRef attr;
    SourceRange attrRange;
    value = expectName(attr, attrRange, "attribute name after '.'")
                ? make<AttributeExpr>(rangeFrom(begin), value, attr, attrRange)
                : nullptr;
  }
  const Token open = token();
  if (!value || !accept(TokenKind::LParen)) {
    return value;
  }
  ExprVector args;
  llvm::SmallVector<Keyword, 4> keywords;
  while (!at(TokenKind::RParen)) {
    uint32_t argBegin = token().begin;
    bool isKeyword = at(TokenKind::Name) && token(1).kind == TokenKind::Equal;
    Keyword keyword = {};
    if (isKeyword) {
      keyword.nameRange = rangeOf(token());
      keyword.name = context.intern(spelling(token()));
      advance();
      advance();
    }
    Expr *pattern = parsePattern();
    if (!pattern) {
      return nullptr;
    }
    if (isKeyword) {
      keyword.range = rangeFrom(argBegin);
      keyword.value = pattern;
      keywords.push_back(keyword);
    } else {
      args.push_back(pattern);
    }
    if (!accept(TokenKind::Comma)) {
      break;
    }
  }
  if (!expectClose(TokenKind::RParen, open, "',' or ')'")) {
    return nullptr;
  }
  return make<CallExpr>(rangeFrom(begin), value, copy(args), copy(keywords));
}

/// `(a)`, `(a, *b)`, `[a, b]`
Expr *Parser::parseSequencePattern(TokenKind close) {
  const Token open = token();
  advance();
  ExprVector elements;
  bool sawComma = false;
  while (!at(close)) {
    Expr *element = parsePattern();
    if (!element) {
      return nullptr;
    }
    elements.push_back(element);
    if (!accept(TokenKind::Comma)) {
      break;
    }
    sawComma = true;
  }
  if (!expectClose(close, open, close == TokenKind::RParen ? "',' or ')'" : "',' or ']'")) {
    return nullptr;
  }
  if (close == TokenKind::RBracket) {
    return make<ListExpr>(rangeFrom(open.begin), copy(elements));
  }
  if (elements.size() == 1 && !sawComma && elements[0]->kind != ExprKind::Starred) {
    elements[0]->parenthesized = true;
    return elements[0];
  }
  Expr *tuple = make<TupleExpr>(rangeFrom(open.begin), copy(elements));
  if (tuple) {
    tuple->parenthesized = true;
  }
  return tuple;
}

/// `{key: pattern, **rest}`
Expr *Parser::parseMappingPattern() {
  const Token open = token();
  advance();
  ExprVector keys, values;
  while (!at(TokenKind::RBrace)) {
    Expr *key = nullptr, *value = nullptr;
    if (accept(TokenKind::DoubleStar)) {
      value = parseCaptureName("'**'");
    } else {
      key = parseClosedPattern();
      if (!key || !expect(TokenKind::Colon, "mapping key")) {
        return nullptr;
      }
      value = parsePattern();
    }
    if (!value) {
      return nullptr;
    }
    keys.push_back(key);
    values.push_back(value);
    if (!accept(TokenKind::Comma)) {
      break;
    }
  }
  if (!expectClose(TokenKind::RBrace, open, "',' or '}'")) {
    return nullptr;
  }
  return make<DictExpr>(rangeFrom(open.begin), copy(keys), copy(values));
}
