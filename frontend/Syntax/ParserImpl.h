//===- ParserImpl.h - The recursive-descent parser ---------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One method per rule of the grammar. A method that fails has reported the error
// and returns null or false; its caller returns at once, up to the statement list,
// which skips to the next statement.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_FRONTEND_SYNTAX_PARSERIMPL_H
#define TEGULA_FRONTEND_SYNTAX_PARSERIMPL_H

#include "tegula/Frontend/Lexer.h"
#include "tegula/Frontend/Parser.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <vector>

namespace tegula::frontend {

class Parser {
public:
  Parser(const SourceFile &file, ASTContext &context, DiagnosticEngine &diags,
         bool isFunctionSource)
      : file(file), context(context), diags(diags), errorsBefore(diags.getNumErrors()),
        lexer(file, diags, isFunctionSource) {}

  /// Parses up to the end of the file.
  Body parseFile();

private:
  using ExprVector = llvm::SmallVector<Expr *, 8>;
  using StmtVector = llvm::SmallVector<Stmt *, 8>;

  //===--------------------------------------------------------------------===//
  // Tokens (Parser.cpp)
  //===--------------------------------------------------------------------===//

  const Token &token(size_t ahead = 0);
  bool at(TokenKind kind) { return token().kind == kind; }
  bool atName(llvm::StringRef name) { return at(TokenKind::Name) && spelling(token()) == name; }
  void advance();
  bool accept(TokenKind kind);
  /// Takes a token of the kind or reports "expected X after Y, got Z".
  bool expect(TokenKind kind, const llvm::Twine &after);
  /// Takes the bracket that closes `open`.
  bool expectClose(TokenKind kind, const Token &open, llvm::StringRef expected);
  bool expectName(llvm::StringRef &name, SourceRange &range, const llvm::Twine &expected);

  llvm::StringRef spelling(const Token &t) const { return file.getText().slice(t.begin, t.end); }
  SourceRange rangeOf(const Token &t) const { return {&file, t.begin, t.end}; }
  /// From `begin` to the end of the last token taken.
  SourceRange rangeFrom(uint32_t begin) const { return {&file, begin, previousEnd}; }

  /// Reports at the current token, unless the lexer has done so. The message is
  /// "expected X, got <token>".
  std::nullptr_t expected(const llvm::Twine &what);
  std::nullptr_t error(SourceRange range, const llvm::Twine &message) {
    return error(diag::Syntax, range, message);
  }
  std::nullptr_t error(DiagID id, SourceRange range, const llvm::Twine &message);
  /// The same, and gives the diagnostic (null if the lexer reported the token).
  Diagnostic *errorAt(SourceRange range, const llvm::Twine &message);

  //===--------------------------------------------------------------------===//
  // Nodes
  //===--------------------------------------------------------------------===//

  static unsigned heightOf(const Expr *e) { return e ? e->height : 0; }
  template <typename T> static unsigned heightOf(llvm::ArrayRef<T> values) {
    unsigned height = 0;
    for (const T &value : values) {
      height = std::max(height, heightOf(value));
    }
    return height;
  }
  static unsigned heightOf(const Keyword &keyword) { return heightOf(keyword.value); }
  static unsigned heightOf(const Param &param) {
    return std::max(heightOf(param.annotation), heightOf(param.defaultValue));
  }
  static unsigned heightOf(const Comprehension &comp) {
    return std::max({heightOf(comp.target), heightOf(comp.iter), heightOf(comp.ifs)});
  }
  /// Operators, ranges, names: no part of the tree.
  template <typename T>
    requires(!std::is_convertible_v<T, const Expr *>)
  static unsigned heightOf(const T &) {
    return 0;
  }

  /// Makes an expression, or null with an error if the tree gets too high.
  template <typename T, typename... Args> T *make(Args... args) {
    unsigned height = 1 + std::max({0u, heightOf(args)...});
    T *node = context.create<T>(args...);
    node->height = static_cast<uint16_t>(std::min(height, 65535u));
    if (height > kMaxChain) {
      error(diag::NestingLimit, node->range,
            "expression is too complex: more than " + llvm::Twine(kMaxChain) +
                " operations in one chain");
      return nullptr;
    }
    return node;
  }
  template <typename Vector> auto copy(const Vector &values) {
    return context.copyArray(llvm::ArrayRef<typename Vector::value_type>(values));
  }

  /// Counts one level of nesting while it lives.
  class Nesting {
  public:
    explicit Nesting(Parser &parser) : parser(parser) { ++parser.nesting; }
    ~Nesting() { --parser.nesting; }
    Nesting(const Nesting &) = delete;
    /// Reports if there are too many.
    bool check();

  private:
    Parser &parser;
  };

  //===--------------------------------------------------------------------===//
  // Statement lists and recovery (Parser.cpp)
  //===--------------------------------------------------------------------===//

  void parseStatements(StmtVector &stmts);
  bool givesUp();
  void recover(size_t start, unsigned level);
  void skipStatement(size_t start, unsigned level);
  bool looksLikeStatement(const Token &t) const;
  bool looksLikeBlock(const Token &t) const;
  /// `: block`. `after` completes "expected ':' after ..."; `opener` is the first
  /// token of the statement.
  bool parseBlock(llvm::StringRef after, const Token &opener, Body &body);
  bool parseSimpleLine(StmtVector &stmts);
  bool parseStatement(StmtVector &stmts);
  bool startsMatch();
  bool startsTypeAlias();

