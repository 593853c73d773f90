//===- AST.h - Syntax tree of the kernel language ----------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tree represents all of Python 3.11, because tools read whole files with host
// code in them; what a kernel may use is decided by the semantic walker.
//
// All nodes, arrays and strings live in an ASTContext and die with it; no node has
// a destructor. Child pointers are non-null unless the comment says "or null".
// Nodes are only written by the parser: a finished tree may be read by any thread.
// Use llvm::isa / cast / dyn_cast, or a switch over `kind`.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_FRONTEND_AST_H
#define TEGULA_FRONTEND_AST_H

#include "tegula/Frontend/SourceFile.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Casting.h"

#include <type_traits>
#include <utility>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tegula::frontend {

//===----------------------------------------------------------------------===//
// ASTContext
//===----------------------------------------------------------------------===//

/// Arena of one or more trees. Not thread-safe while it is written to.
class ASTContext {
public:
  ASTContext() = default;
  ASTContext(const ASTContext &) = delete;
  ASTContext &operator=(const ASTContext &) = delete;

  template <typename T, typename... Args> T *create(Args &&...args) {
    static_assert(std::is_trivially_destructible_v<T>, "the arena runs no destructors");
    return new (allocator.Allocate<T>()) T(std::forward<Args>(args)...);
  }
  template <typename T> llvm::ArrayRef<T> copyArray(llvm::ArrayRef<T> values) {
    return values.copy(allocator);
  }
  /// Keeps one copy per distinct string.
  llvm::StringRef intern(llvm::StringRef text) {
    if (text.empty()) {
      return llvm::StringRef();
    }
    auto it = strings.find(text);
    return it != strings.end() ? *it : *strings.insert(text.copy(allocator)).first;
  }

private:
  llvm::BumpPtrAllocator allocator;
  llvm::DenseSet<llvm::StringRef> strings;
};

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

enum class BinaryOp : uint8_t {
  Add,
  Sub,
  Mult,
  MatMult,
  Div,
  FloorDiv,
  Mod,
  Pow,
  LShift,
  RShift,
  BitOr,
  BitXor,
  BitAnd,
};
enum class UnaryOp : uint8_t { Invert, Not, Plus, Minus };
enum class BoolOp : uint8_t { And, Or };
enum class CompareOp : uint8_t { Eq, NotEq, Lt, LtE, Gt, GtE, Is, IsNot, In, NotIn };

/// Spelling in source, such as "//" or "not in".
llvm::StringRef getSpelling(BinaryOp op);
llvm::StringRef getSpelling(UnaryOp op);
llvm::StringRef getSpelling(BoolOp op);
llvm::StringRef getSpelling(CompareOp op);

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

enum class ExprKind : uint8_t {
  Name,
  Constant,
  JoinedStr,
  FormattedValue,
  BinOp,
  UnaryOp,
  BoolOp,
  Compare,
  IfExp,
  NamedExpr,
  Call,
  Attribute,
  Subscript,
  Slice,
  Starred,
  Tuple,
  List,
  Set,
  Dict,
  Lambda,
  ListComp,
  SetComp,
  DictComp,
  GeneratorExp,
  Await,
  Yield,
  YieldFrom,
};

/// Name of a kind for messages: "function call", "list comprehension", ...
llvm::StringRef describe(ExprKind kind);

struct Expr {
  ExprKind kind;
  /// Whether the expression itself was written in parentheses. The range of a
  /// node excludes such parentheses, except for tuples and generators.
  bool parenthesized = false;
  /// Nodes on the longest way down, this one included; at most kMaxChain (Parser.h).
  uint16_t height = 1;
  SourceRange range;

protected:
  Expr(ExprKind kind, SourceRange range) : kind(kind), range(range) {}
};

/// `x`
struct NameExpr : Expr {
  llvm::StringRef name;

  NameExpr(SourceRange range, llvm::StringRef name) : Expr(ExprKind::Name, range), name(name) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Name; }
};

enum class ConstantKind : uint8_t { Int, Float, Imaginary, Str, Bytes, Bool, None, Ellipsis };

