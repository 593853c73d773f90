//===- Loops.cpp - for and while ------------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges and conditions; LoopState.cpp does what is common to all run-time loops.
// A loop that `break` or `return` can leave is an scf.while that also carries
// whether it was left, kLeft and kLeftByReturn; a `for` counts by itself then.
//
//===----------------------------------------------------------------------===//

#include "LoopState.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tegula::frontend {

static constexpr BigInt kMaxUnrolled = 100'000;

//===----------------------------------------------------------------------===//
// for
//===----------------------------------------------------------------------===//

void Walker::visitFor(const ForStmt *stmt) {
  const auto *call = llvm::dyn_cast<CallExpr>(stmt->iter);
  Value callee = call ? visit(call->func) : Value::none();
  bool isStatic = call && Semantics::isLanguage(callee, "tl.static_range");
  if (isStatic || (call && (Semantics::isLanguage(callee, "builtins.range") ||
                            Semantics::isLanguage(callee, "tl.range")))) {
    At at(*this, stmt->iter->range);
    std::optional<RangeSpec> range = readRange(call, callee, isStatic);
    if (!range) {
      return poisonAssigned(stmt);
    }
    if (!isStatic) {
      return runtimeLoop(stmt, std::move(*range));
    }
    std::vector<Value> values;
    BigInt count = range->countSteps();
    if (count > kMaxUnrolled) {
      error(diag::SizeLimit, stmt->iter->range,
            "the loop would be unrolled " + toString(count) + " times, at most " +
                toString(kMaxUnrolled) + " are possible; use tl.range");
      return poisonAssigned(stmt);
    }
    for (BigInt i = 0; i < count; ++i) {
      values.push_back(Value::integer(range->getNumber(i)));
    }
    return unroll(stmt, values);
  }
  Value iterated = callee.isPoison() ? Value::poison() : visit(stmt->iter);
  if (!iterated.isPoison() && !iterated.isTuple() && !iterated.isStr()) {
    iterated = error(diag::NotIterable, stmt->iter->range,
                     "cannot iterate over " + iterated.describe() +
                         "; loop over range(...), tl.range(...), "
                         "tl.static_range(...) or a tuple");
  }
  std::optional<std::vector<Value>> values;
  if (!iterated.isPoison()) {
    values = semantics.iterate(iterated, "what the loop runs over");
  }
  if (!values) {
    return poisonAssigned(stmt);
  }
  unroll(stmt, *values);
}

void Walker::unroll(const ForStmt *stmt, llvm::ArrayRef<Value> values) {
  ++frame().loopDepth;
  const llvm::StringSet<> *outer = frame().carried;
  for (size_t i = 0; i < values.size() && !stop; ++i) {
    assign(stmt->target, values[i], /*isConstexpr=*/true);
    frame().carried = nullptr;
    visitSequence(stmt->body, /*tail=*/false);
    frame().carried = outer;
    Leaving leaving = takeLeaving();
    std::optional<bool> left = semantics.constantTruth(leaving.left);
    if (left == false) {
      continue;
    }
    --frame().loopDepth;
    auto leave = [&] {
      if (semantics.constantTruth(leaving.byReturn) != false) {
        endPath(Ending::Return, stmt->range);
        bind(kReturned, leaving.byReturn, stmt->range);
      }
    };
    if (left) {
      leave();
      return;
    }
    At at(*this, stmt->range);
    branch(leaving.left.getIR(), leave, [&] { unroll(stmt, values.drop_front(i + 1)); });
    return;
  }
  --frame().loopDepth;
  visitSequence(stmt->orelse, /*tail=*/false);
}

Walker::Leaving Walker::takeLeaving() {
  auto take = [&](llvm::StringRef name) {
    auto it = frame().variables.find(name.str());
    Value value = it == frame().variables.end() ? Value::undefined() : it->second.value;
    if (it != frame().variables.end()) {
      frame().variables.erase(it);
    }
    return value;
  };
  Value ended = take(kReturned), ending = take(kEnding);
  if (ended.isUndefined() || semantics.constantTruth(ended) == false || stop) {
    return {Value::boolean(false), Value::boolean(false)};
  }
  auto isEnding = [&](RelationOp op, Ending which) {
    Value is = semantics.compare(op, ending, Value::integer(static_cast<int>(which)));
    std::optional<bool> truth = semantics.constantTruth(is);
    return truth ? (*truth ? ended : Value::boolean(false))
                 : semantics.logical(LogicalOp::And, ended, is);
  };
  return {isEnding(RelationOp::Ne, Ending::Continue), isEnding(RelationOp::Eq, Ending::Return)};
}

