//===- Semantics.h - What each construct of the language means -------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators, subscripts, attributes and functions of the language on Values.
// It folds what is known at compile time and emits tile IR for the rest, at the
// builder's insertion point. It knows nothing of syntax trees: the walker calls
// it, and supplies through SemanticsClient what needs one.
//
// Every method that can fail reports one error to the client and returns a
// poisoned Value (or false, nullopt). A poisoned operand makes the result
// poisoned without a second report. Not thread-safe; one object per compile.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_FRONTEND_SEMANTICS_SEMANTICS_H
#define TEGULA_FRONTEND_SEMANTICS_SEMANTICS_H

#include "Value.h"
#include "mlir/IR/Builders.h"
#include "tegula/Frontend/Diagnostics.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"
#include <utility>

namespace tegula::frontend {

class NameResolver;

// Named apart from the operators of the syntax tree (AST.h: BinaryOp, CompareOp, UnaryOp), which
// the walker maps to these.
enum class ArithOp : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  Shl,
  Shr,
  BitAnd,
  BitOr,
  BitXor,
  MatMul
};
enum class RelationOp : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn };
enum class PrefixOp : uint8_t { Plus, Minus, Invert, Not };
enum class LogicalOp : uint8_t { And, Or };
enum class Rounding : uint8_t { RTNE, RTZ };

/// As the source writes it: `+`, `//`, `not in`.
llvm::StringRef spelling(ArithOp op);
llvm::StringRef spelling(RelationOp op);
llvm::StringRef spelling(PrefixOp op);

/// Arguments of a call, after unpacking of `*args`.
struct CallArgs {
  llvm::SmallVector<Value, 6> positional;
  llvm::SmallVector<std::pair<std::string, Value>, 4> keywords;
};

/// What semantics asks of its surroundings.
class SemanticsClient {
public:
  virtual ~SemanticsClient() = default;

  /// An error at the current expression. `argument` names an argument of the
  /// call being processed (positional ones first, then keywords, in the order
  /// of CallArgs), or is -1; a client with the tree can point at it.
  virtual void reportError(DiagID id, const llvm::Twine &message, int argument) = 0;
  virtual void reportWarning(DiagID id, const llvm::Twine &message, int argument) {}
  virtual void reportNote(const llvm::Twine &message) = 0; ///< on the last report
  /// After an error that makes what follows meaningless: no more is reported.
  virtual void stopWalk() {}

  /// Location of ops made now.
  virtual mlir::Location getLocation() = 0;

  /// Inlines a jit function at the builder's insertion point.
  virtual Value callFunction(FunctionRef *function, const CallArgs &args) = 0;
  virtual std::string getFunctionName(FunctionRef *function) = 0;

  /// A function of the language library: `name` without a prefix. Null Value
  /// (nullopt) if there is none.
  virtual std::optional<Value> lookupLibrary(llvm::StringRef name) = 0;
  /// All names the library defines, for suggestions.
  virtual std::vector<std::string> listLibrary() { return {}; }

  /// Runs `init` on `self` and the arguments and returns what its first parameter, whose
  /// fields it may assign, is at its end; Poison after a report.
  virtual Value initialize(FunctionRef *init, const Value &self, const CallArgs &args) {
    return Value::poison();
  }

  /// A function of the host program as a Value, or Poison after an error.
  virtual Value importFunction(const HostValue &function) = 0;
  /// May be null: then host objects have no attributes.
  virtual NameResolver *getResolver() { return nullptr; }

  virtual void staticPrint(llvm::StringRef text) = 0;

  /// Whether what is visited now was written by the user; the library wraps on purpose.
  virtual bool isUserCode() { return true; }
};

/// Facts of one compile that rules depend on.
struct SemanticsOptions {
  std::string defaultDotPrecision = "tf32";
  std::string backend = "cpu";
  std::string arch;
  int numWarps = 4, numStages = 3, numCtas = 1;
  bool debug = false;
  bool sanitizeOverflow = true; ///< in debug builds: assert that integers do not wrap
};

