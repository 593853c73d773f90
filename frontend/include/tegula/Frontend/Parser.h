//===- Parser.h - From text to syntax tree -----------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accepts the grammar of Python 3.11, f-strings and type parameters of 3.12
// included. After an error it goes on with the next statement, so that one run
// reports several errors. Takes time linear in the text and bounded stack.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_FRONTEND_PARSER_H
#define TEGULA_FRONTEND_PARSER_H

#include "tegula/Frontend/AST.h"
#include "tegula/Frontend/Diagnostics.h"

namespace tegula::frontend {

/// Brackets, operators, blocks and comprehensions may nest this deep together.
inline constexpr unsigned kMaxNesting = 200;
/// `a + b + ...`, `f(x)(y)...` and `elif` chains, which nest in the tree only, may
/// have this many links. Walkers may recurse without further checks.
inline constexpr unsigned kMaxChain = 1000;

/// Parses a whole file. Never null. Statements with errors are left out of the
/// tree: use it only if `diags` has no errors. `file` and `context` must outlive
/// the tree.
Module *parseModule(const SourceFile &file, ASTContext &context, DiagnosticEngine &diags);

/// Parses the text of one function with its decorators as a host's inspector
/// returns it: every line may carry the indentation of the place it came from.
/// Imaginary literals are refused here, since no kernel can use them. Null after
/// an error, and then `diags` has one.
FunctionDefStmt *parseFunctionSource(const SourceFile &file, ASTContext &context,
                                     DiagnosticEngine &diags);

} // namespace tegula::frontend

#endif // TEGULA_FRONTEND_PARSER_H
