//===- Value.cpp - Values of the kernel language --------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Value.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tegula/Frontend/Frontend.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace tegula::frontend {

std::string toString(BigInt value) {
  unsigned __int128 rest =
      value < 0 ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  if (value < 0) {
    digits.push_back('-');
  }
  return std::string(digits.rbegin(), digits.rend());
}

//===----------------------------------------------------------------------===//
// Construction and access
//===----------------------------------------------------------------------===//

/// What does not fit in a few words.
struct Value::Heap {
  LangType type;            // Runtime, Type, hint of numbers
  std::string text;         // Str, LanguageRef
  std::vector<Value> items; // Tuple, Struct, Slice, Method
  std::vector<std::string> names;
  StructClassRef cls;
  HostValue host;
  uint64_t size = 0;
  unsigned depth = 0;
};

Value Value::runtime(mlir::Value ir, LangType type) {
  assert(ir && "runtime value without an SSA value");
  Value value(Kind::Runtime);
  value.ir = ir;
  auto heap = std::make_shared<Heap>();
  heap->type = std::move(type);
  value.heap = std::move(heap);
  return value;
}

Value Value::integer(BigInt integer, std::optional<DType> hint) {
  Value value(Kind::Int);
  value.integerValue = integer;
  if (hint) {
    auto heap = std::make_shared<Heap>();
    heap->type = *hint;
    value.heap = std::move(heap);
  }
  return value;
}

Value Value::floating(double number, std::optional<DType> hint) {
  Value value = integer(0, std::move(hint));
  value.kind = Kind::Float;
  value.floatValue = number;
  return value;
}

Value Value::boolean(bool truth, std::optional<DType> hint) {
  Value value = integer(truth ? 1 : 0, std::move(hint));
  value.kind = Kind::Bool;
  return value;
}

Value Value::string(std::string text) {
  Value value(Kind::Str);
  auto heap = std::make_shared<Heap>();
  heap->size = text.size();
  heap->text = std::move(text);
  value.heap = std::move(heap);
  return value;
}

Value Value::tuple(std::vector<Value> items, std::vector<std::string> names, StructClassRef cls) {
  assert((names.empty() || names.size() == items.size()) && "one name per item");
  Value value(Kind::Tuple);
  auto heap = std::make_shared<Heap>();
  heap->size = items.size();
  heap->depth = 1;
  for (const Value &item : items) {
    heap->size = llvm::SaturatingAdd(heap->size, item.getSize());
    heap->depth = std::max(heap->depth, item.getDepth() + 1);
  }
  heap->items = std::move(items);
  heap->names = std::move(names);
  heap->cls = std::move(cls);
  value.heap = std::move(heap);
  return value;
}

Value Value::structure(StructClassRef cls, std::vector<Value> items,
                       std::vector<std::string> names) {
  assert(cls && names.size() == items.size() && "a class, and one name per item");
  Value value = tuple(std::move(items), std::move(names), std::move(cls));
  value.kind = Kind::Struct;
  return value;
}

Value Value::type(LangType type, bool isBlock) {
  Value value(Kind::Type);
  value.blockType = isBlock || type.isTile();
  auto heap = std::make_shared<Heap>();
  heap->type = std::move(type);
  value.heap = std::move(heap);
  return value;
}

Value Value::typeOfConstant(DType type, Value constant) {
  Value value(Kind::Type);
  value.constantType = true;
  auto heap = std::make_shared<Heap>();
  heap->type = LangType(std::move(type));
  heap->items = {std::move(constant)};
  value.heap = std::move(heap);
  return value;
}

Value Value::languageRef(std::string path) {
  Value value = string(std::move(path));
  value.kind = Kind::LanguageRef;
  return value;
}

Value Value::function(FunctionRef *function) {
  Value value(Kind::Function);
  value.functionRef = function;
  return value;
}

Value Value::method(Value self, Value function) {
  Value value = tuple({std::move(self), std::move(function)});
  value.kind = Kind::Method;
  return value;
}

Value Value::hostObject(HostValue object) {
  Value value(Kind::HostObject);
  auto heap = std::make_shared<Heap>();
  heap->host = std::move(object);
  value.heap = std::move(heap);
  return value;
}

Value Value::slice(Value start, Value stop, Value step) {
  Value value = tuple({std::move(start), std::move(stop), std::move(step)});
  value.kind = Kind::Slice;
  return value;
}

uint64_t Value::getSize() const { return heap ? heap->size : 0; }
unsigned Value::getDepth() const { return heap ? heap->depth : 0; }

