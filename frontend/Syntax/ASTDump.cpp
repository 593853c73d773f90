//===- ASTDump.cpp - Trees as text -----------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests and debugging; nothing reads it back. `def f(x, n=4): y = x[:, None]` is
//
//   def f (x (n = 4))
//     = y (index x (tuple (slice _ _) None))
//
//===----------------------------------------------------------------------===//

#include "tegula/Frontend/AST.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace tegula::frontend;
using llvm::ArrayRef;
using llvm::cast;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

namespace {

class ExprDumper {
public:
  explicit ExprDumper(llvm::raw_ostream &os) : os(os) {}

  void print(const Expr *e);
  void params(ArrayRef<Param> params);
  void keywords(ArrayRef<Keyword> keywords);

private:
  void optional(const Expr *e) {
    if (e) {
      print(e);
    } else {
      os << '_';
    }
  }
  void list(ArrayRef<Expr *> values) {
    for (const Expr *value : values) {
      os << ' ';
      print(value);
    }
  }
  void call(StringRef head, ArrayRef<Expr *> values) {
    os << '(' << head;
    list(values);
    os << ')';
  }
  void constant(const ConstantExpr *e);
  void quoted(StringRef text) {
    os << '"';
    llvm::printEscapedString(text, os);
    os << '"';
  }

  llvm::raw_ostream &os;
};

} // namespace

void ExprDumper::constant(const ConstantExpr *e) {
  switch (e->constantKind) {
  case ConstantKind::Int: {
    // Decimal digits take quadratic time.
    if (e->intWords.size() > 64) {
      os << "<integer of " << 64 * e->intWords.size() << " bits>";
      break;
    }
    llvm::SmallString<40> digits;
    e->getInt().toStringUnsigned(digits);
    os << digits;
    break;
  }
  case ConstantKind::Float:
    os << llvm::format("%.17g", e->floatValue) << 'f';
    break;
  case ConstantKind::Imaginary:
    os << llvm::format("%.17g", e->floatValue) << 'j';
    break;
  case ConstantKind::Bytes:
    os << 'b';
    [[fallthrough]];
  case ConstantKind::Str:
    quoted(e->text);
    break;
  case ConstantKind::Bool:
    os << (e->boolValue ? "True" : "False");
    break;
  case ConstantKind::None:
    os << "None";
    break;
  case ConstantKind::Ellipsis:
    os << "...";
    break;
  }
}

void ExprDumper::keywords(ArrayRef<Keyword> keywords) {
  for (const Keyword &keyword : keywords) {
    if (keyword.isDoubleStar()) {
      os << " (** ";
    } else {
      os << " (= " << keyword.name << ' ';
    }
    print(keyword.value);
    os << ')';
  }
}

void ExprDumper::params(ArrayRef<Param> params) {
  os << '(';
  bool first = true;
  bool sawStar = false, pending = false;
  auto separate = [&] {
    os << (first ? "" : " ");
    first = false;
  };
  for (const Param &param : params) {
    if (pending && param.kind != ParamKind::PosOnly) {
      separate();
      os << '/';
    }
    pending = param.kind == ParamKind::PosOnly;
    if (param.kind == ParamKind::KwOnly && !sawStar) {
      separate();
      os << '*';
      sawStar = true;
    }
    sawStar |= param.kind == ParamKind::VarArg;
    separate();
    StringRef stars = param.kind == ParamKind::VarArg  ? "*"
                      : param.kind == ParamKind::KwArg ? "**"
                                                       : "";
    if (!param.annotation && !param.defaultValue) {
      os << stars << param.name;
      continue;
    }
    os << '(' << stars << param.name;
    if (param.annotation) {
      os << " : ";
      print(param.annotation);
    }
    if (param.defaultValue) {
      os << " = ";
      print(param.defaultValue);
    }
    os << ')';
  }
  if (pending) {
    separate();
    os << '/';
  }
  os << ')';
}