/// A literal. Which of the value members is meaningful follows from `constantKind`.
struct ConstantExpr : Expr {
  ConstantKind constantKind;
  bool boolValue = false;            // Bool
  double floatValue = 0;             // Float (may be inf), Imaginary (without the j)
  llvm::ArrayRef<uint64_t> intWords; // Int: magnitude, least significant word first
  llvm::StringRef text;              // Str (UTF-8), Bytes: decoded; numbers: spelling

  ConstantExpr(SourceRange range, ConstantKind constantKind)
      : Expr(ExprKind::Constant, range), constantKind(constantKind) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Constant; }

  /// Value of an Int. Literals have no sign (`-1` is a UnaryOp), so this is to be
  /// read as unsigned. The width is 64 or a larger multiple of 64.
  llvm::APInt getInt() const {
    if (intWords.empty()) {
      return llvm::APInt(64, 0);
    }
    return llvm::APInt(static_cast<unsigned>(64 * intWords.size()), intWords);
  }
  /// Whether an Int needs more than 128 bits.
  bool exceeds128Bits() const { return intWords.size() > 2; }

  bool isInt() const { return constantKind == ConstantKind::Int; }
  bool isFloat() const { return constantKind == ConstantKind::Float; }
  bool isStr() const { return constantKind == ConstantKind::Str; }
  bool isBool() const { return constantKind == ConstantKind::Bool; }
  bool isNone() const { return constantKind == ConstantKind::None; }
  bool isEllipsis() const { return constantKind == ConstantKind::Ellipsis; }
};

/// An f-string, or an implicit concatenation that holds one. Each value is a Str
/// ConstantExpr (never empty, never two in a row) or a FormattedValueExpr.
struct JoinedStrExpr : Expr {
  llvm::ArrayRef<Expr *> values;

  JoinedStrExpr(SourceRange range, llvm::ArrayRef<Expr *> values)
      : Expr(ExprKind::JoinedStr, range), values(values) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::JoinedStr; }
};

/// `{value!conversion:formatSpec}` in an f-string. `{value=}` arrives as a Str with
/// the text "value=" followed by a FormattedValue with conversion 'r'.
struct FormattedValueExpr : Expr {
  Expr *value;
  char conversion;           // 'r', 's', 'a', or 0
  JoinedStrExpr *formatSpec; // or null

  FormattedValueExpr(SourceRange range, Expr *value, char conversion, JoinedStrExpr *formatSpec)
      : Expr(ExprKind::FormattedValue, range), value(value), conversion(conversion),
        formatSpec(formatSpec) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::FormattedValue; }
};

/// `lhs op rhs`
struct BinOpExpr : Expr {
  BinaryOp op;
  Expr *lhs;
  Expr *rhs;
  SourceRange opRange;

  BinOpExpr(SourceRange range, BinaryOp op, Expr *lhs, Expr *rhs, SourceRange opRange)
      : Expr(ExprKind::BinOp, range), op(op), lhs(lhs), rhs(rhs), opRange(opRange) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::BinOp; }
};

/// `op operand`
struct UnaryOpExpr : Expr {
  UnaryOp op;
  Expr *operand;

  UnaryOpExpr(SourceRange range, UnaryOp op, Expr *operand)
      : Expr(ExprKind::UnaryOp, range), op(op), operand(operand) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::UnaryOp; }
};

/// `a and b and c`: two or more values, all joined by the same operator.
struct BoolOpExpr : Expr {
  BoolOp op;
  llvm::ArrayRef<Expr *> values;

  BoolOpExpr(SourceRange range, BoolOp op, llvm::ArrayRef<Expr *> values)
      : Expr(ExprKind::BoolOp, range), op(op), values(values) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::BoolOp; }
};

/// `lhs ops[0] comparators[0] ops[1] comparators[1] ...`; chained if ops.size() > 1.
struct CompareExpr : Expr {
  Expr *lhs;
  llvm::ArrayRef<CompareOp> ops;
  llvm::ArrayRef<Expr *> comparators;

  CompareExpr(SourceRange range, Expr *lhs, llvm::ArrayRef<CompareOp> ops,
              llvm::ArrayRef<Expr *> comparators)
      : Expr(ExprKind::Compare, range), lhs(lhs), ops(ops), comparators(comparators) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Compare; }
};

