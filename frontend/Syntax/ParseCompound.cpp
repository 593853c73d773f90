//===- ParseCompound.cpp - Statements with blocks ---------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include "llvm/ADT/StringSet.h"

using namespace tegula::frontend;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

Stmt *Parser::parseDecorated() {
  ExprVector decorators;
  while (accept(TokenKind::At)) {
    Expr *decorator = parseNamedExpr();
    if (!decorator || !expect(TokenKind::Newline, "decorator")) {
      return nullptr;
    }
    decorators.push_back(decorator);
  }
  switch (token().kind) {
  case TokenKind::KwDef:
    return parseFunction(decorators);
  case TokenKind::KwClass:
    return parseClass(decorators);
  case TokenKind::KwAsync:
    if (token(1).kind == TokenKind::KwDef) {
      return parseFunction(decorators);
    }
    break;
  default:
    break;
  }
  return expected("a function or class definition after decorator");
}

Stmt *Parser::parseFunction(llvm::ArrayRef<Expr *> decorators) {
  const Token opener = token();
  bool isAsync = accept(TokenKind::KwAsync);
  advance();
  auto *def = context.create<FunctionDefStmt>(rangeOf(opener));
  def->isAsync = isAsync;
  def->decorators = context.copyArray(decorators);
  if (!expectName(def->name, def->nameRange, "function name after 'def'") || !skipTypeParams()) {
    return nullptr;
  }
  const Token open = token();
  llvm::SmallVector<Param, 8> params;
  if (!expect(TokenKind::LParen, "function name") ||
      !parseParams(TokenKind::RParen, /*allowAnnotations=*/true, params) ||
      !expectClose(TokenKind::RParen, open, "',' or ')' in parameter list")) {
    return nullptr;
  }
  def->params = copy(params);
  if (accept(TokenKind::Arrow) && !(def->returns = parseExprList())) {
    return nullptr;
  }
  if (!parseBlock("function header", opener, def->body)) {
    return nullptr;
  }
  def->range = rangeFrom(opener.begin);
  return def;
}

/// `[T: bound = default, *Ts, **P]` of Python 3.12 and later, which says nothing at
/// run time.
bool Parser::skipTypeParams() {
  const Token open = token();
  if (!accept(TokenKind::LBracket)) {
    return true;
  }
  do {
    if (at(TokenKind::RBracket)) {
      break;
    }
    if (!accept(TokenKind::Star)) {
      accept(TokenKind::DoubleStar);
    }
    StringRef name;
    SourceRange range;
    if (!expectName(name, range, "name of a type parameter") ||
        (accept(TokenKind::Colon) && !parseExpr()) ||
        (accept(TokenKind::Equal) && !parseStarOrExpr())) {
      return false;
    }
  } while (accept(TokenKind::Comma));
  return expectClose(TokenKind::RBracket, open, "',' or ']'");
}

/// Parameters up to, not including, the closing token.
bool Parser::parseParams(TokenKind close, bool allowAnnotations,
                         llvm::SmallVectorImpl<Param> &params) {
  llvm::StringSet<> names;
  bool sawSlash = false, sawStar = false, sawDefault = false;
  Token bareStar;
  bool needsName = false; // after a bare `*`
  while (!at(close)) {
    const Token t = token();
    if (!params.empty() && params.back().kind == ParamKind::KwArg) {
      error(diag::InvalidParameters, rangeOf(t),
            "no parameter can follow '**" + params.back().name + "'");
      return false;
    }
    if (accept(TokenKind::Slash)) {
      if (sawSlash || sawStar || params.empty()) {
        error(diag::InvalidParameters, rangeOf(t),
              sawSlash  ? "'/' may appear only once"
              : sawStar ? "'/' must be ahead of '*'"
                        : "at least one parameter must precede '/'");
        return false;
      }
      sawSlash = true;
      for (Param &param : params) {
        param.kind = ParamKind::PosOnly;
      }
    } else if (at(TokenKind::Star) &&
               (token(1).kind == TokenKind::Comma || token(1).kind == close)) {
      if (sawStar) {
        error(diag::InvalidParameters, rangeOf(t), "'*' may appear only once");
        return false;
      }
      advance();
      bareStar = t;
      sawStar = needsName = true;
    } else {
      Param param = {};
      if (accept(TokenKind::Star)) {
        if (sawStar) {
          error(diag::InvalidParameters, rangeOf(t), "'*' may appear only once");
          return false;
        }
        param.kind = ParamKind::VarArg;
        sawStar = true;
      } else if (accept(TokenKind::DoubleStar)) {
        param.kind = ParamKind::KwArg;
        if (needsName) {
          break;
        }
      } else {
        param.kind = sawStar ? ParamKind::KwOnly : ParamKind::Normal;
      }
      if (!expectName(param.name, param.nameRange, "a parameter name")) {
        return false;
      }
      if (!names.insert(param.name).second) {
        error(diag::InvalidParameters, param.nameRange, "duplicate parameter '" + param.name + "'");
        return false;
      }
      if (allowAnnotations && accept(TokenKind::Colon)) {
        param.annotation = param.kind == ParamKind::VarArg ? parseStarOrExpr() : parseExpr();
        if (!param.annotation) {
          return false;
        }
      }
      if (at(TokenKind::Equal)) {
        if (param.kind == ParamKind::VarArg || param.kind == ParamKind::KwArg) {
          error(diag::InvalidParameters, rangeOf(token()),
                "parameter '" + spelling(t) + param.name + "' cannot have a default");
          return false;
        }
        advance();
        if (!(param.defaultValue = parseExpr())) {
          return false;
        }
      }
      if (param.kind == ParamKind::Normal) {
        if (sawDefault && !param.defaultValue) {
          error(diag::InvalidParameters, param.nameRange,
                "parameter '" + param.name + "' without a default follows one with a default");
          return false;
        }
        sawDefault |= param.defaultValue != nullptr;
      }
      needsName = false;
      param.range = rangeFrom(t.begin);
      params.push_back(param);
    }
    if (!accept(TokenKind::Comma)) {
      break;
    }
  }
  if (needsName) {
    error(diag::InvalidParameters, rangeOf(bareStar), "expected a named parameter after '*'");
    return false;
  }
  return true;
}

