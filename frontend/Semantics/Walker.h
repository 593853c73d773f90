//===- Walker.h - From syntax trees to tile IR ----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Visits the statements of one kernel, and those of every function it calls, as
// if Python ran them, and lets Semantics say what each operation means. What is
// known at compile time steers the walk itself: dead branches are not visited,
// static loops are unrolled, calls are inlined.
//
// Run-time control flow becomes scf ops. Variables are bindings from names to
// Values; where paths meet, bindings that differ become results of the op, or,
// if they cannot, names that are an error to use (`Reason`). Loops are visited
// until the types of what they carry are stable; what a visit reported is
// dropped when the visit is repeated.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_FRONTEND_SEMANTICS_WALKER_H
#define TEGULA_FRONTEND_SEMANTICS_WALKER_H

#include "FileIndex.h"
#include "Semantics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "tegula/Frontend/AST.h"
#include "tegula/Frontend/Diagnostics.h"
#include "tegula/Frontend/Frontend.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <set>

namespace tegula::frontend {

struct SignatureEntry;

/// A function that can be inlined.
struct FunctionRef {
  enum class Origin { Host, File, Library };
  std::string name;
  const FunctionDefStmt *def = nullptr; ///< null for the scope of a file itself
  Origin origin = Origin::Host;
  void *handle = nullptr;           ///< Host: the scope names are looked up in
  const FileScope *scope = nullptr; ///< File, Library
};

/// The language library, parsed once per process.
struct Library {
  ASTContext context; ///< of the trees, which live as long as the process
  struct File {
    std::unique_ptr<SourceFile> source;
    std::unique_ptr<FileIndex> index;
  };
  std::vector<File> files;
  std::string error; ///< rendered diagnostics; empty unless the library is broken
  const FileFunction *find(llvm::StringRef name) const;
  static const Library &get();
};

/// Why a name cannot be used, with the places that explain it.
struct Reason {
  DiagID id = diag::PossiblyUndefined;
  std::string message;
  SourceRange place; ///< what to point at; invalid: at the use of the name
  std::vector<std::pair<SourceRange, std::string>> notes;
};

/// What a name stands for at one point of the walk.
struct Binding {
  Value value;
  SourceRange place;                    ///< of the last assignment
  std::shared_ptr<const Reason> reason; ///< for Undefined
  bool soft = false; ///< a literal that a loop made a scalar: its type may still widen
};

/// In order of names, so that output does not depend on hashing.
using Variables = std::map<std::string, Binding>;

/// Names that no program can spell. Whether the sequence of statements has ended on this
/// path (a bool), how (an int: one of the Ending), and what the function returns.
inline constexpr llvm::StringLiteral kReturned = "<returned>";
inline constexpr llvm::StringLiteral kEnding = "<ending>";
inline constexpr llvm::StringLiteral kResult = "<result>";
/// Carried by a loop: whether it was left by `break` or `return`, and whether by `return`.
inline constexpr llvm::StringLiteral kLeft = "<left>";
inline constexpr llvm::StringLiteral kLeftByReturn = "<left by return>";
enum class Ending : int { Return = 1, Break = 2, Continue = 3 };

/// One function being visited.
struct Frame {
  FunctionRef *function = nullptr;
  Variables variables;
  const llvm::StringSet<> *locals = nullptr;        ///< names the function assigns
  SourceRange current;                              ///< expression being visited
  llvm::SmallVector<SourceRange, 8> argumentRanges; ///< of the call being made
  size_t numUnwritten = 0; ///< arguments ahead of those that the call wrote
  std::string description; ///< `helper(x: float32[64], n: int 4)`
  std::optional<mlir::Location> caller;
  unsigned loopDepth = 0; ///< loops around the current statement
  /// What the innermost loop carries, if it is a run-time loop: the names that matter on
  /// paths that `break` and `continue` end. Null: all names.
  const llvm::StringSet<> *carried = nullptr;
  std::string initialized; ///< in `__init__` of an aggregate: the name of the object
  bool isModule = false;   ///< evaluating a constant of a file
};

/// How two Values become one where paths meet.
struct MergePlan {
  enum class Kind { Same, Slot, Composite, Conflict };
  Kind kind = Kind::Same;
  Value same;                   ///< Same
  LangType type;                ///< Slot
  unsigned slot = 0;            ///< Slot: number of the SSA value
  std::vector<MergePlan> items; ///< Composite
  Value form;                   ///< Composite: a value of its class and names
  Value first, second;          ///< Conflict: what could not be merged
};

/// A run-time or unrolled range.
struct RangeSpec {
  Value start, stop, step;
  llvm::SmallVector<mlir::NamedAttribute, 4> attributes;