void Walker::afterLoop(const Stmt *stmt, Body orelse, const Value &left, const Value &byReturn) {
  auto leave = [&] {
    if (semantics.constantTruth(byReturn) != false) {
      endPath(Ending::Return, stmt->range);
      bind(kReturned, byReturn, stmt->range);
    }
  };
  std::optional<bool> truth = semantics.constantTruth(left);
  if (truth == false) {
    return visitSequence(orelse, /*tail=*/false);
  }
  if (truth || orelse.empty()) {
    return leave();
  }
  At at(*this, stmt->range);
  branch(left.getIR(), leave, [&] { visitSequence(orelse, /*tail=*/false); });
}

BigInt RangeSpec::countSteps() const {
  // Unsigned numbers wrap where the distance of two signed ones does not fit.
  using Unsigned = unsigned __int128;
  const BigInt from = start.getInt(), to = stop.getInt(), by = step.getInt();
  if (by > 0 ? from >= to : from <= to) {
    return 0;
  }
  const auto distance = by > 0 ? Unsigned(to) - Unsigned(from) : Unsigned(from) - Unsigned(to);
  const auto stride = by > 0 ? Unsigned(by) : -Unsigned(by);
  const auto count = (distance - 1) / stride + 1;
  const auto most = ~Unsigned(0) >> 1;
  return static_cast<BigInt>(std::min(count, most));
}

BigInt RangeSpec::getNumber(BigInt index) const {
  using Unsigned = unsigned __int128;
  return static_cast<BigInt>(Unsigned(start.getInt()) + Unsigned(index) * Unsigned(step.getInt()));
}