Stmt *Parser::parseClass(llvm::ArrayRef<Expr *> decorators) {
  const Token opener = token();
  advance();
  auto *def = context.create<ClassDefStmt>(rangeOf(opener));
  def->decorators = context.copyArray(decorators);
  if (!expectName(def->name, def->nameRange, "class name after 'class'") || !skipTypeParams()) {
    return nullptr;
  }
  const Token open = token();
  if (accept(TokenKind::LParen)) {
    ExprVector bases;
    llvm::SmallVector<Keyword, 2> keywords;
    if (!parseCallArgs(open, bases, keywords)) {
      return nullptr;
    }
    def->bases = copy(bases);
    def->keywords = copy(keywords);
  }
  if (!parseBlock("class header", opener, def->body)) {
    return nullptr;
  }
  def->range = rangeFrom(opener.begin);
  return def;
}

Stmt *Parser::parseAsync() {
  uint32_t begin = token().begin;
  switch (token(1).kind) {
  case TokenKind::KwDef:
    return parseFunction({});
  case TokenKind::KwFor:
    advance();
    return parseFor(begin, /*isAsync=*/true);
  case TokenKind::KwWith:
    advance();
    return parseWith(begin, /*isAsync=*/true);
  default:
    advance();
    return expected("'def', 'for' or 'with' after 'async'");
  }
}

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

/// An optional `else: block`.
bool Parser::parseElse(Body &orelse) {
  const Token opener = token();
  return !accept(TokenKind::KwElse) || parseBlock("'else'", opener, orelse);
}

/// The chain is read in a loop and linked afterwards, so that its length costs no
/// stack here. For walkers each link counts as a level.
Stmt *Parser::parseIf() {
  struct Branch {
    uint32_t begin;
    Expr *test;
    Body body;
  };
  llvm::SmallVector<Branch, 4> branches;
  Body orelse;
  const unsigned heightBefore = stmtHeight;
  auto parseChain = [&] {
    do {
      const Token opener = token();
      if (++stmtHeight > kMaxChain) {
        error(diag::NestingLimit, rangeOf(opener),
              "too many branches: more than " + llvm::Twine(kMaxChain) +
                  " levels of 'if' and 'elif'");
        return false;
      }
      advance();
      Branch &branch = branches.emplace_back();
      branch.begin = opener.begin;
      StringRef after =
          opener.kind == TokenKind::KwIf ? StringRef("if condition") : StringRef("elif condition");
      Body body;
      if (!(branch.test = parseNamedExpr()) || !parseBlock(after, opener, body)) {
        return false;
      }
      branches.back().body = body;
    } while (at(TokenKind::KwElif));
    return parseElse(orelse);
  };
  bool ok = parseChain();
  stmtHeight = heightBefore;
  if (!ok) {
    return nullptr;
  }
  Stmt *stmt = nullptr;
  for (size_t i = branches.size(); i-- != 0;) {
    const Branch &branch = branches[i];
    stmt = context.create<IfStmt>(rangeFrom(branch.begin), branch.test, branch.body, orelse,
                                  /*isElif=*/i != 0);
    orelse = context.copyArray(llvm::ArrayRef<Stmt *>(stmt));
  }
  return stmt;
}

Stmt *Parser::parseWhile() {
  const Token opener = token();
  advance();
  Body body, orelse;
  Expr *test = parseNamedExpr();
  if (!test || !parseBlock("while condition", opener, body) || !parseElse(orelse)) {
    return nullptr;
  }
  return context.create<WhileStmt>(rangeFrom(opener.begin), test, body, orelse);
}

