//===- Parser.cpp - Tokens, statement lists and recovery -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace tegula::frontend;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

const Token &Parser::token(size_t ahead) {
  while (tokens.size() <= index + ahead) {
    if (!tokens.empty() && tokens.back().kind == TokenKind::EndOfFile) {
      return tokens.back();
    }
    tokens.push_back(lexer.next());
  }
  return tokens[index + ahead];
}

void Parser::advance() {
  const Token &t = token();
  switch (t.kind) {
  case TokenKind::EndOfFile:
    return;
  case TokenKind::Indent:
    ++blockLevel;
    break;
  case TokenKind::Dedent:
    --blockLevel;
    break;
  case TokenKind::Newline:
    break;
  default:
    previousEnd = t.end;
  }
  ++index;
}

bool Parser::accept(TokenKind kind) {
  if (!at(kind)) {
    return false;
  }
  advance();
  return true;
}

bool Parser::expect(TokenKind kind, const llvm::Twine &after) {
  if (accept(kind)) {
    return true;
  }
  expected(describe(kind) + " after " + after);
  return false;
}

/// The same of the `if` or `for` of a block, whose line ends with a colon.
bool Parser::looksLikeBlock(const Token &t) const {
  return looksLikeStatement(t) &&
         file.getLineText(file.getLineIndex(t.begin)).rtrim(" \t\f").ends_with(":");
}

/// Whether a token within brackets opens a line that is not indented deeper than the
/// statement: then it rather is the next statement.
bool Parser::looksLikeStatement(const Token &t) const {
  switch (t.kind) {
  case TokenKind::EndOfFile:
  case TokenKind::Newline:
  case TokenKind::RParen:
  case TokenKind::RBracket:
  case TokenKind::RBrace:
    return false;
  default:
    break;
  }
  uint32_t line = file.getLineIndex(t.begin);
  uint32_t stmtLine = file.getLineIndex(lineBegin);
  uint32_t lineStart = file.getLineStart(line);
  return line > stmtLine && t.begin - lineStart <= lineBegin - file.getLineStart(stmtLine) &&
         file.getText().slice(lineStart, t.begin).ltrim(" \t\f").empty();
}

bool Parser::expectClose(TokenKind kind, const Token &open, StringRef what) {
  if (accept(kind)) {
    return true;
  }
  const Token &got = token();
  if (got.kind == TokenKind::Error) {
    return false;
  }
  if (looksLikeStatement(got)) {
    // The closing bracket was forgotten.
    error(diag::UnclosedBracket, rangeOf(open),
          "'" + llvm::Twine(spelling(open)) + "' was never closed");
    restartHere = true;
    return false;
  }
  expected(what);
  return false;
}

bool Parser::expectName(StringRef &name, SourceRange &range, const llvm::Twine &what) {
  if (!at(TokenKind::Name)) {
    expected(what);
    return false;
  }
  name = context.intern(spelling(token()));
  range = rangeOf(token());
  advance();
  return true;
}

Diagnostic *Parser::errorAt(SourceRange range, const llvm::Twine &message) {
  if (at(TokenKind::Error)) {
    return nullptr;
  }
  return &diags.error(diag::Syntax, range, message);
}

std::nullptr_t Parser::error(DiagID id, SourceRange range, const llvm::Twine &message) {
  // The place was chosen by the caller and need not be the current token, so it is
  // reported even in front of text that the lexer refused.
  diags.error(id, range, message);
  return nullptr;
}