  /// Of a range known at compile time: how many numbers it has, and one of them.
  BigInt countSteps() const;
  BigInt getNumber(BigInt index) const;
};

class Walker final : public SemanticsClient {
public:
  Walker(mlir::MLIRContext &context, const KernelRequest &request, DiagnosticEngine &diags,
         KernelInfo &info);

  /// The module, verified; null after errors, which are on the engine then.
  mlir::OwningOpRef<mlir::ModuleOp> run();

  // SemanticsClient
  void reportError(DiagID id, const llvm::Twine &message, int argument) override;
  void reportWarning(DiagID id, const llvm::Twine &message, int argument) override;
  void reportNote(const llvm::Twine &message) override;
  mlir::Location getLocation() override;
  Value callFunction(FunctionRef *function, const CallArgs &args) override;
  std::string getFunctionName(FunctionRef *function) override { return function->name; }
  std::optional<Value> lookupLibrary(llvm::StringRef name) override;
  std::vector<std::string> listLibrary() override;
  Value initialize(FunctionRef *init, const Value &self, const CallArgs &args) override;
  Value importFunction(const HostValue &function) override;
  NameResolver *getResolver() override { return request.resolver; }
  void staticPrint(llvm::StringRef text) override;
  bool isUserCode() override;
  void stopWalk() override;

private:
  //===-- CompileKernel.cpp ------------------------------------------------===//

  struct Source {
    ASTContext context;
    std::unique_ptr<FileIndex> index;
    FunctionDefStmt *single = nullptr; ///< text of just one function
  };
  FunctionRef *findKernel();
  bool bindKernelParams(FunctionRef &kernel);
  std::optional<Value> bindRuntimeArg(const SignatureEntry &entry, const std::string &name,
                                      SourceRange place);
  /// One run-time argument of the kernel; `dtype` is no void.
  Value addArgument(const std::string &name, const DType &dtype, SourceRange place,
                    int64_t divisibility = 0, bool noAlias = false);
  Value bindDescriptor(const SignatureEntry &entry, const std::string &name, SourceRange place);
  /// Parses `source` once per text.
  Source *parse(const SourceText &source, SourceRange usedAt);
  void flushReports();
  SourceRange rangeOf(mlir::Location location);

  //===-- Reports (Reports.cpp) --------------------------------------------===//

  struct Report {
    std::optional<Severity> severity; ///< nullopt: text of static_print
    DiagID id;
    SourceRange range;
    SourceRange expression; ///< see Diagnostic
    std::string message;
    std::vector<std::pair<SourceRange, std::string>> notes;
    std::string hint;
    std::shared_ptr<const Reason> reason; ///< of a name that cannot be used
    bool inLibrary = false;               ///< shown at the call of the library
  };
  Report *report(Severity severity, DiagID id, SourceRange range, const llvm::Twine &message);
  /// An error; the result is Poison.
  Value error(DiagID id, SourceRange range, const llvm::Twine &message);
  /// On the last report, unless that was dropped: another place, what to do.
  void note(SourceRange range, const llvm::Twine &message);
  void hint(const llvm::Twine &message);
  bool tooManyErrors() const { return stop; }
  /// Reports why a name cannot be used, once for each reason.
  void reportReason(const std::shared_ptr<const Reason> &reason, SourceRange use);
  void showAtCaller(Report &report, size_t user);
  /// Stops the whole walk: for errors that would repeat without end.
  Value fatal(DiagID id, SourceRange range, const llvm::Twine &message);
  mlir::Location locationOf(SourceRange range);

  //===-- Statements.cpp ---------------------------------------------------===//

  /// `tail`: the function ends when the sequence does.
  void visitSequence(llvm::ArrayRef<Stmt *> statements, bool tail);
  void visitStatement(const Stmt *stmt);
  void visitOneStatement(const Stmt *stmt);
  bool hasError() const;
  void visitReturn(const ReturnStmt *stmt);
  /// `return`, `break` and `continue` end the sequence of statements on this path.
  void endPath(Ending ending, SourceRange place);
  void visitWith(const WithStmt *stmt);
  /// What a function returns whose text returns `value`: in `__init__` the object.
  Value resultWithout(const Value &value);
  void visitAssert(const AssertStmt *stmt);
  bool assignField(const AttributeExpr *target, const Value &value);
  void visitAnnAssign(const AnnAssignStmt *stmt);
  void visitAugAssign(const AugAssignStmt *stmt);
  /// Reports a call that stands alone though it has a result and no effect.
  void checkUsed(const Expr *expr, const Value &result);
  void assign(const Expr *target, const Value &value, bool isConstexpr = false);
  void bind(llvm::StringRef name, Value value, SourceRange place);
  /// Error for a construct that kernels cannot have.
  void refuse(SourceRange range, llvm::StringRef what, llvm::StringRef instead);
  void refuseStatement(const Stmt *stmt);
  /// Names that the statement assigns become Poison.
  void poisonAssigned(const Stmt *stmt);

