//===- Lexer.cpp - Lines, names and operators ------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Line structure, names and operators. Numbers and strings are in LexLiterals.cpp.
//
//===----------------------------------------------------------------------===//

#include "tegula/Frontend/Lexer.h"

#include "Characters.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tegula::frontend;
using llvm::StringRef;

/// As many as Python allows.
static constexpr unsigned kMaxIndents = 100;

Lexer::Lexer(const SourceFile &file, DiagnosticEngine &diags, bool allowIndentedStart)
    : file(file), diags(diags), text(file.getText()), allowIndentedStart(allowIndentedStart) {
  if (file.isTruncated()) {
    diags.error(diag::SizeLimit, SourceRange(&file, 0, 0), "the file is larger than 64 MiB");
  }
  checkEncoding();
  if (text.starts_with("\xEF\xBB\xBF")) {
    pos = 3;
  }
}

/// Reports the first byte that is not UTF-8, wherever it stands: an editor that
/// saves another encoding gets every such character wrong, comments included.
void Lexer::checkEncoding() {
  for (uint32_t i = 0; i < text.size();) {
    if (isAscii(text[i])) {
      ++i;
      continue;
    }
    uint32_t codePoint;
    unsigned length = decodeUTF8(text.substr(i), codePoint);
    if (length == 0) {
      diags
          .error(diag::Encoding, range(i, i + 1),
                 "invalid UTF-8 byte 0x" +
                     llvm::utohexstr(static_cast<unsigned char>(text[i]), /*LowerCase=*/true))
          .setHint("save the file as UTF-8");
      return;
    }
    i += length;
  }
}

Token Lexer::fail(uint32_t begin, uint32_t end, const llvm::Twine &message, DiagID id,
                  StringRef hint) {
  if (!recovering || file.getLineIndex(begin) != quietLine) {
    diags.error(id, range(begin, end), message).setHint(hint);
  }
  return {TokenKind::Error, begin, end, false, false};
}

void Lexer::startRecovery(uint32_t offset) {
  recovering = true;
  quietLine = file.getLineIndex(offset);
}

/// Length of the line end at `offset`, 0 if there is none.
uint32_t Lexer::newlineLength(uint32_t offset) const {
  if (offset >= text.size() || !isNewline(text[offset])) {
    return 0;
  }
  return text[offset] == '\r' && offset + 1 < text.size() && text[offset + 1] == '\n' ? 2 : 1;
}

