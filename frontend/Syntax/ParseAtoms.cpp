//===- ParseAtoms.cpp - Atoms, displays, calls and subscripts --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Literals.h"
#include "ParserImpl.h"

using namespace tegula::frontend;
using llvm::StringRef;

Expr *Parser::parseAtom() {
  const Token t = token();
  auto constant = [&](ConstantKind kind) -> ConstantExpr * {
    advance();
    return make<ConstantExpr>(rangeOf(t), kind);
  };
  switch (t.kind) {
  case TokenKind::Name:
    advance();
    return make<NameExpr>(rangeOf(t), context.intern(spelling(t)));
  case TokenKind::Int:
  case TokenKind::Float:
  case TokenKind::Imaginary:
    return parseNumber();
  case TokenKind::String:
  case TokenKind::FStringStart:
    return parseStrings();
  case TokenKind::KwTrue:
  case TokenKind::KwFalse: {
    ConstantExpr *value = constant(ConstantKind::Bool);
    value->boolValue = t.kind == TokenKind::KwTrue;
    return value;
  }
  case TokenKind::KwNone:
    return constant(ConstantKind::None);
  case TokenKind::Ellipsis:
    return constant(ConstantKind::Ellipsis);
  case TokenKind::LParen:
    return parseParens();
  case TokenKind::LBracket:
    return parseList();
  case TokenKind::LBrace:
    return parseBraces();
  default:
    return expected("an expression");
  }
}

Expr *Parser::parseNumber() {
  const Token t = token();
  StringRef text = spelling(t);
  ConstantKind kind = t.kind == TokenKind::Int     ? ConstantKind::Int
                      : t.kind == TokenKind::Float ? ConstantKind::Float
                                                   : ConstantKind::Imaginary;
  auto *value = make<ConstantExpr>(rangeOf(t), kind);
  value->text = context.intern(text);
  bool ok;
  if (kind == ConstantKind::Int) {
    llvm::SmallVector<uint64_t, 4> words;
    ok = parseInteger(text, words);
    value->intWords = copy(words);
  } else {
    ok = parseFloat(text, value->floatValue);
  }
  if (!ok) {
    return error(diag::SizeLimit, rangeOf(t),
                 "number has more than " + llvm::Twine(kMaxDecimalDigits) + " digits");
  }
  advance();
  return value;
}

//===----------------------------------------------------------------------===//
// Displays
//===----------------------------------------------------------------------===//

/// `()`, `(a)`, `(a, b)`, `(yield)`, `(a for ...)`
Expr *Parser::parseParens() {
  const Token open = token();
  advance();
  if (accept(TokenKind::RParen)) {
    Expr *empty = make<TupleExpr>(rangeFrom(open.begin), llvm::ArrayRef<Expr *>());
    empty->parenthesized = true;
    return empty;
  }
  Expr *first = at(TokenKind::KwYield) ? parseYield() : parseStarOrNamedExpr();
  if (!first) {
    return nullptr;
  }
  if (atComprehension() && first->kind != ExprKind::Yield) {
    llvm::SmallVector<Comprehension, 2> generators;
    if (!parseGenerators(generators) || !expectClose(TokenKind::RParen, open, "')'")) {
      return nullptr;
    }
    Expr *generator = make<ComprehensionExpr>(ExprKind::GeneratorExp, rangeFrom(open.begin), first,
                                              static_cast<Expr *>(nullptr), copy(generators));
    if (generator) {
      generator->parenthesized = true;
    }
    return generator;
  }
  if (!at(TokenKind::Comma)) {
    if (!expectClose(TokenKind::RParen, open, "',' or ')'")) {
      return nullptr;
    }
    if (first->kind == ExprKind::Starred) {
      return error(first->range, "starred expression cannot stand alone in parentheses");
    }
    first->parenthesized = true;
    return first;
  }
  ExprVector elements = {first};
  while (accept(TokenKind::Comma) && !at(TokenKind::RParen)) {
    Expr *element = parseStarOrNamedExpr();
    if (!element) {
      return nullptr;
    }
    elements.push_back(element);
  }
  if (!expectClose(TokenKind::RParen, open, "',' or ')'")) {
    return nullptr;
  }
  Expr *tuple = make<TupleExpr>(rangeFrom(open.begin), copy(elements));
  if (tuple) {
    tuple->parenthesized = true;
  }
  return tuple;
}