  //===--------------------------------------------------------------------===//
  // Simple statements (ParseSimple.cpp)
  //===--------------------------------------------------------------------===//

  Stmt *parseSimple();
  Stmt *parseExpressionStatement();
  Stmt *parseImport();
  Stmt *parseImportFrom();
  bool parseDottedName(llvm::StringRef &name, llvm::StringRef after);
  Stmt *parseScope(StmtKind kind);
  Stmt *parseDelete();
  Stmt *parseRaise();
  Stmt *parseAssert();
  Stmt *parseTypeAlias();
  bool checkTarget(Expr *target, llvm::StringRef verb = "assign to", bool allowStar = false);
  bool checkSingleTarget(Expr *target, llvm::StringRef what);

  //===--------------------------------------------------------------------===//
  // Compound statements (ParseCompound.cpp)
  //===--------------------------------------------------------------------===//

  Stmt *parseDecorated();
  Stmt *parseFunction(llvm::ArrayRef<Expr *> decorators);
  Stmt *parseClass(llvm::ArrayRef<Expr *> decorators);
  Stmt *parseAsync();
  Stmt *parseIf();
  Stmt *parseWhile();
  Stmt *parseFor(uint32_t begin, bool isAsync);
  Stmt *parseTry();
  bool parseHandler(ExceptHandler &handler);
  Stmt *parseWith(uint32_t begin, bool isAsync);
  bool parseWithItem(llvm::SmallVectorImpl<WithItem> &items);
  bool hasParenthesizedItems();
  bool parseElse(Body &orelse);
  bool skipTypeParams();
  bool parseParams(TokenKind close, bool allowAnnotations, llvm::SmallVectorImpl<Param> &params);

  //===--------------------------------------------------------------------===//
  // Match statements (ParsePatterns.cpp)
  //===--------------------------------------------------------------------===//

  Stmt *parseMatch();
  bool parseCase(MatchCase &matchCase);
  Expr *parsePatterns();
  Expr *parsePattern();
  Expr *parseClosedPattern();
  Expr *parseSequencePattern(TokenKind close);
  Expr *parseMappingPattern();
  Expr *parseNamePattern();
  NameExpr *parseCaptureName(llvm::StringRef after);

  //===--------------------------------------------------------------------===//
  // Expressions (ParseExpressions.cpp)
  //===--------------------------------------------------------------------===//

  Expr *parseExpr();
  Expr *parseNamedExpr();
  Expr *parseStarOrNamedExpr();
  Expr *parseStarOrExpr();
  /// One expression, or a tuple without parentheses.
  Expr *parseExprList();
  Expr *parseYieldOrExprList();
  Expr *parseTargetList();
  Expr *parseYield();
  Expr *parseLambda();
  Expr *parseOr();
  Expr *parseAnd();
  Expr *parseNot();
  Expr *parseComparison();
  bool acceptCompareOp(CompareOp &op);
  Expr *parseBinary(unsigned minPrecedence);
  Expr *parseUnary();
  Expr *parsePower();
  Expr *parsePrimary();
  bool startsExpr();

  //===--------------------------------------------------------------------===//
  // Atoms (ParseAtoms.cpp)
  //===--------------------------------------------------------------------===//

  Expr *parseAtom();
  Expr *parseNumber();
  Expr *parseParens();
  Expr *parseList();
  Expr *parseBraces();
  bool parseCallArgs(const Token &open, llvm::SmallVectorImpl<Expr *> &args,
                     llvm::SmallVectorImpl<Keyword> &keywords);
  Expr *parseSubscriptIndex(const Token &open);
  Expr *parseSliceOrExpr();
  bool atComprehension() {
    return (at(TokenKind::KwFor) || at(TokenKind::KwAsync)) && !looksLikeBlock(token());
  }
  bool parseGenerators(llvm::SmallVectorImpl<Comprehension> &generators);

  //===--------------------------------------------------------------------===//
  // Strings (ParseStrings.cpp)
  //===--------------------------------------------------------------------===//

  struct Pieces;
  Expr *parseStrings();
  bool parseString(Pieces &pieces);
  bool parseFString(Pieces &pieces);
  bool parseField(Pieces &pieces);
  bool decodeMiddle(Pieces &pieces);
  bool decode(uint32_t offset, llvm::StringRef text, unsigned kind, bool isRaw, std::string &out);
  JoinedStrExpr *parseFormatSpec();

  const SourceFile &file;
  ASTContext &context;
  DiagnosticEngine &diags;
  unsigned errorsBefore; // of the engine, before this file
  Lexer lexer;
  unsigned failuresInSuccession = 0; // statements with errors since a sane one
  bool gaveUp = false;
  std::vector<Token> tokens;
  size_t index = 0;
  uint32_t previousEnd = 0;
  unsigned blockLevel = 0;  // Indents taken less Dedents taken
  unsigned nesting = 0;     // of Nesting objects: recursion of the parser
  unsigned stmtHeight = 0;  // blocks and elif links around: recursion of walkers
  uint32_t lineBegin = 0;   // of the statement being parsed: its first token
  bool restartHere = false; // recovery goes on at the current token, a new line
};

} // namespace tegula::frontend

#endif // TEGULA_FRONTEND_SYNTAX_PARSERIMPL_H
