//===- Expressions.cpp - Expressions of kernels ---------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Walker.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

namespace tegula::frontend {

/// Stack that the walk may use: threads commonly have 8 MiB.
static constexpr uintptr_t kMaxStack = 4u << 20;
/// Unrolling, inlining and comprehensions can make a small program endless.
static constexpr uint64_t kMaxExpressions = 2'000'000;

Value Walker::visit(const Expr *expr) {
  if (stop) {
    return Value::poison();
  }
  uintptr_t here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (stackBase - here > kMaxStack && stackBase > here) {
    return fatal(diag::NestingLimit, expr->range, "calls and expressions are nested too deeply");
  }
  if (++numExpressions > kMaxExpressions) {
    return fatal(diag::SizeLimit, expr->range,
                 "the kernel grows beyond " + llvm::Twine(kMaxExpressions) +
                     " expressions when its loops are unrolled and its calls inlined");
  }
  At at(*this, expr->range);
  Value value = visitInner(expr);
  if (value.isPoison() && !poisoned) {
    poisoned = true;
    poisonedAt = expr->range;
  }
  // Copies of long tuples and strings are work too.
  numExpressions += value.getSize() / 16;
  if (value.isTooLarge()) {
    semantics.checkSize(value);
    return Value::poison();
  }
  return value;
}

Value Walker::visitInner(const Expr *expr) {
  auto unsupported = [&](llvm::StringRef what, llvm::StringRef instead) {
    refuse(expr->range, what, instead);
    return Value::poison();
  };
  switch (expr->kind) {
  case ExprKind::Name:
    return visitName(llvm::cast<NameExpr>(expr));
  case ExprKind::Constant:
    return visitConstant(llvm::cast<ConstantExpr>(expr));
  case ExprKind::JoinedStr:
    return visitJoinedStr(llvm::cast<JoinedStrExpr>(expr));
  case ExprKind::FormattedValue:
    return visit(llvm::cast<FormattedValueExpr>(expr)->value);
  case ExprKind::BinOp: {
    const auto *binary = llvm::cast<BinOpExpr>(expr);
    Value lhs = visit(binary->lhs);
    Value rhs = visit(binary->rhs);
    return semantics.binary(toArithOp(binary->op), lhs, rhs);
  }
  case ExprKind::UnaryOp: {
    const auto *unary = llvm::cast<UnaryOpExpr>(expr);
    return semantics.unary(toPrefixOp(unary->op), visit(unary->operand));
  }
  case ExprKind::BoolOp:
    return visitBoolOp(llvm::cast<BoolOpExpr>(expr), 0);
  case ExprKind::Compare:
    return visitCompare(llvm::cast<CompareExpr>(expr));
  case ExprKind::IfExp:
    return visitIfExp(llvm::cast<IfExpExpr>(expr));
  case ExprKind::NamedExpr: {
    const auto *named = llvm::cast<NamedExprExpr>(expr);
    Value value = visit(named->value);
    assign(named->target, value);
    return value;
  }
  case ExprKind::Call:
    return visitCall(llvm::cast<CallExpr>(expr));
  case ExprKind::Attribute: {
    const auto *attribute = llvm::cast<AttributeExpr>(expr);
    Value value = visit(attribute->value);
    if (value.isPoison()) {
      return value;
    }
    At at(*this, attribute->attrRange);
    return semantics.attribute(value, attribute->attr);
  }
  case ExprKind::Subscript: {
    const auto *subscript = llvm::cast<SubscriptExpr>(expr);
    Value value = visit(subscript->value);
    Value index = visitIndex(subscript->index);
    if (value.isPoison() || index.isPoison()) {
      return Value::poison();
    }
    return semantics.subscript(value, index);
  }
  case ExprKind::Slice:
    return visitIndex(expr);
  case ExprKind::Tuple:
    return visitElements(llvm::cast<TupleExpr>(expr)->elements);
  case ExprKind::List:
    return visitElements(llvm::cast<ListExpr>(expr)->elements);
  case ExprKind::ListComp:
    return visitListComp(llvm::cast<ComprehensionExpr>(expr));
  case ExprKind::Starred:
    return unsupported("a starred expression here", "unpack it into names first");
  case ExprKind::Set:
  case ExprKind::SetComp:
    return unsupported("a set", "use a tuple");
  case ExprKind::Dict:
  case ExprKind::DictComp:
    return unsupported("a dict", "use a tuple, or if and elif on compile-time values");
  case ExprKind::GeneratorExp:
    return unsupported("a generator expression", "use a list comprehension over a tuple");
  case ExprKind::Lambda:
    return unsupported("a lambda",
                       "define a function beside the kernel, decorated with jit, and name it");
  case ExprKind::Await:
    return unsupported("'await'", "kernels run from start to end");
  case ExprKind::Yield:
  case ExprKind::YieldFrom:
    return unsupported("'yield'", "return a tuple of values");
  }
  return Value::poison();
}

Value Walker::visitConstant(const ConstantExpr *expr) {
  switch (expr->constantKind) {
  case ConstantKind::Int: {
    if (expr->exceeds128Bits() || expr->getInt().getActiveBits() > 127) {
      return error(diag::SizeLimit, expr->range, "expected an integer of at most 127 bits");
    }
    llvm::APInt words = expr->getInt().zextOrTrunc(128);
    unsigned __int128 value =
        (static_cast<unsigned __int128>(words.getRawData()[1]) << 64) | words.getRawData()[0];
    return Value::integer(static_cast<BigInt>(value));
  }
  case ConstantKind::Float:
    return Value::floating(expr->floatValue);
  case ConstantKind::Str:
    return Value::string(expr->text.str());
  case ConstantKind::Bool:
    return Value::boolean(expr->boolValue);
  case ConstantKind::None:
    return Value::none();
  case ConstantKind::Ellipsis:
    return Value::ellipsis();
  case ConstantKind::Imaginary:
    refuse(expr->range, "a complex number", "keep real and imaginary parts in two values");
    return Value::poison();
  case ConstantKind::Bytes:
    refuse(expr->range, "a bytes literal", "use a string");
    return Value::poison();
  }
  return Value::poison();
}

Value Walker::visitJoinedStr(const JoinedStrExpr *expr) {
  std::string text;
  bool ok = true;
  for (const Expr *part : expr->values) {
    if (const auto *constant = llvm::dyn_cast<ConstantExpr>(part)) {
      text += constant->text;
      continue;
    }
    const auto *formatted = llvm::cast<FormattedValueExpr>(part);
    Value value = visit(formatted->value);
    std::string spec;
    if (formatted->formatSpec) {
      Value specValue = visit(formatted->formatSpec);
      if (specValue.isStr()) {
        spec = specValue.getStr();
      } else {
        ok = false;
      }
    }
    if (value.isPoison() || !ok) {
      ok = false;
      continue;
    }
    if (value.isRuntime()) {
      error(diag::NotConstexpr, formatted->value->range,
            "expected a compile-time value in an f-string, got " + value.describe() +
                "; print it with tl.device_print");
      ok = false;
      continue;
    }
    if (formatted->conversion == 'r' || formatted->conversion == 'a') {
      value = Value::string(value.repr());
    } else if (formatted->conversion == 's') {
      value = Value::string(value.str());
    }
    At at(*this, formatted->range);
    std::optional<std::string> piece = semantics.format(value, spec);
    ok &= piece.has_value();
    text += piece.value_or("");
  }
  return ok ? Value::string(std::move(text)) : Value::poison();
}

Value Walker::visitElements(llvm::ArrayRef<Expr *> elements) {
  std::vector<Value> items;
  bool ok = true;
  for (const Expr *element : elements) {
    if (const auto *starred = llvm::dyn_cast<StarredExpr>(element)) {
      Value value = visit(starred->value);
      std::optional<std::vector<Value>> unpacked;
      if (!value.isPoison()) {
        At at(*this, starred->range);
        unpacked = semantics.iterate(value, "the value after '*'");
      }
      ok &= unpacked.has_value();
      if (unpacked) {
        if (!semantics.checkSize(items.size() + unpacked->size())) {
          return Value::poison();
        }
        items.insert(items.end(), unpacked->begin(), unpacked->end());
      }
      continue;
    }
    items.push_back(visit(element));
    ok &= !items.back().isPoison();
  }
  return ok ? Value::tuple(std::move(items)) : Value::poison();
}

Value Walker::visitIndex(const Expr *expr) {
  if (const auto *slice = llvm::dyn_cast<SliceExpr>(expr)) {
    auto part = [&](const Expr *bound) { return bound ? visit(bound) : Value::none(); };
    Value lower = part(slice->lower), upper = part(slice->upper), step = part(slice->step);
    if (lower.isPoison() || upper.isPoison() || step.isPoison()) {
      return Value::poison();
    }
    return Value::slice(lower, upper, step);
  }
  const auto *tuple = llvm::dyn_cast<TupleExpr>(expr);
  if (!tuple) {
    return visit(expr);
  }
  std::vector<Value> items;
  for (const Expr *element : tuple->elements) {
    items.push_back(visitIndex(element));
    if (items.back().isPoison()) {
      return Value::poison();
    }
  }
  return Value::tuple(std::move(items));
}

//===----------------------------------------------------------------------===//
// and, or, comparisons, conditional expressions
//===----------------------------------------------------------------------===//

Value Walker::visitBoolOp(const BoolOpExpr *expr, size_t from) {
  bool isAnd = expr->op == BoolOp::And;
  LogicalOp op = isAnd ? LogicalOp::And : LogicalOp::Or;
  Value lhs = visit(expr->values[from]);
  // The right operand comes to life only when it is needed.
  for (size_t next = from + 1; next < expr->values.size(); ++next) {
    if (lhs.isPoison()) {
      return lhs;
    }
    if (std::optional<bool> truth = semantics.constantTruth(lhs)) {
      // What a variable or an argument holds gives a bool, as at run time.
      bool variable = lhs.getHint().has_value();
      if (*truth != isAnd) {
        return variable ? Value::boolean(*truth, DType(DType::Kind::Int1)) : lhs;
      }
      Value rhs = visit(expr->values[next]);
      At at(*this, expr->range);
      lhs = variable ? semantics.logical(op, lhs, rhs) : rhs;
      continue;
    }
    bool guards = lhs.isRuntime() && lhs.getType().isScalar() && !lhs.getDType().isFloat() &&
                  containsCall(expr->values[next]);
    if (!guards) {
      Value rhs = visit(expr->values[next]);
      At at(*this, expr->range);
      lhs = semantics.logical(op, lhs, rhs);
      continue;
    }
    lhs = shortCircuit(lhs, isAnd, [&] { return visit(expr->values[next]); }, expr->range);
  }
  return lhs;
}

Value Walker::shortCircuit(const Value &lhs, bool isAnd, llvm::function_ref<Value()> visitRest,
                           SourceRange place) {
  // `i < n and tl.load(p + i) > 0` must not load when i is out of range. An
  // operand that is a tile, or known at compile time, needs no guard.
  mlir::Block *block = builder.getInsertionBlock();
  mlir::Operation *last = block->empty() ? nullptr : &block->back();
  size_t numReports = reports.size();
  Variables saved = frame().variables;
  mlir::Value condition = semantics.condition(lhs);
  assert(condition && "a scalar has a truth value");
  Value seen;
  auto evaluate = [&] {
    seen = visitRest();
    if (seen.isRuntime() && seen.getType().isScalar()) {
      mlir::Value flag = semantics.condition(seen);
      assert(flag && "a scalar has a truth value");
      return Value::runtime(flag, LangType(DType(DType::Kind::Int1)));
    }
    return Value::boolean(isAnd);
  };
  auto skip = [&] { return Value::boolean(!isAnd); };
  Value guarded = isAnd ? branchValue(condition, evaluate, skip, place)
                        : branchValue(condition, skip, evaluate, place);
  if (seen.isPoison() || stop) {
    return Value::poison();
  }
  if (seen.isRuntime() && seen.getType().isScalar()) {
    return guarded;
  }
  // Take the guard back.
  while (!block->empty() && &block->back() != last) {
    block->back().erase();
  }
  builder.setInsertionPointToEnd(block);
  reports.resize(std::min(reports.size(), numReports));
  frame().variables = std::move(saved);
  Value rhs = visitRest();
  At at(*this, place);
  return semantics.logical(isAnd ? LogicalOp::And : LogicalOp::Or, lhs, rhs);
}

Value Walker::visitCompare(const CompareExpr *expr) {
  return compareFrom(expr, 0, visit(expr->lhs));
}

/// The comparisons from number `i` on, whose left side is `lhs`.
Value Walker::compareFrom(const CompareExpr *expr, size_t i, const Value &lhs) {
  Value rhs = visit(expr->comparators[i]);
  if (lhs.isPoison() || rhs.isPoison()) {
    return Value::poison();
  }
  Value part = semantics.compare(toRelationOp(expr->ops[i]), lhs, rhs);
  if (part.isPoison() || i + 1 == expr->ops.size()) {
    return part;
  }
  if (std::optional<bool> truth = semantics.constantTruth(part)) {
    return *truth ? compareFrom(expr, i + 1, rhs) : part;
  }
  bool isScalar = part.isRuntime() && part.getType().isScalar();
  bool calls = llvm::any_of(llvm::ArrayRef<Expr *>(expr->comparators).drop_front(i + 1),
                            [](const Expr *operand) { return containsCall(operand); });
  auto rest = [&] { return compareFrom(expr, i + 1, rhs); };
  if (isScalar && calls) {
    return shortCircuit(part, /*isAnd=*/true, rest, expr->range);
  }
  Value others = rest();
  At at(*this, expr->range);
  return semantics.logical(LogicalOp::And, part, others);
}

Value Walker::visitIfExp(const IfExpExpr *expr) {
  Value test = visit(expr->test);
  if (test.isPoison()) {
    return test;
  }
  if (std::optional<bool> truth = semantics.constantTruth(test)) {
    return visit(*truth ? expr->body : expr->orelse);
  }
  if (test.isRuntime() && test.getType().isTile()) {
    Value whenTrue = visit(expr->body);
    Value whenFalse = visit(expr->orelse);
    return semantics.select(test, whenTrue, whenFalse, "if ... else");
  }
  mlir::Value condition;
  {
    At at(*this, expr->test->range);
    condition = semantics.condition(test, "the condition of 'if'");
  }
  if (!condition) {
    return Value::poison();
  }
  return branchValue(
      condition, [&] { return visit(expr->body); }, [&] { return visit(expr->orelse); },
      expr->range);
}

//===----------------------------------------------------------------------===//
// Comprehensions
//===----------------------------------------------------------------------===//

Value Walker::visitListComp(const ComprehensionExpr *expr) {
  // The variables of a comprehension are its own.
  Variables saved = frame().variables;
  std::vector<Value> items;
  bool ok = comprehend(expr, 0, items);
  frame().variables = std::move(saved);
  return ok ? Value::tuple(std::move(items)) : Value::poison();
}

bool Walker::comprehend(const ComprehensionExpr *expr, size_t generator, std::vector<Value> &out) {
  if (generator == expr->generators.size()) {
    out.push_back(visit(expr->element));
    return !out.back().isPoison() && semantics.checkSize(out.size());
  }
  const Comprehension &clause = expr->generators[generator];
  std::optional<std::vector<Value>> values;
  const auto *call = llvm::dyn_cast<CallExpr>(clause.iter);
  Value callee = call ? visit(call->func) : Value::none();
  if (call && (Semantics::isLanguage(callee, "builtins.range") ||
               Semantics::isLanguage(callee, "tl.static_range"))) {
    At at(*this, clause.iter->range);
    std::optional<RangeSpec> range = readRange(call, callee, /*isStatic=*/false);
    if (!range) {
      return false;
    }
    if (range->start.isRuntime() || range->stop.isRuntime() || range->step.isRuntime()) {
      const Value &bound = range->start.isRuntime()  ? range->start
                           : range->stop.isRuntime() ? range->stop
                                                     : range->step;
      error(diag::NotConstexpr, clause.iter->range,
            "expected compile-time bounds in a list comprehension, got " + bound.describe() +
                "; use a loop");
      return false;
    }
    values.emplace();
    BigInt count = range->countSteps();
    if (count > BigInt(Value::kMaxSize)) {
      error(diag::SizeLimit, clause.iter->range,
            "expected at most " + llvm::Twine(Value::kMaxSize) +
                " turns of a list comprehension, got " + toString(count));
      return false;
    }
    for (BigInt i = 0; i < count; ++i) {
      values->push_back(Value::integer(range->getNumber(i)));
    }
  } else {
    Value iterated = callee.isPoison() ? callee : visit(clause.iter);
    if (iterated.isPoison()) {
      return false;
    }
    At at(*this, clause.iter->range);
    if (!iterated.isTuple() && !iterated.isStr()) {
      error(diag::NotIterable, clause.iter->range,
            "cannot iterate over " + iterated.describe() +
                "; a list comprehension runs over a tuple or a range");
      return false;
    }
    values = semantics.iterate(iterated, "a list comprehension");
  }
  if (!values) {
    return false;
  }
  for (const Value &value : *values) {
    assign(clause.target, value, /*isConstexpr=*/true);
    bool taken = true;
    for (const Expr *filter : clause.ifs) {
      Value test = visit(filter);
      std::optional<bool> truth = semantics.constantTruth(test);
      if (!truth) {
        if (!test.isPoison()) {
          error(diag::NotConstexpr, filter->range,
                "expected a compile-time condition in a list comprehension, got " +
                    test.describe());
        }
        return false;
      }
      taken = taken && *truth;
    }
    if (taken && !comprehend(expr, generator + 1, out)) {
      return false;
    }
  }
  return true;
}

} // namespace tegula::frontend
