//===- Expression.h - Values and expressions of conformance rows -*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CTS_EXPRESSION_H
#define TEGULA_CTS_EXPRESSION_H

#include "YamlTree.h"

#include <map>
#include <string>
#include <vector>

namespace tegula::cts {

/// What an axis, a constant or a number of a row is.
struct Value {
  enum Kind { None, Bool, Int, Float, Text, Type, Function, Tuple };

  Kind kind = None;
  __int128 integer = 0; ///< of Bool too
  double number = 0;
  std::string text; ///< of Type and Function their names
  std::vector<Value> items;

  static Value ofInteger(__int128 value) {
    Value out;
    out.kind = Int;
    out.integer = value;
    out.number = double(value);
    return out;
  }
  static Value ofText(std::string text, Kind kind = Text) {
    Value out;
    out.kind = kind;
    out.text = std::move(text);
    return out;
  }
  /// As names of cases show it: Python's str().
  std::string show() const;
};

using Names = std::map<std::string, Value>;

/// What a row says wrongly; whoever knows the place catches it.
struct RowError {
  std::string message;
};

/// The value of an expression of docs/conformance.md: an integer, or what a lone name
/// stands for. Throws RowError; integers of more than 127 bits are one.
Value evaluate(const std::string &text, const Names &names);
__int128 evaluateInteger(const std::string &text, const Names &names);
/// `a, f(b, c)` at its outer commas; empty text has no items.
std::vector<std::string> splitList(const std::string &text);

} // namespace tegula::cts

#endif // TEGULA_CTS_EXPRESSION_H
