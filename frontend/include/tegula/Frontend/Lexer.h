//===- Lexer.h - Tokens of the kernel language -------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits a text into Python's tokens on demand, Indent and Dedent included. An
// f-string arrives as FStringStart, FStringMiddle and the tokens of its fields,
// FStringEnd. Text that is no token is reported once and arrives as Error.
//
// Names are compared as written: unlike in Python, different spellings of one
// letter (U+00B5 and U+03BC, full-width letters) are different names.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_FRONTEND_LEXER_H
#define TEGULA_FRONTEND_LEXER_H

#include "tegula/Frontend/Diagnostics.h"
#include "tegula/Frontend/SourceFile.h"

#include "llvm/ADT/SmallVector.h"

namespace tegula::frontend {

enum class TokenKind : uint8_t {
  // Structure
  EndOfFile,
  Error,
  Newline,
  Indent,
  Dedent,
  // Names and literals
  Name,
  Int,
  Float,
  Imaginary,
  String,
  FStringStart,
  FStringMiddle,
  FStringEnd,
  // Punctuation
  LParen,
  RParen,
  LBracket,
  RBracket,
  LBrace,
  RBrace,
  Comma,
  Colon,
  Semicolon,
  Dot,
  Ellipsis,
  Arrow,
  ColonEqual,
  Equal,
  At,
  Exclamation,
  Plus,
  Minus,
  Star,
  Slash,
  DoubleSlash,
  Percent,
  DoubleStar,
  LeftShift,
  RightShift,
  Amper,
  Pipe,
  Caret,
  Tilde,
  Less,
  Greater,
  LessEqual,
  GreaterEqual,
  EqualEqual,
  NotEqual,
  PlusEqual,
  MinusEqual,
  StarEqual,
  SlashEqual,
  DoubleSlashEqual,
  PercentEqual,
  AtEqual,
  AmperEqual,
  PipeEqual,
  CaretEqual,
  LeftShiftEqual,
  RightShiftEqual,
  DoubleStarEqual,
  // Keywords (soft ones are Names)
  KwFalse,
  KwNone,
  KwTrue,
  KwAnd,
  KwAs,
  KwAssert,
  KwAsync,
  KwAwait,
  KwBreak,
  KwClass,
  KwContinue,
  KwDef,
  KwDel,
  KwElif,
  KwElse,
  KwExcept,
  KwFinally,
  KwFor,
  KwFrom,
  KwGlobal,
  KwIf,
  KwImport,
  KwIn,
  KwIs,
  KwLambda,
  KwNonlocal,
  KwNot,
  KwOr,
  KwPass,
  KwRaise,
  KwReturn,
  KwTry,
  KwWhile,
  KwWith,
  KwYield,
};

/// Name of a kind for messages: "newline", "'+'", "keyword 'if'", ...
std::string describe(TokenKind kind);

/// Whether the kind is a hard keyword.
bool isKeyword(TokenKind kind);

/// Bytes `[begin, end)` of the file. A String or FStringStart includes prefix and
/// quotes; Newline, Indent, Dedent and EndOfFile may be empty.
struct Token {
  TokenKind kind = TokenKind::EndOfFile;
  uint32_t begin = 0;
  uint32_t end = 0;
  /// FStringMiddle: escapes are not to be decoded.
  bool isRaw = false;
  /// FStringMiddle: part of a format spec, in which braces are not doubled.
  bool inFormatSpec = false;
};

/// A token with its text for messages: "name 'x'", "integer '1'", "newline".
std::string describe(const Token &token, const SourceFile &file);

/// Meaning of the characters before the quotes of a string.
struct StringPrefix {
  bool isRaw = false;
  bool isBytes = false;
  bool isFormat = false;
  unsigned length = 0;      // of the prefix
  unsigned quoteLength = 1; // 1 or 3
};
/// Reads the prefix of a String or FStringStart token's text.
StringPrefix getStringPrefix(llvm::StringRef text);

/// The tokens of one file, in order. `file` and `diags` must outlive the lexer.
class Lexer {
public:
  /// `allowIndentedStart`: the indentation of the first statement counts as none
  /// (the text of a nested function).
  Lexer(const SourceFile &file, DiagnosticEngine &diags, bool allowIndentedStart = false);