const LangType &Value::getType() const {
  assert(isRuntime() || isType());
  return heap->type;
}

double Value::asDouble() const {
  assert(isNumber());
  return isFloat() ? floatValue : static_cast<double>(integerValue);
}

const std::string &Value::getStr() const {
  assert(isStr());
  return heap->text;
}

const std::string &Value::getPath() const {
  assert(isLanguageRef());
  return heap->text;
}

llvm::ArrayRef<Value> Value::getItems() const {
  assert(isComposite() || isSlice());
  return heap->items;
}

llvm::ArrayRef<std::string> Value::getFieldNames() const {
  assert(isComposite());
  return heap->names;
}

const StructClassRef &Value::getClass() const {
  assert(isComposite());
  return heap->cls;
}

const Value *Value::findField(llvm::StringRef name) const {
  assert(isComposite());
  auto it = llvm::find(heap->names, name);
  return it == heap->names.end() ? nullptr : &heap->items[it - heap->names.begin()];
}

const Value &Value::getField(llvm::StringRef name) const {
  const Value *field = findField(name);
  assert(field && "no such field");
  return *field;
}

Value Value::withItems(std::vector<Value> items) const {
  assert(isComposite() && items.size() == heap->items.size());
  Value value = tuple(std::move(items), heap->names, heap->cls);
  value.kind = kind;
  return value;
}

Value Value::withField(llvm::StringRef name, Value field) const {
  assert(findField(name) && "no such field");
  std::vector<Value> items = heap->items;
  items[llvm::find(heap->names, name) - heap->names.begin()] = std::move(field);
  return withItems(std::move(items));
}

bool Value::haveSameForm(const Value &a, const Value &b) {
  if (!a.isComposite() || a.kind != b.kind || a.getItems().size() != b.getItems().size() ||
      a.getFieldNames() != b.getFieldNames()) {
    return false;
  }
  const StructClassRef &first = a.getClass(), &second = b.getClass();
  return first == second || (first && second && *first == *second);
}

bool Value::isKnown() const {
  return isComposite() ? llvm::all_of(getItems(), [](const Value &v) { return v.isKnown(); })
                       : isCompileTime();
}

llvm::StringRef StructClass::getMethods() const {
  switch (kind) {
  case Kind::BlockPointer:
    return "block_ptr";
  case Kind::TensorDescriptor:
    return "descriptor";
  default:
    return "";
  }
}

bool StructClass::isConstant(llvm::StringRef field) const {
  return llvm::is_contained(constants, field);
}

StructClassRef StructClass::create(Kind kind, std::string name,
                                   std::shared_ptr<const HostValue> host,
                                   std::vector<std::string> constants) {
  auto cls = std::make_shared<StructClass>();
  cls->kind = kind;
  cls->name = std::move(name);
  cls->host = std::move(host);
  cls->constants = std::move(constants);
  return cls;
}

bool operator==(const StructClass &a, const StructClass &b) {
  auto handleOf = [](const StructClass &cls) { return cls.host ? cls.host->handle : nullptr; };
  return a.kind == b.kind && a.name == b.name && handleOf(a) == handleOf(b);
}

const Value &Value::getSelf() const {
  assert(isMethod());
  return heap->items[0];
}

const Value &Value::getMethodFunction() const {
  assert(isMethod());
  return heap->items[1];
}

const HostValue &Value::getHost() const {
  assert(isHostObject());
  return heap->host;
}

std::optional<DType> Value::getHint() const {
  if (!isNumber() || !heap) {
    return std::nullopt;
  }
  return heap->type.dtype;
}