uint32_t Lexer::lineEnd(uint32_t offset) const {
  size_t end = text.find_first_of("\r\n", offset);
  return static_cast<uint32_t>(end == StringRef::npos ? text.size() : end);
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

Token Lexer::next() {
  Token token = lex();
  switch (token.kind) {
  case TokenKind::Newline:
    lineHasTokens = false;
    atLineStart = true;
    break;
  case TokenKind::Indent:
  case TokenKind::Dedent:
  case TokenKind::EndOfFile:
    break;
  default:
    lineHasTokens = true;
  }
  return token;
}

Token Lexer::lex() {
  if (pendingNewline) {
    pendingNewline = false;
    return make(TokenKind::Newline, pos);
  }
  if (pendingDedents != 0) {
    --pendingDedents;
    return make(TokenKind::Dedent, pos);
  }
  if (inFStringText()) {
    return lexFStringMiddle();
  }
  Token result;
  if (atLineStart && lexLineStart(result)) {
    return result;
  }
  while (true) {
    while (!atEnd() && (peek() == ' ' || peek() == '\t' || peek() == '\f')) {
      ++pos;
    }
    if (atEnd()) {
      return lexEndOfFile();
    }
    if (peek() == '#') {
      pos = lineEnd(pos);
      continue;
    }
    if (uint32_t length = newlineLength(pos)) {
      uint32_t begin = pos;
      pos += length;
      if (brackets.empty()) {
        return make(TokenKind::Newline, begin);
      }
      // No expression has such a keyword, so the bracket was forgotten, and the
      // rest of the file need not be lost.
      if (startsStatementKeyword(pos)) {
        return reportUnclosed();
      }
      continue;
    }
    if (peek() == '\\') {
      if (uint32_t length = newlineLength(pos + 1)) {
        pos += 1 + length;
        if (!atEnd()) {
          continue;
        }
      }
      return lexContinuation();
    }
    break;
  }
  char c = peek();
  if (isAsciiNameStart(c) || !isAscii(c)) {
    return lexName();
  }
  if (isDecDigit(c) || (c == '.' && isDecDigit(peek(1)))) {
    return lexNumber();
  }
  if (c == '"' || c == '\'') {
    return lexString(pos);
  }
  return lexOperator();
}

/// A backslash that continues nothing.
Token Lexer::lexContinuation() {
  if (atEnd() || pos + 1 >= text.size()) {
    pos = static_cast<uint32_t>(text.size());
    return fail(pos, pos, "unexpected end of file after line continuation");
  }
  uint32_t begin = pos;
  pos = lineEnd(pos);
  return fail(begin, begin + 1, "expected newline after line continuation character '\\'");
}

/// Reads indentation, comments and blank lines up to the first token of a
/// logical line. True if the change of indentation makes a token.
bool Lexer::lexLineStart(Token &result) {
  uint32_t column, altColumn;
  while (true) {
    column = altColumn = 0;
    for (;; ++pos) {
      char c = peek();
      if (c == ' ') {
        ++column;
        ++altColumn;
      } else if (c == '\t') {
        column = (column / 8 + 1) * 8;
        ++altColumn;
      } else if (c == '\f') {
        column = altColumn = 0;
      } else {
        break;
      }
    }
    if (peek() == '#') {
      pos = lineEnd(pos);
    }
    uint32_t length = newlineLength(pos);
    if (length == 0) {
      break;
    }
    pos += length;
  }
  atLineStart = false;
  return !atEnd() && indent(column, altColumn, result);
}

/// Compares the indentation with that of the open blocks. Tabs reach to multiples
/// of 8; the order must not change if they had width 1.
bool Lexer::indent(uint32_t column, uint32_t altColumn, Token &result) {
  static constexpr StringRef kInconsistent = "inconsistent use of tabs and spaces in indentation";
  if (indents.empty()) {
    indents.push_back(allowIndentedStart ? Indentation{column, altColumn} : Indentation{0, 0});
  }
  const Indentation top = indents.back();
  if (column == top.column) {
    if (altColumn != top.altColumn) {
      fail(pos, pos + 1, kInconsistent, diag::Indentation);
    }
    return false;
  }
  if (column > top.column) {
    if (altColumn <= top.altColumn) {
      fail(pos, pos + 1, kInconsistent, diag::Indentation);
    }
    if (indents.size() > kMaxIndents) {
      result = {TokenKind::Error, pos, pos + 1, false, false};
      if (!tooManyIndents) {
        result = fail(pos, pos + 1,
                      "blocks are nested too deeply: more than " + llvm::Twine(kMaxIndents) +
                          " levels of indentation",
                      diag::NestingLimit);
      }
      tooManyIndents = true;
      return true;
    }
    indents.push_back({column, altColumn});
    result = make(TokenKind::Indent, pos);
    return true;
  }
  unsigned dedents = 0;
  while (column < indents.back().column) {
    if (indents.size() > 1 && indents[indents.size() - 2].column >= column) {
      indents.pop_back();
      ++dedents;
      continue;
    }
    // The line stays in the block that it nearly matches, so that the lines after
    // it do not cause more errors.
    fail(pos, pos + 1, "unindent does not match any outer indentation level", diag::Indentation);
    indents.back() = {column, altColumn};
  }
  if (indents.back().altColumn != altColumn) {
    fail(pos, pos + 1, kInconsistent, diag::Indentation);
    indents.back().altColumn = altColumn;
  }
  if (dedents == 0) {
    return false;
  }
  pendingDedents = dedents - 1;
  result = make(TokenKind::Dedent, pos);
  return true;
}

Token Lexer::lexEndOfFile() {
  if (!brackets.empty()) {
    return reportUnclosed();
  }
  if (lineHasTokens) {
    return make(TokenKind::Newline, pos);
  }
  if (indents.size() > 1) {
    indents.pop_back();
    return make(TokenKind::Dedent, pos);
  }
  return make(TokenKind::EndOfFile, pos);
}

/// Whether the line that starts at `offset` opens with a keyword that only
/// statements have.
bool Lexer::startsStatementKeyword(uint32_t offset) const {
  StringRef line = text.substr(offset).ltrim(" \t\f");
  StringRef word = line.take_while(isAsciiNameChar);
  if (word.size() < line.size() && !isAscii(line[word.size()])) {
    return false;
  }
  return llvm::StringSwitch<bool>(word)
      .Cases({"assert", "break", "class", "continue", "def", "del", "global"}, true)
      .Cases({"import", "nonlocal", "pass", "raise", "return", "try", "while", "with"}, true)
      .Default(false);
}

Token Lexer::reportUnclosed() {
  Bracket open = brackets.back();
  uint32_t resume = pos;
  restartAt(resume);
  if (recovering) {
    return make(TokenKind::Error, resume);
  }
  return fail(open.offset, open.offset + 1,
              llvm::Twine("'") + llvm::Twine(open.open) + "' was never closed",
              diag::UnclosedBracket);
}

uint32_t Lexer::getRestart(uint32_t offset) const {
  if (fstrings.empty()) {
    return offset;
  }
  const FString &outer = fstrings.front();
  if (outer.quoteLength == 1) {
    return lineEnd(outer.begin);
  }
  std::string quotes(3, outer.quote);
  size_t open = text.find(quotes, outer.begin);
  size_t close = text.find(quotes, open + 3);
  return lineEnd(static_cast<uint32_t>(close == StringRef::npos ? text.size() : close));
}

void Lexer::restartAt(uint32_t offset) {
  brackets.clear();
  fstrings.clear();
  pos = offset;
  atLineStart = true;
  pendingNewline = true;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static TokenKind getNameKind(StringRef word) {
  return llvm::StringSwitch<TokenKind>(word)
      .Case("False", TokenKind::KwFalse)
      .Case("None", TokenKind::KwNone)
      .Case("True", TokenKind::KwTrue)
      .Case("and", TokenKind::KwAnd)
      .Case("as", TokenKind::KwAs)
      .Case("assert", TokenKind::KwAssert)
      .Case("async", TokenKind::KwAsync)
      .Case("await", TokenKind::KwAwait)
      .Case("break", TokenKind::KwBreak)
      .Case("class", TokenKind::KwClass)
      .Case("continue", TokenKind::KwContinue)
      .Case("def", TokenKind::KwDef)
      .Case("del", TokenKind::KwDel)
      .Case("elif", TokenKind::KwElif)
      .Case("else", TokenKind::KwElse)
      .Case("except", TokenKind::KwExcept)
      .Case("finally", TokenKind::KwFinally)
      .Case("for", TokenKind::KwFor)
      .Case("from", TokenKind::KwFrom)
      .Case("global", TokenKind::KwGlobal)
      .Case("if", TokenKind::KwIf)
      .Case("import", TokenKind::KwImport)
      .Case("in", TokenKind::KwIn)
      .Case("is", TokenKind::KwIs)
      .Case("lambda", TokenKind::KwLambda)
      .Case("nonlocal", TokenKind::KwNonlocal)
      .Case("not", TokenKind::KwNot)
      .Case("or", TokenKind::KwOr)
      .Case("pass", TokenKind::KwPass)
      .Case("raise", TokenKind::KwRaise)
      .Case("return", TokenKind::KwReturn)
      .Case("try", TokenKind::KwTry)
      .Case("while", TokenKind::KwWhile)
      .Case("with", TokenKind::KwWith)
      .Case("yield", TokenKind::KwYield)
      .Default(TokenKind::Name);
}

Token Lexer::lexName() {
  uint32_t begin = pos;
  while (!atEnd()) {
    if (isAsciiNameChar(peek())) {
      ++pos;
      continue;
    }
    uint32_t codePoint = 0;
    unsigned length = isAscii(peek()) ? 0 : decodeUTF8(text.substr(pos), codePoint);
    if (length == 0 || !isNonAsciiNameChar(codePoint)) {
      break;
    }
    pos += length;
  }
  if (pos == begin) {
    return lexUnknown();
  }
  StringRef word = text.slice(begin, pos);
  if ((peek() == '"' || peek() == '\'') && word.size() <= 2) {
    bool isPrefix = llvm::StringSwitch<bool>(word.lower())
                        .Cases({"r", "u", "b", "f", "br", "rb", "fr", "rf"}, true)
                        .Default(false);
    if (isPrefix) {
      return lexString(begin);
    }
  }
  return make(getNameKind(word), begin);
}

/// What was meant by a character that looks like another or is another language's.
static StringRef hintFor(uint32_t codePoint) {
  switch (codePoint) {
  case '?':
    return "write a choice as 'a if condition else b'";
  case '!':
    return "write 'not' for a negation";
  case 0x2018: // quotation marks
  case 0x2019:
  case 0x201C:
  case 0x201D:
    return "write strings with ' or \"";
  case 0x2010: // hyphens, dashes and the minus sign
  case 0x2011:
  case 0x2012:
  case 0x2013:
  case 0x2014:
  case 0x2212:
    return "write the minus sign as '-'";
  case 0xD7:
    return "write a product with '*'";
  case 0x2264:
    return "write the comparison as '<='";
  case 0x2265:
    return "write the comparison as '>='";
  case 0x2260:
    return "write the comparison as '!='";
  case 0xA0: // blanks
  case 0x200B:
  case 0x3000:
  case 0xFEFF:
    return "write an ordinary blank or nothing in its place";
  default:
    return "";
  }
}

/// A character that starts no token.
Token Lexer::lexUnknown() {
  uint32_t begin = pos;
  if (isAscii(peek())) {
    char c = peek();
    ++pos;
    if (c >= ' ' && c < 0x7F) {
      return fail(begin, pos, llvm::Twine("unexpected character '") + llvm::Twine(c) + "'",
                  diag::InvalidCharacter, hintFor(static_cast<unsigned char>(c)));
    }
    return fail(begin, pos,
                "invalid control character 0x" +
                    llvm::utohexstr(static_cast<unsigned char>(c), true, 2),
                diag::InvalidCharacter);
  }
  uint32_t codePoint;
  unsigned length = decodeUTF8(text.substr(pos), codePoint);
  if (length == 0) {
    // The encoding was reported at the start.
    ++pos;
    return make(TokenKind::Error, begin);
  }
  pos += length;
  return fail(begin, pos,
              "invalid character '" + text.slice(begin, pos) + "' (U+" +
                  llvm::utohexstr(codePoint, false, codePoint > 0xFFFF ? 0 : 4) + ")",
              diag::InvalidCharacter, hintFor(codePoint));
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

Token Lexer::lexOpen(TokenKind kind, bool isField) {
  brackets.push_back({peek(), pos, isField});
  ++pos;
  return make(kind, pos - 1);
}

Token Lexer::lexClose(TokenKind kind) {
  char close = peek();
  uint32_t begin = pos++;
  if (brackets.empty()) {
    return fail(begin, pos, llvm::Twine("unmatched '") + llvm::Twine(close) + "'",
                diag::UnclosedBracket);
  }
  Bracket open = brackets.back();
  char wanted = open.open == '(' ? ')' : open.open == '[' ? ']' : '}';
  if (close != wanted) {
    if (open.isField) {
      return fail(begin, pos,
                  llvm::Twine("expected '}' in f-string, got '") + llvm::Twine(close) + "'",
                  diag::UnclosedBracket);
    }
    brackets.pop_back();
    unsigned before = diags.getNumErrors();
    Token token = fail(begin, pos,
                       llvm::Twine("'") + llvm::Twine(close) + "' does not match '" +
                           llvm::Twine(open.open) + "'",
                       diag::UnclosedBracket);
    if (diags.getNumErrors() != before) {
      diags.addNote(range(open.offset, open.offset + 1), "opened here");
    }
    return token;
  }
  brackets.pop_back();
  if (open.isField) {
    fstrings.back().fieldInSpec.pop_back();
  }
  return make(kind, begin);
}

Token Lexer::lexOperator() {
  uint32_t begin = pos;
  // Takes `length` characters.
  auto take = [&](unsigned length, TokenKind kind) {
    pos += length;
    return make(kind, begin);
  };
  // `x`, `x=`
  auto withEqual = [&](TokenKind plain, TokenKind assign) {
    return peek(1) == '=' ? take(2, assign) : take(1, plain);
  };
  // `x`, `x=`, `xx`, `xx=`
  auto doubled = [&](char c, TokenKind plain, TokenKind assign, TokenKind twice,
                     TokenKind twiceAssign) {
    if (peek(1) != c) {
      return withEqual(plain, assign);
    }
    return peek(2) == '=' ? take(3, twiceAssign) : take(2, twice);
  };
  switch (peek()) {
  case '(':
    return lexOpen(TokenKind::LParen);
  case '[':
    return lexOpen(TokenKind::LBracket);
  case '{':
    return lexOpen(TokenKind::LBrace);
  case ')':
    return lexClose(TokenKind::RParen);
  case ']':
    return lexClose(TokenKind::RBracket);
  case '}':
    return lexClose(TokenKind::RBrace);
  case ',':
    return take(1, TokenKind::Comma);
  case ';':
    return take(1, TokenKind::Semicolon);
  case '~':
    return take(1, TokenKind::Tilde);
  case '.':
    return peek(1) == '.' && peek(2) == '.' ? take(3, TokenKind::Ellipsis)
                                            : take(1, TokenKind::Dot);
  case ':':
    if (atFieldLevel()) {
      fstrings.back().fieldInSpec.back() = true;
      return take(1, TokenKind::Colon);
    }
    return withEqual(TokenKind::Colon, TokenKind::ColonEqual);
  case '!':
    if (peek(1) == '=') {
      return take(2, TokenKind::NotEqual);
    }
    return atFieldLevel() ? take(1, TokenKind::Exclamation) : lexUnknown();
  case '=':
    return withEqual(TokenKind::Equal, TokenKind::EqualEqual);
  case '@':
    return withEqual(TokenKind::At, TokenKind::AtEqual);
  case '+':
    return withEqual(TokenKind::Plus, TokenKind::PlusEqual);
  case '-':
    return peek(1) == '>' ? take(2, TokenKind::Arrow)
                          : withEqual(TokenKind::Minus, TokenKind::MinusEqual);
  case '%':
    return withEqual(TokenKind::Percent, TokenKind::PercentEqual);
  case '&':
    return withEqual(TokenKind::Amper, TokenKind::AmperEqual);
  case '|':
    return withEqual(TokenKind::Pipe, TokenKind::PipeEqual);
  case '^':
    return withEqual(TokenKind::Caret, TokenKind::CaretEqual);
  case '*':
    return doubled('*', TokenKind::Star, TokenKind::StarEqual, TokenKind::DoubleStar,
                   TokenKind::DoubleStarEqual);
  case '/':
    return doubled('/', TokenKind::Slash, TokenKind::SlashEqual, TokenKind::DoubleSlash,
                   TokenKind::DoubleSlashEqual);
  case '<':
    return doubled('<', TokenKind::Less, TokenKind::LessEqual, TokenKind::LeftShift,
                   TokenKind::LeftShiftEqual);
  case '>':
    return doubled('>', TokenKind::Greater, TokenKind::GreaterEqual, TokenKind::RightShift,
                   TokenKind::RightShiftEqual);
  default:
    return lexUnknown();
  }
}