Stmt *Parser::parseFor(uint32_t begin, bool isAsync) {
  const Token opener = token();
  advance();
  Body body, orelse;
  Expr *target = parseTargetList();
  if (!target || !expect(TokenKind::KwIn, "for target")) {
    return nullptr;
  }
  Expr *iter = parseExprList();
  if (!iter || !parseBlock("for header", opener, body) || !parseElse(orelse)) {
    return nullptr;
  }
  return context.create<ForStmt>(rangeFrom(begin), target, iter, body, orelse, isAsync);
}

//===----------------------------------------------------------------------===//
// try and with
//===----------------------------------------------------------------------===//

Stmt *Parser::parseTry() {
  const Token opener = token();
  advance();
  Body body, orelse, finalbody;
  if (!parseBlock("'try'", opener, body)) {
    return nullptr;
  }
  llvm::SmallVector<ExceptHandler, 4> handlers;
  while (at(TokenKind::KwExcept)) {
    if (!parseHandler(handlers.emplace_back())) {
      return nullptr;
    }
  }
  if (!handlers.empty() && !parseElse(orelse)) {
    return nullptr;
  }
  const Token last = token();
  if (accept(TokenKind::KwFinally)) {
    if (!parseBlock("'finally'", last, finalbody)) {
      return nullptr;
    }
  } else if (handlers.empty()) {
    return expected("'except' or 'finally' after try block");
  }
  return context.create<TryStmt>(rangeFrom(opener.begin), body, copy(handlers), orelse, finalbody);
}

bool Parser::parseHandler(ExceptHandler &handler) {
  const Token opener = token();
  advance();
  handler = {};
  handler.isStar = accept(TokenKind::Star);
  if (!at(TokenKind::Colon) || handler.isStar) {
    uint32_t begin = token().begin;
    if (!(handler.type = parseExpr())) {
      return false;
    }
    if (at(TokenKind::Comma)) {
      // Python 3.14 allows the list to stand bare.
      ExprVector types = {handler.type};
      while (accept(TokenKind::Comma) && startsExpr()) {
        Expr *type = parseExpr();
        if (!type) {
          return false;
        }
        types.push_back(type);
      }
      handler.type = make<TupleExpr>(rangeFrom(begin), copy(types));
      if (handler.type && at(TokenKind::KwAs)) {
        error(handler.type->range, "several exception types with 'as' must be in parentheses");
        return false;
      }
    }
    SourceRange range;
    if (!handler.type ||
        (accept(TokenKind::KwAs) && !expectName(handler.name, range, "name after 'as'"))) {
      return false;
    }
  }
  if (!parseBlock("'except' clause", opener, handler.body)) {
    return false;
  }
  handler.range = rangeFrom(opener.begin);
  return true;
}

/// Whether a `(` after `with` encloses the items and not just an expression: its
/// `)` is followed by the colon and it holds a comma or an `as` of its own. The
/// scan is linear and happens once per statement.
bool Parser::hasParenthesizedItems() {
  if (!at(TokenKind::LParen)) {
    return false;
  }
  bool hasItems = false;
  unsigned depth = 0;
  for (size_t ahead = 0;; ++ahead) {
    const Token &t = token(ahead);
    switch (t.kind) {
    case TokenKind::LParen:
    case TokenKind::LBracket:
    case TokenKind::LBrace:
      ++depth;
      break;
    case TokenKind::RParen:
    case TokenKind::RBracket:
    case TokenKind::RBrace:
      if (--depth == 0) {
        return hasItems && token(ahead + 1).kind == TokenKind::Colon;
      }
      break;
    case TokenKind::Comma:
    case TokenKind::KwAs:
      hasItems |= depth == 1;
      break;
    case TokenKind::KwFor:
    case TokenKind::KwLambda:
    case TokenKind::KwYield:
      // Commas may then belong to something else: an expression.
      if (depth == 1 && !hasItems) {
        return false;
      }
      break;
    case TokenKind::Error:
    case TokenKind::Newline:
    case TokenKind::EndOfFile:
      return false;
    default:
      break;
    }
  }
}

bool Parser::parseWithItem(llvm::SmallVectorImpl<WithItem> &items) {
  WithItem item = {};
  if (!(item.context = parseExpr())) {
    return false;
  }
  if (accept(TokenKind::KwAs)) {
    item.target = at(TokenKind::Star) ? parseStarOrExpr() : parsePrimary();
    if (!item.target || !checkTarget(item.target)) {
      return false;
    }
  }
  items.push_back(item);
  return true;
}

Stmt *Parser::parseWith(uint32_t begin, bool isAsync) {
  const Token opener = token();
  advance();
  llvm::SmallVector<WithItem, 2> items;
  const Token open = token();
  bool inParens = hasParenthesizedItems();
  if (inParens) {
    advance();
  }
  do {
    if (inParens && at(TokenKind::RParen)) {
      break;
    }
    if (!parseWithItem(items)) {
      return nullptr;
    }
  } while (accept(TokenKind::Comma));
  if (inParens && !expectClose(TokenKind::RParen, open, "',' or ')'")) {
    return nullptr;
  }
  Body body;
  if (!parseBlock("with items", opener, body)) {
    return nullptr;
  }
  return context.create<WithStmt>(rangeFrom(begin), copy(items), body, isAsync);
}
