//===- Value.h - Types and values of the kernel language ------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an expression of a kernel can be while it is compiled: an SSA value with
// a language type (signless MLIR integers cannot say `uint32`), or something
// known at compile time. All classes here are values: cheap to copy, immutable
// once shared, without ties to a thread.
//
// Composite values. A Tuple and a Struct hold items, each of which may be known at
// run time, at compile time, or be composite itself. A Struct has a class
// (StructClass) and one name per item, its fields: tensor descriptors, block
// pointers, and the aggregates of programs. Wherever paths meet (`if`, loops,
// returns) and in calls, composites of one class and size merge field by field:
// what is known at run time becomes a result of the op, what is known at compile
// time must be the same on all paths, or is an error that names the variable.
//
//   * Make one with Value::structure(cls, items, names); read a field with
//     getField(name); "change" one with withField(name, value), which makes a new
//     Value. isComposite() says Tuple or Struct; getItems() serves both.
//   * `x.field` reads a field of a Struct, unless its name starts with `_`: those
//     of the language's own classes are for the handlers of builtins alone.
//   * Methods of the language's own classes are rows of BuiltinTable.cpp named
//     `<methods>.<name>` (StructClass::getMethods: `descriptor.load`), whose first
//     parameter is the object.
//   * Two Structs are of one class if kind, name and handle agree. A name that holds
//     the constant facts ("tensor descriptor of float16[64, 64]") makes the messages
//     about paths that do not agree say them.
//   * A run-time field may be an SSA value of a type that the language has no name
//     for, a !tile.view say: LangType::opaque(type). Such a value merges with values
//     of the same type only, and no operator takes it.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_FRONTEND_SEMANTICS_VALUE_H
#define TEGULA_FRONTEND_SEMANTICS_VALUE_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Types.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tegula::frontend {

struct HostValue;
/// A jit function that can be inlined. Defined by the walker, which owns every
/// one of them for the length of a compile.
struct FunctionRef;

/// Integers known at compile time. Python's are unbounded; ours report an error
/// where 128 bits overflow.
using BigInt = __int128;
std::string toString(BigInt value);

//===----------------------------------------------------------------------===//
// DType
//===----------------------------------------------------------------------===//

/// An element type of the language.
class DType {
public:
  enum class Kind : uint8_t {
    Void,
    Int1,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Fp8E4NV,
    Fp8E5,
    Fp8E4B8,
    Fp8E5B16,
    Fp8E4B15,
    Fp16,
    BF16,
    Fp32,
    Fp64,
    Pointer
  };
  /// Order of the kinds of numbers in mixed arithmetic.
  enum class NumberKind : uint8_t { Boolean, Integral, Floating };

  DType(Kind kind = Kind::Void) : kind(kind) { assert(kind != Kind::Pointer); }
  static DType pointer(DType element, bool isConst = false, unsigned addressSpace = 1);
  /// `float32`, `int1`, `pi32_t`, ...; also Triton's short names `fp32`, `i32`, `u8`, `*fp16`,
  /// `*ki32`. Nullopt for other text.
  static std::optional<DType> parse(llvm::StringRef name);
  /// Smallest signed or unsigned integer type of exactly that many bits.
  static DType integer(unsigned bits, bool isSigned);

  Kind getKind() const { return kind; }
  bool isVoid() const { return kind == Kind::Void; }
  bool isPointer() const { return kind == Kind::Pointer; }
  bool isBool() const { return kind == Kind::Int1; }
  bool isInt() const { return kind >= Kind::Int1 && kind <= Kind::UInt64; } ///< int1 included
  bool isSignedInt() const { return kind >= Kind::Int8 && kind <= Kind::Int64; }
  bool isUnsignedInt() const { return isInt() && !isSignedInt(); } ///< int1 included
  bool isFp8() const { return kind >= Kind::Fp8E4NV && kind <= Kind::Fp8E4B15; }
  bool isFloat() const { return kind >= Kind::Fp8E4NV && kind <= Kind::Fp64; } ///< fp8 included
  bool isFp16() const { return kind == Kind::Fp16; }
  bool isBF16() const { return kind == Kind::BF16; }
  bool isFp32() const { return kind == Kind::Fp32; }
  bool isFp64() const { return kind == Kind::Fp64; }
  unsigned getBitWidth() const;      ///< pointers: 64; void: 0
  unsigned getMantissaWidth() const; ///< floats only, without the hidden bit
  NumberKind getNumberKind() const;  ///< not for pointers and void
  BigInt getIntMin() const;          ///< integers only
  BigInt getIntMax() const;          ///< integers only

