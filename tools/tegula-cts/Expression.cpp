//===- Expression.cpp - Values and expressions of conformance rows --------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expression.h"

#include "../common/Elements.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

using namespace tegula;
using namespace tegula::cts;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Python's repr() of a float: the shortest digits that read back as the same.
static std::string showFloat(double value) {
  if (!std::isfinite(value)) {
    return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  }
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  const std::string text(buffer, end.ptr);
  const size_t e = text.find('e');
  const int exponent = std::atoi(text.c_str() + e + 1);
  if (exponent < -4 || exponent >= 16) {
    return text;
  }
  const auto fixed = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
  const std::string plain(buffer, fixed.ptr);
  return plain.find('.') == std::string::npos ? plain + ".0" : plain;
}

std::string Value::show() const {
  switch (kind) {
  case None:
    return "None";
  case Bool:
    return integer ? "True" : "False";
  case Int:
    return toText(integer);
  case Float:
    return showFloat(number);
  case Text:
  case Type:
  case Function:
    return text;
  case Tuple:
    break;
  }
  std::string all;
  for (const Value &item : items) {
    all += (all.empty() ? "" : " ") + item.show();
  }
  return "(" + all + ")";
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

[[noreturn]] static void failRow(const std::string &message) { throw RowError{message}; }

static __int128 toInteger(const Value &value) {
  if (value.kind != Value::Int && value.kind != Value::Bool) {
    failRow("expected an integer, got '" + value.show() + "'");
  }
  return value.integer;
}

static __int128 checkedMultiply(__int128 a, __int128 b) {
  __int128 out;
  if (__builtin_mul_overflow(a, b, &out)) {
    failRow("expected an integer of at most 127 bits");
  }
  return out;
}

/// Python's: towards negative infinity.
static __int128 floorDivide(__int128 a, __int128 b, const std::string &text) {
  if (b == 0) {
    failRow("division by zero in '" + text + "'");
  }
  const __int128 quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

namespace {
class Parser {
public:
  Parser(const std::string &text, const Names &names) : text(text), names(names) { next(); }

  Value all() {
    Value value = sum();
    if (!token.empty()) {
      failRow("unexpected '" + token + "' in '" + text + "'");
    }
    return value;
  }

private:
  void next() {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
    }
    const size_t start = at;
    const auto isWord = [&](size_t i) {
      return i < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
    };
    if (at == text.size()) {
      token.clear();
      return;
    }
    if (std::isdigit(static_cast<unsigned char>(text[at]))) {
      while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]))) {
        ++at;
      }
    } else if (isWord(at)) {
      while (isWord(at)) {
        ++at;
      }
    } else if (text.compare(at, 2, "//") == 0) {
      at += 2;
    } else if (std::string_view("-+*%(),").find(text[at]) != std::string_view::npos) {
      ++at;
    } else {
      failRow(std::string("unexpected '") + text[at] + "' in '" + text + "'");
    }
    token = text.substr(start, at - start);
  }

  void expect(const char *wanted) {
    if (token != wanted) {
      failRow(std::string("expected '") + wanted + "', got '" +
              (token.empty() ? "the end" : token) + "' in '" + text + "'" +
              (token.empty() ? "; quote it inside braces" : ""));
    }
    next();
  }

  Value sum() {
    Value left = product();
    while (token == "+" || token == "-") {
      const bool isMinus = token == "-";
      next();
      const __int128 a = toInteger(left), b = toInteger(product());
      left = Value::ofInteger(isMinus ? a - b : a + b);
    }
    return left;
  }

  Value product() {
    Value left = unary();
    while (token == "*" || token == "//" || token == "%") {
      const std::string op = token;
      next();
      const __int128 a = toInteger(left), b = toInteger(unary());
      left = Value::ofInteger(op == "*"    ? checkedMultiply(a, b)
                              : op == "//" ? floorDivide(a, b, text)
                                           : a - floorDivide(a, b, text) * b);
    }
    return left;
  }

  Value unary() {
    if (token == "-") {
      next();
      return Value::ofInteger(-toInteger(unary()));
    }
    return atom();
  }

  Value atom() {
    const std::string word = token;
    if (word.empty()) {
      failRow("expected a number or a name, got 'the end' in '" + text + "'");
    }
    next();
    if (word == "(") {
      Value inner = sum();
      expect(")");
      return inner;
    }
    if (std::isdigit(static_cast<unsigned char>(word[0]))) {
      __int128 value = 0;
      for (const char c : word) {
        value = checkedMultiply(value, 10) + (c - '0');
      }
      return Value::ofInteger(value);
    }
    if (!std::isalpha(static_cast<unsigned char>(word[0])) && word[0] != '_') {
      failRow("expected a number or a name, got '" + word + "' in '" + text + "'");
    }
    if (token == "(") {
      return call(word);
    }
    if (const auto found = names.find(word); found != names.end()) {
      return found->second;
    }
    if (tools::findLanguageType(word)) {
      return Value::ofText(word);
    }
    failRow("name '" + word + "' is not an axis, a let or a type");
  }

  Value call(const std::string &name) {
    next();
    std::vector<Value> operands{sum()};
    while (token == ",") {
      next();
      operands.push_back(sum());
    }
    expect(")");
    const auto wantCount = [&](size_t count) {
      if (operands.size() != count) {
        failRow(name + ": expected " + std::to_string(count) + " operands, got " +
                std::to_string(operands.size()));
      }
    };
    if (name == "bits") {
      wantCount(1);
      const tools::ElementType *type = tools::findLanguageType(operands[0].text);
      if (!type) {
        failRow("bits: expected a type, got '" + operands[0].show() + "'");
      }
      return Value::ofInteger(type->bits());
    }
    if (name == "cdiv") {
      wantCount(2);
      return Value::ofInteger(-floorDivide(-toInteger(operands[0]), toInteger(operands[1]), text));
    }
    if (name == "next_power_of_2") {
      wantCount(1);
      __int128 power = 1;
      while (power < toInteger(operands[0])) {
        power *= 2;
      }
      return Value::ofInteger(power);
    }
    if (name != "min" && name != "max") {
      failRow("expected one of cdiv, min, max, next_power_of_2, bits, got '" + name + "'");
    }
    __int128 best = toInteger(operands[0]);
    for (const Value &operand : operands) {
      best =
          name == "min" ? std::min(best, toInteger(operand)) : std::max(best, toInteger(operand));
    }
    return Value::ofInteger(best);
  }

  const std::string &text;
  const Names &names;
  size_t at = 0;
  std::string token;
};
} // namespace

Value tegula::cts::evaluate(const std::string &text, const Names &names) {
  return Parser(text, names).all();
}

__int128 tegula::cts::evaluateInteger(const std::string &text, const Names &names) {
  const Value value = evaluate(text, names);
  if (value.kind != Value::Int) {
    failRow("expected an integer, got '" + value.show() + "'");
  }
  return value.integer;
}

std::vector<std::string> tegula::cts::splitList(const std::string &text) {
  std::vector<std::string> items;
  std::string item;
  int depth = 0;
  const auto trimmed = [](const std::string &all) {
    const size_t begin = all.find_first_not_of(" \t\n");
    return begin == std::string::npos
               ? ""
               : all.substr(begin, all.find_last_not_of(" \t\n") + 1 - begin);
  };
  for (const char c : text) {
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (c == ',' && depth == 0) {
      items.push_back(trimmed(item));
      item.clear();
    } else {
      item += c;
    }
  }
  const std::string last = trimmed(item);
  if (!last.empty() || !items.empty()) {
    items.push_back(last);
  }
  return items;
}