  /// The next token; EndOfFile again and again at the end.
  Token next();

  /// Whether an f-string is being read.
  bool isInFString() const { return !fstrings.empty(); }
  bool isInBracket() const { return !brackets.empty(); }
  /// While the parser skips the rest of a statement: brackets that stay open are
  /// not reported, only given up, and the line that the error is in (at `offset`)
  /// has had its message.
  void startRecovery(uint32_t offset);
  void endRecovery() { recovering = false; }
  /// Where to go on after an error: the end of the outermost f-string that is
  /// being read (as far as that can be told), else `offset` itself.
  uint32_t getRestart(uint32_t offset) const;
  /// Forgets open brackets and f-strings and goes on at `offset`, the start or the
  /// end of a line, with a Newline. The caller drops tokens that lie behind it.
  void restartAt(uint32_t offset);

private:
  struct Bracket {
    char open;
    uint32_t offset;
    bool isField; // the `{` of an f-string field
  };
  struct FString {
    uint32_t begin;       // of the whole token
    uint32_t bracketBase; // open brackets outside the string
    unsigned quoteLength;
    char quote;
    bool isRaw;
    /// Open fields: whether each is read as format spec, not as expression.
    llvm::SmallVector<bool, 2> fieldInSpec;
  };

  char peek(uint32_t ahead = 0) const {
    return pos + ahead < text.size() ? text[pos + ahead] : '\0';
  }
  bool atEnd() const { return pos >= text.size(); }
  SourceRange range(uint32_t begin, uint32_t end) const { return {&file, begin, end}; }
  Token make(TokenKind kind, uint32_t begin) const { return {kind, begin, pos, false, false}; }
  Token fail(uint32_t begin, uint32_t end, const llvm::Twine &message, DiagID id = diag::Syntax,
             llvm::StringRef hint = "");

  uint32_t newlineLength(uint32_t offset) const;
  uint32_t lineEnd(uint32_t offset) const;
  bool startsStatementKeyword(uint32_t offset) const;
  void checkEncoding();

  Token lex();
  bool lexLineStart(Token &result);
  bool indent(uint32_t column, uint32_t altColumn, Token &result);
  Token lexEndOfFile();
  Token lexContinuation();
  Token lexName();
  Token lexNumber();
  bool lexDigits(bool (*isDigit)(char));
  Token finishNumber(TokenKind kind, uint32_t begin, llvm::StringRef what);
  Token lexString(uint32_t begin);
  Token lexFStringMiddle();
  Token failString(uint32_t begin, uint32_t end, const llvm::Twine &message,
                   DiagID id = diag::InvalidLiteral);
  Token lexOperator();
  Token lexOpen(TokenKind kind, bool isField = false);
  Token lexClose(TokenKind kind);
  Token lexUnknown();
  Token reportUnclosed();
  bool inFStringText() const {
    return !fstrings.empty() &&
           (fstrings.back().fieldInSpec.empty() || fstrings.back().fieldInSpec.back());
  }
  /// Whether the innermost open bracket is that of an f-string field.
  bool atFieldLevel() const { return !brackets.empty() && brackets.back().isField; }

  const SourceFile &file;
  DiagnosticEngine &diags;
  llvm::StringRef text;
  uint32_t pos = 0;
  bool allowIndentedStart;
  bool atLineStart = true;
  bool lineHasTokens = false; // a Newline is due before the end of file
  bool pendingNewline = false;
  bool recovering = false;
  uint32_t quietLine = 0; // index of the line that startRecovery tells of
  bool tooManyIndents = false;
  unsigned pendingDedents = 0;
  /// Columns of open blocks, with tabs to 8 and with tabs as 1.
  struct Indentation {
    uint32_t column, altColumn;
  };
  llvm::SmallVector<Indentation, 8> indents;
  llvm::SmallVector<Bracket, 16> brackets;
  llvm::SmallVector<FString, 2> fstrings;
};

} // namespace tegula::frontend

#endif // TEGULA_FRONTEND_LEXER_H
