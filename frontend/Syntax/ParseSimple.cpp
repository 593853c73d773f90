//===- ParseSimple.cpp - Statements of one line -----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace tegula::frontend;
using llvm::isa;
using llvm::StringRef;

Stmt *Parser::parseSimple() {
  uint32_t begin = token().begin;
  auto word = [&](StmtKind kind) -> Stmt * {
    advance();
    return context.create<SimpleStmt>(kind, rangeFrom(begin));
  };
  switch (token().kind) {
  case TokenKind::KwPass:
    return word(StmtKind::Pass);
  case TokenKind::KwBreak:
    return word(StmtKind::Break);
  case TokenKind::KwContinue:
    return word(StmtKind::Continue);
  case TokenKind::KwReturn: {
    advance();
    Expr *value = nullptr;
    if (!at(TokenKind::Newline) && !at(TokenKind::Semicolon) && !(value = parseExprList())) {
      return nullptr;
    }
    return context.create<ReturnStmt>(rangeFrom(begin), value);
  }
  case TokenKind::KwImport:
    return parseImport();
  case TokenKind::KwFrom:
    return parseImportFrom();
  case TokenKind::KwGlobal:
    return parseScope(StmtKind::Global);
  case TokenKind::KwNonlocal:
    return parseScope(StmtKind::Nonlocal);
  case TokenKind::KwDel:
    return parseDelete();
  case TokenKind::KwRaise:
    return parseRaise();
  case TokenKind::KwAssert:
    return parseAssert();
  case TokenKind::KwIf:
  case TokenKind::KwFor:
  case TokenKind::KwWhile:
  case TokenKind::KwDef:
  case TokenKind::KwClass:
  case TokenKind::KwWith:
  case TokenKind::KwTry:
  case TokenKind::KwAsync:
  case TokenKind::At:
    return expected("a simple statement on this line");
  default:
    return startsTypeAlias() ? parseTypeAlias() : parseExpressionStatement();
  }
}

//===----------------------------------------------------------------------===//
// Assignments
//===----------------------------------------------------------------------===//

static bool getAugmentedOp(TokenKind kind, BinaryOp &op) {
  switch (kind) {
  case TokenKind::PlusEqual:
    op = BinaryOp::Add;
    return true;
  case TokenKind::MinusEqual:
    op = BinaryOp::Sub;
    return true;
  case TokenKind::StarEqual:
    op = BinaryOp::Mult;
    return true;
  case TokenKind::SlashEqual:
    op = BinaryOp::Div;
    return true;
  case TokenKind::DoubleSlashEqual:
    op = BinaryOp::FloorDiv;
    return true;
  case TokenKind::PercentEqual:
    op = BinaryOp::Mod;
    return true;
  case TokenKind::AtEqual:
    op = BinaryOp::MatMult;
    return true;
  case TokenKind::AmperEqual:
    op = BinaryOp::BitAnd;
    return true;
  case TokenKind::PipeEqual:
    op = BinaryOp::BitOr;
    return true;
  case TokenKind::CaretEqual:
    op = BinaryOp::BitXor;
    return true;
  case TokenKind::LeftShiftEqual:
    op = BinaryOp::LShift;
    return true;
  case TokenKind::RightShiftEqual:
    op = BinaryOp::RShift;
    return true;
  case TokenKind::DoubleStarEqual:
    op = BinaryOp::Pow;
    return true;
  default:
    return false;
  }
}