  DType getElement() const; ///< pointers only
  bool isConstPointer() const;
  unsigned getAddressSpace() const;

  std::string getName() const;      ///< `float32`, `pointer<float32>`, `pointer<const float32>`
  std::string getSignature() const; ///< `fp32`, `*fp32`, `*kfp32`, `u1` for int1
  /// Signless integers; fp8 is i8; pointers are !tile.ptr. Null for void.
  mlir::Type getMLIRType(mlir::MLIRContext *context) const;

  friend bool operator==(const DType &a, const DType &b);
  friend bool operator!=(const DType &a, const DType &b) { return !(a == b); }

private:
  struct Pointee;
  Kind kind;
  std::shared_ptr<const Pointee> pointee;
};

//===----------------------------------------------------------------------===//
// LangType
//===----------------------------------------------------------------------===//

/// Element type and shape; no dimensions make a scalar.
struct LangType {
  DType dtype;
  llvm::SmallVector<int64_t, 4> shape;
  /// Set for a value that no program can name (a field of a Struct): its type; `dtype`
  /// is void then.
  mlir::Type opaqueType;

  LangType(DType dtype = {}, llvm::ArrayRef<int64_t> shape = {})
      : dtype(dtype), shape(shape.begin(), shape.end()) {}
  static LangType opaque(mlir::Type type) {
    LangType result;
    result.opaqueType = type;
    return result;
  }
  bool isOpaque() const { return static_cast<bool>(opaqueType); }
  bool isScalar() const { return shape.empty(); }
  bool isTile() const { return !shape.empty(); }
  unsigned getRank() const { return shape.size(); }
  int64_t getNumElements() const;
  LangType withDType(DType other) const { return {other, shape}; }
  LangType withShape(llvm::ArrayRef<int64_t> other) const { return {dtype, other}; }
  /// `float32[64, 32]`, `int32`, `pointer<float16>[64]`.
  std::string getName() const;
  mlir::Type getMLIRType(mlir::MLIRContext *context) const;

  friend bool operator==(const LangType &a, const LangType &b) {
    return a.dtype == b.dtype && a.shape == b.shape && a.opaqueType == b.opaqueType;
  }
  friend bool operator!=(const LangType &a, const LangType &b) { return !(a == b); }
};

//===----------------------------------------------------------------------===//
// StructClass
//===----------------------------------------------------------------------===//

/// What a Struct is an instance of; also the class of a named tuple.
struct StructClass {
  enum class Kind : uint8_t { NamedTuple, Aggregate, BlockPointer, TensorDescriptor };
  Kind kind = Kind::Aggregate;
  /// For messages, after "a": `block pointer`, `tensor descriptor of float16[64, 64]`;
  /// of an aggregate or a named tuple its name.
  std::string name;
  /// Aggregates and named tuples of the host program: the class itself. Null for others.
  std::shared_ptr<const HostValue> host;
  /// Fields that must be known at compile time, and so be the same on all paths.
  std::vector<std::string> constants;

  bool isConstant(llvm::StringRef field) const;
  /// Prefix of the rows that are its methods: `descriptor`, `block_ptr`; empty if it has none
  /// of the language.
  llvm::StringRef getMethods() const;
  static std::shared_ptr<const StructClass> create(Kind kind, std::string name,
                                                   std::shared_ptr<const HostValue> host = nullptr,
                                                   std::vector<std::string> constants = {});
  friend bool operator==(const StructClass &a, const StructClass &b);
};
using StructClassRef = std::shared_ptr<const StructClass>;