bool Value::isSame(const Value &a, const Value &b) {
  if (a.kind != b.kind) {
    return false;
  }
  switch (a.kind) {
  case Kind::Int:
  case Kind::Bool:
    return a.integerValue == b.integerValue;
  case Kind::Float:
    return a.floatValue == b.floatValue;
  case Kind::None:
  case Kind::Ellipsis:
    return true;
  case Kind::Str:
  case Kind::LanguageRef:
    return a.heap->text == b.heap->text;
  case Kind::Type:
    return a.heap->type == b.heap->type && a.blockType == b.blockType &&
           (!a.constantType || !b.constantType || isSame(a.heap->items[0], b.heap->items[0]));
  case Kind::Function:
    return a.functionRef == b.functionRef;
  case Kind::HostObject:
    return a.heap->host.handle == b.heap->host.handle;
  case Kind::Runtime:
    return a.ir == b.ir && a.heap->type == b.heap->type;
  case Kind::Struct:
    return haveSameForm(a, b) && llvm::equal(a.heap->items, b.heap->items, isSame);
  case Kind::Tuple:
  case Kind::Slice:
  case Kind::Method:
    return llvm::equal(a.heap->items, b.heap->items, isSame);
  case Kind::Poison:
  case Kind::Undefined:
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string formatDouble(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-inf" : "inf";
  }
  // The shortest text that reads back as the same number.
  char buffer[40];
  for (int precision = 1; precision <= 17; ++precision) {
    std::snprintf(buffer, sizeof(buffer), "%.*g", precision, value);
    if (std::strtod(buffer, nullptr) == value) {
      break;
    }
  }
  std::string text = buffer;
  if (std::fabs(value) >= 1e10 && std::fabs(value) < 1e16 && value == std::floor(value)) {
    std::snprintf(buffer, sizeof(buffer), "%.0f", value);
    text = buffer;
  } else if (text.find('e') != std::string::npos && std::fabs(value) >= 1e-4 &&
             std::fabs(value) < 1e16) {
    std::snprintf(buffer, sizeof(buffer), "%.17g", value);
    text = buffer;
  }
  if (text.find_first_of(".en") == std::string::npos) {
    text += ".0";
  }
  return text;
}

static std::string quote(llvm::StringRef text) {
  std::string out = "'";
  for (char c : text) {
    switch (c) {
    case '\n':
      out += "\\n";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\'':
      out += "\\'";
      break;
    default:
      out += c;
    }
  }
  return out + "'";
}

std::string Value::str() const { return isStr() ? getStr() : repr(); }

std::string Value::repr() const {
  switch (kind) {
  case Kind::Poison:
    return "<error>";
  case Kind::Undefined:
    return "<undefined>";
  case Kind::Runtime:
    return "<" + getType().getName() + ">";
  case Kind::Int:
    return toString(integerValue);
  case Kind::Float:
    return formatDouble(floatValue);
  case Kind::Bool:
    return getBool() ? "True" : "False";
  case Kind::Str:
    return quote(getStr());
  case Kind::None:
    return "None";
  case Kind::Ellipsis:
    return "...";
  case Kind::Struct:
  case Kind::Tuple: {
    const StructClassRef &cls = getClass();
    std::string text = cls ? cls->name + "(" : "(";
    for (const auto &[i, item] : llvm::enumerate(getItems())) {
      if (isStruct() && llvm::StringRef(getFieldNames()[i]).starts_with("_")) {
        continue;
      }
      text += text.back() == '(' ? "" : ", ";
      if (!getFieldNames().empty()) {
        text += getFieldNames()[i] + "=";
      }
      text += item.repr();
    }
    return text + (getItems().size() == 1 && !cls ? ",)" : ")");
  }
  case Kind::Type:
    if (constantType && getDType() == DType()) {
      return "constexpr_type[" + heap->items[0].repr() + "]";
    }
    return getType().getName();
  case Kind::LanguageRef: {
    llvm::StringRef path = getPath();
    path.consume_front("builtins.");
    return path.str();
  }
  case Kind::Function:
    return "<function>";
  case Kind::Method:
    return "<method>";
  case Kind::HostObject:
    return "<" + getHost().text + " object>";
  case Kind::Slice:
    return ":";
  }
  return "";
}

std::string Value::describeForConstant() const {
  if (!isRuntime()) {
    return describe();
  }
  bool isParameter = false;
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(getIR())) {
    isParameter = llvm::isa<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
  }
  return describe() + ", which is known only at run time; " +
         (isParameter ? "annotate the parameter with tl.constexpr"
                      : "compute it from tl.constexpr parameters");
}

std::string Value::describe() const {
  switch (kind) {
  case Kind::Runtime:
    return getType().getName();
  case Kind::Int:
    return "int " + repr();
  case Kind::Float:
    return "float " + repr();
  case Kind::Bool:
    return "bool " + repr();
  case Kind::Str:
    return "str " + repr();
  case Kind::Tuple:
    return "a tuple of " + std::to_string(getItems().size());
  case Kind::Struct:
    return (getClass()->kind == StructClass::Kind::Aggregate ? "an object of type " : "a ") +
           getClass()->name;
  case Kind::Type:
    return "type " + repr();
  case Kind::LanguageRef:
    return repr();
  case Kind::Function:
    return "a function";
  case Kind::Method:
    return "a method of " + getSelf().describe();
  case Kind::HostObject:
    return getHost().text == "type" ? "a Python class" : "an object of type " + getHost().text;
  case Kind::Slice:
    return "a slice";
  default:
    return repr();
  }
}

} // namespace tegula::frontend
