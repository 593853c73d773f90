//===- LoopState.cpp - The variables that a loop carries ------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run-time loop carries the names that its body assigns and that have a value
// before it. What type they carry is found by visiting the body: numbers start
// with the type of their literal, and the visit is repeated until what the body
// leaves has the type it started from. A name whose types cannot meet is carried
// no more, and using it is an error.
//
//===----------------------------------------------------------------------===//

#include "LoopState.h"
#include "llvm/ADT/ScopeExit.h"

namespace tegula::frontend {

/// Types only widen, so few visits are ever needed beyond one per variable, when
/// each hands its value on to the next.
static constexpr size_t kMaxVisits = 12;

/// What a value is carried as before anything is known of the body. Fields of objects are
/// taken to stay the same if they are known at compile time.
static MergePlan startPlan(Semantics &semantics, const Value &value, bool isField = false) {
  MergePlan plan;
  if (value.isComposite()) {
    plan.kind = MergePlan::Kind::Composite;
    plan.form = value;
    for (const Value &item : value.getItems()) {
      plan.items.push_back(startPlan(semantics, item, isField || value.isStruct()));
    }
    return plan;
  }
  plan.same = value;
  if (value.isRuntime()) {
    plan.kind = MergePlan::Kind::Slot;
    plan.type = value.getType();
  } else if (value.isNumber() && !isField) {
    std::optional<LangType> type = semantics.typeOf(value);
    if (value.getHint()) {
      type = LangType(*value.getHint());
    }
    if (type) {
      plan.kind = MergePlan::Kind::Slot;
      plan.type = *type;
    }
  }
  return plan;
}

static void numberSlots(mlir::MLIRContext &context, MergePlan &plan,
                        llvm::SmallVectorImpl<mlir::Type> &types) {
  if (plan.kind == MergePlan::Kind::Slot) {
    plan.slot = types.size();
    types.push_back(plan.type.getMLIRType(&context));
  }
  for (MergePlan &item : plan.items) {
    numberSlots(context, item, types);
  }
}

void Walker::startLoop(LoopState &state, const llvm::StringSet<> &assigned) {
  state.before = frame().variables;
  state.breaks = containsBreak(state.body);
  state.returns = containsReturn(state.body);
  for (const auto &entry : assigned) {
    state.assigned.push_back(entry.getKey().str());
  }
  llvm::sort(state.assigned);
  for (const std::string &name : state.assigned) {
    auto it = state.before.find(name);
    if (it == state.before.end() || it->second.value.isUndefined() || it->second.value.isPoison()) {
      continue;
    }
    LoopState::Carried carried;
    carried.name = name;
    carried.original = it->second;
    carried.plan = startPlan(semantics, it->second.value);
    state.names.insert(name);
    state.carried.push_back(std::move(carried));
  }
  auto addHidden = [&](llvm::StringRef name, Value value) {
    LoopState::Carried carried;
    carried.name = name.str();
    carried.original.value = std::move(value);
    carried.plan = startPlan(semantics, carried.original.value);
    state.carried.push_back(std::move(carried));
  };
  if (state.breaks || state.returns) {
    addHidden(kLeft, Value::boolean(false));
  }
  if (state.returns) {
    addHidden(kLeftByReturn, Value::boolean(false));
    addHidden(kResult, Value::undefined());
  }
  state.numReports = reports.size();
}

/// Fills `types` and `initial`; false if a value could not be converted.
bool Walker::prepareLoop(LoopState &state) {
  state.types.clear();
  for (LoopState::Carried &carried : state.carried) {
    if (!carried.conflict) {
      numberSlots(context, carried.plan, state.types);
    }
  }
  state.initial.assign(state.types.size(), mlir::Value());
  bool ok = true;
  for (LoopState::Carried &carried : state.carried) {
    if (!carried.conflict) {
      ok &= collect(carried.plan, carried.original.value, carried.name, state.initial);
    }
  }
  return ok;
}

void Walker::bindLoop(LoopState &state, mlir::ValueRange arguments) {
  frame().variables = state.before;
  for (LoopState::Carried &carried : state.carried) {
    Binding &binding = frame().variables[carried.name];
    if (carried.conflict) {
      carried.bound = Value::undefined();
      binding.reason = carried.conflict;
    } else {
      carried.bound = rebuild(carried.plan, arguments);
    }
    binding.value = carried.bound;
    binding.place = carried.original.place;
    binding.soft = carried.original.soft || carried.original.value.isNumber();
  }
}

static bool isSamePlan(const MergePlan &a, const MergePlan &b) {
  return a.kind == b.kind && a.type == b.type &&
         (a.kind != MergePlan::Kind::Same || Value::isSame(a.same, b.same)) &&
         llvm::equal(a.items, b.items, isSamePlan);
}

bool Walker::planCarried(MergePlan &plan, const Value &original, const Value &bound,
                         const Value &end, llvm::StringRef name, bool &forced, bool soft) {
  if (end.isPoison()) {
    return false;
  }
  auto conflict = [&] {
    plan.kind = MergePlan::Kind::Conflict;
    plan.first = original;
    plan.second = end;
    return true;
  };
  switch (plan.kind) {
  case MergePlan::Kind::Conflict:
    return false;
  case MergePlan::Kind::Composite: {
    bool areTuples = end.isTuple() && original.isTuple();
    if ((!areTuples && !Value::haveSameForm(original, end)) ||
        end.getItems().size() != plan.items.size()) {
      return conflict();
    }
    bool changed = false;
    for (size_t i = 0; i < plan.items.size(); ++i) {
      if (original.isStruct() && original.getClass()->isConstant(original.getFieldNames()[i]) &&
          !Value::isSame(original.getItems()[i], end.getItems()[i])) {
        plan.items[i] = MergePlan();
        plan.items[i].kind = MergePlan::Kind::Conflict;
        plan.items[i].first = original.getItems()[i];
        plan.items[i].second = end.getItems()[i];
        changed = true;
        continue;
      }
      changed |= planCarried(plan.items[i], original.getItems()[i], bound.getItems()[i],
                             end.getItems()[i], name, forced, false);
    }
    return changed;
  }
  case MergePlan::Kind::Same:
    if (Value::isSame(original, end)) {
      return false;
    }
    forced = true;
    break;
  case MergePlan::Kind::Slot:
    if (Value::isSame(bound, end)) {
      if (!original.isNumber() || forced) {
        return false;
      }
      // The body does not change it after all: it stays known at compile time.
      plan = MergePlan();
      plan.same = original;
      return true;
    }
    break;
  }
  // A type that both ends of the loop share.
  llvm::SmallVector<mlir::Type> types;
  MergePlan merged = planMerge(original, end, name, types, soft);
  if (merged.kind == MergePlan::Kind::Same && (merged.same.isNumber() || merged.same.isRuntime())) {
    // Set anew to the value it has: still a value of the loop.
    merged = startPlan(semantics, merged.same);
  }
  if (merged.kind != MergePlan::Kind::Slot) {
    return conflict();
  }
  bool changed = plan.kind != MergePlan::Kind::Slot || plan.type != merged.type;
  merged.slot = plan.slot;
  plan = std::move(merged);
  return changed;
}

bool Walker::settleLoop(LoopState &state) {
  bool changed = false, onlyResult = false; // kResult comes last
  for (LoopState::Carried &carried : state.carried) {
    auto end = frame().variables.find(carried.name);
    // A name is lost where all paths have returned; nobody looks at it then.
    carried.end = end != frame().variables.end()
                      ? end->second
                      : Binding{carried.bound, carried.original.place, nullptr};
    if (carried.conflict) {
      continue;
    }
    if (carried.name == kResult) {
      // It has no value before the loop: its type is that of what is returned.
      const Value &end = carried.end.value;
      if (end.isUndefined() || end.isPoison() || Value::isSame(carried.bound, end)) {
        continue;
      }
      llvm::SmallVector<mlir::Type> types;
      MergePlan plan = planMerge(carried.bound, end, carried.name, types);
      if (findConflict(plan)) {
        carried.end.value = Value::poison(); // whoever merged them has said so
        continue;
      }
      if (!isSamePlan(plan, carried.plan)) {
        carried.plan = std::move(plan);
        onlyResult = !changed;
        changed = true;
        state.unsettled = &carried - state.carried.data();
      }
      continue;
    }
    if (carried.end.value.isUndefined()) {
      // Without a reason there would be no error, and what needs the name would be lost.
      auto reason = std::make_shared<Reason>();
      reason->message = "variable '" + carried.name + "' has no value at the end of the loop";
      carried.conflict = carried.end.reason ? carried.end.reason : std::move(reason);
      changed = true;
      continue;
    }
    if (planCarried(carried.plan, carried.original.value, carried.bound, carried.end.value,
                    carried.name, carried.forced, carried.original.soft)) {
      changed = true;
      state.unsettled = &carried - state.carried.data();
    }
    if (const MergePlan *conflict = findConflict(carried.plan)) {
      auto reason = std::make_shared<Reason>();
      reason->id = diag::LoopCarriedType;
      reason->place = carried.end.place;
      reason->message = (conflict == &carried.plan ? "loop-carried variable '"
                                                   : "an item of loop-carried variable '") +
                        carried.name + "' is " + conflict->first.describe() +
                        " before the loop and " + conflict->second.describe() +
                        " after this assignment";
      reason->notes.emplace_back(carried.original.place, "assigned here before the loop");
      carried.conflict = std::move(reason);
      changed = true;
    }
  }
  if (changed) {
    // What is returned may have another type the next time.
    for (LoopState::Carried &carried : state.carried) {
      if (carried.name == kResult && !onlyResult) {
        carried.plan = startPlan(semantics, Value::undefined());
      }
    }
  }
  state.inside.clear();
  for (const std::string &name : state.assigned) {
    auto it = frame().variables.find(name);
    if (it != frame().variables.end()) {
      state.inside[name] = it->second;
    }
  }
  return !changed;
}

bool Walker::collectEnds(LoopState &state, llvm::SmallVectorImpl<mlir::Value> &out) {
  out.assign(state.types.size(), mlir::Value());
  for (LoopState::Carried &carried : state.carried) {
    if (!carried.conflict && carried.end.value.isPoison()) {
      collect(carried.plan, carried.bound, carried.name, out);
    } else if (!carried.conflict) {
      collect(carried.plan, carried.end.value, carried.name, out);
    }
  }
  return llvm::all_of(out, [](mlir::Value value) { return static_cast<bool>(value); });
}

void Walker::finishLoop(LoopState &state, mlir::ValueRange results) {
  frame().variables = state.before;
  for (const std::string &name : state.assigned) {
    auto inside = state.inside.find(name);
    auto before = state.before.find(name);
    if (inside == state.inside.end() || inside->second.value.isUndefined() ||
        (before != state.before.end() && !before->second.value.isUndefined())) {
      continue;
    }
    Binding &binding = frame().variables[name];
    binding = inside->second;
    if (!binding.value.isPoison()) {
      auto reason = std::make_shared<Reason>();
      reason->message = "variable '" + name +
                        "' is defined only inside the loop, which may run zero times; give it a "
                        "value before the loop";
      reason->notes.emplace_back(binding.place, "assigned here");
      binding.value = Value::undefined();
      binding.reason = std::move(reason);
    }
  }
  for (LoopState::Carried &carried : state.carried) {
    Binding &binding = frame().variables[carried.name];
    binding.place = carried.end.place;
    binding.reason = carried.conflict;
    binding.soft = carried.original.soft || carried.original.value.isNumber();
    if (carried.conflict) {
      binding.value = Value::undefined();
    } else if (carried.end.value.isPoison()) {
      binding.value = Value::poison();
    } else {
      binding.value = rebuild(carried.plan, results);
    }
  }
}

/// What is left of the variables when a loop could not be built.
void Walker::abandonLoop(LoopState &state) {
  frame().variables = state.before;
  for (const std::string &name : state.assigned) {
    bind(name, Value::poison(), frame().current);
  }
}

void Walker::visitLoop(const Stmt *stmt, LoopState &state, const llvm::StringSet<> &assigned,
                       llvm::function_ref<bool()> visitOnce) {
  if (!mayNest(stmt->range)) {
    return;
  }
  startLoop(state, assigned);
  ++frame().loopDepth;
  ++numRegions;
  const llvm::StringSet<> *outer = frame().carried;
  frame().carried = &state.names;
  llvm::scope_exit restore([&] {
    --frame().loopDepth;
    --numRegions;
    frame().carried = outer;
  });
  size_t visits = 0;
  do {
    reports.resize(std::min(reports.size(), state.numReports));
    poisoned = false;
    if (visits++ > kMaxVisits + state.carried.size()) {
      const LoopState::Carried &carried = state.carried[state.unsettled];
      error(diag::LoopCarriedType, carried.end.place,
            "the type of '" + carried.name + "' changes with every turn of the loop");
      note(carried.original.place, "assigned here before the loop");
      return abandonLoop(state);
    }
    if (!prepareLoop(state)) {
      return abandonLoop(state);
    }
  } while (!visitOnce() && !stop);
}

} // namespace tegula::frontend