/// One function of the language, for documentation and the Python package.
struct BuiltinInfo {
  llvm::StringRef path;      ///< without the leading `tl.`: `load`, `math.exp`
  llvm::StringRef signature; ///< `(pointer, mask=None, other=None, ...)`
  llvm::StringRef summary;
  bool isMethod; ///< also callable as `x.load(...)`
};
/// All functions known to semantics itself (not those of the library).
std::vector<BuiltinInfo> listBuiltins();

class Semantics {
public:
  Semantics(mlir::OpBuilder &builder, SemanticsClient &client, SemanticsOptions options = {})
      : builder(builder), client(client), options(std::move(options)) {}

  mlir::OpBuilder &getBuilder() { return builder; }
  SemanticsClient &getClient() { return client; }
  const SemanticsOptions &getOptions() const { return options; }
  mlir::MLIRContext *getContext() const { return builder.getContext(); }

  /// Reports and returns Poison.
  Value error(DiagID id, const llvm::Twine &message, int argument = -1);
  void warn(DiagID id, const llvm::Twine &message, int argument = -1);
  /// While it lives, errors that name no argument are about this one of the call
  /// being processed; `text` is put in front of them.
  class OfArgument {
  public:
    OfArgument(Semantics &semantics, int argument, std::string text)
        : semantics(semantics), argument(argument), text(std::move(text)) {
      swap();
    }
    ~OfArgument() { swap(); }
    OfArgument(const OfArgument &) = delete;

  private:
    void swap() {
      std::swap(semantics.argumentInHand, argument);
      std::swap(semantics.argumentText, text);
    }
    Semantics &semantics;
    int argument;
    std::string text;
  };

  //===-- Operators (Arithmetic.cpp, Constexpr.cpp) ------------------------===//

  Value binary(ArithOp op, const Value &lhs, const Value &rhs);
  Value unary(PrefixOp op, const Value &operand);
  Value compare(RelationOp op, const Value &lhs, const Value &rhs);
  /// Elementwise on runtime values; on compile-time values Python's `and`/`or`,
  /// which yield an operand. The walker does the short circuit.
  Value logical(LogicalOp op, const Value &lhs, const Value &rhs);
  /// Truth of a value known at compile time; nullopt, without a report, for the
  /// rest.
  std::optional<bool> constantTruth(const Value &value);
  /// `value` as a scalar i1 for a branch, of a tile its only element. Null on error.
  mlir::Value condition(const Value &value, llvm::StringRef what = "a condition");
  /// The scalar in a tile of one element, of any rank.
  Value onlyElement(const Value &tile);
  /// `tl.where` and the elementwise ternary; `name` is what messages call it. The
  /// condition is a number or a run-time value.
  Value select(const Value &condition, const Value &whenTrue, const Value &whenFalse,
               llvm::StringRef name = "where");

  //===-- Types and casts (Promote.cpp, Casts.cpp) -------------------------===//

  /// A compile-time number as a runtime scalar of `dtype`, or of the type that
  /// literals of its size have. Runtime values and tuples of such pass through
  /// (tuples item by item); None, strings, types etc. are errors.
  Value toRuntime(const Value &value, std::optional<DType> dtype = std::nullopt);
  /// The type toRuntime gives without a hint. Reports when no type can hold it.
  std::optional<DType> literalType(const Value &number);
  /// Type and shape of a runtime value or number; nullopt (no report) otherwise.
  std::optional<LangType> typeOf(const Value &value);
  /// `x.to(dtype)`. Numbers become runtime scalars.
  Value cast(const Value &value, DType dtype, std::optional<Rounding> rounding = std::nullopt);
  Value bitcast(const Value &value, DType dtype);
  /// The common type of two values that meet at the end of control flow (branches,
  /// loop-carried); nullopt if there is none. What no type can hold is reported.
  std::optional<LangType> joinTypes(const Value &a, const Value &b);
  /// `value` as an SSA value of exactly `type`, for a yield after joinTypes:
  /// numbers become constants, scalars are cast. Poison, without a report, if the
  /// shape is another.
  Value convertTo(const Value &value, const LangType &type);

  //===-- Shapes (Shape.cpp) -----------------------------------------------===//