std::nullptr_t Parser::expected(const llvm::Twine &what) {
  const Token &got = token();
  // A line that ends too early is shown at its end, not at what follows.
  SourceRange range = rangeOf(got);
  if (got.kind == TokenKind::Newline || got.kind == TokenKind::EndOfFile) {
    range.end = range.begin;
  }
  if (Diagnostic *diag = errorAt(range, "expected " + what + ", got " + describe(got, file))) {
    if (got.kind == TokenKind::Indent || got.kind == TokenKind::Dedent) {
      diag->id = diag::Indentation.name.str();
    }
    TokenKind before = index > 0 ? tokens[index - 1].kind : TokenKind::EndOfFile;
    TokenKind first = index > 1 ? tokens[index - 2].kind : TokenKind::EndOfFile;
    if (got.kind == TokenKind::ColonEqual) {
      diag->setHint("put the assignment expression in parentheses");
    } else if (got.kind == TokenKind::Equal && index > 0 && before != TokenKind::Equal) {
      diag->setHint("use '==' to compare");
    } else if (got.kind == TokenKind::Amper && before == TokenKind::Amper) {
      diag->setHint("write 'and'");
    } else if (got.kind == TokenKind::Pipe && before == TokenKind::Pipe) {
      diag->setHint("write 'or'");
    } else if (got.kind == TokenKind::Greater && before == TokenKind::Less) {
      diag->setHint("write '!='");
    } else if (got.kind == TokenKind::KwIf && before == TokenKind::KwElse) {
      diag->setHint("write 'elif'");
    } else if (got.kind == TokenKind::Newline && before == first &&
               (before == TokenKind::Plus || before == TokenKind::Minus)) {
      diag->setHint(before == TokenKind::Plus ? "write '+= 1'" : "write '-= 1'");
    }
  }
  return nullptr;
}

bool Parser::Nesting::check() {
  if (parser.nesting <= kMaxNesting) {
    return true;
  }
  parser.error(diag::NestingLimit, parser.rangeOf(parser.token()),
               "code is nested too deeply: more than " + llvm::Twine(kMaxNesting) + " levels");
  return false;
}

//===----------------------------------------------------------------------===//
// Statement lists
//===----------------------------------------------------------------------===//

Body Parser::parseFile() {
  if (diags.getNumErrors() != errorsBefore) {
    return {}; // too large, or not text: nothing in it is to be trusted
  }
  StmtVector stmts;
  parseStatements(stmts);
  return copy(stmts);
}

/// So many errors help nobody.
static constexpr unsigned kMaxErrors = 20;
/// So many statements with errors and none without in between: this is no Python.
static constexpr unsigned kMaxFailures = 5;

/// A word or two of prose can be an expression; calls and texts are statements.
static bool isSane(const Stmt *stmt) {
  const auto *alone = llvm::dyn_cast<ExprStmt>(stmt);
  return !alone || llvm::isa<CallExpr, ConstantExpr>(alone->value);
}

/// Whether the rest of the file is left unread.
bool Parser::givesUp() {
  if (gaveUp) {
    return true;
  }
  if (failuresInSuccession >= kMaxFailures) {
    gaveUp = true;
    diags.addNote(SourceRange(), llvm::Twine(kMaxFailures) +
                                     " statements in a row have errors, so the rest of the file "
                                     "is not read; is it Python?");
  } else if (diags.getNumErrors() - errorsBefore >= kMaxErrors) {
    gaveUp = true;
    diags.addNote(SourceRange(),
                  "after " + llvm::Twine(kMaxErrors) + " errors the rest of the file is not read");
  }
  return gaveUp || diags.reachedErrorLimit();
}

/// Parses up to the end of the block or file.
void Parser::parseStatements(StmtVector &stmts) {
  const unsigned level = blockLevel;
  while (!at(TokenKind::EndOfFile) && !at(TokenKind::Dedent) && !givesUp()) {
    size_t start = index;
    lineBegin = token().begin;
    unsigned errors = diags.getNumErrors();
    if (!parseStatement(stmts)) {
      failuresInSuccession += diags.getNumErrors() != errors ? 1 : 0;
      recover(start, level);
    } else if (isSane(stmts.back())) {
      failuresInSuccession = 0;
    }
  }
  if (gaveUp || diags.reachedErrorLimit()) {
    // Nobody reads further.
    tokens.resize(index);
    tokens.push_back({TokenKind::EndOfFile, previousEnd, previousEnd, false, false});
  }
}