/// `body if test else orelse`
struct IfExpExpr : Expr {
  Expr *test;
  Expr *body;
  Expr *orelse;

  IfExpExpr(SourceRange range, Expr *test, Expr *body, Expr *orelse)
      : Expr(ExprKind::IfExp, range), test(test), body(body), orelse(orelse) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::IfExp; }
};

/// `target := value`
struct NamedExprExpr : Expr {
  NameExpr *target;
  Expr *value;

  NamedExprExpr(SourceRange range, NameExpr *target, Expr *value)
      : Expr(ExprKind::NamedExpr, range), target(target), value(value) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::NamedExpr; }
};

/// `name=value` or, with an empty name, `**value` in a call or class statement.
struct Keyword {
  SourceRange range;
  SourceRange nameRange; // invalid for `**value`
  llvm::StringRef name;
  Expr *value;

  bool isDoubleStar() const { return name.empty(); }
};

/// `func(args, keywords)`. A `*x` argument is a StarredExpr in `args`. Both lists
/// keep source order, but not the order between the two.
struct CallExpr : Expr {
  Expr *func;
  llvm::ArrayRef<Expr *> args;
  llvm::ArrayRef<Keyword> keywords;

  CallExpr(SourceRange range, Expr *func, llvm::ArrayRef<Expr *> args,
           llvm::ArrayRef<Keyword> keywords)
      : Expr(ExprKind::Call, range), func(func), args(args), keywords(keywords) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Call; }
};

/// `value.attr`
struct AttributeExpr : Expr {
  Expr *value;
  llvm::StringRef attr;
  SourceRange attrRange;

  AttributeExpr(SourceRange range, Expr *value, llvm::StringRef attr, SourceRange attrRange)
      : Expr(ExprKind::Attribute, range), value(value), attr(attr), attrRange(attrRange) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Attribute; }
};

/// `value[index]`. `x[a, b]` has a TupleExpr as index; slices may stand at the top
/// of the index or directly in that tuple, nowhere else.
struct SubscriptExpr : Expr {
  Expr *value;
  Expr *index;

  SubscriptExpr(SourceRange range, Expr *value, Expr *index)
      : Expr(ExprKind::Subscript, range), value(value), index(index) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Subscript; }
};

/// `lower:upper:step` in a subscript.
struct SliceExpr : Expr {
  Expr *lower; // or null
  Expr *upper; // or null
  Expr *step;  // or null

  SliceExpr(SourceRange range, Expr *lower, Expr *upper, Expr *step)
      : Expr(ExprKind::Slice, range), lower(lower), upper(upper), step(step) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Slice; }
};

/// `*value`
struct StarredExpr : Expr {
  Expr *value;

  StarredExpr(SourceRange range, Expr *value) : Expr(ExprKind::Starred, range), value(value) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Starred; }
};

/// `a, b` or `(a, b)` or `()`
struct TupleExpr : Expr {
  llvm::ArrayRef<Expr *> elements;

  TupleExpr(SourceRange range, llvm::ArrayRef<Expr *> elements)
      : Expr(ExprKind::Tuple, range), elements(elements) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Tuple; }
};

/// `[a, b]`
struct ListExpr : Expr {
  llvm::ArrayRef<Expr *> elements;

  ListExpr(SourceRange range, llvm::ArrayRef<Expr *> elements)
      : Expr(ExprKind::List, range), elements(elements) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::List; }
};

/// `{a, b}`
struct SetExpr : Expr {
  llvm::ArrayRef<Expr *> elements;

  SetExpr(SourceRange range, llvm::ArrayRef<Expr *> elements)
      : Expr(ExprKind::Set, range), elements(elements) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Set; }
};

/// `{k: v, **m}`: keys and values have equal length; the key of `**m` is null.
struct DictExpr : Expr {
  llvm::ArrayRef<Expr *> keys;
  llvm::ArrayRef<Expr *> values;

  DictExpr(SourceRange range, llvm::ArrayRef<Expr *> keys, llvm::ArrayRef<Expr *> values)
      : Expr(ExprKind::Dict, range), keys(keys), values(values) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Dict; }
};

enum class ParamKind : uint8_t {
  PosOnly, // before `/`
  Normal,
  VarArg, // `*name`
  KwOnly, // after `*` or `*name`
  KwArg,  // `**name`
};