/// `[a, b]`, `[a for ...]`
Expr *Parser::parseList() {
  const Token open = token();
  advance();
  ExprVector elements;
  while (!at(TokenKind::RBracket)) {
    Expr *element = parseStarOrNamedExpr();
    if (!element) {
      return nullptr;
    }
    if (elements.empty() && atComprehension()) {
      llvm::SmallVector<Comprehension, 2> generators;
      if (!parseGenerators(generators) || !expectClose(TokenKind::RBracket, open, "']'")) {
        return nullptr;
      }
      return make<ComprehensionExpr>(ExprKind::ListComp, rangeFrom(open.begin), element,
                                     static_cast<Expr *>(nullptr), copy(generators));
    }
    elements.push_back(element);
    if (!accept(TokenKind::Comma)) {
      break;
    }
  }
  if (!expectClose(TokenKind::RBracket, open, "',' or ']'")) {
    return nullptr;
  }
  return make<ListExpr>(rangeFrom(open.begin), copy(elements));
}

/// `{}`, `{k: v}`, `{a, b}` and their comprehensions.
Expr *Parser::parseBraces() {
  const Token open = token();
  advance();
  ExprVector keys, values;
  bool isDict = at(TokenKind::RBrace) || at(TokenKind::DoubleStar);
  bool isFirst = true;
  while (!at(TokenKind::RBrace)) {
    Expr *key = nullptr, *value = nullptr;
    if (isDict && accept(TokenKind::DoubleStar)) {
      if (!(value = parseBinary(0))) {
        return nullptr;
      }
    } else {
      if (!(key = isDict ? parseExpr() : parseStarOrNamedExpr())) {
        return nullptr;
      }
      if (isFirst && key->kind != ExprKind::Starred) {
        isDict = at(TokenKind::Colon);
      }
      if (isDict && (!expect(TokenKind::Colon, "dict key") || !(value = parseExpr()))) {
        return nullptr;
      }
      if (isFirst && atComprehension()) {
        llvm::SmallVector<Comprehension, 2> generators;
        if (!parseGenerators(generators) || !expectClose(TokenKind::RBrace, open, "'}'")) {
          return nullptr;
        }
        return make<ComprehensionExpr>(isDict ? ExprKind::DictComp : ExprKind::SetComp,
                                       rangeFrom(open.begin), key, value, copy(generators));
      }
    }
    isFirst = false;
    keys.push_back(key);
    values.push_back(value);
    if (!accept(TokenKind::Comma)) {
      break;
    }
  }
  if (!expectClose(TokenKind::RBrace, open, "',' or '}'")) {
    return nullptr;
  }
  if (!isDict) {
    return make<SetExpr>(rangeFrom(open.begin), copy(keys));
  }
  return make<DictExpr>(rangeFrom(open.begin), copy(keys), copy(values));
}