  //===-- ControlFlow.cpp --------------------------------------------------===//

  /// Returns true if the statements after the `if` were visited too.
  bool visitIf(const IfStmt *stmt, llvm::ArrayRef<Stmt *> rest, bool tail);
  /// Emits an scf.if whose branches the two functions fill.
  void branch(mlir::Value condition, llvm::function_ref<void()> whenTrue,
              llvm::function_ref<void()> whenFalse);
  /// Like branch, for an expression.
  Value branchValue(mlir::Value condition, llvm::function_ref<Value()> whenTrue,
                    llvm::function_ref<Value()> whenFalse, SourceRange place);
  /// False after an error if run-time blocks are nested too deeply for one more.
  bool mayNest(SourceRange place);
  enum class Completion { Falls, Returned, Unknown };
  Completion completion(const Variables &variables) const;
  MergePlan planMerge(const Value &a, const Value &b, llvm::StringRef name,
                      llvm::SmallVectorImpl<mlir::Type> &types, bool softA = false,
                      bool softB = false);
  /// A plan whose types are those of `value` alone.
  MergePlan planFrom(const Value &value, llvm::SmallVectorImpl<mlir::Type> &types);
  /// The SSA values of `value` in the order of slots. `value` of Undefined kind
  /// stands for "never used" and gives zeros.
  bool collect(const MergePlan &plan, const Value &value, llvm::StringRef name,
               llvm::SmallVectorImpl<mlir::Value> &out);
  Value rebuild(const MergePlan &plan, mlir::ValueRange values);
  static const MergePlan *findConflict(const MergePlan &plan);
  Value convertLeaf(const Value &value, const LangType &type, llvm::StringRef name);
  Value zero(const LangType &type);

  //===-- Loops.cpp --------------------------------------------------------===//

  void visitFor(const ForStmt *stmt);
  void visitWhile(const WhileStmt *stmt);
  std::optional<RangeSpec> readRange(const CallExpr *call, const Value &callee, bool isStatic);
  struct LoopState;
  void unroll(const ForStmt *stmt, llvm::ArrayRef<Value> values);
  /// How a body that was just visited leaves its loop: bools, at run time or not. The
  /// marks of `continue` are gone afterwards.
  struct Leaving {
    Value left, byReturn;
  };
  Leaving takeLeaving();
  void startBody();
  void endBody(LoopState &state, SourceRange place);
  void leaveLoop(const Stmt *stmt, Body orelse);
  /// After a run-time loop: the `else` clause, and what a `return` in it means.
  void afterLoop(const Stmt *stmt, Body orelse, const Value &left, const Value &byReturn);
  void runtimeLoop(const ForStmt *stmt, RangeSpec range);
  /// Visits a loop until what it carries is stable. `visitOnce` makes the op for
  /// what is known so far and returns true when that was the last time.
  void visitLoop(const Stmt *stmt, LoopState &state, const llvm::StringSet<> &assigned,
                 llvm::function_ref<bool()> visitOnce);
  void startLoop(LoopState &state, const llvm::StringSet<> &assigned);
  bool prepareLoop(LoopState &state);
  void bindLoop(LoopState &state, mlir::ValueRange arguments);
  /// Compares what the body left with what it started from; true if stable.
  bool settleLoop(LoopState &state);
  bool collectEnds(LoopState &state, llvm::SmallVectorImpl<mlir::Value> &out);
  void finishLoop(LoopState &state, mlir::ValueRange results);
  void abandonLoop(LoopState &state);
  bool planCarried(MergePlan &plan, const Value &original, const Value &bound, const Value &end,
                   llvm::StringRef name, bool &forced, bool soft);

  //===-- Expressions.cpp --------------------------------------------------===//

  Value visit(const Expr *expr);
  Value visitInner(const Expr *expr);
  Value visitConstant(const ConstantExpr *expr);
  Value visitJoinedStr(const JoinedStrExpr *expr);
  Value visitBoolOp(const BoolOpExpr *expr, size_t from);
  /// `lhs and rest` or `lhs or rest`, where `lhs` is a scalar of the run time and the rest
  /// runs only if it decides.
  Value shortCircuit(const Value &lhs, bool isAnd, llvm::function_ref<Value()> visitRest,
                     SourceRange place);
  Value visitCompare(const CompareExpr *expr);
  Value compareFrom(const CompareExpr *expr, size_t i, const Value &lhs);
  Value visitIfExp(const IfExpExpr *expr);
  Value visitListComp(const ComprehensionExpr *expr);
  bool comprehend(const ComprehensionExpr *expr, size_t generator, std::vector<Value> &out);
  Value visitElements(llvm::ArrayRef<Expr *> elements);
  Value visitIndex(const Expr *expr);