/// A parameter; `range` spans name, annotation and default.
struct Param {
  ParamKind kind;
  llvm::StringRef name;
  SourceRange range;
  SourceRange nameRange;
  Expr *annotation;   // or null
  Expr *defaultValue; // or null
};

/// `lambda params: body`
struct LambdaExpr : Expr {
  llvm::ArrayRef<Param> params;
  Expr *body;

  LambdaExpr(SourceRange range, llvm::ArrayRef<Param> params, Expr *body)
      : Expr(ExprKind::Lambda, range), params(params), body(body) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Lambda; }
};

/// `for target in iter if ifs[0] if ifs[1] ...`
struct Comprehension {
  SourceRange range;
  Expr *target;
  Expr *iter;
  llvm::ArrayRef<Expr *> ifs;
  bool isAsync;
};

/// ListComp, SetComp, GeneratorExp: `element generators...`; DictComp: `element`
/// is the key and `value` is set.
struct ComprehensionExpr : Expr {
  Expr *element;
  Expr *value; // DictComp only, else null
  llvm::ArrayRef<Comprehension> generators;

  ComprehensionExpr(ExprKind kind, SourceRange range, Expr *element, Expr *value,
                    llvm::ArrayRef<Comprehension> generators)
      : Expr(kind, range), element(element), value(value), generators(generators) {}
  static bool classof(const Expr *e) {
    return e->kind >= ExprKind::ListComp && e->kind <= ExprKind::GeneratorExp;
  }
};

/// `await value`, `yield value`, `yield from value`
struct AwaitYieldExpr : Expr {
  Expr *value; // null only for a bare `yield`

  AwaitYieldExpr(ExprKind kind, SourceRange range, Expr *value) : Expr(kind, range), value(value) {}
  static bool classof(const Expr *e) {
    return e->kind >= ExprKind::Await && e->kind <= ExprKind::YieldFrom;
  }
};

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

enum class StmtKind : uint8_t {
  FunctionDef,
  ClassDef,
  Return,
  Delete,
  Assign,
  AugAssign,
  AnnAssign,
  TypeAlias,
  For,
  While,
  If,
  With,
  Match,
  Raise,
  Try,
  Assert,
  Import,
  ImportFrom,
  Global,
  Nonlocal,
  Expr,
  Pass,
  Break,
  Continue,
};

/// Name of a kind for messages: "for loop", "class definition", ...
llvm::StringRef describe(StmtKind kind);

struct Stmt {
  StmtKind kind;
  SourceRange range; // compound statements: up to the end of their last statement

protected:
  Stmt(StmtKind kind, SourceRange range) : kind(kind), range(range) {}
};

/// A block; empty only where the comment of the member says so.
using Body = llvm::ArrayRef<Stmt *>;

/// `def name(params) -> returns: body`. `range` starts at `def` (or `async`), not at
/// the decorators.
struct FunctionDefStmt : Stmt {
  llvm::StringRef name;
  SourceRange nameRange;
  llvm::ArrayRef<Expr *> decorators; // without the `@`
  llvm::ArrayRef<Param> params;
  Expr *returns = nullptr; // or null
  Body body;
  bool isAsync = false;

  explicit FunctionDefStmt(SourceRange range) : Stmt(StmtKind::FunctionDef, range) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::FunctionDef; }

  /// The Str that opens the body, or null.
  const ConstantExpr *getDocstring() const;
};

/// `class name(bases, keywords): body`
struct ClassDefStmt : Stmt {
  llvm::StringRef name;
  SourceRange nameRange;
  llvm::ArrayRef<Expr *> decorators;
  llvm::ArrayRef<Expr *> bases;
  llvm::ArrayRef<Keyword> keywords;
  Body body;

  explicit ClassDefStmt(SourceRange range) : Stmt(StmtKind::ClassDef, range) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::ClassDef; }
};

/// `return value`
struct ReturnStmt : Stmt {
  Expr *value; // or null

  ReturnStmt(SourceRange range, Expr *value) : Stmt(StmtKind::Return, range), value(value) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Return; }
};