/// Whether a value can be assigned to (or deleted).
bool Parser::checkTarget(Expr *target, StringRef verb, bool allowStar) {
  switch (target->kind) {
  case ExprKind::Name:
  case ExprKind::Attribute:
  case ExprKind::Subscript:
    return true;
  case ExprKind::Starred:
    if (allowStar && verb == "assign to") {
      return checkTarget(llvm::cast<StarredExpr>(target)->value, verb);
    }
    if (verb == "assign to") {
      error(diag::InvalidTarget, target->range, "starred target must be in a list or tuple");
      return false;
    }
    break;
  case ExprKind::Tuple:
  case ExprKind::List: {
    llvm::ArrayRef<Expr *> elements = isa<TupleExpr>(target)
                                          ? llvm::cast<TupleExpr>(target)->elements
                                          : llvm::cast<ListExpr>(target)->elements;
    bool sawStar = false;
    for (Expr *element : elements) {
      if (isa<StarredExpr>(element)) {
        if (sawStar) {
          error(diag::InvalidTarget, element->range, "expected at most one starred target");
          return false;
        }
        sawStar = true;
      }
      if (!checkTarget(element, verb, /*allowStar=*/true)) {
        return false;
      }
    }
    return true;
  }
  case ExprKind::Constant: {
    const auto *constant = llvm::cast<ConstantExpr>(target);
    StringRef what = constant->isNone() || constant->isBool() ? target->range.getText()
                     : constant->isEllipsis()                 ? "ellipsis"
                                                              : "literal";
    error(diag::InvalidTarget, target->range, "cannot " + verb + " " + what);
    return false;
  }
  default:
    break;
  }
  Diagnostic &diag = diags.error(diag::InvalidTarget, target->range,
                                 "cannot " + verb + " " + describe(target->kind));
  const auto *call = llvm::dyn_cast<CallExpr>(target);
  const auto *callee = call ? llvm::dyn_cast<AttributeExpr>(call->func) : nullptr;
  if (callee && callee->attr == "load" && verb == "assign to") {
    diag.setHint("write memory with tl.store");
  }
  return false;
}

/// Whether the target of an annotated or augmented assignment is legal.
bool Parser::checkSingleTarget(Expr *target, StringRef what) {
  if (isa<TupleExpr>(target) || isa<ListExpr>(target)) {
    error(diag::InvalidTarget, target->range,
          "expected a single target for " + what + ", got " + describe(target->kind));
    return false;
  }
  return checkTarget(target);
}

Stmt *Parser::parseExpressionStatement() {
  uint32_t begin = token().begin;
  if (!startsExpr() && !at(TokenKind::KwYield) && !at(TokenKind::Star)) {
    return expected("a statement");
  }
  Expr *first = parseYieldOrExprList();
  if (!first) {
    return nullptr;
  }
  if (accept(TokenKind::Colon)) {
    if (!checkSingleTarget(first, "annotation")) {
      return nullptr;
    }
    Expr *annotation = parseExpr();
    if (!annotation) {
      return nullptr;
    }
    Expr *value = nullptr;
    if (accept(TokenKind::Equal) && !(value = parseYieldOrExprList())) {
      return nullptr;
    }
    return context.create<AnnAssignStmt>(rangeFrom(begin), first, annotation, value);
  }
  BinaryOp op;
  if (getAugmentedOp(token().kind, op)) {
    if (!checkSingleTarget(first, "augmented assignment")) {
      return nullptr;
    }
    SourceRange opRange = rangeOf(token());
    advance();
    Expr *value = parseYieldOrExprList();
    if (!value) {
      return nullptr;
    }
    return context.create<AugAssignStmt>(rangeFrom(begin), op, first, value, opRange);
  }
  if (!at(TokenKind::Equal)) {
    if (isa<StarredExpr>(first)) {
      return error(first->range, "starred expression cannot stand alone");
    }
    return context.create<ExprStmt>(rangeFrom(begin), first);
  }
  ExprVector targets;
  Expr *value = first;
  while (accept(TokenKind::Equal)) {
    if (!checkTarget(value)) {
      return nullptr;
    }
    targets.push_back(value);
    if (!(value = parseYieldOrExprList())) {
      return nullptr;
    }
  }
  if (isa<StarredExpr>(value)) {
    return error(value->range, "starred expression cannot stand alone");
  }
  return context.create<AssignStmt>(rangeFrom(begin), copy(targets), value);
}

Stmt *Parser::parseTypeAlias() {
  uint32_t begin = token().begin;
  advance();
  StringRef name = context.intern(spelling(token())); // see startsTypeAlias
  advance();
  if (!skipTypeParams() || !expect(TokenKind::Equal, "name of the type")) {
    return nullptr;
  }
  Expr *value = parseExpr();
  return value ? context.create<TypeAliasStmt>(rangeFrom(begin), name, value) : nullptr;
}

//===----------------------------------------------------------------------===//
// Imports and scopes
//===----------------------------------------------------------------------===//

bool Parser::parseDottedName(StringRef &name, StringRef after) {
  StringRef part;
  SourceRange range;
  std::string joined;
  do {
    if (!expectName(part, range, "module name after " + after)) {
      return false;
    }
    joined += joined.empty() ? "" : ".";
    joined += part;
  } while (accept(TokenKind::Dot));
  name = context.intern(joined);
  return true;
}