/// Skips the rest of a statement that began at token `start` in a block of the given
/// level: its line, the block below it, and the clauses that continue it.
void Parser::recover(size_t start, unsigned level) {
  // Tokens looked at in advance may only be dropped if the lexer keeps no account
  // of them: the line structure.
  bool mayRestart = std::none_of(
      tokens.begin() + static_cast<ptrdiff_t>(index), tokens.end(), [](const Token &t) {
        return t.kind == TokenKind::Newline || t.kind == TokenKind::Indent ||
               t.kind == TokenKind::Dedent;
      });
  if ((restartHere || lexer.isInFString()) && mayRestart) {
    // What the lexer thinks of brackets and quotes is wrong from here on.
    uint32_t restart = restartHere ? file.getLineStart(file.getLineIndex(token().begin))
                                   : lexer.getRestart(token().begin);
    tokens.resize(index);
    lexer.restartAt(restart);
  }
  restartHere = false;
  // A bracket that the error left open is no news.
  lexer.startRecovery(token().begin);
  skipStatement(start, level);
  lexer.endRecovery();
}

void Parser::skipStatement(size_t start, unsigned level) {
  bool lineEnded = index > start && tokens[index - 1].kind == TokenKind::Newline;
  while (!at(TokenKind::EndOfFile)) {
    if (!lineEnded && lexer.isInBracket() && looksLikeStatement(token())) {
      uint32_t restart = file.getLineStart(file.getLineIndex(token().begin));
      tokens.resize(index);
      lexer.restartAt(restart);
    }
    if (blockLevel <= level) {
      if (at(TokenKind::Dedent)) {
        return;
      }
      bool continues = at(TokenKind::Indent) || at(TokenKind::KwElse) || at(TokenKind::KwElif) ||
                       at(TokenKind::KwExcept) || at(TokenKind::KwFinally);
      if (lineEnded && !continues) {
        return;
      }
    }
    lineEnded = at(TokenKind::Newline) || at(TokenKind::Dedent);
    advance();
  }
}

bool Parser::parseBlock(StringRef after, const Token &opener, Body &body) {
  // The token list may grow, so the reference must not be used after this.
  const Token first = opener;
  if (!expect(TokenKind::Colon, after)) {
    return false;
  }
  StmtVector stmts;
  if (!accept(TokenKind::Newline)) {
    if (!parseSimpleLine(stmts)) {
      return false;
    }
    body = copy(stmts);
    return true;
  }
  if (!at(TokenKind::Indent)) {
    if (Diagnostic *diag = errorAt(rangeOf(token()),
                                   "expected an indented block, got " + describe(token(), file))) {
      diag->id = diag::Indentation.name.str();
      diag->addNote(rangeOf(first), "block belongs to this statement");
    }
    return false;
  }
  Nesting guard(*this);
  if (!guard.check()) {
    return false;
  }
  ++stmtHeight;
  uint32_t outerLine = lineBegin;
  advance();
  parseStatements(stmts);
  accept(TokenKind::Dedent);
  lineBegin = outerLine;
  --stmtHeight;
  body = copy(stmts);
  return true;
}

/// `a; b; c` up to the end of the line.
bool Parser::parseSimpleLine(StmtVector &stmts) {
  while (true) {
    Stmt *stmt = parseSimple();
    if (!stmt) {
      return false;
    }
    stmts.push_back(stmt);
    bool more = accept(TokenKind::Semicolon);
    if (accept(TokenKind::Newline)) {
      return true;
    }
    if (more) {
      continue;
    }
    if (Diagnostic *diag = errorAt(rangeOf(token()),
                                   "expected end of statement, got " + describe(token(), file))) {
      const auto *value = llvm::dyn_cast<ExprStmt>(stmt);
      const auto *name = value ? llvm::dyn_cast<NameExpr>(value->value) : nullptr;
      if (name && name->name == "print") {
        diag->setHint("print is a function: print(...)");
      } else if (at(TokenKind::Equal)) {
        diag->setHint("use '==' to compare");
      } else if (at(TokenKind::ColonEqual)) {
        diag->setHint("use '=' to assign in a statement");
      }
    }
    return false;
  }
}