/// `del targets`
struct DeleteStmt : Stmt {
  llvm::ArrayRef<Expr *> targets;

  DeleteStmt(SourceRange range, llvm::ArrayRef<Expr *> targets)
      : Stmt(StmtKind::Delete, range), targets(targets) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Delete; }
};

/// `targets[0] = targets[1] = ... = value`. A target is a Name, Attribute,
/// Subscript, Starred (only inside a list), or a Tuple or List of targets.
struct AssignStmt : Stmt {
  llvm::ArrayRef<Expr *> targets;
  Expr *value;

  AssignStmt(SourceRange range, llvm::ArrayRef<Expr *> targets, Expr *value)
      : Stmt(StmtKind::Assign, range), targets(targets), value(value) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Assign; }
};

/// `target op= value`; the target is a Name, Attribute or Subscript.
struct AugAssignStmt : Stmt {
  BinaryOp op;
  Expr *target;
  Expr *value;
  SourceRange opRange;

  AugAssignStmt(SourceRange range, BinaryOp op, Expr *target, Expr *value, SourceRange opRange)
      : Stmt(StmtKind::AugAssign, range), op(op), target(target), value(value), opRange(opRange) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::AugAssign; }
};

/// `target: annotation = value`; the target is a Name, Attribute or Subscript.
struct AnnAssignStmt : Stmt {
  Expr *target;
  Expr *annotation;
  Expr *value; // or null

  AnnAssignStmt(SourceRange range, Expr *target, Expr *annotation, Expr *value)
      : Stmt(StmtKind::AnnAssign, range), target(target), annotation(annotation), value(value) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::AnnAssign; }
};

/// `type name = value` (Python 3.12; its type parameters are read and dropped)
struct TypeAliasStmt : Stmt {
  llvm::StringRef name;
  Expr *value;

  TypeAliasStmt(SourceRange range, llvm::StringRef name, Expr *value)
      : Stmt(StmtKind::TypeAlias, range), name(name), value(value) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::TypeAlias; }
};

/// `for target in iter: body` with an optional `else`
struct ForStmt : Stmt {
  Expr *target;
  Expr *iter;
  Body body;
  Body orelse; // may be empty
  bool isAsync;

  ForStmt(SourceRange range, Expr *target, Expr *iter, Body body, Body orelse, bool isAsync)
      : Stmt(StmtKind::For, range), target(target), iter(iter), body(body), orelse(orelse),
        isAsync(isAsync) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::For; }
};

/// `while test: body` with an optional `else`
struct WhileStmt : Stmt {
  Expr *test;
  Body body;
  Body orelse; // may be empty

  WhileStmt(SourceRange range, Expr *test, Body body, Body orelse)
      : Stmt(StmtKind::While, range), test(test), body(body), orelse(orelse) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::While; }
};

/// `if test: body`. An `elif` is an IfStmt with `isElif` that is the only
/// statement of `orelse`; long chains are limited by the parser.
struct IfStmt : Stmt {
  Expr *test;
  Body body;
  Body orelse; // may be empty
  bool isElif;

  IfStmt(SourceRange range, Expr *test, Body body, Body orelse, bool isElif)
      : Stmt(StmtKind::If, range), test(test), body(body), orelse(orelse), isElif(isElif) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::If; }
};

/// `context as target`
struct WithItem {
  Expr *context;
  Expr *target; // or null
};

/// `with items: body`
struct WithStmt : Stmt {
  llvm::ArrayRef<WithItem> items;
  Body body;
  bool isAsync;

  WithStmt(SourceRange range, llvm::ArrayRef<WithItem> items, Body body, bool isAsync)
      : Stmt(StmtKind::With, range), items(items), body(body), isAsync(isAsync) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::With; }
};

/// `case pattern if guard: body`. The pattern is kept as the expression it looks
/// like: `a | b` as BitOr, `p as x` as NamedExpr, `*x` as Starred, `**x` in a
/// mapping as a null key, a class pattern as Call.
struct MatchCase {
  SourceRange range;
  Expr *pattern;
  Expr *guard; // or null
  Body body;
};

/// `match subject:` with its cases
struct MatchStmt : Stmt {
  Expr *subject;
  llvm::ArrayRef<MatchCase> cases;