//===----------------------------------------------------------------------===//
// Value
//===----------------------------------------------------------------------===//

/// A value of the language. Everything but Runtime is known at compile time.
class Value {
public:
  enum class Kind : uint8_t {
    Poison,    ///< an error was reported; operations on it stay silent
    Undefined, ///< a name assigned on no or only some of the paths
    Runtime,   ///< an SSA value
    Int,
    Float,
    Bool,
    Str,
    None,
    Tuple,       ///< also lists and named tuples
    Struct,      ///< an object with a class and fields
    Type,        ///< a dtype (`tl.float32`), or a block type (`x.type`)
    LanguageRef, ///< module or function of the language: `tl`, `tl.math`, `tl.load`, `builtins.len`
    Function,    ///< a jit function
    Method,      ///< a function of the language bound to its first argument
    HostObject,  ///< anything else of the host program
    Slice,       ///< `a:b:c` inside a subscript; parts may be None
    Ellipsis
  };

  Value() = default; ///< Poison
  static Value poison() { return {}; }
  static Value undefined() { return Value(Kind::Undefined); }
  static Value none() { return Value(Kind::None); }
  static Value ellipsis() { return Value(Kind::Ellipsis); }
  static Value runtime(mlir::Value ir, LangType type);
  static Value integer(BigInt value, std::optional<DType> hint = std::nullopt);
  static Value floating(double value, std::optional<DType> hint = std::nullopt);
  static Value boolean(bool value, std::optional<DType> hint = std::nullopt);
  static Value string(std::string text);
  /// `names`: empty, or one field name per item (a named tuple, of class `cls` if known).
  static Value tuple(std::vector<Value> items, std::vector<std::string> names = {},
                     StructClassRef cls = nullptr);
  /// One name per item; `cls` is not null.
  static Value structure(StructClassRef cls, std::vector<Value> items,
                         std::vector<std::string> names);
  static Value type(LangType type, bool isBlock = false);
  /// What `.type` gives of a constant: its element type (void if it is no number), and
  /// by the value one of its own.
  static Value typeOfConstant(DType type, Value constant);
  static Value languageRef(std::string path);
  static Value function(FunctionRef *function);
  /// `function` is a LanguageRef or a Function.
  static Value method(Value self, Value function);
  static Value hostObject(HostValue object);
  static Value slice(Value start, Value stop, Value step);

  /// A program may keep tuples and strings of this size and tuples this deep, so
  /// that no walk over a value takes long or much stack.
  static constexpr uint64_t kMaxSize = 65536;
  static constexpr unsigned kMaxDepth = 100;

  Kind getKind() const { return kind; }
  bool isPoison() const { return kind == Kind::Poison; }
  bool isUndefined() const { return kind == Kind::Undefined; }
  bool isRuntime() const { return kind == Kind::Runtime; }
  bool isCompileTime() const { return !isPoison() && !isUndefined() && !isRuntime(); }
  bool isInt() const { return kind == Kind::Int; }
  bool isFloat() const { return kind == Kind::Float; }
  bool isBool() const { return kind == Kind::Bool; }
  /// Int, Float or Bool: takes part in arithmetic with tiles.
  bool isNumber() const { return isInt() || isFloat() || isBool(); }
  bool isStr() const { return kind == Kind::Str; }
  bool isNone() const { return kind == Kind::None; }
  bool isTuple() const { return kind == Kind::Tuple; }
  bool isStruct() const { return kind == Kind::Struct; }
  bool isStruct(StructClass::Kind which) const { return isStruct() && getClass()->kind == which; }
  bool isComposite() const { return isTuple() || isStruct(); }
  bool isType() const { return kind == Kind::Type; }
  bool isLanguageRef() const { return kind == Kind::LanguageRef; }
  bool isFunction() const { return kind == Kind::Function; }
  bool isMethod() const { return kind == Kind::Method; }
  bool isHostObject() const { return kind == Kind::HostObject; }
  bool isSlice() const { return kind == Kind::Slice; }
  bool isCallable() const { return isLanguageRef() || isFunction() || isMethod(); }

