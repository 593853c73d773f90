//===- AST.cpp - Names of node kinds and operators -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Frontend/AST.h"

#include <iterator>

using namespace tegula::frontend;
using llvm::StringRef;

StringRef tegula::frontend::getSpelling(BinaryOp op) {
  static constexpr StringRef kNames[] = {"+",  "-",  "*",  "@", "/", "//", "%",
                                         "**", "<<", ">>", "|", "^", "&"};
  static_assert(std::size(kNames) == static_cast<size_t>(BinaryOp::BitAnd) + 1);
  return kNames[static_cast<size_t>(op)];
}

StringRef tegula::frontend::getSpelling(UnaryOp op) {
  static constexpr StringRef kNames[] = {"~", "not", "+", "-"};
  static_assert(std::size(kNames) == static_cast<size_t>(UnaryOp::Minus) + 1);
  return kNames[static_cast<size_t>(op)];
}

StringRef tegula::frontend::getSpelling(BoolOp op) { return op == BoolOp::And ? "and" : "or"; }

StringRef tegula::frontend::getSpelling(CompareOp op) {
  static constexpr StringRef kNames[] = {"==", "!=", "<",      "<=", ">",
                                         ">=", "is", "is not", "in", "not in"};
  static_assert(std::size(kNames) == static_cast<size_t>(CompareOp::NotIn) + 1);
  return kNames[static_cast<size_t>(op)];
}

StringRef tegula::frontend::describe(ExprKind kind) {
  static constexpr StringRef kNames[] = {
      "name",
      "literal",
      "f-string",
      "f-string field",
      "binary operation",
      "unary operation",
      "boolean operation",
      "comparison",
      "conditional expression",
      "assignment expression",
      "function call",
      "attribute",
      "subscript",
      "slice",
      "starred expression",
      "tuple",
      "list",
      "set display",
      "dict literal",
      "lambda",
      "list comprehension",
      "set comprehension",
      "dict comprehension",
      "generator expression",
      "await expression",
      "yield expression",
      "yield expression",
  };
  static_assert(std::size(kNames) == static_cast<size_t>(ExprKind::YieldFrom) + 1);
  return kNames[static_cast<size_t>(kind)];
}

StringRef tegula::frontend::describe(StmtKind kind) {
  static constexpr StringRef kNames[] = {
      "function definition",  "class definition",   "return statement",
      "del statement",        "assignment",         "augmented assignment",
      "annotated assignment", "type statement",     "for loop",
      "while loop",           "if statement",       "with statement",
      "match statement",      "raise statement",    "try statement",
      "assert statement",     "import statement",   "from-import statement",
      "global statement",     "nonlocal statement", "expression statement",
      "pass statement",       "break statement",    "continue statement",
  };
  static_assert(std::size(kNames) == static_cast<size_t>(StmtKind::Continue) + 1);
  return kNames[static_cast<size_t>(kind)];
}

const ConstantExpr *FunctionDefStmt::getDocstring() const {
  if (body.empty()) {
    return nullptr;
  }
  const auto *first = llvm::dyn_cast<ExprStmt>(body.front());
  const auto *constant = first ? llvm::dyn_cast<ConstantExpr>(first->value) : nullptr;
  return constant && constant->isStr() ? constant : nullptr;
}
