//===- ParseExpressions.cpp - Operators and their precedence ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From loosest to tightest: lambda, if-else, or, and, not, comparisons, | ^ & shifts
// + - and so on by precedence numbers, unary signs, **, await, trailers.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace tegula::frontend;
using llvm::cast;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Lists of expressions
//===----------------------------------------------------------------------===//

/// Whether the current token can begin an expression (no star, no yield).
bool Parser::startsExpr() {
  switch (token().kind) {
  case TokenKind::Name:
  case TokenKind::Int:
  case TokenKind::Float:
  case TokenKind::Imaginary:
  case TokenKind::String:
  case TokenKind::FStringStart:
  case TokenKind::LParen:
  case TokenKind::LBracket:
  case TokenKind::LBrace:
  case TokenKind::Ellipsis:
  case TokenKind::Plus:
  case TokenKind::Minus:
  case TokenKind::Tilde:
  case TokenKind::KwFalse:
  case TokenKind::KwNone:
  case TokenKind::KwTrue:
  case TokenKind::KwNot:
  case TokenKind::KwLambda:
  case TokenKind::KwAwait:
    return true;
  default:
    return false;
  }
}

Expr *Parser::parseStarOrExpr() {
  if (!at(TokenKind::Star)) {
    return parseExpr();
  }
  uint32_t begin = token().begin;
  advance();
  Expr *value = parseBinary(0);
  return value ? make<StarredExpr>(rangeFrom(begin), value) : nullptr;
}

Expr *Parser::parseStarOrNamedExpr() {
  return at(TokenKind::Star) ? parseStarOrExpr() : parseNamedExpr();
}

Expr *Parser::parseExprList() {
  uint32_t begin = token().begin;
  Expr *first = parseStarOrExpr();
  if (!first || !at(TokenKind::Comma)) {
    return first;
  }
  ExprVector elements = {first};
  while (accept(TokenKind::Comma) && (startsExpr() || at(TokenKind::Star))) {
    Expr *element = parseStarOrExpr();
    if (!element) {
      return nullptr;
    }
    elements.push_back(element);
  }
  return make<TupleExpr>(rangeFrom(begin), copy(elements));
}

Expr *Parser::parseYieldOrExprList() {
  return at(TokenKind::KwYield) ? parseYield() : parseExprList();
}

/// Targets of a `for`, which end before `in`: no comparisons.
Expr *Parser::parseTargetList() {
  uint32_t begin = token().begin;
  ExprVector elements;
  bool isTuple = false;
  do {
    if (!elements.empty() && !startsExpr() && !at(TokenKind::Star)) {
      break;
    }
    Expr *element = at(TokenKind::Star) ? parseStarOrExpr() : parseBinary(0);
    if (!element) {
      return nullptr;
    }
    elements.push_back(element);
    isTuple |= at(TokenKind::Comma);
  } while (accept(TokenKind::Comma));
  Expr *target = isTuple ? make<TupleExpr>(rangeFrom(begin), copy(elements)) : elements[0];
  return target && checkTarget(target) ? target : nullptr;
}

Expr *Parser::parseYield() {
  Nesting guard(*this);
  if (!guard.check()) {
    return nullptr;
  }
  uint32_t begin = token().begin;
  advance();
  if (accept(TokenKind::KwFrom)) {
    Expr *value = parseExpr();
    return value ? make<AwaitYieldExpr>(ExprKind::YieldFrom, rangeFrom(begin), value) : nullptr;
  }
  Expr *value = nullptr;
  if ((startsExpr() || at(TokenKind::Star)) && !(value = parseExprList())) {
    return nullptr;
  }
  return make<AwaitYieldExpr>(ExprKind::Yield, rangeFrom(begin), value);
}

//===----------------------------------------------------------------------===//
// Loose operators
//===----------------------------------------------------------------------===//

Expr *Parser::parseNamedExpr() {
  if (!at(TokenKind::Name) || token(1).kind != TokenKind::ColonEqual) {
    Expr *value = parseExpr();
    if (value && at(TokenKind::ColonEqual)) {
      return error(diag::InvalidTarget, value->range,
                   "cannot use ':=' with " + describe(value->kind) + ", only with a name");
    }
    return value;
  }
  uint32_t begin = token().begin;
  auto *target = make<NameExpr>(rangeOf(token()), context.intern(spelling(token())));
  advance();
  advance();
  Expr *value = parseExpr();
  return value ? make<NamedExprExpr>(rangeFrom(begin), target, value) : nullptr;
}