std::optional<RangeSpec> Walker::readRange(const CallExpr *call, const Value &callee,
                                           bool isStatic) {
  std::string name = callee.repr();
  CallArgs args;
  llvm::SmallVector<SourceRange> ranges;
  if (!visitArguments(call, args, ranges)) {
    return std::nullopt;
  }
  std::optional<Value> parts[3];
  SourceRange places[3];
  if (args.positional.empty() || args.positional.size() > 3) {
    bool none = args.positional.empty();
    error(none ? diag::MissingArgument : diag::UnexpectedArgument, none ? call->range : ranges[3],
          name + " takes 1 to 3 arguments, got " + llvm::Twine(args.positional.size()));
    return std::nullopt;
  }
  for (size_t i = 0; i < args.positional.size(); ++i) {
    parts[i] = args.positional[i];
    places[i] = ranges[i];
  }
  RangeSpec spec;
  bool isPlain = Semantics::isLanguage(callee, "builtins.range");
  for (size_t i = 0; i < args.keywords.size(); ++i) {
    const auto &[keyword, value] = args.keywords[i];
    SourceRange place = ranges[args.positional.size() + i];
    int part = keyword == "arg1" ? 0 : keyword == "arg2" ? 1 : keyword == "step" ? 2 : -1;
    if (part == 2 || (part >= 0 && !isPlain)) {
      if (parts[part]) {
        error(diag::DuplicateArgument, place,
              "argument '" + keyword + "' of " + name + " is given twice");
        return std::nullopt;
      }
      if (!value.isNone()) {
        parts[part] = value;
        places[part] = place;
      }
      continue;
    }
    static constexpr llvm::StringLiteral known[] = {
        "num_stages", "loop_unroll_factor", "disallow_acc_multi_buffer",
        "flatten",    "warp_specialize",    "disable_licm"};
    // Kernels give the options of tl.range to Python's range, too.
    if (isStatic || !llvm::is_contained(known, keyword)) {
      error(diag::UnexpectedArgument, place, name + " has no argument '" + keyword + "'");
      return std::nullopt;
    }
    if (value.isNone()) {
      continue;
    }
    std::string attribute = "tile." + keyword;
    if (keyword == "num_stages" || keyword == "loop_unroll_factor") {
      if (!value.isInt() || value.getInt() < 0 || value.getInt() > 1024) {
        error(value.isRuntime() ? diag::NotConstexpr
              : value.isInt()   ? diag::InvalidArgument
                                : diag::ArgumentType,
              place,
              "argument '" + keyword + "' of tl.range: expected a compile-time integer from 0 " +
                  "to 1024, got " + value.describeForConstant());
        return std::nullopt;
      }
      spec.attributes.push_back(builder.getNamedAttr(
          attribute, builder.getI32IntegerAttr(static_cast<int32_t>(value.getInt()))));
      continue;
    }
    std::optional<bool> truth = semantics.constantTruth(value);
    if (!truth) {
      error(diag::NotConstexpr, place,
            "argument '" + keyword + "' of tl.range: expected a compile-time bool, got " +
                value.describeForConstant());
      return std::nullopt;
    }
    if (*truth) {
      spec.attributes.push_back(builder.getNamedAttr(attribute, builder.getUnitAttr()));
    }
  }
  bool single = !parts[1];
  spec.start = single ? Value::integer(0) : *parts[0];
  spec.stop = single ? *parts[0] : *parts[1];
  spec.step = parts[2] ? *parts[2] : Value::integer(1);
  const std::pair<const Value *, SourceRange> checked[] = {
      {&spec.start, places[0]}, {&spec.stop, places[single ? 0 : 1]}, {&spec.step, places[2]}};
  for (auto [value, place] : checked) {
    bool isInteger =
        value->isInt() || value->isBool() ||
        (value->isRuntime() && value->getType().isScalar() && value->getDType().isInt());
    if (value->isPoison()) {
      return std::nullopt;
    }
    if (!isInteger) {
      error(diag::ArgumentType, place.isValid() ? place : call->range,
            "expected integer scalars as arguments of " + name + ", got " + value->describe());
      return std::nullopt;
    }
    if (isStatic && value->isRuntime()) {
      error(diag::NotConstexpr, place.isValid() ? place : call->range,
            "expected compile-time integers as arguments of tl.static_range, got " +
                value->describe() + "; use tl.range for bounds known at run time");
      return std::nullopt;
    }
    if (!isStatic && !semantics.typeOf(*value)) {
      error(diag::LiteralRange, place.isValid() ? place : call->range,
            "expected integers of at most 64 bits as arguments of " + name + ", got " +
                value->repr());
      return std::nullopt;
    }
  }
  if (!spec.step.isRuntime() && spec.step.getInt() == 0) {
    error(diag::InvalidArgument, places[2], "the step of " + name + " must not be 0");
    return std::nullopt;
  }
  return spec;
}