  MatchStmt(SourceRange range, Expr *subject, llvm::ArrayRef<MatchCase> cases)
      : Stmt(StmtKind::Match, range), subject(subject), cases(cases) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Match; }
};

/// `raise exception from cause`
struct RaiseStmt : Stmt {
  Expr *exception; // or null
  Expr *cause;     // or null

  RaiseStmt(SourceRange range, Expr *exception, Expr *cause)
      : Stmt(StmtKind::Raise, range), exception(exception), cause(cause) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Raise; }
};

/// `except type as name: body`, or `except*`
struct ExceptHandler {
  SourceRange range;
  Expr *type;           // or null
  llvm::StringRef name; // may be empty
  Body body;
  bool isStar;
};

/// `try: body` with handlers, `else` and `finally`
struct TryStmt : Stmt {
  Body body;
  llvm::ArrayRef<ExceptHandler> handlers; // may be empty
  Body orelse;                            // may be empty
  Body finalbody;                         // may be empty

  TryStmt(SourceRange range, Body body, llvm::ArrayRef<ExceptHandler> handlers, Body orelse,
          Body finalbody)
      : Stmt(StmtKind::Try, range), body(body), handlers(handlers), orelse(orelse),
        finalbody(finalbody) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Try; }
};

/// `assert test, message`
struct AssertStmt : Stmt {
  Expr *test;
  Expr *message; // or null

  AssertStmt(SourceRange range, Expr *test, Expr *message)
      : Stmt(StmtKind::Assert, range), test(test), message(message) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Assert; }
};

/// `name as asName`; the name may be dotted, or `*` in a from-import.
struct ImportAlias {
  SourceRange range;
  llvm::StringRef name;
  llvm::StringRef asName; // may be empty
};

/// `import names`
struct ImportStmt : Stmt {
  llvm::ArrayRef<ImportAlias> names;

  ImportStmt(SourceRange range, llvm::ArrayRef<ImportAlias> names)
      : Stmt(StmtKind::Import, range), names(names) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Import; }
};

/// `from ..module import names`; `level` counts the dots.
struct ImportFromStmt : Stmt {
  llvm::StringRef module; // may be empty
  unsigned level;
  llvm::ArrayRef<ImportAlias> names;

  ImportFromStmt(SourceRange range, llvm::StringRef module, unsigned level,
                 llvm::ArrayRef<ImportAlias> names)
      : Stmt(StmtKind::ImportFrom, range), module(module), level(level), names(names) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::ImportFrom; }
};

/// `global names`, `nonlocal names`
struct ScopeStmt : Stmt {
  llvm::ArrayRef<llvm::StringRef> names;

  ScopeStmt(StmtKind kind, SourceRange range, llvm::ArrayRef<llvm::StringRef> names)
      : Stmt(kind, range), names(names) {}
  static bool classof(const Stmt *s) {
    return s->kind == StmtKind::Global || s->kind == StmtKind::Nonlocal;
  }
};

/// An expression as a statement.
struct ExprStmt : Stmt {
  Expr *value;

  ExprStmt(SourceRange range, Expr *value) : Stmt(StmtKind::Expr, range), value(value) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Expr; }
};

/// `pass`, `break`, `continue`
struct SimpleStmt : Stmt {
  SimpleStmt(StmtKind kind, SourceRange range) : Stmt(kind, range) {}
  static bool classof(const Stmt *s) {
    return s->kind >= StmtKind::Pass && s->kind <= StmtKind::Continue;
  }
};

/// A parsed text.
struct Module {
  const SourceFile *file;
  Body body; // may be empty

  Module(const SourceFile *file, Body body) : file(file), body(body) {}
};

//===----------------------------------------------------------------------===//
// Dump
//===----------------------------------------------------------------------===//

/// Prints an expression on one line, prefix form: `a + b * c` as `(+ a (* b c))`.
void dump(llvm::raw_ostream &os, const Expr &expr);
/// Prints a statement, one line per simple statement, blocks indented by two.
void dump(llvm::raw_ostream &os, const Stmt &stmt, unsigned indent = 0);
void dump(llvm::raw_ostream &os, const Module &module);

} // namespace tegula::frontend

#endif // TEGULA_FRONTEND_AST_H
