//===- Scan.cpp - Questions about statements before they are visited ------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Walker.h"
#include "llvm/ADT/STLExtras.h"

namespace tegula::frontend {

/// Calls `visit` on the direct children of `expr`, null ones left out.
static void forEachChild(const Expr *expr, llvm::function_ref<void(const Expr *)> visit) {
  auto one = [&](const Expr *child) {
    if (child) {
      visit(child);
    }
  };
  auto all = [&](llvm::ArrayRef<Expr *> children) {
    for (const Expr *child : children) {
      one(child);
    }
  };
  switch (expr->kind) {
  case ExprKind::Name:
  case ExprKind::Constant:
    return;
  case ExprKind::JoinedStr:
    return all(llvm::cast<JoinedStrExpr>(expr)->values);
  case ExprKind::FormattedValue: {
    const auto *formatted = llvm::cast<FormattedValueExpr>(expr);
    one(formatted->value);
    return one(formatted->formatSpec);
  }
  case ExprKind::BinOp:
    one(llvm::cast<BinOpExpr>(expr)->lhs);
    return one(llvm::cast<BinOpExpr>(expr)->rhs);
  case ExprKind::UnaryOp:
    return one(llvm::cast<UnaryOpExpr>(expr)->operand);
  case ExprKind::BoolOp:
    return all(llvm::cast<BoolOpExpr>(expr)->values);
  case ExprKind::Compare:
    one(llvm::cast<CompareExpr>(expr)->lhs);
    return all(llvm::cast<CompareExpr>(expr)->comparators);
  case ExprKind::IfExp: {
    const auto *conditional = llvm::cast<IfExpExpr>(expr);
    one(conditional->test);
    one(conditional->body);
    return one(conditional->orelse);
  }
  case ExprKind::NamedExpr:
    return one(llvm::cast<NamedExprExpr>(expr)->value);
  case ExprKind::Call: {
    const auto *call = llvm::cast<CallExpr>(expr);
    one(call->func);
    all(call->args);
    for (const Keyword &keyword : call->keywords) {
      one(keyword.value);
    }
    return;
  }
  case ExprKind::Attribute:
    return one(llvm::cast<AttributeExpr>(expr)->value);
  case ExprKind::Subscript:
    one(llvm::cast<SubscriptExpr>(expr)->value);
    return one(llvm::cast<SubscriptExpr>(expr)->index);
  case ExprKind::Slice: {
    const auto *slice = llvm::cast<SliceExpr>(expr);
    one(slice->lower);
    one(slice->upper);
    return one(slice->step);
  }
  case ExprKind::Starred:
    return one(llvm::cast<StarredExpr>(expr)->value);
  case ExprKind::Tuple:
    return all(llvm::cast<TupleExpr>(expr)->elements);
  case ExprKind::List:
    return all(llvm::cast<ListExpr>(expr)->elements);
  case ExprKind::Set:
    return all(llvm::cast<SetExpr>(expr)->elements);
  case ExprKind::Dict:
    all(llvm::cast<DictExpr>(expr)->keys);
    return all(llvm::cast<DictExpr>(expr)->values);
  case ExprKind::ListComp:
  case ExprKind::SetComp:
  case ExprKind::DictComp:
  case ExprKind::GeneratorExp: {
    const auto *comprehension = llvm::cast<ComprehensionExpr>(expr);
    one(comprehension->element);
    one(comprehension->value);
    for (const Comprehension &generator : comprehension->generators) {
      one(generator.iter);
      all(generator.ifs);
    }
    return;
  }
  case ExprKind::Lambda:
  case ExprKind::Await:
  case ExprKind::Yield:
  case ExprKind::YieldFrom:
    return;
  }
}

void collectAssigned(const Expr *expr, llvm::StringSet<> &names) {
  if (const auto *named = llvm::dyn_cast<NamedExprExpr>(expr)) {
    names.insert(named->target->name);
  }
  forEachChild(expr, [&](const Expr *child) { collectAssigned(child, names); });
}

bool containsCall(const Expr *expr) {
  if (llvm::isa<CallExpr>(expr)) {
    return true;
  }
  bool found = false;
  forEachChild(expr, [&](const Expr *child) { found = found || containsCall(child); });
  return found;
}

static void collectTargets(const Expr *target, llvm::StringSet<> &names) {
  if (const auto *name = llvm::dyn_cast<NameExpr>(target)) {
    names.insert(name->name);
  } else if (const auto *tuple = llvm::dyn_cast<TupleExpr>(target)) {
    for (const Expr *element : tuple->elements) {
      collectTargets(element, names);
    }
  } else if (const auto *list = llvm::dyn_cast<ListExpr>(target)) {
    for (const Expr *element : list->elements) {
      collectTargets(element, names);
    }
  } else if (const auto *starred = llvm::dyn_cast<StarredExpr>(target)) {
    collectTargets(starred->value, names);
  }
}

/// Names that a pattern of a match statement binds, and those it only reads.
static void collectPattern(const Expr *pattern, llvm::StringSet<> &names) {
  if (const auto *name = llvm::dyn_cast<NameExpr>(pattern)) {
    names.insert(name->name);
  }
  collectAssigned(pattern, names);
  forEachChild(pattern, [&](const Expr *child) { collectPattern(child, names); });
}

/// What statements that kernels refuse would assign: nothing is said of these
/// names afterwards.
static void collectRefused(const Stmt *stmt, llvm::StringSet<> &names) {
  switch (stmt->kind) {
  case StmtKind::FunctionDef:
    names.insert(llvm::cast<FunctionDefStmt>(stmt)->name);
    break;
  case StmtKind::ClassDef:
    names.insert(llvm::cast<ClassDefStmt>(stmt)->name);
    break;
  case StmtKind::TypeAlias:
    names.insert(llvm::cast<TypeAliasStmt>(stmt)->name);
    break;
  case StmtKind::Import:
    for (const ImportAlias &alias : llvm::cast<ImportStmt>(stmt)->names) {
      names.insert(alias.asName.empty() ? alias.name.split('.').first : alias.asName);
    }
    break;
  case StmtKind::ImportFrom:
    for (const ImportAlias &alias : llvm::cast<ImportFromStmt>(stmt)->names) {
      names.insert(alias.asName.empty() ? alias.name : alias.asName);
    }
    break;
  case StmtKind::With:
    for (const WithItem &item : llvm::cast<WithStmt>(stmt)->items) {
      if (item.target) {
        collectTargets(item.target, names);
      }
    }
    collectAssigned(llvm::cast<WithStmt>(stmt)->body, names);
    break;
  case StmtKind::Try: {
    const auto *attempt = llvm::cast<TryStmt>(stmt);
    collectAssigned(attempt->body, names);
    for (const ExceptHandler &handler : attempt->handlers) {
      if (!handler.name.empty()) {
        names.insert(handler.name);
      }
      collectAssigned(handler.body, names);
    }
    collectAssigned(attempt->orelse, names);
    collectAssigned(attempt->finalbody, names);
    break;
  }
  case StmtKind::Match:
    for (const MatchCase &one : llvm::cast<MatchStmt>(stmt)->cases) {
      collectPattern(one.pattern, names);
      collectAssigned(one.body, names);
    }
    break;
  default:
    break;
  }
}

void collectAssigned(Body body, llvm::StringSet<> &names) {
  for (const Stmt *stmt : body) {
    switch (stmt->kind) {
    case StmtKind::Assign: {
      const auto *assignment = llvm::cast<AssignStmt>(stmt);
      for (const Expr *target : assignment->targets) {
        collectTargets(target, names);
      }
      collectAssigned(assignment->value, names);
      break;
    }
    case StmtKind::AugAssign:
      collectTargets(llvm::cast<AugAssignStmt>(stmt)->target, names);
      collectAssigned(llvm::cast<AugAssignStmt>(stmt)->value, names);
      break;
    case StmtKind::AnnAssign: {
      const auto *annotated = llvm::cast<AnnAssignStmt>(stmt);
      if (annotated->value) {
        collectTargets(annotated->target, names);
        collectAssigned(annotated->value, names);
      }
      break;
    }
    case StmtKind::For: {
      const auto *loop = llvm::cast<ForStmt>(stmt);
      collectTargets(loop->target, names);
      collectAssigned(loop->iter, names);
      collectAssigned(loop->body, names);
      collectAssigned(loop->orelse, names);
      break;
    }
    case StmtKind::While: {
      const auto *loop = llvm::cast<WhileStmt>(stmt);
      collectAssigned(loop->test, names);
      collectAssigned(loop->body, names);
      collectAssigned(loop->orelse, names);
      break;
    }
    case StmtKind::If: {
      const auto *conditional = llvm::cast<IfStmt>(stmt);
      collectAssigned(conditional->test, names);
      collectAssigned(conditional->body, names);
      collectAssigned(conditional->orelse, names);
      break;
    }
    case StmtKind::Expr:
      collectAssigned(llvm::cast<ExprStmt>(stmt)->value, names);
      break;
    case StmtKind::Return:
      if (const Expr *value = llvm::cast<ReturnStmt>(stmt)->value) {
        collectAssigned(value, names);
      }
      break;
    case StmtKind::Assert:
      collectAssigned(llvm::cast<AssertStmt>(stmt)->test, names);
      break;
    default:
      collectRefused(stmt, names);
    }
  }
}

/// Whether a statement of the kind occurs in the block; `inLoops`: in its loops too, where
/// `break` and `continue` belong to them.
static bool contains(Body body, StmtKind kind, bool inLoops) {
  return llvm::any_of(body, [&](const Stmt *stmt) {
    if (stmt->kind == kind) {
      return true;
    }
    if (const auto *conditional = llvm::dyn_cast<IfStmt>(stmt)) {
      return contains(conditional->body, kind, inLoops) ||
             contains(conditional->orelse, kind, inLoops);
    }
    if (const auto *with = llvm::dyn_cast<WithStmt>(stmt)) {
      return contains(with->body, kind, inLoops);
    }
    if (const auto *loop = llvm::dyn_cast<ForStmt>(stmt)) {
      return (inLoops && contains(loop->body, kind, inLoops)) ||
             contains(loop->orelse, kind, inLoops);
    }
    if (const auto *loop = llvm::dyn_cast<WhileStmt>(stmt)) {
      return (inLoops && contains(loop->body, kind, inLoops)) ||
             contains(loop->orelse, kind, inLoops);
    }
    return false;
  });
}

bool containsReturn(Body body) { return contains(body, StmtKind::Return, /*inLoops=*/true); }

bool containsBreak(Body body) { return contains(body, StmtKind::Break, /*inLoops=*/false); }

bool endsPath(Body body) {
  if (body.empty()) {
    return false;
  }
  const StmtKind last = body.back()->kind;
  if (last == StmtKind::Return || last == StmtKind::Break || last == StmtKind::Continue) {
    return true;
  }
  const auto *conditional = llvm::dyn_cast<IfStmt>(body.back());
  return conditional && endsPath(conditional->body) && endsPath(conditional->orelse);
}

} // namespace tegula::frontend