void ExprDumper::print(const Expr *e) {
  switch (e->kind) {
  case ExprKind::Name:
    os << cast<NameExpr>(e)->name;
    return;
  case ExprKind::Constant:
    return constant(cast<ConstantExpr>(e));
  case ExprKind::JoinedStr:
    return call("fstring", cast<JoinedStrExpr>(e)->values);
  case ExprKind::FormattedValue: {
    const auto *value = cast<FormattedValueExpr>(e);
    os << "(field ";
    print(value->value);
    if (value->conversion) {
      os << " !" << value->conversion;
    }
    if (value->formatSpec) {
      os << " :";
      list(value->formatSpec->values);
    }
    os << ')';
    return;
  }
  case ExprKind::BinOp: {
    const auto *op = cast<BinOpExpr>(e);
    return call(getSpelling(op->op), {op->lhs, op->rhs});
  }
  case ExprKind::UnaryOp: {
    const auto *op = cast<UnaryOpExpr>(e);
    return call(getSpelling(op->op), {op->operand});
  }
  case ExprKind::BoolOp: {
    const auto *op = cast<BoolOpExpr>(e);
    return call(getSpelling(op->op), op->values);
  }
  case ExprKind::Compare: {
    const auto *compare = cast<CompareExpr>(e);
    if (compare->ops.size() == 1) {
      return call(getSpelling(compare->ops[0]), {compare->lhs, compare->comparators[0]});
    }
    os << "(compare ";
    print(compare->lhs);
    for (auto [op, value] : llvm::zip(compare->ops, compare->comparators)) {
      os << ' ' << getSpelling(op) << ' ';
      print(value);
    }
    os << ')';
    return;
  }
  case ExprKind::IfExp: {
    const auto *ifExp = cast<IfExpExpr>(e);
    return call("ifexp", {ifExp->test, ifExp->body, ifExp->orelse});
  }
  case ExprKind::NamedExpr: {
    const auto *named = cast<NamedExprExpr>(e);
    return call(":=", {named->target, named->value});
  }
  case ExprKind::Call: {
    const auto *c = cast<CallExpr>(e);
    os << "(call ";
    print(c->func);
    list(c->args);
    keywords(c->keywords);
    os << ')';
    return;
  }
  case ExprKind::Attribute: {
    const auto *attribute = cast<AttributeExpr>(e);
    print(attribute->value);
    os << '.' << attribute->attr;
    return;
  }
  case ExprKind::Subscript: {
    const auto *subscript = cast<SubscriptExpr>(e);
    return call("index", {subscript->value, subscript->index});
  }
  case ExprKind::Slice: {
    const auto *slice = cast<SliceExpr>(e);
    os << "(slice ";
    optional(slice->lower);
    os << ' ';
    optional(slice->upper);
    if (slice->step) {
      os << ' ';
      print(slice->step);
    }
    os << ')';
    return;
  }
  case ExprKind::Starred:
    return call("star", {cast<StarredExpr>(e)->value});
  case ExprKind::Tuple:
    return call("tuple", cast<TupleExpr>(e)->elements);
  case ExprKind::List:
    return call("list", cast<ListExpr>(e)->elements);
  case ExprKind::Set:
    return call("set", cast<SetExpr>(e)->elements);
  case ExprKind::Dict: {
    const auto *dict = cast<DictExpr>(e);
    os << "(dict";
    for (auto [key, value] : llvm::zip(dict->keys, dict->values)) {
      if (key) {
        os << ' ';
        call("pair", {key, value});
      } else {
        os << ' ';
        call("**", {value});
      }
    }
    os << ')';
    return;
  }
  case ExprKind::Lambda: {
    const auto *lambda = cast<LambdaExpr>(e);
    os << "(lambda ";
    params(lambda->params);
    os << ' ';
    print(lambda->body);
    os << ')';
    return;
  }
  case ExprKind::ListComp:
  case ExprKind::SetComp:
  case ExprKind::DictComp:
  case ExprKind::GeneratorExp: {
    const auto *comp = cast<ComprehensionExpr>(e);
    os << (e->kind == ExprKind::ListComp   ? "(listcomp "
           : e->kind == ExprKind::SetComp  ? "(setcomp "
           : e->kind == ExprKind::DictComp ? "(dictcomp "
                                           : "(genexp ");
    print(comp->element);
    if (comp->value) {
      os << ' ';
      print(comp->value);
    }
    for (const Comprehension &generator : comp->generators) {
      os << (generator.isAsync ? " (async-for " : " (for ");
      print(generator.target);
      os << ' ';
      print(generator.iter);
      list(generator.ifs);
      os << ')';
    }
    os << ')';
    return;
  }
  case ExprKind::Await:
    return call("await", {cast<AwaitYieldExpr>(e)->value});
  case ExprKind::Yield: {
    os << "(yield";
    if (const Expr *value = cast<AwaitYieldExpr>(e)->value) {
      os << ' ';
      print(value);
    }
    os << ')';
    return;
  }
  case ExprKind::YieldFrom:
    return call("yield-from", {cast<AwaitYieldExpr>(e)->value});
  }
}

