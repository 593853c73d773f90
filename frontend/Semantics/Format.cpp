//===- Format.cpp - Text of compile-time values, iteration ----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semantics.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cstdio>

namespace tegula::frontend {

std::optional<std::vector<Value>> Semantics::iterate(const Value &value, llvm::StringRef what) {
  if (value.isTuple()) {
    return std::vector<Value>(value.getItems());
  }
  if (value.isStr()) {
    std::vector<Value> items;
    for (char c : value.getStr()) {
      items.push_back(Value::string(std::string(1, c)));
    }
    return items;
  }
  if (!value.isPoison()) {
    error(diag::NotIterable, "expected a tuple for " + what + ", got " + value.describe());
  }
  return std::nullopt;
}

namespace {
/// [[fill]align][sign][#][0][width][.precision][type]
struct FormatSpec {
  char fill = ' ', align = 0, sign = '-', type = 0;
  bool alternate = false;
  unsigned width = 0;
  int precision = -1;
};
} // namespace

static std::optional<FormatSpec> parseSpec(llvm::StringRef text) {
  FormatSpec spec;
  auto isAlign = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
  if (text.size() >= 2 && isAlign(text[1])) {
    spec.fill = text[0];
    spec.align = text[1];
    text = text.drop_front(2);
  } else if (!text.empty() && isAlign(text[0])) {
    spec.align = text[0];
    text = text.drop_front();
  }
  if (!text.empty() && (text[0] == '+' || text[0] == '-' || text[0] == ' ')) {
    spec.sign = text[0];
    text = text.drop_front();
  }
  spec.alternate = text.consume_front("#");
  if (text.starts_with("0")) {
    spec.fill = '0';
    spec.align = spec.align ? spec.align : '=';
    text = text.drop_front();
  }
  if (!text.empty() && llvm::isDigit(text[0]) && text.consumeInteger(10, spec.width)) {
    return std::nullopt;
  }
  if (text.consume_front(".") && text.consumeInteger(10, spec.precision)) {
    return std::nullopt;
  }
  if (!text.empty()) {
    spec.type = text[0];
    text = text.drop_front();
  }
  if (!text.empty() || spec.width > 1000 || spec.precision > 100) {
    return std::nullopt;
  }
  return spec;
}

static std::string inBase(unsigned __int128 value, unsigned base, bool upper) {
  std::string digits;
  do {
    unsigned digit = static_cast<unsigned>(value % base);
    digits.push_back(llvm::hexdigit(digit, !upper));
    value /= base;
  } while (value != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::optional<std::string> Semantics::format(const Value &value, llvm::StringRef text) {
  assert(value.isCompileTime() && "callers say what else to do with run-time values");
  if (text.empty()) {
    return value.str();
  }
  std::optional<FormatSpec> spec = parseSpec(text);
  auto bad = [&]() -> std::optional<std::string> {
    error(diag::InvalidFormat, "format '" + text + "' does not fit " + value.describe());
    return std::nullopt;
  };
  if (!spec) {
    return bad();
  }

  std::string sign, prefix, body;
  bool number = value.isNumber() && spec->type != 's';
  if (!number) {
    if (spec->type && spec->type != 's') {
      return bad();
    }
    body = value.str();
    if (spec->precision >= 0) {
      body = body.substr(0, spec->precision);
    }
  } else if (value.isFloat() || llvm::StringRef("eEfFgG%").contains(spec->type)) {
    double x = value.asDouble();
    if (spec->type == 0 && spec->precision < 0) {
      body = Value::floating(x < 0 ? -x : x).repr();
    } else {
      bool percent = spec->type == '%';
      char conversion = percent ? 'f' : spec->type ? spec->type : 'g';
      if (!llvm::StringRef("eEfFgG").contains(conversion)) {
        return bad();
      }
      char format[] = {'%', '.', '*', conversion, 0};
      char buffer[512];
      std::snprintf(buffer, sizeof(buffer), format, spec->precision < 0 ? 6 : spec->precision,
                    (x < 0 ? -x : x) * (percent ? 100 : 1));
      body = std::string(buffer) + (percent ? "%" : "");
    }
    sign = x < 0 ? "-" : spec->sign == '-' ? "" : std::string(1, spec->sign);
  } else {
    BigInt x = value.getInt();
    const auto bits = static_cast<unsigned __int128>(x);
    const unsigned __int128 magnitude = x < 0 ? -bits : bits;
    switch (spec->type) {
    case 0:
    case 'd':
      body = inBase(magnitude, 10, false);
      break;
    case 'x':
    case 'X':
      body = inBase(magnitude, 16, spec->type == 'X');
      prefix = spec->type == 'X' ? "0X" : "0x";
      break;
    case 'b':
      body = inBase(magnitude, 2, false);
      prefix = "0b";
      break;
    case 'o':
      body = inBase(magnitude, 8, false);
      prefix = "0o";
      break;
    default:
      return bad();
    }
    if (!spec->alternate) {
      prefix.clear();
    }
    sign = x < 0 ? "-" : spec->sign == '-' ? "" : std::string(1, spec->sign);
  }

  size_t length = sign.size() + prefix.size() + body.size();
  size_t padding = spec->width > length ? spec->width - length : 0;
  char align = spec->align ? spec->align : number ? '>' : '<';
  switch (align) {
  case '<':
    return sign + prefix + body + std::string(padding, spec->fill);
  case '^':
    return std::string(padding / 2, spec->fill) + sign + prefix + body +
           std::string(padding - padding / 2, spec->fill);
  case '=':
    return sign + prefix + std::string(padding, spec->fill) + body;
  default:
    return std::string(padding, spec->fill) + sign + prefix + body;
  }
}

} // namespace tegula::frontend
