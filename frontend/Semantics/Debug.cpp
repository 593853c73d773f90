//===- Debug.cpp - Prints and assertions at run time ----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "tegula/Tile/IR/Tile.h"

namespace tegula::frontend {

using Kind = DType::Kind;

//===----------------------------------------------------------------------===//
// device_print, print
//===----------------------------------------------------------------------===//

/// Prefixes read `name: `, with a space in front as Triton's do.
static std::string completePrefix(llvm::StringRef text, bool hasValues) {
  std::string prefix = text.str();
  if (hasValues && !text.ends_with(": ")) {
    prefix = text.rtrim(' ').str() + ": ";
  }
  if (!text.empty() && prefix[0] != ' ') {
    prefix = " " + prefix;
  }
  return prefix;
}

/// One print op. False after a report.
static bool print(Semantics &semantics, const BoundCall &call, llvm::StringRef name,
                  llvm::StringRef prefix, llvm::ArrayRef<Value> values, bool hex) {
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<bool> signs;
  for (const Value &given : values) {
    if (!given.isNumber() && !given.isRuntime()) {
      if (!given.isPoison()) {
        call.error(diag::ArgumentType, name, "expected tiles and numbers, got " + given.describe());
      }
      return false;
    }
    Value value;
    {
      Semantics::OfArgument about = call.about(name);
      value = semantics.toRuntime(given);
      if (!value.isPoison() && value.getDType().isFp8()) {
        value = semantics.cast(value, Kind::Fp32);
      }
    }
    if (value.isPoison()) {
      return false;
    }
    operands.push_back(value.getIR());
    signs.push_back(value.getDType().isSignedInt());
  }
  tile::PrintOp::create(semantics.getBuilder(), semantics.loc(),
                        completePrefix(prefix, !values.empty()), hex, operands, signs);
  return true;
}

Value Builtins::devicePrint(Semantics &semantics, BoundCall &call) {
  const Value &prefix = call.get("prefix");
  if (!prefix.isStr()) {
    return call.error(diag::ArgumentType, "prefix", "expected a string, got " + prefix.describe());
  }
  std::optional<bool> hex = call.getBool("hex", false);
  bool done = hex && print(semantics, call, "values", prefix.getStr(), call.rest, *hex);
  return done ? Value::none() : Value::poison();
}

/// Python's print: constants are text, and the text ahead of a run-time value is its prefix.
Value Builtins::pyPrint(Semantics &semantics, BoundCall &call) {
  std::optional<std::string> separator = call.getString("sep", " ");
  std::optional<std::string> end = separator ? call.getString("end", "\n") : std::nullopt;
  if (!end) {
    return Value::poison();
  }
  std::string text;
  bool pending = call.rest.empty();
  for (size_t i = 0; i < call.rest.size(); ++i) {
    const Value &value = call.rest[i];
    if (!value.isRuntime()) {
      text += (pending ? *separator : "") + value.str();
      pending = true;
      continue;
    }
    // Values that follow each other share a line.
    std::vector<Value> values;
    for (; i < call.rest.size() && call.rest[i].isRuntime(); ++i) {
      values.push_back(call.rest[i]);
    }
    --i;
    if (!print(semantics, call, "values", text, values, false)) {
      return Value::poison();
    }
    text.clear();
    pending = false;
  }
  if (pending && !print(semantics, call, "values", text, {}, false)) {
    return Value::poison();
  }
  return Value::none();
}

//===----------------------------------------------------------------------===//
// device_assert, expect_zero
//===----------------------------------------------------------------------===//

/// Asserts `condition`, of which at least its elements where `mask` is true count.
static Value assertThat(Semantics &semantics, const BoundCall &call, Value condition,
                        const Value &mask, llvm::StringRef message) {
  if (!mask.isNone()) {
    if (!mask.isNumber() && !(mask.isRuntime() && mask.getDType().isBool())) {
      return call.error(diag::ArgumentType, "mask",
                        "expected bools (int1), got " + mask.describe());
    }
    Value open = semantics.unary(PrefixOp::Not, mask);
    condition =
        semantics.logical(LogicalOp::Or, semantics.toRuntime(condition), semantics.toRuntime(open));
  }
  if (condition.isPoison()) {
    return condition;
  }
  tile::AssertOp::create(semantics.getBuilder(), semantics.loc(),
                         semantics.toRuntime(condition).getIR(), message);
  return Value::none();
}

void Semantics::assertNoOverflow(ArithOp op, const Value &lhs, const Value &rhs) {
  const LangType &type = lhs.getType();
  bool checked = op == ArithOp::Add || op == ArithOp::Sub || op == ArithOp::Mul;
  if (!options.debug || !options.sanitizeOverflow || !checked || type.dtype.isBool() ||
      type.dtype.getBitWidth() >= 64 || !client.isUserCode()) {
    return;
  }
  // A combiner has no place to stop at: the order of its calls is free.
  mlir::Operation *parent = builder.getInsertionBlock()->getParentOp();
  if (llvm::isa<tile::ReduceOp, tile::ScanOp, tile::MapOp>(parent)) {
    return;
  }
  // 64 bits hold the exact result, of unsigned products as an unsigned number. A negative
  // difference is a large one, too.
  bool isSigned = type.dtype.isSignedInt();
  DType wide = isSigned ? Kind::Int64 : Kind::UInt64;
  Value exact = binary(op, cast(lhs, wide), cast(rhs, wide));
  Value fits = compare(RelationOp::Le, exact, constantInt(type.dtype.getIntMax(), exact.getType()));
  if (isSigned) {
    fits = logical(
        LogicalOp::And, fits,
        compare(RelationOp::Ge, exact, constantInt(type.dtype.getIntMin(), exact.getType())));
  }
  tile::AssertOp::create(builder, loc(), fits.getIR(),
                         type.dtype.getName() + " overflow in '" + spelling(op).str() + "'");
}

Value Builtins::deviceAssert(Semantics &semantics, BoundCall &call) {
  if (!semantics.getOptions().debug) {
    return Value::none(); // asserts live in debug builds only
  }
  std::optional<std::string> message = call.getString("msg", "");
  if (!message) {
    return Value::poison();
  }
  const Value &given = call.get("cond");
  std::optional<bool> known = semantics.constantTruth(given);
  if (known && *known) {
    return Value::none();
  }
  Value condition = known ? Value::boolean(false) : given;
  if (!condition.isNumber() && !(condition.isRuntime() && !condition.getDType().isPointer())) {
    return call.error(diag::ArgumentType, "cond",
                      "expected a bool or a tile of bools, got " + given.describe());
  }
  condition = semantics.cast(condition, Kind::Int1);
  return condition.isPoison() ? condition
                              : assertThat(semantics, call, condition, call.get("mask"), *message);
}

Value Builtins::expectZero(Semantics &semantics, BoundCall &call) {
  Value x = call.getTile("x");
  if (x.isPoison() || !semantics.getOptions().debug) {
    return x;
  }
  Value isZero = semantics.compare(RelationOp::Eq, x, Value::integer(0));
  Value done = isZero.isPoison() ? isZero
                                 : assertThat(semantics, call, isZero, call.get("mask"),
                                              "tl.expect_zero: expected 0 where the mask is true");
  return done.isPoison() ? done : x;
}

} // namespace tegula::frontend
