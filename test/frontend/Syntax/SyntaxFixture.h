//===- SyntaxFixture.h - Shared by the tests of the syntax ------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TEST_FRONTEND_SYNTAX_SYNTAXFIXTURE_H
#define TEGULA_TEST_FRONTEND_SYNTAX_SYNTAXFIXTURE_H

#include "tegula/Frontend/Lexer.h"
#include "tegula/Frontend/Parser.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <string>

namespace tegula::frontend {

/// "line:column: message" of each error, one a line.
inline std::string listErrors(const DiagnosticEngine &diags) {
  std::string result;
  llvm::raw_string_ostream os(result);
  for (const Diagnostic &diag : diags.getDiagnostics()) {
    LineColumn place = diag.range.getBegin().getLineColumn();
    os << place.line << ':' << place.column << ": " << diag.message << '\n';
  }
  return result;
}

/// Dump of a module, or its errors.
inline std::string parse(llvm::StringRef text) {
  SourceFile file("t.py", text);
  ASTContext context;
  DiagnosticEngine diags;
  Module *module = parseModule(file, context, diags);
  if (diags.hasErrors()) {
    return listErrors(diags);
  }
  std::string result;
  llvm::raw_string_ostream os(result);
  dump(os, *module);
  return result;
}

/// The same of a line, without the line end.
inline std::string parseLine(llvm::StringRef text) {
  std::string result = parse(text);
  return llvm::StringRef(result).rtrim('\n').str();
}

/// "Kind text" of each token, separated by " | ".
inline std::string lex(llvm::StringRef text, bool allowIndentedStart = false) {
  SourceFile file("t.py", text);
  DiagnosticEngine diags;
  Lexer lexer(file, diags, allowIndentedStart);
  std::string result;
  for (Token token = lexer.next(); token.kind != TokenKind::EndOfFile; token = lexer.next()) {
    llvm::StringRef spelling = file.getText().slice(token.begin, token.end);
    result += result.empty() ? "" : " ";
    switch (token.kind) {
    case TokenKind::Newline:
      result += "NL";
      break;
    case TokenKind::Indent:
      result += "IN";
      break;
    case TokenKind::Dedent:
      result += "DE";
      break;
    case TokenKind::Error:
      result += "ERR";
      break;
    default:
      result += spelling.str();
    }
  }
  return result;
}

/// Errors of the lexer alone.
inline std::string lexErrors(llvm::StringRef text) {
  SourceFile file("t.py", text);
  DiagnosticEngine diags;
  Lexer lexer(file, diags);
  while (lexer.next().kind != TokenKind::EndOfFile) {
  }
  return listErrors(diags);
}

} // namespace tegula::frontend

#endif // TEGULA_TEST_FRONTEND_SYNTAX_SYNTAXFIXTURE_H
