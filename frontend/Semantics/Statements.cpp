//===- Statements.cpp - Assignments and other simple statements -----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Walker.h"
#include "llvm/ADT/STLExtras.h"

namespace tegula::frontend {

/// Unrolling and inlining can make a small program endless.
static constexpr uint64_t kMaxStatements = 2'000'000;

void Walker::refuse(SourceRange range, llvm::StringRef what, llvm::StringRef instead) {
  error(diag::UnsupportedSyntax, range,
        what +
            (frame().isModule ? " cannot be used by a kernel; "
                              : " is not supported inside a kernel; ") +
            instead);
}

void Walker::poisonAssigned(const Stmt *stmt) {
  llvm::StringSet<> names;
  Stmt *statements[] = {const_cast<Stmt *>(stmt)};
  collectAssigned(statements, names);
  for (const auto &name : names) {
    bind(name.getKey(), Value::poison(), frame().current);
  }
}

/// A statement that kernels cannot have; nothing is known of what it assigns.
void Walker::refuseStatement(const Stmt *stmt) {
  switch (stmt->kind) {
  case StmtKind::FunctionDef:
    refuse(llvm::cast<FunctionDefStmt>(stmt)->nameRange, "a nested function",
           "define it beside the kernel, decorated with jit, and call it");
    break;
  case StmtKind::ClassDef:
    refuse(llvm::cast<ClassDefStmt>(stmt)->nameRange, "a class", "use a tuple of values");
    break;
  case StmtKind::Delete:
    refuse(stmt->range, "'del'", "remove it: values need not be freed");
    break;
  case StmtKind::With:
    refuse(stmt->range, "'async'", "write the block without it");
    break;
  case StmtKind::Raise:
    refuse(stmt->range, "'raise'",
           "use tl.static_assert for what is known at compile time, else tl.device_assert");
    break;
  case StmtKind::Try:
    refuse(stmt->range, "'try'", "kernels raise no exceptions, so write its body alone");
    break;
  case StmtKind::Match:
    refuse(stmt->range, "'match'", "use if and elif");
    break;
  case StmtKind::Import:
  case StmtKind::ImportFrom:
    refuse(stmt->range, "'import'", "import at the top of the file");
    break;
  case StmtKind::Global:
  case StmtKind::Nonlocal:
    refuse(stmt->range, stmt->kind == StmtKind::Global ? "'global'" : "'nonlocal'",
           "pass values as arguments and return them");
    break;
  case StmtKind::TypeAlias:
    refuse(stmt->range, "a type alias", "assign the type to a name at the top of the file");
    break;
  case StmtKind::For:
    refuse(stmt->range, "'async'", "write the loop without it");
    break;
  default:
    llvm_unreachable("kernels can have every other statement");
  }
  poisonAssigned(stmt);
}

void Walker::visitSequence(llvm::ArrayRef<Stmt *> statements, bool tail) {
  for (size_t i = 0; i < statements.size() && !stop; ++i) {
    const Stmt *stmt = statements[i];
    llvm::ArrayRef<Stmt *> rest = statements.drop_front(i + 1);
    if (++numStatements > kMaxStatements) {
      fatal(diag::SizeLimit, stmt->range,
            "the kernel grows beyond " + llvm::Twine(kMaxStatements) +
                " statements when its loops are unrolled and its calls inlined");
      return;
    }
    if (const auto *conditional = llvm::dyn_cast<IfStmt>(stmt)) {
      if (visitIf(conditional, rest, tail)) {
        return;
      }
    } else {
      visitStatement(stmt);
    }
    switch (completion(frame().variables)) {
    case Completion::Falls:
      break;
    case Completion::Returned:
      return;
    case Completion::Unknown: {
      // Some path has returned: the rest runs on the others only.
      if (rest.empty() && !tail) {
        return;
      }
      At at(*this, stmt->range);
      mlir::Value returned = frame().variables[kReturned.str()].value.getIR();
      branch(
          returned, [&] { bind(kReturned, Value::boolean(true), stmt->range); },
          [&] {
            frame().variables.erase(kReturned.str());
            frame().variables.erase(kEnding.str());
            visitSequence(rest, tail);
          });
      return;
    }
    }
  }
  if (tail && !stop && completion(frame().variables) == Completion::Falls) {
    bind(kResult, resultWithout(Value::none()), frame().current);
    endPath(Ending::Return, frame().current);
  }
}

void Walker::checkUsed(const Expr *expr, const Value &result) {
  const auto *call = llvm::dyn_cast<CallExpr>(expr);
  if (!call || result.isPoison() || result.isNone()) {
    return;
  }
  const auto *attribute = llvm::dyn_cast<AttributeExpr>(call->func);
  if (!llvm::isa<NameExpr>(attribute ? attribute->value : call->func)) {
    return;
  }
  Value callee = visit(call->func);
  const Value &function = callee.isMethod() ? callee.getMethodFunction() : callee;
  auto why = function.isFunction() ? semantics.mustUseResult(function.getFunction()->handle)
                                   : std::nullopt;
  if (why) {
    error(diag::UnusedResult, expr->range,
          "expected the result of '" + function.getFunction()->name + "' to be used");
    if (!why->empty()) {
      note(SourceRange(), *why);
    }
    return;
  }
  bool advances = callee.isMethod()
                      ? Semantics::isLanguage(callee.getMethodFunction(), "block_ptr.advance")
                      : Semantics::isLanguage(callee, "tl.advance");
  if (advances) {
    error(diag::UnusedResult, expr->range,
          "expected the result of advance to be used, as it leaves its argument as it is; write "
          "x = tl.advance(x, ...)");
  }
}

/// Whether anything was said of what went wrong, here or at another place before.
bool Walker::hasError() const {
  return muted || stop || diags.hasErrors() || llvm::any_of(reports, [](const Report &report) {
           return report.severity == Severity::Error;
         });
}

void Walker::visitStatement(const Stmt *stmt) {
  visitOneStatement(stmt);
  // A poisoned value comes of an error; without one, what the statement does would be left
  // out and nobody would know.
  if (poisoned && !hasError()) {
    // no test: every path that poisons a value says why
    error(diag::InternalError, poisonedAt,
          "this has no value, for a reason that the compiler does not give");
  }
  poisoned = false;
}

void Walker::visitOneStatement(const Stmt *stmt) {
  At at(*this, stmt->range);
  switch (stmt->kind) {
  case StmtKind::Expr: {
    const Expr *value = llvm::cast<ExprStmt>(stmt)->value;
    // Docstrings and stray literals mean nothing.
    if (!llvm::isa<ConstantExpr>(value)) {
      checkUsed(value, visit(value));
    }
    return;
  }
  case StmtKind::Assign: {
    const auto *assignment = llvm::cast<AssignStmt>(stmt);
    Value value = visit(assignment->value);
    for (const Expr *target : assignment->targets) {
      assign(target, value);
    }
    return;
  }
  case StmtKind::AugAssign:
    return visitAugAssign(llvm::cast<AugAssignStmt>(stmt));
  case StmtKind::AnnAssign:
    return visitAnnAssign(llvm::cast<AnnAssignStmt>(stmt));
  case StmtKind::Return:
    return visitReturn(llvm::cast<ReturnStmt>(stmt));
  case StmtKind::For: {
    const auto *loop = llvm::cast<ForStmt>(stmt);
    return loop->isAsync ? refuseStatement(stmt) : visitFor(loop);
  }
  case StmtKind::While:
    return visitWhile(llvm::cast<WhileStmt>(stmt));
  case StmtKind::Break:
  case StmtKind::Continue: {
    bool breaks = stmt->kind == StmtKind::Break;
    if (frame().loopDepth == 0) {
      error(diag::Syntax, stmt->range,
            llvm::Twine("expected a loop around '") + (breaks ? "break" : "continue") + "'");
      return;
    }
    return endPath(breaks ? Ending::Break : Ending::Continue, stmt->range);
  }
  case StmtKind::With: {
    const auto *with = llvm::cast<WithStmt>(stmt);
    return with->isAsync ? refuseStatement(stmt) : visitWith(with);
  }
  case StmtKind::Assert:
    return visitAssert(llvm::cast<AssertStmt>(stmt));
  case StmtKind::Pass:
    return;
  case StmtKind::If:
    visitIf(llvm::cast<IfStmt>(stmt), {}, false);
    return;
  default:
    return refuseStatement(stmt);
  }
}

//===----------------------------------------------------------------------===//
// Assignment
//===----------------------------------------------------------------------===//

void Walker::bind(llvm::StringRef name, Value value, SourceRange place) {
  Binding binding;
  binding.value = std::move(value);
  binding.place = place;
  frame().variables[name.str()] = std::move(binding);
}

/// A number assigned to a plain name is what a scalar of the kernel would be:
/// it keeps its type when it meets tiles. Literals and compile-time names adapt.
static Value withLiteralType(Semantics &semantics, const Value &value) {
  if (!value.isNumber()) {
    return value;
  }
  if (value.getHint()) {
    return value.asArgument(false);
  }
  std::optional<LangType> type = semantics.typeOf(value);
  if (!type) {
    return value;
  }
  if (value.isBool()) {
    return Value::boolean(value.getBool(), type->dtype);
  }
  return value.isInt() ? Value::integer(value.getInt(), type->dtype)
                       : Value::floating(value.getFloat(), type->dtype);
}

void Walker::assign(const Expr *target, const Value &value, bool isConstexpr) {
  if (const auto *name = llvm::dyn_cast<NameExpr>(target)) {
    if (value.isRuntime()) {
      // The name helps whoever reads the IR; the first one given stays.
      mlir::Operation *op = value.getIR().getDefiningOp();
      if (op && op->getBlock() == builder.getInsertionBlock() && op->getNumResults() == 1 &&
          !mlir::isa<mlir::NameLoc>(op->getLoc())) {
        op->setLoc(mlir::NameLoc::get(builder.getStringAttr(name->name), op->getLoc()));
      }
    }
    bind(name->name, isConstexpr ? value : withLiteralType(semantics, value), target->range);
    return;
  }
  llvm::ArrayRef<Expr *> elements;
  if (const auto *tuple = llvm::dyn_cast<TupleExpr>(target)) {
    elements = tuple->elements;
  } else if (const auto *list = llvm::dyn_cast<ListExpr>(target)) {
    elements = list->elements;
  } else {
    At at(*this, target->range);
    if (const auto *field = llvm::dyn_cast<AttributeExpr>(target);
        field && assignField(field, value)) {
      return;
    }
    if (llvm::isa<SubscriptExpr>(target)) {
      refuse(target->range, "assignment to a subscript",
             "tiles are values: use tl.where to change elements, tl.store to write memory");
    } else {
      assert(llvm::isa<AttributeExpr>(target) && "the parser lets no other target through");
      refuse(target->range, "assignment to an attribute", "assign to a variable");
    }
    return;
  }

  auto poisonAll = [&] {
    for (const Expr *element : elements) {
      const auto *starred = llvm::dyn_cast<StarredExpr>(element);
      assign(starred ? starred->value : element, Value::poison());
    }
  };
  At at(*this, target->range);
  if (value.isPoison()) {
    return poisonAll();
  }
  const auto *starred =
      llvm::find_if(elements, [](const Expr *e) { return llvm::isa<StarredExpr>(e); });
  std::optional<std::vector<Value>> items;
  if (value.isTuple()) {
    items = std::vector<Value>(value.getItems().begin(), value.getItems().end());
  } else if (!value.isStr()) {
    error(diag::UnpackMismatch, target->range,
          "cannot unpack " + value.describe() + " into " + llvm::Twine(elements.size()) +
              (elements.size() == 1 ? " name" : " names") + "; it is not a tuple");
  } else {
    items = semantics.iterate(value, "the value to unpack");
  }
  if (!items) {
    return poisonAll();
  }
  if (starred != elements.end() && items->size() + 1 >= elements.size()) {
    // What the others leave goes into one tuple.
    size_t first = starred - elements.begin(), count = items->size() + 1 - elements.size();
    auto from = items->begin() + static_cast<ptrdiff_t>(first);
    Value rest = Value::tuple(std::vector<Value>(from, from + static_cast<ptrdiff_t>(count)));
    items->erase(from, from + static_cast<ptrdiff_t>(count));
    items->insert(items->begin() + static_cast<ptrdiff_t>(first), std::move(rest));
  }
  if (items->size() != elements.size()) {
    error(diag::UnpackMismatch, target->range,
          "expected " + llvm::Twine(starred != elements.end() ? "at least " : "") +
              llvm::Twine(elements.size() - (starred != elements.end() ? 1 : 0)) +
              (elements.size() == 1 ? " value" : " values") + " to unpack, got " +
              llvm::Twine(items->size()));
    return poisonAll();
  }
  for (auto [element, item] : llvm::zip_equal(elements, *items)) {
    const auto *rest = llvm::dyn_cast<StarredExpr>(element);
    assign(rest ? rest->value : element, item, isConstexpr);
  }
}

bool Walker::assignField(const AttributeExpr *target, const Value &value) {
  const auto *name = llvm::dyn_cast<NameExpr>(target->value);
  if (!name || frame().initialized.empty() || name->name != frame().initialized) {
    return false;
  }
  Value object = visit(name);
  if (object.isPoison()) {
    return true;
  }
  if (!object.isStruct() || !object.findField(target->attr)) {
    error(diag::NoAttribute, target->attrRange,
          object.describe() + " has no field '" + target->attr +
              "'; annotate it in the body of its class");
    return true;
  }
  bind(name->name, value.isPoison() ? value : object.withField(target->attr, value), target->range);
  return true;
}

void Walker::visitAugAssign(const AugAssignStmt *stmt) {
  const auto *name = llvm::dyn_cast<NameExpr>(stmt->target);
  const auto *field = llvm::dyn_cast<AttributeExpr>(stmt->target);
  const auto *object = field ? llvm::dyn_cast<NameExpr>(field->value) : nullptr;
  bool isField = object && !frame().initialized.empty() && object->name == frame().initialized;
  if (!name && !isField) {
    assign(stmt->target, Value::poison());
    return;
  }
  Value lhs = visit(stmt->target);
  Value rhs = visit(stmt->value);
  Value result = semantics.binary(toArithOp(stmt->op), lhs, rhs);
  assign(stmt->target, result);
}

void Walker::visitAnnAssign(const AnnAssignStmt *stmt) {
  if (!stmt->value) {
    return; // declares nothing that a kernel needs
  }
  Value value = visit(stmt->value);
  // As for parameters of functions: what is known at run time stays so.
  bool isConstexpr = isConstexprAnnotation(stmt->annotation) && !value.isRuntime();
  assign(stmt->target, value, isConstexpr);
}

//===----------------------------------------------------------------------===//
// return, assert
//===----------------------------------------------------------------------===//

void Walker::endPath(Ending ending, SourceRange place) {
  bind(kEnding, Value::integer(static_cast<int>(ending)), place);
  bind(kReturned, Value::boolean(true), place);
}

Value Walker::resultWithout(const Value &value) {
  if (frame().initialized.empty()) {
    return value;
  }
  auto self = frame().variables.find(frame().initialized);
  return self == frame().variables.end() ? Value::poison() : self->second.value;
}

void Walker::visitReturn(const ReturnStmt *stmt) {
  Value value = stmt->value ? visit(stmt->value) : Value::none();
  if (frames.size() == 1 && !value.isNone() && !value.isPoison()) {
    error(diag::KernelReturnsValue, stmt->range,
          "a kernel returns nothing, got " + value.describe() + "; write results with tl.store");
  }
  if (!value.isPoison()) {
    value = resultWithout(value);
  }
  bind(kResult, value, stmt->range);
  endPath(Ending::Return, stmt->range);
}

void Walker::visitWith(const WithStmt *stmt) {
  std::vector<Value> managers;
  for (const WithItem &item : stmt->items) {
    Value manager = visit(item.context);
    Value entered = manager;
    if (!manager.isPoison()) {
      At at(*this, item.context->range);
      std::optional<Value> result = semantics.callMethod(manager, "__enter__", {});
      if (!result) {
        result = semantics.enterContext(manager);
      }
      entered = *result;
      if (manager.isStruct()) {
        managers.push_back(manager);
      }
    }
    if (entered.isPoison()) {
      return poisonAssigned(stmt);
    }
    if (item.target) {
      assign(item.target, entered, /*isConstexpr=*/true);
    }
  }
  visitSequence(stmt->body, /*tail=*/false);
  // However the body ended, the contexts end here, the last one first.
  for (const Value &manager : llvm::reverse(managers)) {
    Value none = Value::none();
    semantics.callMethod(manager, "__exit__", {none, none, none});
  }
}

void Walker::visitAssert(const AssertStmt *stmt) {
  Value test = visit(stmt->test);
  if (test.isPoison()) {
    return;
  }
  CallArgs args;
  args.positional.push_back(test);
  args.positional.push_back(stmt->message ? visit(stmt->message) : Value::string(""));
  llvm::SmallVector<SourceRange, 8> ranges = {stmt->test->range};
  if (stmt->message) {
    ranges.push_back(stmt->message->range);
  }
  std::swap(frame().argumentRanges, ranges);
  semantics.callBuiltin("tl.device_assert", args);
  std::swap(frame().argumentRanges, ranges);
}

} // namespace tegula::frontend