Expr *Parser::parseExpr() {
  Nesting guard(*this);
  if (!guard.check()) {
    return nullptr;
  }
  if (at(TokenKind::KwLambda)) {
    return parseLambda();
  }
  uint32_t begin = token().begin;
  Expr *value = parseOr();
  if (!value || looksLikeBlock(token()) || !accept(TokenKind::KwIf)) {
    return value;
  }
  Expr *test = parseOr();
  if (!test) {
    return nullptr;
  }
  if (!expect(TokenKind::KwElse, "condition of a conditional expression")) {
    return nullptr;
  }
  Expr *orelse = parseExpr();
  return orelse ? make<IfExpExpr>(rangeFrom(begin), test, value, orelse) : nullptr;
}

Expr *Parser::parseLambda() {
  uint32_t begin = token().begin;
  advance();
  llvm::SmallVector<Param, 4> params;
  if (!parseParams(TokenKind::Colon, /*allowAnnotations=*/false, params) ||
      !expect(TokenKind::Colon, "lambda parameters")) {
    return nullptr;
  }
  Expr *body = parseExpr();
  return body ? make<LambdaExpr>(rangeFrom(begin), copy(params), body) : nullptr;
}

Expr *Parser::parseOr() {
  uint32_t begin = token().begin;
  Expr *first = parseAnd();
  if (!first || !at(TokenKind::KwOr)) {
    return first;
  }
  ExprVector values = {first};
  while (accept(TokenKind::KwOr)) {
    Expr *value = parseAnd();
    if (!value) {
      return nullptr;
    }
    values.push_back(value);
  }
  return make<BoolOpExpr>(rangeFrom(begin), BoolOp::Or, copy(values));
}

Expr *Parser::parseAnd() {
  uint32_t begin = token().begin;
  Expr *first = parseNot();
  if (!first || !at(TokenKind::KwAnd)) {
    return first;
  }
  ExprVector values = {first};
  while (accept(TokenKind::KwAnd)) {
    Expr *value = parseNot();
    if (!value) {
      return nullptr;
    }
    values.push_back(value);
  }
  return make<BoolOpExpr>(rangeFrom(begin), BoolOp::And, copy(values));
}

Expr *Parser::parseNot() {
  if (!at(TokenKind::KwNot)) {
    return parseComparison();
  }
  Nesting guard(*this);
  if (!guard.check()) {
    return nullptr;
  }
  uint32_t begin = token().begin;
  advance();
  Expr *operand = parseNot();
  return operand ? make<UnaryOpExpr>(rangeFrom(begin), UnaryOp::Not, operand) : nullptr;
}

bool Parser::acceptCompareOp(CompareOp &op) {
  switch (token().kind) {
  case TokenKind::EqualEqual:
    op = CompareOp::Eq;
    break;
  case TokenKind::NotEqual:
    op = CompareOp::NotEq;
    break;
  case TokenKind::Less:
    op = CompareOp::Lt;
    break;
  case TokenKind::LessEqual:
    op = CompareOp::LtE;
    break;
  case TokenKind::Greater:
    op = CompareOp::Gt;
    break;
  case TokenKind::GreaterEqual:
    op = CompareOp::GtE;
    break;
  case TokenKind::KwIn:
    op = CompareOp::In;
    break;
  case TokenKind::KwNot:
    if (token(1).kind != TokenKind::KwIn) {
      return false;
    }
    op = CompareOp::NotIn;
    advance();
    break;
  case TokenKind::KwIs:
    op = CompareOp::Is;
    if (token(1).kind == TokenKind::KwNot) {
      op = CompareOp::IsNot;
      advance();
    }
    break;
  default:
    return false;
  }
  advance();
  return true;
}

Expr *Parser::parseComparison() {
  uint32_t begin = token().begin;
  Expr *lhs = parseBinary(0);
  CompareOp op;
  if (!lhs || !acceptCompareOp(op)) {
    return lhs;
  }
  llvm::SmallVector<CompareOp, 2> ops;
  ExprVector comparators;
  do {
    Expr *value = parseBinary(0);
    if (!value) {
      return nullptr;
    }
    ops.push_back(op);
    comparators.push_back(value);
  } while (acceptCompareOp(op));
  return make<CompareExpr>(rangeFrom(begin), lhs, copy(ops), copy(comparators));
}

//===----------------------------------------------------------------------===//
// Binary and unary operators
//===----------------------------------------------------------------------===//