bool Parser::parseStatement(StmtVector &stmts) {
  Stmt *stmt = nullptr;
  switch (token().kind) {
  case TokenKind::Indent:
    diags.error(diag::Indentation, rangeOf(token(1)), "unexpected indent");
    return false;
  case TokenKind::KwIf:
    stmt = parseIf();
    break;
  case TokenKind::KwFor:
    stmt = parseFor(token().begin, /*isAsync=*/false);
    break;
  case TokenKind::KwWhile:
    stmt = parseWhile();
    break;
  case TokenKind::KwDef:
    stmt = parseFunction({});
    break;
  case TokenKind::KwClass:
    stmt = parseClass({});
    break;
  case TokenKind::KwWith:
    stmt = parseWith(token().begin, /*isAsync=*/false);
    break;
  case TokenKind::KwTry:
    stmt = parseTry();
    break;
  case TokenKind::KwAsync:
    stmt = parseAsync();
    break;
  case TokenKind::At:
    stmt = parseDecorated();
    break;
  case TokenKind::KwElif:
  case TokenKind::KwElse:
  case TokenKind::KwExcept:
  case TokenKind::KwFinally:
    error(rangeOf(token()),
          "unexpected " + describe(token(), file) + ": no statement here that it continues");
    return false;
  default:
    if (!startsMatch()) {
      return parseSimpleLine(stmts);
    }
    stmt = parseMatch();
  }
  if (!stmt) {
    return false;
  }
  stmts.push_back(stmt);
  return true;
}

/// Whether a line that begins with the name `match` is a match statement and not
/// an expression: it ends in a colon and `case` follows in a block.
bool Parser::startsMatch() {
  if (!atName("match")) {
    return false;
  }
  switch (token(1).kind) {
  case TokenKind::Newline:
  case TokenKind::Equal:
  case TokenKind::Dot:
  case TokenKind::Comma:
  case TokenKind::Colon:
    return false;
  default:
    break;
  }
  size_t ahead = 1;
  while (token(ahead).kind != TokenKind::Newline) {
    if (token(ahead).kind == TokenKind::EndOfFile || token(ahead).kind == TokenKind::Error) {
      return false;
    }
    ++ahead;
  }
  if (token(ahead - 1).kind != TokenKind::Colon || token(ahead + 1).kind != TokenKind::Indent) {
    return false;
  }
  const Token &word = token(ahead + 2);
  return word.kind == TokenKind::Name && spelling(word) == "case";
}

/// `type` is a keyword only where a name follows.
bool Parser::startsTypeAlias() { return atName("type") && token(1).kind == TokenKind::Name; }

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

Module *tegula::frontend::parseModule(const SourceFile &file, ASTContext &context,
                                      DiagnosticEngine &diags) {
  Parser parser(file, context, diags, /*isFunctionSource=*/false);
  return context.create<Module>(&file, parser.parseFile());
}

FunctionDefStmt *tegula::frontend::parseFunctionSource(const SourceFile &file, ASTContext &context,
                                                       DiagnosticEngine &diags) {
  unsigned errorsBefore = diags.getNumErrors();
  Parser parser(file, context, diags, /*isFunctionSource=*/true);
  Body body = parser.parseFile();
  if (diags.getNumErrors() != errorsBefore) {
    return nullptr;
  }
  if (body.empty()) {
    diags.error(diag::Syntax, SourceRange(&file, 0, 0),
                "expected a function definition, got nothing");
    return nullptr;
  }
  auto *function = llvm::dyn_cast<FunctionDefStmt>(body.front());
  if (!function) {
    diags.error(diag::Syntax, body.front()->range,
                "expected a function definition, got " + describe(body.front()->kind));
    return nullptr;
  }
  if (body.size() > 1) {
    diags.error(diag::Syntax, body[1]->range,
                "expected nothing after the function definition, got " + describe(body[1]->kind));
    return nullptr;
  }
  return function;
}