void tegula::frontend::dump(llvm::raw_ostream &os, const Expr &expr) {
  ExprDumper(os).print(&expr);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

namespace {

class StmtDumper {
public:
  explicit StmtDumper(llvm::raw_ostream &os) : os(os), exprs(os) {}

  void print(const Stmt *s, unsigned indent);

private:
  /// Starts a line.
  llvm::raw_ostream &line(unsigned indent) { return os.indent(indent); }
  void body(Body stmts, unsigned indent) {
    for (const Stmt *s : stmts) {
      print(s, indent + 2);
    }
  }
  void clause(StringRef name, Body stmts, unsigned indent) {
    if (!stmts.empty()) {
      line(indent) << name << '\n';
      body(stmts, indent);
    }
  }
  void value(const Expr *e) {
    if (e) {
      os << ' ';
      exprs.print(e);
    }
  }
  void values(ArrayRef<Expr *> list) {
    for (const Expr *e : list) {
      value(e);
    }
  }
  void aliases(ArrayRef<ImportAlias> names) {
    for (const ImportAlias &alias : names) {
      os << ' ' << alias.name;
      if (!alias.asName.empty()) {
        os << " as " << alias.asName;
      }
    }
  }
  void decorators(ArrayRef<Expr *> list, unsigned indent) {
    for (const Expr *e : list) {
      line(indent) << '@';
      exprs.print(e);
      os << '\n';
    }
  }

  llvm::raw_ostream &os;
  ExprDumper exprs;
};

} // namespace

void StmtDumper::print(const Stmt *s, unsigned indent) {
  switch (s->kind) {
  case StmtKind::FunctionDef: {
    const auto *def = cast<FunctionDefStmt>(s);
    decorators(def->decorators, indent);
    line(indent) << (def->isAsync ? "async def " : "def ") << def->name << ' ';
    exprs.params(def->params);
    if (def->returns) {
      os << " ->";
      value(def->returns);
    }
    os << '\n';
    return body(def->body, indent);
  }
  case StmtKind::ClassDef: {
    const auto *def = cast<ClassDefStmt>(s);
    decorators(def->decorators, indent);
    line(indent) << "class " << def->name;
    values(def->bases);
    exprs.keywords(def->keywords);
    os << '\n';
    return body(def->body, indent);
  }
  case StmtKind::For: {
    const auto *loop = cast<ForStmt>(s);
    line(indent) << (loop->isAsync ? "async for" : "for");
    value(loop->target);
    value(loop->iter);
    os << '\n';
    body(loop->body, indent);
    return clause("else", loop->orelse, indent);
  }
  case StmtKind::While: {
    const auto *loop = cast<WhileStmt>(s);
    line(indent) << "while";
    value(loop->test);
    os << '\n';
    body(loop->body, indent);
    return clause("else", loop->orelse, indent);
  }
  case StmtKind::If: {
    // An elif is printed at the level of its if, as written.
    const auto *branch = cast<IfStmt>(s);
    line(indent) << (branch->isElif ? "elif" : "if");
    value(branch->test);
    os << '\n';
    body(branch->body, indent);
    if (branch->orelse.size() == 1) {
      const auto *next = llvm::dyn_cast<IfStmt>(branch->orelse[0]);
      if (next && next->isElif) {
        return print(next, indent);
      }
    }
    return clause("else", branch->orelse, indent);
  }
  case StmtKind::With: {
    const auto *with = cast<WithStmt>(s);
    line(indent) << (with->isAsync ? "async with" : "with");
    for (const WithItem &item : with->items) {
      value(item.context);
      if (item.target) {
        os << " as";
        value(item.target);
      }
    }
    os << '\n';
    return body(with->body, indent);
  }
  case StmtKind::Match: {
    const auto *match = cast<MatchStmt>(s);
    line(indent) << "match";
    value(match->subject);
    os << '\n';
    for (const MatchCase &matchCase : match->cases) {
      line(indent + 2) << "case";
      value(matchCase.pattern);
      if (matchCase.guard) {
        os << " if";
        value(matchCase.guard);
      }
      os << '\n';
      body(matchCase.body, indent + 2);
    }
    return;
  }
  case StmtKind::Try: {
    const auto *tryStmt = cast<TryStmt>(s);
    line(indent) << "try\n";
    body(tryStmt->body, indent);
    for (const ExceptHandler &handler : tryStmt->handlers) {
      line(indent) << (handler.isStar ? "except*" : "except");
      value(handler.type);
      if (!handler.name.empty()) {
        os << " as " << handler.name;
      }
      os << '\n';
      body(handler.body, indent);
    }
    clause("else", tryStmt->orelse, indent);
    return clause("finally", tryStmt->finalbody, indent);
  }
  case StmtKind::Return:
    line(indent) << "return";
    value(cast<ReturnStmt>(s)->value);
    break;
  case StmtKind::Delete:
    line(indent) << "del";
    values(cast<DeleteStmt>(s)->targets);
    break;
  case StmtKind::Assign: {
    const auto *assign = cast<AssignStmt>(s);
    line(indent) << '=';
    values(assign->targets);
    value(assign->value);
    break;
  }
  case StmtKind::AugAssign: {
    const auto *assign = cast<AugAssignStmt>(s);
    line(indent) << getSpelling(assign->op) << '=';
    value(assign->target);
    value(assign->value);
    break;
  }
  case StmtKind::AnnAssign: {
    const auto *assign = cast<AnnAssignStmt>(s);
    line(indent) << ':';
    value(assign->target);
    value(assign->annotation);
    if (assign->value) {
      os << " =";
      value(assign->value);
    }
    break;
  }
  case StmtKind::TypeAlias:
    line(indent) << "type " << cast<TypeAliasStmt>(s)->name;
    value(cast<TypeAliasStmt>(s)->value);
    break;
  case StmtKind::Raise:
    line(indent) << "raise";
    value(cast<RaiseStmt>(s)->exception);
    if (const Expr *cause = cast<RaiseStmt>(s)->cause) {
      os << " from";
      value(cause);
    }
    break;
  case StmtKind::Assert:
    line(indent) << "assert";
    value(cast<AssertStmt>(s)->test);
    value(cast<AssertStmt>(s)->message);
    break;
  case StmtKind::Import:
    line(indent) << "import";
    aliases(cast<ImportStmt>(s)->names);
    break;
  case StmtKind::ImportFrom: {
    const auto *import = cast<ImportFromStmt>(s);
    line(indent) << "from " << std::string(import->level, '.') << import->module << " import";
    aliases(import->names);
    break;
  }
  case StmtKind::Global:
  case StmtKind::Nonlocal:
    line(indent) << (s->kind == StmtKind::Global ? "global" : "nonlocal");
    for (StringRef name : cast<ScopeStmt>(s)->names) {
      os << ' ' << name;
    }
    break;
  case StmtKind::Expr:
    line(indent);
    exprs.print(cast<ExprStmt>(s)->value);
    break;
  case StmtKind::Pass:
    line(indent) << "pass";
    break;
  case StmtKind::Break:
    line(indent) << "break";
    break;
  case StmtKind::Continue:
    line(indent) << "continue";
    break;
  }
  os << '\n';
}

void tegula::frontend::dump(llvm::raw_ostream &os, const Stmt &stmt, unsigned indent) {
  StmtDumper(os).print(&stmt, indent);
}

void tegula::frontend::dump(llvm::raw_ostream &os, const Module &module) {
  for (const Stmt *stmt : module.body) {
    dump(os, *stmt);
  }
}