void Walker::runtimeLoop(const ForStmt *stmt, RangeSpec range) {
  // The induction variable has the common type of the bounds, at least 32 bits;
  // the loop itself counts in a signed type that holds it.
  bool wide = false, isUnsigned = false;
  for (const Value *part : {&range.start, &range.stop, &range.step}) {
    DType dtype = semantics.typeOf(*part)->dtype;
    wide |= dtype.getBitWidth() == 64;
    isUnsigned |= dtype.isUnsignedInt() && dtype.getBitWidth() >= 32;
  }
  DType variable = DType::integer(wide ? 64 : 32, !isUnsigned);
  DType counter = DType::integer(wide || isUnsigned ? 64 : 32, true);
  bool down = !range.step.isRuntime() && range.step.getInt() < 0;
  bool counted = false;
  if (range.start.isRuntime() || range.stop.isRuntime() || range.step.isRuntime()) {
    if (down) {
      counter = DType(DType::Kind::Int64); // holds the distance of any two int32
    }
  } else {
    // Where the numbers span more than the counter holds, it widens, or trips are
    // counted: MLIR takes the distance of constant bounds for their number.
    BigInt distance = range.stop.getInt() - range.start.getInt();
    bool far = distance > counter.getIntMax() || -distance > counter.getIntMax();
    counted = far && counter.getBitWidth() == 64;
    if (far) {
      counter = DType(DType::Kind::Int64);
    }
  }
  auto bring = [&](const Value &value) {
    return value.isRuntime() ? semantics.cast(value, counter)
                             : semantics.constantInt(value.getInt(), counter);
  };
  Value start = bring(range.start), stop = bring(range.stop);
  Value step = down ? semantics.constantInt(-range.step.getInt(), counter) : bring(range.step);
  Value lower = start, upper = stop;
  if (counted) {
    lower = semantics.constantInt(0, counter);
    upper = semantics.constantInt(std::min(range.countSteps(), counter.getIntMax()), counter);
    step = semantics.constantInt(1, counter);
  } else if (down) {
    // Counts the distance from the start upwards.
    lower = semantics.constantInt(0, counter);
    upper = semantics.binary(ArithOp::Sub, start, stop);
  }
  if (!lower.isRuntime() || !upper.isRuntime() || !step.isRuntime()) {
    return poisonAssigned(stmt);
  }

  const auto *name = llvm::dyn_cast<NameExpr>(stmt->target);
  if (!name) {
    error(diag::UnpackMismatch, stmt->target->range,
          "expected one name for the numbers of a range");
    return poisonAssigned(stmt);
  }
  LoopState state;
  state.body = stmt->body;
  llvm::StringSet<> assigned;
  collectAssigned(stmt->body, assigned);
  assigned.insert(name->name);
  mlir::Location location = getLocation();
  auto visitBody = [&](mlir::BlockArgument number) {
    startBody();
    Value index = Value::runtime(number, counter);
    number.setLoc(mlir::NameLoc::get(builder.getStringAttr(name->name), locationOf(name->range)));
    if (counted) {
      Value stride = semantics.constantInt(range.step.getInt(), counter);
      Value distance = semantics.binary(ArithOp::Mul, index, stride);
      index = semantics.binary(ArithOp::Add, start, distance);
    } else if (down) {
      index = semantics.binary(ArithOp::Sub, start, index);
    }
    if (variable != counter) {
      index = semantics.cast(index, variable);
    }
    bind(name->name, index, name->range);
    visitSequence(stmt->body, /*tail=*/false);
    endBody(state, stmt->range);
    return settleLoop(state) || this->stop;
  };
  auto finish = [&](mlir::Operation *op, mlir::ValueRange results, bool settled) {
    if (!settled) {
      // Again, with what is known now.
      builder.setInsertionPointAfter(op);
      op->erase();
      return false;
    }
    for (mlir::NamedAttribute attribute : range.attributes) {
      op->setDiscardableAttr(attribute.getName(), attribute.getValue());
    }
    builder.setInsertionPointAfter(op);
    finishLoop(state, results);
    return true;
  };
  // A loop that runs from its first number to its last.
  auto plainLoop = [&] {
    auto op = mlir::scf::ForOp::create(
        builder, location, lower.getIR(), upper.getIR(), step.getIR(), state.initial,
        [](mlir::OpBuilder &, mlir::Location, mlir::Value, mlir::ValueRange) {});
    builder.setInsertionPointToEnd(op.getBody());
    bindLoop(state, op.getRegionIterArgs());
    bool settled = visitBody(mlir::cast<mlir::BlockArgument>(op.getInductionVar()));
    llvm::SmallVector<mlir::Value> ends;
    builder.setInsertionPointToEnd(op.getBody());
    if (settled && collectEnds(state, ends)) {
      mlir::scf::YieldOp::create(builder, location, ends);
    }
    return finish(op, op.getResults(), settled);
  };
  // One that may end before: it carries its number and whether there is another one. The
  // number after the last is not compared, as it may not fit.
  auto leftLoop = [&] {
    auto both = [&](Value a, Value b) { return semantics.logical(LogicalOp::And, a, b); };
    Value starts = both(semantics.compare(RelationOp::Lt, lower, upper),
                        semantics.compare(RelationOp::Gt, step, Value::integer(0)));
    llvm::SmallVector<mlir::Value> initial = {lower.getIR(), semantics.condition(starts)};
    initial.append(state.initial);
    llvm::SmallVector<mlir::Type> types(mlir::ValueRange(initial).getTypes());
    llvm::SmallVector<mlir::Location> locations(types.size(), location);
    auto op = mlir::scf::WhileOp::create(builder, location, types, initial);
    mlir::Block *before = builder.createBlock(&op.getBefore(), {}, types, locations);
    bindLoop(state, before->getArguments().drop_front(2));
    Value left = frame().variables[kLeft.str()].value;
    Value goesOn = both(semantics.unary(PrefixOp::Not, left),
                        Value::runtime(before->getArgument(1), DType(DType::Kind::Int1)));
    mlir::scf::ConditionOp::create(builder, location, semantics.condition(goesOn),
                                   before->getArguments());
    mlir::Block *after = builder.createBlock(&op.getAfter(), {}, types, locations);
    bindLoop(state, after->getArguments().drop_front(2));
    bool settled = visitBody(after->getArgument(0));
    llvm::SmallVector<mlir::Value> ends;
    builder.setInsertionPointToEnd(after);
    if (settled && collectEnds(state, ends)) {
      Value number = Value::runtime(after->getArgument(0), counter);
      DType magnitude = DType::integer(counter.getBitWidth(), false);
      Value rest = semantics.cast(semantics.binary(ArithOp::Sub, upper, number), magnitude);
      Value more = semantics.compare(RelationOp::Gt, rest, semantics.cast(step, magnitude));
      llvm::SmallVector<mlir::Value> yielded = {
          semantics.binary(ArithOp::Add, number, step).getIR(), more.getIR()};
      yielded.append(ends);
      mlir::scf::YieldOp::create(builder, location, yielded);
    }
    return finish(op, op.getResults().drop_front(2), settled);
  };
  visitLoop(stmt, state, assigned,
            [&] { return state.breaks || state.returns ? leftLoop() : plainLoop(); });
  leaveLoop(stmt, stmt->orelse);
}