/// `for target in iter if cond ...`, one or more.
bool Parser::parseGenerators(llvm::SmallVectorImpl<Comprehension> &generators) {
  while (atComprehension()) {
    uint32_t begin = token().begin;
    bool isAsync = accept(TokenKind::KwAsync);
    if (!expect(TokenKind::KwFor, "'async'")) {
      return false;
    }
    Expr *target = parseTargetList();
    if (!target || !expect(TokenKind::KwIn, "comprehension target")) {
      return false;
    }
    Expr *iter = parseOr();
    if (!iter) {
      return false;
    }
    ExprVector ifs;
    while (accept(TokenKind::KwIf)) {
      Expr *test = at(TokenKind::Name) && token(1).kind == TokenKind::ColonEqual ? parseNamedExpr()
                                                                                 : parseOr();
      if (!test) {
        return false;
      }
      ifs.push_back(test);
    }
    generators.push_back({rangeFrom(begin), target, iter, copy(ifs), isAsync});
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Calls and subscripts
//===----------------------------------------------------------------------===//

/// Arguments up to and including the `)`.
bool Parser::parseCallArgs(const Token &open, llvm::SmallVectorImpl<Expr *> &args,
                           llvm::SmallVectorImpl<Keyword> &keywords) {
  bool sawKeyword = false, sawDoubleStar = false;
  while (!at(TokenKind::RParen)) {
    uint32_t begin = token().begin;
    if (accept(TokenKind::DoubleStar)) {
      Expr *value = parseExpr();
      if (!value) {
        return false;
      }
      keywords.push_back({rangeFrom(begin), SourceRange(), StringRef(), value});
      sawDoubleStar = true;
    } else if (at(TokenKind::Name) && token(1).kind == TokenKind::Equal) {
      StringRef name = context.intern(spelling(token()));
      SourceRange nameRange = rangeOf(token());
      advance();
      advance();
      Expr *value = parseExpr();
      if (!value) {
        return false;
      }
      for (const Keyword &other : keywords) {
        // Calls with very many keywords are left to the walker.
        if (other.name == name && keywords.size() < 256) {
          error(diag::DuplicateArgument, nameRange, "argument '" + name + "' is given twice");
          return false;
        }
      }
      keywords.push_back({rangeFrom(begin), nameRange, name, value});
      sawKeyword = true;
    } else if (accept(TokenKind::Star)) {
      Expr *value = parseExpr();
      Expr *starred = value ? make<StarredExpr>(rangeFrom(begin), value) : nullptr;
      if (!starred) {
        return false;
      }
      if (sawDoubleStar) {
        error(starred->range, "'*' argument follows '**' argument");
        return false;
      }
      args.push_back(starred);
    } else {
      Expr *value = parseNamedExpr();
      if (!value) {
        return false;
      }
      if (atComprehension()) {
        llvm::SmallVector<Comprehension, 2> generators;
        if (!parseGenerators(generators)) {
          return false;
        }
        bool isSole =
            args.empty() && keywords.empty() &&
            (at(TokenKind::RParen) || (at(TokenKind::Comma) && token(1).kind == TokenKind::RParen));
        if (!isSole && (at(TokenKind::Comma) || at(TokenKind::RParen))) {
          error(rangeFrom(begin), "generator expression must be in parentheses");
          return false;
        }
        value = make<ComprehensionExpr>(ExprKind::GeneratorExp, rangeFrom(begin), value,
                                        static_cast<Expr *>(nullptr), copy(generators));
        if (!value) {
          return false;
        }
      } else if (at(TokenKind::Equal)) {
        diags
            .error(diag::Syntax, value->range,
                   "expected a name before '=' in a call, got " + describe(value->kind))
            .setHint("use '==' to compare");
        return false;
      } else if (sawKeyword || sawDoubleStar) {
        error(value->range, "positional argument follows keyword argument");
        return false;
      }
      args.push_back(value);
    }
    if (!accept(TokenKind::Comma)) {
      break;
    }
  }
  return expectClose(TokenKind::RParen, open, "',' or ')'");
}

/// The index up to and including the `]`.
Expr *Parser::parseSubscriptIndex(const Token &open) {
  uint32_t begin = token().begin;
  if (at(TokenKind::RBracket)) {
    return expected("an index");
  }
  ExprVector elements;
  bool isTuple = at(TokenKind::Star);
  while (true) {
    Expr *element = at(TokenKind::Star) ? parseStarOrExpr() : parseSliceOrExpr();
    if (!element) {
      return nullptr;
    }
    elements.push_back(element);
    if (!accept(TokenKind::Comma)) {
      break;
    }
    isTuple = true;
    if (at(TokenKind::RBracket)) {
      break;
    }
  }
  Expr *subscript = isTuple ? make<TupleExpr>(rangeFrom(begin), copy(elements)) : elements[0];
  if (!subscript || !expectClose(TokenKind::RBracket, open, "',' or ']'")) {
    return nullptr;
  }
  return subscript;
}

Expr *Parser::parseSliceOrExpr() {
  uint32_t begin = token().begin;
  Expr *parts[3] = {};
  if (!at(TokenKind::Colon) && !(parts[0] = parseNamedExpr())) {
    return nullptr;
  }
  if (!at(TokenKind::Colon)) {
    return parts[0];
  }
  for (unsigned i = 1; i != 3 && accept(TokenKind::Colon); ++i) {
    if (!at(TokenKind::Colon) && !at(TokenKind::Comma) && !at(TokenKind::RBracket) &&
        !(parts[i] = parseExpr())) {
      return nullptr;
    }
  }
  return make<SliceExpr>(rangeFrom(begin), parts[0], parts[1], parts[2]);
}