  /// Both runtime operands with one shape (NumPy rules). False after a report.
  bool broadcast(Value &lhs, Value &rhs);
  /// Scalars are splat; `leftPad` allows a lower rank.
  Value broadcastTo(const Value &value, llvm::ArrayRef<int64_t> shape, bool leftPad = false);
  Value expandDims(const Value &value, int64_t axis);
  Value reshape(const Value &value, llvm::ArrayRef<int64_t> shape, bool allowReorder = false);
  Value permute(const Value &value, llvm::ArrayRef<int64_t> order);
  /// Tuples as shapes, reports otherwise (see OfArgument). A dimension must be an
  /// extent of a tile. `spread`: each dimension is an argument of its own.
  std::optional<llvm::SmallVector<int64_t, 4>> getShape(const Value &value, bool spread = false);

  /// Whether a tile may have that many elements in one dimension: a power of two or a
  /// multiple of 16.
  static bool isTileExtent(BigInt size);
  /// `; the next larger one is 112` for a size that is none, or empty.
  static std::string nextTileExtent(BigInt size);

  //===-- Subscripts, attributes, calls (Attributes.cpp, BuiltinTable.cpp) -===//

  /// `value[index]`; several subscripts come as a Tuple.
  Value subscript(const Value &value, const Value &index);
  Value attribute(const Value &value, llvm::StringRef name);
  /// Like attribute, but nullopt and no report if there is none.
  std::optional<Value> findAttribute(const Value &value, llvm::StringRef name);
  /// Calls LanguageRef, Function, Method, HostObject, Type.
  Value call(const Value &callee, const CallArgs &args);
  /// `path` as LanguageRef holds it: `tl.load`, `tl.math.exp`, `builtins.len`.
  Value callBuiltin(llvm::StringRef path, const CallArgs &args);
  /// Python's own names that kernels may use: len, min, int, range, print, ...
  static bool isPythonBuiltin(llvm::StringRef name);
  /// True if `value` is the named function of the language (`range`, `tl.static_range`,
  /// `tl.constexpr`, ...), however the program reached it. `name` has the canonical form:
  /// `tl.` or `builtins.` and the name.
  static bool isLanguage(const Value &value, llvm::StringRef name);
  /// Canonical path of a LanguageRef: `triton.language.math.exp` -> `tl.math.exp`.
  static std::string canonicalPath(llvm::StringRef path);

  //===-- Objects of classes (Structs.cpp) ---------------------------------===//

  /// A field, a method or what else `object.name` is for a Struct; nullopt without a
  /// report if there is nothing of that name.
  std::optional<Value> findMember(const Value &object, llvm::StringRef name);
  /// `object.name(args)` for a method such as `__add__` of an aggregate; nullopt if its
  /// class has none or `object` is no aggregate.
  std::optional<Value> callMethod(const Value &object, llvm::StringRef name,
                                  llvm::ArrayRef<Value> args);
  /// An instance, if `cls` is an aggregate or a named tuple of the host program; nullopt
  /// without a report for anything else.
  std::optional<Value> construct(const Value &cls, const CallArgs &args);
  /// Whether the jit function of the host with this handle is marked so: what the mark
  /// says besides, which may be nothing; else nullopt.
  std::optional<std::string> mustUseResult(void *function);
  /// What `with context as x` gives x, for contexts of the host and of the language, which do
  /// nothing at run time.
  Value enterContext(const Value &context);
  /// `object` with the fields that `args` names replaced: tl.aggregate_replace.
  Value replaceFields(const Value &object, const CallArgs &args);
  /// `value` as a field of an aggregate that is annotated with `annotation` holds it.
  Value toField(const Value &value, const Value &annotation, llvm::StringRef cls,
                llvm::StringRef field);
  /// Whether `object` is of the class `cls` of the host program or of one derived from it.
  bool isInstanceOf(const Value &object, const Value &cls);

  /// Iterates a Tuple (or Str); nullopt after a report.
  std::optional<std::vector<Value>> iterate(const Value &value, llvm::StringRef what);
  /// Formats one piece of an f-string. `spec` may be empty.
  std::optional<std::string> format(const Value &value, llvm::StringRef spec);

  /// A host value as a Value (functions through the client).
  Value fromHost(const HostValue &host);
  /// Whether a compile-time value keeps to the limits of Value; false after a report.
  bool checkSize(const Value &value);
  bool checkSize(uint64_t size);

  /// The reverse, for calls into the host; nullopt after a report.
  std::optional<HostValue> toHost(const Value &value);