/// Precedence of a left-associative operator, or -1.
static int getBinaryOp(TokenKind kind, BinaryOp &op) {
  switch (kind) {
  case TokenKind::Pipe:
    op = BinaryOp::BitOr;
    return 0;
  case TokenKind::Caret:
    op = BinaryOp::BitXor;
    return 1;
  case TokenKind::Amper:
    op = BinaryOp::BitAnd;
    return 2;
  case TokenKind::LeftShift:
    op = BinaryOp::LShift;
    return 3;
  case TokenKind::RightShift:
    op = BinaryOp::RShift;
    return 3;
  case TokenKind::Plus:
    op = BinaryOp::Add;
    return 4;
  case TokenKind::Minus:
    op = BinaryOp::Sub;
    return 4;
  case TokenKind::Star:
    op = BinaryOp::Mult;
    return 5;
  case TokenKind::At:
    op = BinaryOp::MatMult;
    return 5;
  case TokenKind::Slash:
    op = BinaryOp::Div;
    return 5;
  case TokenKind::DoubleSlash:
    op = BinaryOp::FloorDiv;
    return 5;
  case TokenKind::Percent:
    op = BinaryOp::Mod;
    return 5;
  default:
    return -1;
  }
}

Expr *Parser::parseBinary(unsigned minPrecedence) {
  uint32_t begin = token().begin;
  Expr *lhs = parseUnary();
  BinaryOp op;
  while (lhs) {
    int precedence = getBinaryOp(token().kind, op);
    if (precedence < static_cast<int>(minPrecedence)) {
      return lhs;
    }
    SourceRange opRange = rangeOf(token());
    advance();
    Expr *rhs = parseBinary(static_cast<unsigned>(precedence) + 1);
    if (!rhs) {
      return nullptr;
    }
    lhs = make<BinOpExpr>(rangeFrom(begin), op, lhs, rhs, opRange);
  }
  return nullptr;
}

Expr *Parser::parseUnary() {
  UnaryOp op;
  switch (token().kind) {
  case TokenKind::Plus:
    op = UnaryOp::Plus;
    break;
  case TokenKind::Minus:
    op = UnaryOp::Minus;
    break;
  case TokenKind::Tilde:
    op = UnaryOp::Invert;
    break;
  default:
    return parsePower();
  }
  Nesting guard(*this);
  if (!guard.check()) {
    return nullptr;
  }
  uint32_t begin = token().begin;
  advance();
  Expr *operand = parseUnary();
  return operand ? make<UnaryOpExpr>(rangeFrom(begin), op, operand) : nullptr;
}

/// `a ** b`: binds tighter than a sign on its left, looser than one on its right.
Expr *Parser::parsePower() {
  uint32_t begin = token().begin;
  Expr *base;
  if (accept(TokenKind::KwAwait)) {
    Expr *value = parsePrimary();
    base = value ? make<AwaitYieldExpr>(ExprKind::Await, rangeFrom(begin), value) : nullptr;
  } else {
    base = parsePrimary();
  }
  if (!base || !at(TokenKind::DoubleStar)) {
    return base;
  }
  Nesting guard(*this);
  if (!guard.check()) {
    return nullptr;
  }
  SourceRange opRange = rangeOf(token());
  advance();
  Expr *exponent = parseUnary();
  return exponent ? make<BinOpExpr>(rangeFrom(begin), BinaryOp::Pow, base, exponent, opRange)
                  : nullptr;
}

/// An atom with its calls, subscripts and attributes.
Expr *Parser::parsePrimary() {
  uint32_t begin = token().begin;
  Expr *value = parseAtom();
  while (value) {
    const Token open = token();
    switch (open.kind) {
    case TokenKind::Dot: {
      advance();
      StringRef attr;
      SourceRange attrRange;
      if (!expectName(attr, attrRange, "attribute name after '.'")) {
        return nullptr;
      }
      value = make<AttributeExpr>(rangeFrom(begin), value, attr, attrRange);
      break;
    }
    case TokenKind::LParen: {
      advance();
      ExprVector args;
      llvm::SmallVector<Keyword, 4> keywords;
      if (!parseCallArgs(open, args, keywords)) {
        return nullptr;
      }
      value = make<CallExpr>(rangeFrom(begin), value, copy(args), copy(keywords));
      break;
    }
    case TokenKind::LBracket: {
      advance();
      Expr *subscript = parseSubscriptIndex(open);
      if (!subscript) {
        return nullptr;
      }
      value = make<SubscriptExpr>(rangeFrom(begin), value, subscript);
      break;
    }
    default:
      return value;
    }
  }
  return nullptr;
}
