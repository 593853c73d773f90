//===- ControlFlow.cpp - Branches and the merging of variables ------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `return`, `break` or `continue` below a run-time `if` sets hidden variables:
// kReturned (this path has ended), kEnding (how) and kResult, which merge like all
// others. Where the shape of the source allows it the statements after the `if`
// move into the branch that does not end, so that no flag is needed.
//
// What variables are on a path that `return` ended is of no interest. After `break`
// and `continue` only those matter that the run-time loop carries.
//
//===----------------------------------------------------------------------===//

#include "Walker.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tegula/Tile/IR/Tile.h"

namespace tegula::frontend {

/// Nested run-time blocks; generous for people, small for the verifier's stack.
static constexpr unsigned kMaxRegions = 200;

Walker::Completion Walker::completion(const Variables &variables) const {
  auto it = variables.find(kReturned.str());
  if (it == variables.end()) {
    return Completion::Falls;
  }
  const Value &value = it->second.value;
  if (value.isRuntime()) {
    return Completion::Unknown;
  }
  return value.isBool() && value.getBool() ? Completion::Returned : Completion::Falls;
}

//===----------------------------------------------------------------------===//
// if
//===----------------------------------------------------------------------===//

bool Walker::visitIf(const IfStmt *stmt, llvm::ArrayRef<Stmt *> rest, bool tail) {
  At at(*this, stmt->test->range);
  Value test = visit(stmt->test);
  if (test.isPoison()) {
    poisonAssigned(stmt);
    return false;
  }
  if (std::optional<bool> truth = semantics.constantTruth(test)) {
    visitSequence(*truth ? stmt->body : stmt->orelse, tail && rest.empty());
    return false;
  }
  mlir::Value condition = semantics.condition(test, "the condition of 'if'");
  if (!condition) {
    poisonAssigned(stmt);
    return false;
  }

  llvm::SmallVector<Stmt *> whenTrue(stmt->body), whenFalse(stmt->orelse);
  bool trueEnds = endsPath(stmt->body), falseEnds = endsPath(stmt->orelse);
  bool movesRest = trueEnds != falseEnds;
  if (movesRest) {
    (trueEnds ? whenFalse : whenTrue).append(rest.begin(), rest.end());
  }
  bool branchTail = tail && (movesRest || rest.empty());
  branch(
      condition, [&] { visitSequence(whenTrue, branchTail); },
      [&] { visitSequence(whenFalse, branchTail); });
  return movesRest;
}

/// What values that cannot be chosen at run time would have to be.
static llvm::StringRef ruleOf(const MergePlan &conflict) {
  const Value &a = conflict.first, &b = conflict.second;
  if (a.isTuple() && b.isTuple()) {
    return "both must have the same number of items";
  }
  if (a.isNumber() && b.isNumber()) {
    return "a field known at compile time is the same on all paths";
  }
  bool alike = a.getKind() == b.getKind() && !a.isRuntime() && !a.isNumber() && !a.isStruct();
  return alike ? "only numbers and tiles can be chosen at run time" : "both must have one type";
}

bool Walker::mayNest(SourceRange place) {
  if (numRegions < kMaxRegions) {
    return true;
  }
  fatal(diag::NestingLimit, place,
        "run-time blocks are nested more than " + llvm::Twine(kMaxRegions) + " deep");
  return false;
}

void Walker::branch(mlir::Value condition, llvm::function_ref<void()> whenTrue,
                    llvm::function_ref<void()> whenFalse) {
  if (!mayNest(frame().current)) {
    return;
  }
  mlir::Location location = getLocation();
  auto op = mlir::scf::IfOp::create(builder, location, mlir::TypeRange(), condition,
                                    /*addThenBlock=*/true, /*addElseBlock=*/true);
  mlir::Block *blocks[] = {op.thenBlock(), op.elseBlock()};
  Variables before = frame().variables;
  Variables after[2];
  ++numRegions;
  for (int side = 0; side < 2; ++side) {
    frame().variables = before;
    builder.setInsertionPointToEnd(blocks[side]);
    side == 0 ? whenTrue() : whenFalse();
    after[side] = std::move(frame().variables);
  }
  --numRegions;
  // Paths that have ended, and how: `true` for those whose variables are lost.
  bool ended[2], lost[2];
  for (int side = 0; side < 2; ++side) {
    ended[side] = completion(after[side]) == Completion::Returned;
    auto how = after[side].find(kEnding.str());
    lost[side] = ended[side] && how != after[side].end() && how->second.value.isInt() &&
                 how->second.value.getInt() == static_cast<int>(Ending::Return);
  }
  const llvm::StringSet<> *carried = frame().carried;

  // Every name either side has, in order.
  struct Merged {
    std::string name;
    const Binding *sides[2];
    MergePlan plan;
  };
  std::vector<Merged> merged;
  llvm::SmallVector<mlir::Type> types;
  Variables result;
  static const Binding absent = {Value::undefined(), {}, nullptr};
  auto merge = [&](const std::string &name, const Binding *first, const Binding *second) {
    bool hidden = name == kReturned || name == kEnding || name == kResult;
    bool dead[2];
    for (int side = 0; side < 2; ++side) {
      dead[side] = lost[side] || (ended[side] && carried && !carried->contains(name));
    }
    if (dead[0] && dead[1] && !hidden) {
      return;
    }
    // A path that has returned says nothing about variables.
    if (!hidden && (dead[0] || dead[1])) {
      const Binding &alive = dead[0] ? *second : *first;
      auto unchanged = before.find(name);
      if (unchanged != before.end() && Value::isSame(unchanged->second.value, alive.value)) {
        result[name] = alive;
        return;
      }
      if (dead[0]) {
        first = &absent;
      } else if (dead[1]) {
        second = &absent;
      }
    }
    const Value &a = first->value, &b = second->value;
    if (Value::isSame(a, b)) {
      const Binding &known = a.isUndefined() && !first->reason ? *second : *first;
      // A name that only a path that has returned assigns does not exist here.
      if (!a.isUndefined() || known.reason) {
        result[name] = known;
      }
      return;
    }
    if (a.isPoison() || b.isPoison()) {
      result[name] = {Value::poison(), first->place, nullptr};
      return;
    }
    if (!hidden && !dead[0] && !dead[1] && (a.isUndefined() || b.isUndefined())) {
      const Binding &undefined = a.isUndefined() ? *first : *second;
      const Binding &defined = a.isUndefined() ? *second : *first;
      Binding binding = {Value::undefined(), defined.place, undefined.reason};
      if (!binding.reason) {
        auto reason = std::make_shared<Reason>();
        reason->message = "variable '" + name +
                          "' may be undefined here: it is assigned on only some of the paths "
                          "that lead here";
        reason->notes.emplace_back(defined.place, "assigned here");
        binding.reason = std::move(reason);
      }
      result[name] = std::move(binding);
      return;
    }
    // The flag starts out false; an absent result is never looked at.
    Merged entry{name, {first, second}, {}};
    Value left = a, right = b;
    if (name == kReturned) {
      left = left.isUndefined() ? Value::boolean(false) : left;
      right = right.isUndefined() ? Value::boolean(false) : right;
    }
    if (name == kEnding && !left.isUndefined() && !right.isUndefined()) {
      // One type, whichever ways of ending meet.
      left = left.isInt() ? Value::integer(left.getInt(), DType(DType::Kind::Int32)) : left;
      right = right.isInt() ? Value::integer(right.getInt(), DType(DType::Kind::Int32)) : right;
    }
    entry.plan = planMerge(left, right, name, types, first->soft, second->soft);
    merged.push_back(std::move(entry));
  };
  for (const auto &[name, binding] : after[0]) {
    auto other = after[1].find(name);
    merge(name, &binding, other == after[1].end() ? &absent : &other->second);
  }
  for (const auto &[name, binding] : after[1]) {
    if (!after[0].count(name)) {
      merge(name, &absent, &binding);
    }
  }

  // Names whose values cannot merge are an error where they are used.
  for (const Merged &entry : merged) {
    const MergePlan *conflict = findConflict(entry.plan);
    if (!conflict) {
      continue;
    }
    const Binding &first = *entry.sides[0], &second = *entry.sides[1];
    if (entry.name == kResult) {
      // The path that says more comes first.
      bool swap = conflict->first.isNone();
      const Value &here = swap ? conflict->second : conflict->first;
      const Value &there = swap ? conflict->first : conflict->second;
      if (here.isUndefined() || there.isUndefined()) {
        error(diag::PossiblyUndefined, first.place,
              "'" + frame().function->name + "' gives a field a value on only some of its paths");
        result[entry.name] = {Value::poison(), first.place, nullptr};
        continue;
      }
      // Of two that say as much, the later is in the wrong.
      bool isLater = !swap && !there.isNone();
      const Value &wrong = isLater ? there : here, &other = isLater ? here : there;
      error(diag::ReturnType, (swap || isLater ? second : first).place,
            "'" + frame().function->name + "' returns " + wrong.describe() + " here and " +
                (other.isNone() ? "nothing" : other.describe()) + " on another path");
      note((swap || isLater ? first : second).place, "the other path ends here");
      result[entry.name] = {Value::poison(), first.place, nullptr};
      continue;
    }
    auto reason = std::make_shared<Reason>();
    reason->id = diag::TypeMismatch;
    reason->message = (conflict == &entry.plan ? "variable '" : "an item of variable '") +
                      entry.name + "' is " + conflict->first.describe() + " on one path and " +
                      conflict->second.describe() + " on another; " + ruleOf(*conflict).str();
    reason->notes.emplace_back(first.place, "one assignment is here");
    reason->notes.emplace_back(second.place, "the other is here");
    result[entry.name] = {Value::undefined(), first.place, std::move(reason)};
  }

  for (int side = 0; side < 2; ++side) {
    builder.setInsertionPointToEnd(blocks[side]);
    llvm::SmallVector<mlir::Value> yielded(types.size());
    for (const Merged &entry : merged) {
      Value value = entry.sides[side]->value;
      if (entry.name == kReturned && value.isUndefined()) {
        value = Value::boolean(false);
      }
      collect(entry.plan, value, entry.name, yielded);
    }
    // A poisoned leaf was reported; keep the op well formed.
    for (auto [type, value] : llvm::zip_equal(types, yielded)) {
      if (!value) {
        value =
            mlir::UnrealizedConversionCastOp::create(builder, location, type, mlir::ValueRange())
                .getResult(0);
      }
    }
    mlir::scf::YieldOp::create(builder, location, yielded);
  }

  builder.setInsertionPointAfter(op);
  if (types.empty()) {
    if (blocks[1]->without_terminator().empty()) {
      blocks[1]->erase();
    } else if (blocks[0]->without_terminator().empty()) {
      // `if c: return` guards what comes after it.
      builder.setInsertionPoint(op);
      mlir::Value yes = mlir::arith::ConstantIntOp::create(builder, location, 1, 1);
      mlir::Value inverse = mlir::arith::XOrIOp::create(builder, location, condition, yes);
      op.getConditionMutable().assign(inverse);
      blocks[0]->erase();
      op.getThenRegion().takeBody(op.getElseRegion());
      builder.setInsertionPointAfter(op);
    }
  } else {
    auto full = mlir::scf::IfOp::create(builder, location, types, condition,
                                        /*addThenBlock=*/false, /*addElseBlock=*/false);
    full.getThenRegion().takeBody(op.getThenRegion());
    full.getElseRegion().takeBody(op.getElseRegion());
    op.erase();
    op = full;
    builder.setInsertionPointAfter(op);
  }
  for (const Merged &entry : merged) {
    if (!findConflict(entry.plan)) {
      SourceRange place =
          entry.sides[0]->value.isUndefined() ? entry.sides[1]->place : entry.sides[0]->place;
      auto soft = [](const Binding &side) { return side.soft || side.value.isNumber(); };
      result[entry.name] = {rebuild(entry.plan, op->getResults()), place, nullptr,
                            soft(*entry.sides[0]) && soft(*entry.sides[1])};
    }
  }
  frame().variables = std::move(result);
}

Value Walker::branchValue(mlir::Value condition, llvm::function_ref<Value()> whenTrue,
                          llvm::function_ref<Value()> whenFalse, SourceRange place) {
  std::string name = "<value " + std::to_string(numTemporaries++) + ">";
  branch(
      condition, [&] { bind(name, whenTrue(), place); }, [&] { bind(name, whenFalse(), place); });
  auto it = frame().variables.find(name);
  if (it == frame().variables.end()) {
    return Value::poison();
  }
  Binding binding = std::move(it->second);
  frame().variables.erase(it);
  if (!binding.value.isUndefined()) {
    return binding.value;
  }
  // The reason speaks of a variable; here there is only an expression.
  assert(binding.reason && "both sides have a value");
  auto [item, message] = llvm::StringRef(binding.reason->message).split("variable '" + name + "' ");
  return error(diag::TypeMismatch, place, item + "the value of this expression " + message);
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

MergePlan Walker::planFrom(const Value &value, llvm::SmallVectorImpl<mlir::Type> &types) {
  MergePlan plan;
  if (value.isRuntime()) {
    plan.kind = MergePlan::Kind::Slot;
    plan.type = value.getType();
    plan.slot = types.size();
    types.push_back(value.getIR().getType());
  } else if (value.isComposite()) {
    plan.kind = MergePlan::Kind::Composite;
    plan.form = value;
    for (const Value &item : value.getItems()) {
      plan.items.push_back(planFrom(item, types));
    }
  } else {
    plan.same = value;
  }
  return plan;
}

MergePlan Walker::planMerge(const Value &a, const Value &b, llvm::StringRef name,
                            llvm::SmallVectorImpl<mlir::Type> &types, bool softA, bool softB) {
  MergePlan plan;
  if (a.isPoison() || b.isPoison()) {
    plan.same = Value::poison();
    return plan;
  }
  if (a.isUndefined() || b.isUndefined()) {
    return planFrom(a.isUndefined() ? b : a, types);
  }
  if (Value::isSame(a, b)) {
    plan.same = a;
    return plan;
  }
  bool areTuples = a.isTuple() && b.isTuple() && a.getItems().size() == b.getItems().size();
  if (areTuples || Value::haveSameForm(a, b)) {
    plan.kind = MergePlan::Kind::Composite;
    plan.form = a;
    for (size_t i = 0; i < a.getItems().size(); ++i) {
      const Value &first = a.getItems()[i], &second = b.getItems()[i];
      bool differs = a.isStruct() && a.getClass()->isConstant(a.getFieldNames()[i]) &&
                     !Value::isSame(first, second);
      // The other case is a field that `__init__` has yet to set.
      if (differs || first.isUndefined() != second.isUndefined()) {
        plan.items.emplace_back();
        plan.items.back().kind = MergePlan::Kind::Conflict;
        plan.items.back().first = first;
        plan.items.back().second = second;
        continue;
      }
      plan.items.push_back(planMerge(first, second, name, types));
    }
    return plan;
  }
  auto isLeaf = [](const Value &value) { return value.isNumber() || value.isRuntime(); };
  std::optional<LangType> type;
  if (isLeaf(a) && isLeaf(b)) {
    // A literal fills a tile of its kind or a higher one, and widens with what it
    // meets; so does a literal that a loop has made a scalar.
    auto isSoft = [](const Value &value, bool soft) {
      return value.isNumber() || (soft && value.getType().isScalar());
    };
    bool first = isSoft(a, softA), second = isSoft(b, softB);
    if (first != second) {
      const Value &literal = first ? a : b, &other = first ? b : a;
      std::optional<LangType> literalType = semantics.typeOf(literal);
      if (literalType && other.getType().isTile() && !other.getDType().isPointer() &&
          literalType->dtype.getNumberKind() <= other.getDType().getNumberKind()) {
        type = other.getType();
      }
    }
    ++muted;
    if (!type) {
      type = semantics.joinTypes(a, b);
    }
    std::optional<LangType> typeA = semantics.typeOf(a), typeB = semantics.typeOf(b);
    // No number is an address.
    auto isNumber = [](const std::optional<LangType> &one) {
      return one && one->isScalar() && !one->dtype.isPointer();
    };
    if (!type && (first || second) && isNumber(typeA) && isNumber(typeB)) {
      if (std::optional<DType> common = semantics.promote(a, b, false, "=")) {
        type = LangType(*common);
      }
    }
    --muted;
  }
  if (!type) {
    plan.kind = MergePlan::Kind::Conflict;
    plan.first = a;
    plan.second = b;
    return plan;
  }
  plan.kind = MergePlan::Kind::Slot;
  plan.type = *type;
  plan.slot = types.size();
  types.push_back(type->getMLIRType(&context));
  return plan;
}

const MergePlan *Walker::findConflict(const MergePlan &plan) {
  if (plan.kind == MergePlan::Kind::Conflict) {
    return &plan;
  }
  for (const MergePlan &item : plan.items) {
    if (const MergePlan *conflict = findConflict(item)) {
      return conflict;
    }
  }
  return nullptr;
}

Value Walker::zero(const LangType &type) {
  if (!type.isOpaque()) {
    return semantics.constantInt(0, type);
  }
  // What nothing looks at: a view of no memory.
  auto view = mlir::cast<tile::ViewType>(type.opaqueType);
  mlir::Location location = getLocation();
  mlir::Value none = mlir::arith::ConstantIntOp::create(builder, location, 0, 64);
  mlir::Value base =
      tile::IntToPtrOp::create(builder, location, tile::PtrType::get(view.getElementType()), none);
  llvm::SmallVector<mlir::Value> sizes(view.getShape().size(), none);
  return Value::runtime(tile::MakeViewOp::create(builder, location, view, base, sizes, sizes,
                                                 tile::Padding::Zero, tile::Fp8KindAttr()),
                        type);
}

Value Walker::convertLeaf(const Value &value, const LangType &type, llvm::StringRef name) {
  if (value.isUndefined()) {
    return zero(type);
  }
  if (value.isNumber() && type.isTile()) {
    return semantics.broadcastTo(semantics.toRuntime(value, type.dtype), type.shape);
  }
  if (value.isRuntime() && value.getType().isScalar() && type.isTile()) {
    return semantics.broadcastTo(semantics.cast(value, type.dtype), type.shape);
  }
  return semantics.convertTo(value, type);
}

bool Walker::collect(const MergePlan &plan, const Value &value, llvm::StringRef name,
                     llvm::SmallVectorImpl<mlir::Value> &out) {
  switch (plan.kind) {
  case MergePlan::Kind::Same:
  case MergePlan::Kind::Conflict:
    return true;
  case MergePlan::Kind::Slot: {
    Value converted = convertLeaf(value, plan.type, name);
    if (!converted.isRuntime()) {
      return false;
    }
    out[plan.slot] = converted.getIR();
    return true;
  }
  case MergePlan::Kind::Composite: {
    bool ok = true;
    for (const auto &[i, item] : llvm::enumerate(plan.items)) {
      bool has = value.isComposite() && i < value.getItems().size();
      ok &= collect(item, has ? value.getItems()[i] : Value::undefined(), name, out);
    }
    return ok;
  }
  }
  return false;
}

Value Walker::rebuild(const MergePlan &plan, mlir::ValueRange values) {
  switch (plan.kind) {
  case MergePlan::Kind::Same:
    return plan.same;
  case MergePlan::Kind::Slot:
    return Value::runtime(values[plan.slot], plan.type);
  case MergePlan::Kind::Composite: {
    std::vector<Value> items;
    for (const MergePlan &item : plan.items) {
      items.push_back(rebuild(item, values));
    }
    return plan.form.withItems(std::move(items));
  }
  case MergePlan::Kind::Conflict:
    return Value::undefined();
  }
  return Value::poison();
}

} // namespace tegula::frontend