/// What the loop carries for itself is not for the loops inside its body.
void Walker::startBody() {
  frame().variables.erase(kLeft.str());
  frame().variables.erase(kLeftByReturn.str());
}

void Walker::endBody(LoopState &state, SourceRange place) {
  Leaving leaving = takeLeaving();
  if (state.breaks || state.returns) {
    bind(kLeft, leaving.left, place);
  }
  if (state.returns) {
    bind(kLeftByReturn, leaving.byReturn, place);
  }
}

void Walker::leaveLoop(const Stmt *stmt, Body orelse) {
  auto take = [&](llvm::StringRef name) {
    Value value = Value::boolean(false);
    auto it = frame().variables.find(name.str());
    if (it != frame().variables.end()) {
      value = it->second.value;
      frame().variables.erase(it);
    }
    return value;
  };
  Value left = take(kLeft), byReturn = take(kLeftByReturn);
  if (!stop) {
    afterLoop(stmt, orelse, left, byReturn);
  }
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

void Walker::visitWhile(const WhileStmt *stmt) {
  const Expr *test = stmt->test;
  if (const auto *call = llvm::dyn_cast<CallExpr>(test)) {
    if (!call->args.empty() && llvm::isa<NameExpr, AttributeExpr>(call->func) &&
        Semantics::isLanguage(visit(call->func), "tl.condition")) {
      test = call->args.front();
    }
  }
  LoopState state;
  state.body = stmt->body;
  llvm::StringSet<> assigned, inTest;
  collectAssigned(test, inTest);
  collectAssigned(stmt->body, assigned);
  for (const auto &entry : inTest) {
    assigned.insert(entry.getKey());
  }
  mlir::Location location = getLocation();
  bool onlyReturns = false; ///< `while True` without a break: nothing follows it
  visitLoop(stmt, state, assigned, [&] {
    auto op = mlir::scf::WhileOp::create(builder, location, state.types, state.initial);
    llvm::SmallVector<mlir::Location> locations(state.types.size(), location);
    mlir::Block *before = builder.createBlock(&op.getBefore(), {}, state.types, locations);
    bindLoop(state, before->getArguments());
    auto drop = [&] {
      builder.setInsertionPointAfter(op);
      op.erase();
    };
    At at(*this, test->range);
    // A loop that was left does not ask its condition again.
    bool leaves = state.breaks || state.returns;
    Value left = leaves ? frame().variables[kLeft.str()].value : Value::boolean(false);
    Value condition;
    if (left.isRuntime()) {
      auto ask = [&] {
        Value answer = visit(test);
        condition = answer;
        if (answer.isPoison() || semantics.constantTruth(answer)) {
          return Value::boolean(semantics.constantTruth(answer).value_or(false));
        }
        mlir::Value flag = semantics.condition(answer, "the condition of 'while'");
        condition = flag ? answer : Value::poison();
        return flag ? Value::runtime(flag, LangType(DType(DType::Kind::Int1)))
                    : Value::boolean(false);
      };
      Value asked =
          branchValue(left.getIR(), [] { return Value::boolean(false); }, ask, test->range);
      bool always = semantics.constantTruth(condition) == true;
      onlyReturns = always && !state.breaks;
      if (condition.isRuntime() || always) {
        condition = asked;
      }
    } else {
      condition = visit(test);
    }
    std::optional<bool> truth = semantics.constantTruth(condition);
    mlir::Value flag;
    if (truth.value_or(false) && !leaves) {
      error(diag::EndlessLoop, test->range,
            "the condition of this loop is always true; it must become false, or a 'break' or "
            "'return' in the loop must end it");
    } else if (truth.value_or(false)) {
      flag = semantics.condition(Value::boolean(true));
    } else if (!truth && !condition.isPoison()) {
      flag = semantics.condition(condition, "the condition of 'while'");
    }
    if (truth == false) {
      // The loop is never entered, whatever it carries.
      drop();
      frame().variables = state.before;
      reports.resize(std::min(reports.size(), state.numReports));
      visit(test);
      return true;
    }
    if (!flag) {
      drop();
      abandonLoop(state);
      return true;
    }
    // What the condition itself assigned goes on into the body.
    llvm::SmallVector<mlir::Value> passed(state.types.size());
    bool ok = true;
    for (LoopState::Carried &carried : state.carried) {
      Value value = frame().variables[carried.name].value;
      if (!carried.conflict && inTest.contains(carried.name)) {
        ++muted;
        ok &= collect(carried.plan, value, carried.name, passed);
        --muted;
      } else if (!carried.conflict) {
        ok &= collect(carried.plan, carried.bound, carried.name, passed);
      }
    }
    if (!ok) {
      // A type is not the one carried so far.
      if (settleLoop(state)) {
        drop();
        abandonLoop(state);
        return true;
      }
      drop();
      return false;
    }
    mlir::scf::ConditionOp::create(builder, location, flag, passed);
    mlir::Block *after = builder.createBlock(&op.getAfter(), {}, state.types, locations);
    bindLoop(state, after->getArguments());
    startBody();
    for (const auto &entry : inTest) {
      auto carried = state.before.find(entry.getKey().str());
      if (carried == state.before.end() || carried->second.value.isUndefined()) {
        auto reason = std::make_shared<Reason>();
        reason->message = "variable '" + entry.getKey().str() +
                          "' is assigned only in the condition of the loop; give it a value "
                          "before the loop";
        frame().variables[entry.getKey().str()] = {Value::undefined(), test->range,
                                                   std::move(reason)};
      }
    }
    visitSequence(stmt->body, /*tail=*/false);
    endBody(state, stmt->range);
    if (!settleLoop(state) && !stop) {
      drop();
      return false;
    }
    llvm::SmallVector<mlir::Value> ends;
    if (collectEnds(state, ends)) {
      mlir::scf::YieldOp::create(builder, location, ends);
    }
    builder.setInsertionPointAfter(op);
    finishLoop(state, op.getResults());
    return true;
  });
  if (onlyReturns && frame().variables.count(kLeft.str())) {
    bind(kLeft, Value::boolean(true), stmt->range);
    bind(kLeftByReturn, Value::boolean(true), stmt->range);
  }
  leaveLoop(stmt, stmt->orelse);
}

} // namespace tegula::frontend