  //===-- For the handlers of builtins (Builtins.h) ------------------------===//

  Value makeRuntime(mlir::Value ir, LangType type) { return Value::runtime(ir, std::move(type)); }
  mlir::Location loc() { return client.getLocation(); }
  /// A constant of any scalar type; splat when `type` has a shape.
  Value constantInt(BigInt value, const LangType &type);
  Value constantFloat(double value, const LangType &type);

  /// The type both operands of an arithmetic operator are brought to. Numbers
  /// adapt. Nullopt after a report.
  std::optional<DType> promote(const Value &lhs, const Value &rhs, bool divOrMod,
                               llvm::StringRef opName);
  /// promote, cast and broadcast. Pointers are refused unless allowed, and are
  /// left alone then. False after a report.
  bool unify(Value &lhs, Value &rhs, llvm::StringRef opName, bool allowLhsPtr = false,
             bool allowRhsPtr = false, bool divOrMod = false);
  /// fp8 values as float16 (float32 for e5b16), others as they are: what arithmetic works on.
  Value widenFp8(const Value &value);

  /// How many arguments of the current call were not written: the object of a method.
  int getArgumentShift() const { return argumentShift; }
  /// Adds a line to the last report.
  void note(const llvm::Twine &message) { client.reportNote(message); }

private:
  friend struct Builtins;
  Value foldBinary(ArithOp op, const Value &lhs, const Value &rhs);
  Value foldUnary(PrefixOp op, const Value &operand);
  Value foldCompare(RelationOp op, const Value &lhs, const Value &rhs);
  Value addPointer(const Value &pointer, const Value &offset, bool negate);
  Value bitwise(ArithOp op, Value lhs, Value rhs);
  Value comparePointers(RelationOp op, Value lhs, Value rhs);
  /// In debug builds asserts that `+ - *` of two integers of one type do not wrap (Debug.cpp).
  void assertNoOverflow(ArithOp op, const Value &lhs, const Value &rhs);
  std::optional<Value> binaryOfObjects(ArithOp op, const Value &lhs, const Value &rhs);
  std::optional<Value> compareObjects(RelationOp op, const Value &lhs, const Value &rhs);
  /// Whether all items of two composites of one size are equal; may emit IR.
  Value equalItems(RelationOp op, const Value &lhs, const Value &rhs);
  /// What the class of an aggregate has, seen from `object` or, if that is null, from the class.
  std::optional<Value> classMember(const HostValue &cls, llvm::StringRef name, const Value *object);
  Value importAggregate(const Value &object, const Value &cls);
  std::optional<HostValue> exportAggregate(const Value &object);
  std::optional<Value> hostAttribute(const Value &object, llvm::StringRef name);
  Value comparisonOf(RelationOp op, Value lhs, Value rhs);
  Value toBool(const Value &value);
  std::optional<Value> tileAttribute(const Value &value, llvm::StringRef name);
  std::optional<Value> typeAttribute(const Value &value, llvm::StringRef name);
  std::optional<Value> languageAttribute(const Value &value, llvm::StringRef name);
  Value callType(const Value &type, const CallArgs &args);
  Value callHost(const Value &object, const CallArgs &args);
  std::string suggest(llvm::StringRef path);
  /// What to say of a name of the language that does not exist.
  std::string noSuchName(llvm::StringRef path);
  std::string attributeHint(const Value &value, llvm::StringRef name);

  mlir::OpBuilder &builder;
  SemanticsClient &client;
  SemanticsOptions options;
  /// Arguments that the call being processed has got in front of those written
  /// (the object of a method).
  int argumentShift = 0;
  int argumentInHand = -1; ///< see OfArgument
  std::string argumentText;
};

/// What a Slice of compile-time bounds takes of a sequence of `size`: elements
/// `start + k * step` for k below `count`. Nullopt if the step is 0.
struct SliceBounds {
  int64_t start, step, count;
};
std::optional<SliceBounds> resolveSlice(const Value &slice, int64_t size);

/// `; did you mean 'x'?` for the candidate that is written much like `wanted`, or empty.
std::string didYouMean(llvm::StringRef wanted, llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace tegula::frontend

#endif // TEGULA_FRONTEND_SEMANTICS_SEMANTICS_H