Stmt *Parser::parseImport() {
  uint32_t begin = token().begin;
  advance();
  llvm::SmallVector<ImportAlias, 4> names;
  do {
    ImportAlias &alias = names.emplace_back();
    uint32_t aliasBegin = token().begin;
    SourceRange range;
    if (!parseDottedName(alias.name, "'import'") ||
        (accept(TokenKind::KwAs) && !expectName(alias.asName, range, "name after 'as'"))) {
      return nullptr;
    }
    alias.range = rangeFrom(aliasBegin);
  } while (accept(TokenKind::Comma));
  return context.create<ImportStmt>(rangeFrom(begin), copy(names));
}

Stmt *Parser::parseImportFrom() {
  uint32_t begin = token().begin;
  advance();
  unsigned level = 0;
  while (at(TokenKind::Dot) || at(TokenKind::Ellipsis)) {
    level += at(TokenKind::Dot) ? 1 : 3;
    advance();
  }
  StringRef module;
  if (!(level != 0 && at(TokenKind::KwImport)) && !parseDottedName(module, "'from'")) {
    return nullptr;
  }
  if (!expect(TokenKind::KwImport, "module name")) {
    return nullptr;
  }
  llvm::SmallVector<ImportAlias, 8> names;
  if (at(TokenKind::Star)) {
    names.push_back({rangeOf(token()), "*", StringRef()});
    advance();
    return context.create<ImportFromStmt>(rangeFrom(begin), module, level, copy(names));
  }
  const Token open = token();
  bool inParens = accept(TokenKind::LParen);
  while (true) {
    ImportAlias &alias = names.emplace_back();
    SourceRange range;
    if (!expectName(alias.name, alias.range, "name to import") ||
        (accept(TokenKind::KwAs) && !expectName(alias.asName, range, "name after 'as'"))) {
      return nullptr;
    }
    alias.range = rangeFrom(alias.range.begin);
    if (!accept(TokenKind::Comma)) {
      break;
    }
    if (inParens && at(TokenKind::RParen)) {
      break;
    }
    if (!inParens && at(TokenKind::Newline)) {
      return error(rangeOf(token()), "trailing comma is only allowed in parentheses");
    }
  }
  if (inParens && !expectClose(TokenKind::RParen, open, "',' or ')'")) {
    return nullptr;
  }
  return context.create<ImportFromStmt>(rangeFrom(begin), module, level, copy(names));
}

Stmt *Parser::parseScope(StmtKind kind) {
  const Token word = token();
  advance();
  llvm::SmallVector<StringRef, 4> names;
  do {
    SourceRange range;
    if (!expectName(names.emplace_back(), range, "name after '" + spelling(word) + "'")) {
      return nullptr;
    }
  } while (accept(TokenKind::Comma));
  return context.create<ScopeStmt>(kind, rangeFrom(word.begin), copy(names));
}

//===----------------------------------------------------------------------===//
// del, raise, assert
//===----------------------------------------------------------------------===//

Stmt *Parser::parseDelete() {
  uint32_t begin = token().begin;
  advance();
  ExprVector targets;
  do {
    if (!targets.empty() && (at(TokenKind::Newline) || at(TokenKind::Semicolon))) {
      break;
    }
    Expr *target = parsePrimary();
    if (!target || !checkTarget(target, "delete")) {
      return nullptr;
    }
    targets.push_back(target);
  } while (accept(TokenKind::Comma));
  return context.create<DeleteStmt>(rangeFrom(begin), copy(targets));
}

Stmt *Parser::parseRaise() {
  uint32_t begin = token().begin;
  advance();
  Expr *exception = nullptr, *cause = nullptr;
  if (!at(TokenKind::Newline) && !at(TokenKind::Semicolon)) {
    if (!(exception = parseExpr()) || (accept(TokenKind::KwFrom) && !(cause = parseExpr()))) {
      return nullptr;
    }
  }
  return context.create<RaiseStmt>(rangeFrom(begin), exception, cause);
}

Stmt *Parser::parseAssert() {
  uint32_t begin = token().begin;
  advance();
  Expr *test = parseExpr();
  Expr *message = nullptr;
  if (!test || (accept(TokenKind::Comma) && !(message = parseExpr()))) {
    return nullptr;
  }
  return context.create<AssertStmt>(rangeFrom(begin), test, message);
}
