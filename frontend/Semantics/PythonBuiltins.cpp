//===- PythonBuiltins.cpp - Python's own functions in kernels -------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "tegula/Frontend/Frontend.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <cstdlib>

namespace tegula::frontend {

using Kind = DType::Kind;

bool Semantics::isPythonBuiltin(llvm::StringRef name) {
  return findBuiltin(("builtins." + name).str()) != nullptr;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// A float, which has no fraction or loses it, as an integer.
static Value wholeNumber(const BoundCall &call, const Value &x, double whole) {
  if (!std::isfinite(whole) || std::fabs(whole) >= 0x1p126) {
    return call.error(diag::InvalidArgument, "x",
                      "expected a finite number of at most 126 bits, got " + x.describe());
  }
  return Value::integer(static_cast<BigInt>(whole));
}

Value Builtins::pyInt(Semantics &semantics, BoundCall &call) {
  const Value &x = call.get("x");
  switch (x.getKind()) {
  case Value::Kind::None:
    return call.place("x") < 0 ? Value::integer(0)
                               : call.error(diag::ArgumentType, "x", "expected a number, got None");
  case Value::Kind::Int:
  case Value::Kind::Bool:
    return Value::integer(x.getInt(), x.getHint());
  case Value::Kind::Float:
    return wholeNumber(call, x, x.getFloat());
  case Value::Kind::Str: {
    std::optional<int64_t> base = call.getInt("base", 10);
    if (!base) {
      return Value::poison();
    }
    long long result = 0;
    llvm::StringRef text = llvm::StringRef(x.getStr()).trim();
    if (*base != 0 && (*base < 2 || *base > 36)) {
      return call.error(diag::InvalidArgument, "base",
                        "expected 0 or a number from 2 to 36, got " + llvm::Twine(*base));
    }
    text.consume_front("+");
    if (!text.getAsInteger(static_cast<unsigned>(*base), result)) {
      return Value::integer(result);
    }
    return call.error(diag::ArgumentType, "x",
                      "expected the text of an integer, got " + x.describe());
  }
  case Value::Kind::Runtime:
    if (x.getDType().isFloat() || x.getDType().isBool()) {
      return semantics.cast(x, Kind::Int32);
    }
    if (x.getDType().isInt()) {
      return x;
    }
    break;
  default:
    break;
  }
  return call.error(diag::ArgumentType, "x", "expected a number, got " + x.describe());
}

Value Builtins::pyFloat(Semantics &semantics, BoundCall &call) {
  const Value &x = call.get("x");
  if (x.isNone() && call.place("x") < 0) {
    return Value::floating(0);
  }
  if (x.isNumber()) {
    return Value::floating(x.asDouble(), x.isFloat() ? x.getHint() : std::nullopt);
  }
  if (x.isStr()) {
    std::string text = llvm::StringRef(x.getStr()).trim().lower();
    char *end = nullptr;
    double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != 0) {
      return call.error(diag::ArgumentType, "x",
                        "expected the text of a number, got " + x.describe());
    }
    return Value::floating(value);
  }
  if (x.isRuntime() && x.getDType().isFloat()) {
    return x;
  }
  if (x.isRuntime() && x.getDType().isInt()) {
    return semantics.cast(x, Kind::Fp32);
  }
  return call.error(diag::ArgumentType, "x", "expected a number, got " + x.describe());
}

Value Builtins::pyBool(Semantics &semantics, BoundCall &call) {
  const Value &x = call.get("x");
  if (std::optional<bool> truth = semantics.constantTruth(x)) {
    return Value::boolean(*truth);
  }
  return semantics.cast(x, Kind::Int1);
}

Value Builtins::pyAbs(Semantics &semantics, BoundCall &call) { return abs(semantics, call); }

Value Builtins::pyPow(Semantics &semantics, BoundCall &call) {
  return semantics.binary(ArithOp::Pow, call.get("x"), call.get("y"));
}

Value Builtins::pyDivmod(Semantics &semantics, BoundCall &call) {
  Value quotient = semantics.binary(ArithOp::FloorDiv, call.get("x"), call.get("y"));
  if (quotient.isPoison()) {
    return quotient;
  }
  return Value::tuple({quotient, semantics.binary(ArithOp::Mod, call.get("x"), call.get("y"))});
}

Value Builtins::pyRound(Semantics &semantics, BoundCall &call) {
  const Value &x = call.get("x");
  if (x.isRuntime()) {
    bool isFloat = x.getDType().isFloat();
    return call.error(diag::NotConstexpr, "x",
                      "expected a compile-time number, got " +
                          (isFloat ? x.describe() + "; round at run time with tl.math.rint"
                                   : x.describeForConstant()));
  }
  if (!x.isNumber()) {
    return call.error(diag::ArgumentType, "x", "expected a number, got " + x.describe());
  }
  std::optional<int64_t> digits = call.getInt("ndigits", 0);
  if (!digits) {
    return Value::poison();
  }
  if (!x.isFloat()) {
    return Value::integer(x.getInt());
  }
  if (call.has("ndigits")) {
    double scale = std::pow(10.0, static_cast<double>(*digits));
    return Value::floating(std::nearbyint(x.getFloat() * scale) / scale);
  }
  return wholeNumber(call, x, std::nearbyint(x.getFloat()));
}

//===----------------------------------------------------------------------===//
// Tuples
//===----------------------------------------------------------------------===//

Value Builtins::pyLen(Semantics &semantics, BoundCall &call) {
  const Value &x = call.get("x");
  if (x.isTuple()) {
    return Value::integer(static_cast<BigInt>(x.getItems().size()));
  }
  if (x.isStr()) {
    return Value::integer(static_cast<BigInt>(x.getStr().size()));
  }
  if (x.isRuntime() && x.getType().isTile()) {
    return Value::integer(x.getType().shape[0]);
  }
  if (std::optional<Value> length = semantics.callMethod(x, "__len__", {})) {
    return *length;
  }
  return call.error(diag::ArgumentType, "x",
                    "expected a tuple, a string or a tile, got " + x.describe());
}

/// Items of a tuple argument. `reduction` does the same with the elements of a tile.
static std::optional<std::vector<Value>>
items(Semantics &semantics, BoundCall &call, llvm::StringRef name, llvm::StringRef reduction = "") {
  const Value &value = call.get(name);
  if (value.isTuple() || value.isStr()) {
    return semantics.iterate(value, name);
  }
  bool isTile = value.isRuntime() && value.getType().isTile();
  call.error(diag::NotIterable, name,
             "expected a tuple, got " + value.describe() +
                 (isTile && !reduction.empty() ? "; reduce a tile with " + reduction : ""));
  return std::nullopt;
}

Value Builtins::pySum(Semantics &semantics, BoundCall &call) {
  auto values = items(semantics, call, "iterable", "tl.sum");
  if (!values) {
    return Value::poison();
  }
  Value total = call.has("start") ? call.get("start") : Value::integer(0);
  for (const Value &value : *values) {
    total = semantics.binary(ArithOp::Add, total, value);
  }
  return total;
}

Value Builtins::pyTuple(Semantics &semantics, BoundCall &call) {
  if (!call.has("x")) {
    return Value::tuple({});
  }
  auto values = items(semantics, call, "x");
  return values ? Value::tuple(std::move(*values)) : Value::poison();
}

Value Builtins::pyReversed(Semantics &semantics, BoundCall &call) {
  auto values = items(semantics, call, "x");
  if (!values) {
    return Value::poison();
  }
  return Value::tuple(std::vector<Value>(values->rbegin(), values->rend()));
}

Value Builtins::pyZip(Semantics &semantics, BoundCall &call) {
  std::vector<std::vector<Value>> columns;
  size_t length = call.rest.empty() ? 0 : SIZE_MAX;
  for (const auto &[i, arg] : llvm::enumerate(call.rest)) {
    Semantics::OfArgument about(semantics, call.place("args") + static_cast<int>(i),
                                "argument " + std::to_string(i + 1) + " of zip: ");
    if (!arg.isTuple() && !arg.isStr()) {
      return semantics.error(diag::NotIterable, "expected a tuple, got " + arg.describe());
    }
    auto values = semantics.iterate(arg, "zip");
    length = std::min(length, values->size());
    columns.push_back(std::move(*values));
  }
  std::vector<Value> rows;
  for (size_t i = 0; i < length; ++i) {
    std::vector<Value> row;
    for (const std::vector<Value> &column : columns) {
      row.push_back(column[i]);
    }
    rows.push_back(Value::tuple(std::move(row)));
  }
  return Value::tuple(std::move(rows));
}

Value Builtins::pyEnumerate(Semantics &semantics, BoundCall &call) {
  auto values = items(semantics, call, "x");
  std::optional<int64_t> start = call.getInt("start", 0);
  if (!values || !start) {
    return Value::poison();
  }
  std::vector<Value> pairs;
  for (const auto &[i, value] : llvm::enumerate(*values)) {
    pairs.push_back(
        Value::tuple({Value::integer(BigInt(*start) + static_cast<int64_t>(i)), value}));
  }
  return Value::tuple(std::move(pairs));
}

static Value quantify(Semantics &semantics, BoundCall &call, bool all) {
  auto values = items(semantics, call, "x", all ? "tl.min" : "tl.max");
  if (!values) {
    return Value::poison();
  }
  Value result = Value::boolean(all);
  for (const Value &value : *values) {
    std::optional<bool> truth = semantics.constantTruth(value);
    if (truth && *truth != all) {
      return Value::boolean(!all);
    }
    if (!truth) {
      result = semantics.logical(all ? LogicalOp::And : LogicalOp::Or, result, value);
    }
  }
  return result;
}

Value Builtins::pyAll(Semantics &semantics, BoundCall &call) {
  return quantify(semantics, call, true);
}

Value Builtins::pyAny(Semantics &semantics, BoundCall &call) {
  return quantify(semantics, call, false);
}

//===----------------------------------------------------------------------===//
// Kinds and attributes
//===----------------------------------------------------------------------===//

/// Nullopt if `type`, or a part of it, is nothing that isinstance knows; that part
/// is `unknown` then.
static std::optional<bool> isInstance(Semantics &semantics, const Value &x, const Value &type,
                                      Value &unknown) {
  if (type.isTuple()) {
    bool any = false;
    for (const Value &one : type.getItems()) {
      std::optional<bool> result = isInstance(semantics, x, one, unknown);
      if (!result) {
        return std::nullopt;
      }
      any |= *result;
    }
    return any;
  }
  unknown = type;
  auto is = [&](llvm::StringRef name) { return Semantics::isLanguage(type, name); };
  if (is("builtins.int")) {
    return x.isInt() || x.isBool();
  }
  if (is("builtins.float")) {
    return x.isFloat();
  }
  if (is("builtins.bool")) {
    return x.isBool();
  }
  if (is("builtins.str")) {
    return x.isStr();
  }
  if (is("builtins.tuple") || is("builtins.list") || is("tl.tuple")) {
    return x.isTuple();
  }
  if (is("tl.tensor")) {
    return x.isRuntime();
  }
  if (is("tl.constexpr")) {
    return x.isCompileTime() && !x.isComposite();
  }
  if (is("tl.constexpr_type")) {
    return x.isTypeOfConstant();
  }
  if (is("tl.dtype")) {
    return x.isType() && !x.isTypeOfConstant();
  }
  if (is("tl.pointer_type")) {
    return x.isType() && (x.getType().isOpaque() || (x.getDType().isPointer() && !x.isBlockType()));
  }
  if (is("tl.block_type")) {
    return x.isBlockType() && !x.getType().isOpaque();
  }
  if (is("tl.tensor_descriptor") || is("tl.tensor_descriptor_base")) {
    return x.isStruct(StructClass::Kind::TensorDescriptor);
  }
  if (type.isLanguageRef()) {
    return std::nullopt;
  }
  if (x.isComposite() && type.isHostObject()) {
    return semantics.isInstanceOf(x, type);
  }
  // Classes of the host: values of the language are no instances of them.
  return type.isHostObject() && !x.isHostObject() ? std::optional<bool>(false) : std::nullopt;
}

Value Builtins::pyIsinstance(Semantics &semantics, BoundCall &call) {
  Value unknown;
  std::optional<bool> result = isInstance(semantics, call.get("x"), call.get("type"), unknown);
  return result ? Value::boolean(*result)
                : call.error(diag::ArgumentType, "type",
                             "expected int, float, bool, str, tuple, tl.tensor, "
                             "tl.constexpr or tl.dtype, got " +
                                 unknown.describe());
}

Value Builtins::pyType(Semantics &, BoundCall &call) {
  const Value &x = call.get("x");
  switch (x.getKind()) {
  case Value::Kind::Int:
    return Value::languageRef("builtins.int");
  case Value::Kind::Float:
    return Value::languageRef("builtins.float");
  case Value::Kind::Bool:
    return Value::languageRef("builtins.bool");
  case Value::Kind::Str:
    return Value::languageRef("builtins.str");
  case Value::Kind::Tuple:
    return Value::languageRef("builtins.tuple");
  case Value::Kind::Struct:
    if (x.getClass()->host) {
      return Value::hostObject(*x.getClass()->host);
    }
    return call.error(diag::ArgumentType, "x",
                      "expected a number, a tuple or a tile, got " + x.describe());
  case Value::Kind::Runtime:
    return Value::languageRef("tl.tensor");
  case Value::Kind::Type:
    return Value::languageRef("tl.dtype");
  default:
    return call.error(diag::ArgumentType, "x",
                      "expected a number, a tuple or a tile, got " + x.describe());
  }
}

Value Builtins::pyGetattr(Semantics &semantics, BoundCall &call) {
  const Value &name = call.get("name");
  if (!name.isStr()) {
    return call.error(diag::ArgumentType, "name", "expected a string, got " + name.describe());
  }
  if (call.rest.size() > 1) {
    return semantics.error(diag::UnexpectedArgument,
                           "getattr takes at most 3 arguments, got " +
                               llvm::Twine(call.rest.size() + 2),
                           call.place("default") + 1);
  }
  if (call.rest.empty()) {
    return semantics.attribute(call.get("x"), name.getStr());
  }
  std::optional<Value> found = semantics.findAttribute(call.get("x"), name.getStr());
  return found ? *found : call.rest[0];
}

Value Builtins::pyHasattr(Semantics &semantics, BoundCall &call) {
  const Value &name = call.get("name");
  if (!name.isStr()) {
    return call.error(diag::ArgumentType, "name", "expected a string, got " + name.describe());
  }
  return Value::boolean(semantics.findAttribute(call.get("x"), name.getStr()).has_value());
}

Value Builtins::pyCallable(Semantics &, BoundCall &call) {
  return Value::boolean(call.get("x").isCallable());
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

Value Builtins::pyStr(Semantics &, BoundCall &call) {
  const Value &x = call.get("x");
  if (x.isNone() && call.place("x") < 0) {
    return Value::string("");
  }
  return x.isRuntime() ? call.error(diag::NotConstexpr, "x",
                                    "expected a compile-time value, got " + x.describeForConstant())
                       : Value::string(x.str());
}

Value Builtins::pyRepr(Semantics &, BoundCall &call) {
  const Value &x = call.get("x");
  return x.isRuntime() ? call.error(diag::NotConstexpr, "x",
                                    "expected a compile-time value, got " + x.describeForConstant())
                       : Value::string(x.repr());
}

Value Builtins::stringMethod(Semantics &semantics, BoundCall &call) {
  llvm::StringRef self = call.get("self").getStr(), name = call.get("name").getStr();
  auto arity = [&](size_t count) {
    if (call.rest.size() == count) {
      return true;
    }
    bool tooMany = call.rest.size() > count;
    semantics.error(tooMany ? diag::UnexpectedArgument : diag::MissingArgument,
                    "str." + name + " takes " + (count == 0 ? "no argument" : "one argument") +
                        ", got " + llvm::Twine(call.rest.size()),
                    tooMany ? call.place("args") + static_cast<int>(count) : -1);
    return false;
  };
  if (name == "lower" || name == "upper" || name == "strip") {
    if (!arity(0)) {
      return Value::poison();
    }
    return Value::string(name == "lower"   ? self.lower()
                         : name == "upper" ? self.upper()
                                           : self.trim().str());
  }
  if (!arity(1)) {
    return Value::poison();
  }
  if (!call.rest[0].isStr()) {
    return semantics.error(diag::ArgumentType,
                           "str." + name + " expects a string, got " + call.rest[0].describe(),
                           call.place("args"));
  }
  llvm::StringRef other = call.rest[0].getStr();
  return Value::boolean(name == "startswith" ? self.starts_with(other) : self.ends_with(other));
}

} // namespace tegula::frontend