  // Each getter needs the kind it names.
  mlir::Value getIR() const {
    assert(isRuntime());
    return ir;
  }
  const LangType &getType() const; ///< of Runtime and Type
  DType getDType() const { return getType().dtype; }
  bool isBlockType() const { return isType() && blockType; }
  bool isTypeOfConstant() const { return isType() && constantType; }
  BigInt getInt() const {
    assert(isInt() || isBool());
    return integerValue;
  }
  double getFloat() const {
    assert(isFloat());
    return floatValue;
  }
  bool getBool() const {
    assert(isBool());
    return integerValue != 0;
  }
  double asDouble() const;                           ///< of any number
  const std::string &getStr() const;                 ///< of Str
  const std::string &getPath() const;                ///< of LanguageRef
  llvm::ArrayRef<Value> getItems() const;            ///< of Tuple, Struct; three of Slice
  llvm::ArrayRef<std::string> getFieldNames() const; ///< of Tuple, Struct; empty if unnamed
  const StructClassRef &getClass() const;            ///< of Tuple (may be null), Struct
  /// Of Tuple and Struct: the named field, which must exist (see findField).
  const Value &getField(llvm::StringRef name) const;
  const Value *findField(llvm::StringRef name) const; ///< null if there is none
  /// The same Tuple or Struct with other items, as many; or with one other field.
  Value withItems(std::vector<Value> items) const;
  Value withField(llvm::StringRef name, Value value) const;
  /// Whether two composites can merge field by field: same kind, class, names and size.
  static bool haveSameForm(const Value &a, const Value &b);
  /// Whether nothing in it, items of items included, is known only at run time.
  bool isKnown() const;
  FunctionRef *getFunction() const {
    assert(isFunction());
    return functionRef;
  }
  const Value &getSelf() const;           ///< of Method
  const Value &getMethodFunction() const; ///< of Method
  const HostValue &getHost() const;       ///< of HostObject

  /// Items of a composite, those of inner ones and the bytes of strings included, each
  /// counted as often as it appears; bytes of a string; 0 for anything else.
  uint64_t getSize() const;
  unsigned getDepth() const; ///< levels of composites: 0 for anything else
  bool isTooLarge() const { return getSize() > kMaxSize || getDepth() > kMaxDepth; }

  /// For numbers: the type of the kernel parameter that this constant stands
  /// for (an argument specialised to 1), which `.to` and `.dtype` see.
  std::optional<DType> getHint() const;
  /// For numbers with a hint: whether it is the argument itself, and not a variable that
  /// got its value.
  bool isArgument() const { return isNumber() && constantType; }
  Value asArgument(bool is = true) const {
    Value value = *this;
    value.constantType = is;
    return value;
  }

  /// True for what Python's `is` would call the same; needs compile-time values.
  static bool isSame(const Value &a, const Value &b);
  /// What the value is, for messages: `float32[64]`, `int 3`, `str 'abc'`, `None`,
  /// `a tuple of 2`, `function tl.load`.
  std::string describe() const;
  /// The same where a constant is wanted: of a run-time value also how to make it one.
  std::string describeForConstant() const;
  /// As Python's `str` and `repr` write it.
  std::string str() const;
  std::string repr() const;

private:
  explicit Value(Kind kind) : kind(kind) {}
  struct Heap;
  Kind kind = Kind::Poison;
  bool blockType = false;
  bool constantType = false;
  mlir::Value ir;
  BigInt integerValue = 0;
  double floatValue = 0;
  FunctionRef *functionRef = nullptr;
  std::shared_ptr<const Heap> heap;
};

} // namespace tegula::frontend

#endif // TEGULA_FRONTEND_SEMANTICS_VALUE_H