  //===-- Calls.cpp --------------------------------------------------------===//

  Value visitCall(const CallExpr *expr);
  /// `returnsSelf`: the result is what the first parameter is in the end.
  Value callFunction(FunctionRef *function, const CallArgs &args, bool returnsSelf);
  bool visitArguments(const CallExpr *expr, CallArgs &args,
                      llvm::SmallVectorImpl<SourceRange> &ranges);
  bool bindParams(FunctionRef &function, const CallArgs &args, llvm::ArrayRef<SourceRange> ranges,
                  Variables &variables, std::string &description);
  /// Default of a parameter, in the scope of its function.
  Value evaluateOuter(const FunctionRef &function, const Expr *expr);

  //===-- Names.cpp --------------------------------------------------------===//

  Value visitName(const NameExpr *expr);
  Value lookupOuter(FunctionRef &function, llvm::StringRef name, SourceRange range);
  std::optional<Value> lookupFile(FunctionRef &function, llvm::StringRef name, SourceRange range);
  Value evaluateEntry(FunctionRef &function, const ScopeEntry &entry, llvm::StringRef name,
                      SourceRange range);
  FunctionRef *makeFunction(FunctionRef ref);
  FunctionRef *fileFunction(const FileFunction &function, FunctionRef::Origin origin);
  const llvm::StringSet<> &localsOf(const FunctionDefStmt *def);

  Frame &frame() { return *frames.back(); }
  /// Sets Frame::current for the length of a scope.
  struct At {
    At(Walker &walker, SourceRange range) : frame(walker.frame()), saved(frame.current) {
      frame.current = range;
    }
    ~At() { frame.current = saved; }
    Frame &frame;
    SourceRange saved;
  };

  mlir::MLIRContext &context;
  const KernelRequest &request;
  DiagnosticEngine &diags;
  KernelInfo &info;
  mlir::OpBuilder builder;
  Semantics semantics;

  std::vector<Report> reports;
  unsigned muted = 0;      ///< reports are swallowed
  bool wasKept = false;    ///< the last report was: notes go to it
  bool stop = false;       ///< give up quietly
  bool poisoned = false;   ///< an expression of the current statement has no value
  SourceRange poisonedAt;  ///< which one
  unsigned numCalls = 0;   ///< inlined so far
  unsigned numRegions = 0; ///< run-time blocks around the current statement
  uint64_t numStatements = 0, numExpressions = 0;
  uintptr_t stackBase = 0; ///< where the walk began
  unsigned numTemporaries = 0;

  std::vector<std::unique_ptr<Frame>> frames;
  std::vector<std::unique_ptr<FunctionRef>> functions;
  std::map<std::string, std::unique_ptr<Source>> sources;
  llvm::DenseMap<void *, FunctionRef *> hostFunctions;
  llvm::DenseMap<const FunctionDefStmt *, FunctionRef *> fileFunctions;
  llvm::DenseMap<const FunctionDefStmt *, std::unique_ptr<llvm::StringSet<>>> locals;
  llvm::DenseMap<const ScopeEntry *, Value> entryValues;
  llvm::DenseMap<const ScopeEntry *, bool> entriesInProgress;
  std::set<std::pair<void *, std::string>> seenGlobals;
  Source *kernelSource = nullptr;
  mlir::Block *entryBlock = nullptr;
  std::vector<int64_t> divisibilities; ///< one per run-time argument; 0 if unknown
  std::vector<bool> noAliases;         ///< one per run-time argument
};

/// The text of a call for notes: `helper(x: float32[64], n: int 4)`. It starts as
/// `helper(` and gets one argument after the other.
void describeArgument(std::string &description, llvm::StringRef name, const Value &value);
void closeDescription(std::string &description);

/// Names that statements assign, nested ones included.
void collectAssigned(Body body, llvm::StringSet<> &names);
void collectAssigned(const Expr *expr, llvm::StringSet<> &names); ///< walrus only
/// Whether a `return` occurs in the block.
bool containsReturn(Body body);
/// Whether a `break` of the loop whose body this is occurs in it.
bool containsBreak(Body body);
/// Whether every path through the block ends in a `return`, `break` or `continue`.
bool endsPath(Body body);
/// Whether the expression calls anything.
bool containsCall(const Expr *expr);

} // namespace tegula::frontend

#endif // TEGULA_FRONTEND_SEMANTICS_WALKER_H
