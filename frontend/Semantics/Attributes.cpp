//===- Attributes.cpp - Attributes, names of the language, calls ----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "tegula/Frontend/Frontend.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

namespace tegula::frontend {

using Kind = DType::Kind;

static Value shapeValue(llvm::ArrayRef<int64_t> shape) {
  std::vector<Value> dims;
  for (int64_t dim : shape) {
    dims.push_back(Value::integer(dim));
  }
  return Value::tuple(std::move(dims));
}

//===----------------------------------------------------------------------===//
// Names of the language
//===----------------------------------------------------------------------===//

std::string Semantics::canonicalPath(llvm::StringRef path) {
  if (path.starts_with("builtins.") || path.starts_with("dtype.") || path.starts_with("str.") ||
      path.starts_with("descriptor.") || path.starts_with("block_ptr.")) {
    return path.str();
  }
  llvm::SmallVector<llvm::StringRef, 6> parts;
  path.split(parts, '.', -1, false);
  llvm::SmallVector<llvm::StringRef, 6> kept;
  for (llvm::StringRef part : parts) {
    // Where Triton keeps a function is of no interest.
    static constexpr llvm::StringLiteral modules[] = {"triton",   "tegula", "tl",       "language",
                                                      "core",     "_core",  "standard", "random",
                                                      "semantic", "extra"};
    if (llvm::is_contained(modules, part)) {
      continue;
    }
    if (part == "libdevice") {
      kept.clear();
    }
    kept.push_back(part);
  }
  std::string result = "tl";
  for (llvm::StringRef part : kept) {
    result += "." + part.str();
  }
  return result;
}

bool Semantics::isLanguage(const Value &value, llvm::StringRef name) {
  return value.isLanguageRef() && canonicalPath(value.getPath()) == name;
}

/// Modules and enumerations inside `tl`.
static bool isModule(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"math", "libdevice", "cuda", "hip", "target_info", "PropagateNan"}, true)
      .Default(false);
}

/// Only full names of types count as names of `tl`.
static std::optional<DType> namedType(llvm::StringRef name) {
  std::optional<DType> dtype = DType::parse(name);
  return dtype && (dtype->getName() == name || name == "pi32_t") ? dtype : std::nullopt;
}

std::optional<Value> Semantics::languageAttribute(const Value &value, llvm::StringRef name) {
  std::string path = canonicalPath(value.getPath() + "." + name.str());
  llvm::StringRef inner = path;
  if (path == "tl" || !inner.consume_front("tl.")) {
    return path == "tl" ? std::optional<Value>(Value::languageRef(path)) : std::nullopt;
  }
  if (std::optional<DType> dtype = namedType(inner)) {
    return Value::type(*dtype);
  }
  bool known = isModule(inner) || inner == "PropagateNan.ALL" || inner == "PropagateNan.NONE" ||
               isPlannedBuiltin(inner);
  if (known || findBuiltin(inner)) {
    return Value::languageRef(path);
  }
  if (inner == "TRITON_MAX_TENSOR_NUMEL") {
    return Value::integer(1 << 20);
  }
  return findLibraryFunction(client, inner);
}

std::string didYouMean(llvm::StringRef wanted, llvm::ArrayRef<llvm::StringRef> candidates) {
  // Letters, of which non-ASCII ones take several bytes.
  unsigned length = llvm::count_if(wanted, [](char c) { return (c & 0xc0) != 0x80; });
  unsigned best = length <= 3 ? 2 : 3;
  llvm::StringRef found;
  for (llvm::StringRef candidate : candidates) {
    unsigned distance = wanted.edit_distance(candidate, true, best);
    if (distance < best && distance < length) {
      best = distance;
      found = candidate;
    }
  }
  return found.empty() ? "" : ("; did you mean '" + found + "'?").str();
}

/// What other libraries call things of the language, or empty.
static llvm::StringRef otherName(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Case("float", "float32")
      .Case("double", "float64")
      .Case("half", "float16")
      .Case("bool", "int1")
      .Case("int", "int32")
      .Case("long", "int64")
      .Case("matmul", "dot")
      .Case("transpose", "trans")
      .Cases({"concat", "concatenate"}, "cat")
      .Case("astype", "to")
      .Case("print", "device_print")
      .Default("");
}

std::string Semantics::suggest(llvm::StringRef path) {
  llvm::StringRef wanted = path;
  wanted.consume_front("tl.");
  wanted.consume_front("math.");
  if (llvm::StringRef other = otherName(wanted); !other.empty()) {
    return ("; did you mean tl." + other + "?").str();
  }
  if (std::string inLibdevice = "libdevice." + wanted.str(); findBuiltin(inLibdevice)) {
    return "; did you mean tl.extra." + inLibdevice + "?";
  }
  unsigned best = 1 + wanted.size() / 3;
  std::string found;
  auto consider = [&](llvm::StringRef name) {
    if (name.starts_with("builtins.") || name.starts_with("dtype.") || name.starts_with("str.") ||
        name.starts_with("descriptor.") || name.starts_with("block_ptr.") ||
        name.starts_with("_")) {
      return;
    }
    unsigned distance = wanted.edit_distance(name, true, best);
    if (distance < best) {
      best = distance;
      found = name.str();
    }
  };
  for (llvm::ArrayRef<Builtin> rows : {allBuiltins(), mathBuiltins()}) {
    for (const Builtin &row : rows) {
      consider(row.name);
    }
  }
  for (const std::string &name : client.listLibrary()) {
    consider(name);
  }
  for (unsigned i = 0; i < static_cast<unsigned>(Kind::Pointer); ++i) {
    consider(DType(static_cast<Kind>(i)).getName());
  }
  if (found.empty()) {
    return "";
  }
  bool isExtra = llvm::StringRef(found).starts_with("libdevice.");
  return std::string("; did you mean tl.") + (isExtra ? "extra." : "") + found + "?";
}

std::string Semantics::noSuchName(llvm::StringRef path) {
  llvm::StringRef shown = path;
  if (shown.starts_with("tl.libdevice.")) {
    shown.consume_front("tl.");
  }
  return ("the language has no '" + shown + "'" + suggest(path)).str();
}

//===----------------------------------------------------------------------===//
// Attributes of types
//===----------------------------------------------------------------------===//

static const char *const dtypeQueries[] = {
    "is_block",         "is_bool",           "is_bf16",          "is_const", "is_dtype",
    "is_floating",      "is_fp16",           "is_fp32",          "is_fp64",  "is_fp8",
    "is_fp8e4b15",      "is_fp8e4b8",        "is_fp8e4nv",       "is_fp8e5", "is_fp8e5b16",
    "is_int",           "is_int1",           "is_int16",         "is_int32", "is_int64",
    "is_int8",          "is_int_signed",     "is_int_unsigned",  "is_ptr",   "is_standard_floating",
    "is_uint16",        "is_uint32",         "is_uint64",        "is_uint8", "is_void",
    "get_block_shapes", "get_int_max_value", "get_int_min_value"};

std::optional<Value> Semantics::typeAttribute(const Value &value, llvm::StringRef name) {
  const LangType &type = value.getType();
  const DType &dtype = type.dtype;
  if (type.isOpaque()) { // that of a block pointer
    if (name == "element_ty") {
      return Value::type(LangType(dtype, type.shape));
    }
    if (name == "scalar" || name == "dtype") {
      return value;
    }
    if (name == "primitive_bitwidth") {
      return Value::integer(64);
    }
    if (name == "address_space") {
      return Value::integer(1);
    }
    bool isQuery = name.starts_with("is_") && llvm::is_contained(dtypeQueries, name);
    return isQuery ? std::optional<Value>(
                         Value::method(value, Value::languageRef(("dtype." + name).str())))
                   : std::nullopt;
  }
  if (name == "element_ty") {
    // Of a block type the elements, of a pointer what it points to.
    if (value.isBlockType()) {
      return Value::type(dtype);
    }
    return dtype.isPointer() ? std::optional<Value>(Value::type(dtype.getElement())) : std::nullopt;
  }
  if (name == "scalar" || name == "dtype") {
    return Value::type(dtype);
  }
  if (name == "primitive_bitwidth") {
    return Value::integer(dtype.getBitWidth());
  }
  if (name == "itemsize") {
    return Value::integer(std::max(1u, dtype.getBitWidth() / 8));
  }
  if (name == "int_bitwidth") {
    return dtype.isInt() ? std::optional<Value>(Value::integer(dtype.getBitWidth())) : std::nullopt;
  }
  if (name == "fp_mantissa_width") {
    return dtype.isFloat() ? std::optional<Value>(Value::integer(dtype.getMantissaWidth()))
                           : std::nullopt;
  }
  if (name == "address_space") {
    return dtype.isPointer() ? std::optional<Value>(Value::integer(dtype.getAddressSpace()))
                             : std::nullopt;
  }
  if (name == "name") {
    return Value::string(dtype.isPointer() ? dtype.getName() : dtype.getSignature());
  }
  if (name == "shape" && value.isBlockType()) {
    return shapeValue(type.shape);
  }
  if (name == "numel" && value.isBlockType()) {
    return Value::integer(type.getNumElements());
  }
  if (llvm::is_contained(dtypeQueries, name)) {
    return Value::method(value, Value::languageRef(("dtype." + name).str()));
  }
  return std::nullopt;
}

Value Builtins::dtypeQuery(Semantics &semantics, BoundCall &call) {
  const Value &self = call.get("self");
  llvm::StringRef name = call.get("name").getStr();
  DType dtype = self.getDType();
  if (self.getType().isOpaque()) {
    return Value::boolean(name == "is_ptr");
  }
  if (name == "get_block_shapes") {
    return shapeValue(self.getType().shape);
  }
  if (name == "get_int_max_value" || name == "get_int_min_value") {
    if (!dtype.isInt()) {
      return semantics.error(diag::ArgumentType,
                             "expected an integer type for " + name + ", got " + dtype.getName());
    }
    return Value::integer(name == "get_int_max_value" ? dtype.getIntMax() : dtype.getIntMin());
  }
  // A block type is none of its element's kinds, except by the number questions.
  bool answer = llvm::StringSwitch<bool>(name)
                    .Case("is_block", self.isBlockType())
                    .Case("is_dtype", !self.isBlockType() && !dtype.isPointer())
                    .Case("is_ptr", dtype.isPointer() && !self.isBlockType())
                    .Case("is_const", dtype.isConstPointer())
                    .Case("is_void", dtype.isVoid())
                    .Cases({"is_bool", "is_int1"}, dtype.isBool())
                    .Case("is_floating", dtype.isFloat())
                    .Case("is_standard_floating", dtype.isFloat() && !dtype.isFp8())
                    .Case("is_fp8", dtype.isFp8())
                    .Case("is_bf16", dtype.isBF16())
                    .Case("is_int", dtype.isInt())
                    .Case("is_int_signed", dtype.isSignedInt())
                    .Case("is_int_unsigned", dtype.isUnsignedInt())
                    .Default(false);
  llvm::StringRef kind = name.drop_front(3);
  return Value::boolean(answer || kind == dtype.getName() ||
                        (dtype.isFloat() && kind == dtype.getSignature()));
}

//===----------------------------------------------------------------------===//
// Attributes of tiles and numbers
//===----------------------------------------------------------------------===//

std::optional<Value> Semantics::tileAttribute(const Value &value, llvm::StringRef name) {
  std::optional<LangType> type = typeOf(value);
  if (!type) {
    return std::nullopt;
  }
  if (std::optional<DType> hint = value.getHint()) {
    type = LangType(*hint);
  }
  if (name == "dtype") {
    return Value::type(type->dtype);
  }
  if (name == "type") {
    // A variable holds what it would hold at run time.
    bool isConstant = value.isNumber() && (!value.getHint() || value.isArgument());
    return isConstant ? Value::typeOfConstant(type->dtype, value) : Value::type(*type);
  }
  if (name == "shape") {
    return shapeValue(type->shape);
  }
  if (name == "numel") {
    return Value::integer(type->getNumElements());
  }
  if (name == "T" && type->getRank() >= 2) {
    return callBuiltin("tl.trans", CallArgs{{value}, {}});
  }
  if (name.starts_with("_")) {
    return std::nullopt;
  }
  if (const Builtin *builtin = findBuiltin(name)) {
    if (builtin->isMethod) {
      return Value::method(value, Value::languageRef(("tl." + name).str()));
    }
    return std::nullopt;
  }
  if (std::optional<Value> function = findLibraryFunction(client, name)) {
    return Value::method(value, *function);
  }
  if (isPlannedBuiltin(name) && !name.contains('.')) {
    return Value::method(value, Value::languageRef(("tl." + name).str()));
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

std::optional<Value> Semantics::findAttribute(const Value &value, llvm::StringRef name) {
  // Wrappers of constants are transparent here.
  if (name == "value" && value.isCompileTime() && !value.isHostObject() && !value.isComposite()) {
    return value;
  }
  switch (value.getKind()) {
  case Value::Kind::Poison:
  case Value::Kind::Undefined:
    return Value::poison();
  case Value::Kind::Runtime:
  case Value::Kind::Int:
  case Value::Kind::Float:
  case Value::Kind::Bool:
    return tileAttribute(value, name);
  case Value::Kind::Type:
    return typeAttribute(value, name);
  case Value::Kind::LanguageRef:
    return languageAttribute(value, name);
  case Value::Kind::Tuple: {
    auto it = llvm::find(value.getFieldNames(), name);
    if (it != value.getFieldNames().end()) {
      return value.getItems()[it - value.getFieldNames().begin()];
    }
    if (name == "_replace" && !value.getFieldNames().empty()) {
      return Value::method(value, Value::languageRef("tl.aggregate_replace"));
    }
    if (name == "type" && value.isCompileTime()) {
      return Value::typeOfConstant(DType(), value);
    }
    return name == "value" ? std::optional<Value>(value) : std::nullopt;
  }
  case Value::Kind::Struct:
    return findMember(value, name);
  case Value::Kind::Str: {
    static constexpr llvm::StringLiteral methods[] = {"lower", "upper", "strip", "startswith",
                                                      "endswith"};
    if (llvm::is_contained(methods, name)) {
      return Value::method(value, Value::languageRef(("str." + name).str()));
    }
    return std::nullopt;
  }
  case Value::Kind::Function:
    if (name == "__name__") {
      return Value::string(client.getFunctionName(value.getFunction()));
    }
    return name == "fn" ? std::optional<Value>(value) : std::nullopt;
  case Value::Kind::HostObject: {
    std::string failure;
    std::optional<HostValue> found;
    if (NameResolver *resolver = client.getResolver()) {
      if (value.getHost().text == "type") {
        if (std::optional<Value> member = classMember(value.getHost(), name, nullptr)) {
          return member;
        }
      }
      found = resolver->getAttribute(value.getHost(), name, failure);
    }
    if (!failure.empty()) {
      return error(diag::HostError,
                   "cannot read attribute '" + name + "' of " + value.describe() + ": " + failure);
    }
    return found ? std::optional<Value>(fromHost(*found)) : std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

/// What to do about an attribute that `value` does not have, or empty.
std::string Semantics::attributeHint(const Value &value, llvm::StringRef name) {
  if (value.isNone()) {
    return "; is an argument missing?";
  }
  if (value.isStr()) {
    return "; strings have lower, upper, strip, startswith and endswith";
  }
  if (value.isComposite() && !value.getFieldNames().empty()) {
    llvm::SmallVector<std::string, 8> shown;
    llvm::copy_if(value.getFieldNames(), std::back_inserter(shown),
                  [](llvm::StringRef field) { return !field.starts_with("_"); });
    return "; it has " + llvm::join(shown, ", ");
  }
  if (value.isType()) {
    return llvm::StringSwitch<std::string>(name)
        .Case("element_ty", "; only types of pointers and tiles have it")
        .Case("address_space", "; only types of pointers have it")
        .Case("int_bitwidth", "; only types of integers have it")
        .Case("fp_mantissa_width", "; only types of floats have it")
        .Cases({"shape", "numel"}, "; only types of tiles have it")
        .Default("");
  }
  if (!value.isRuntime() && !value.isNumber()) {
    return "";
  }
  if (name == "element_ty") {
    return "; it is an attribute of the type: .dtype.element_ty";
  }
  if (name == "T") {
    return "; only a tile of rank 2 or more can be transposed";
  }
  std::string suggestion = suggest(name);
  llvm::StringRef near = suggestion;
  if (near.consume_front("; did you mean tl.") && near.consume_back("?") &&
      findAttribute(value, near)) {
    return ("; did you mean ." + near + "?").str();
  }
  return "";
}

Value Semantics::attribute(const Value &value, llvm::StringRef name) {
  if (std::optional<Value> found = findAttribute(value, name)) {
    return *found;
  }
  if (value.isLanguageRef()) {
    return error(diag::NoAttribute, noSuchName(canonicalPath(value.getPath() + "." + name.str())));
  }
  return error(diag::NoAttribute,
               value.describe() + " has no attribute '" + name + "'" + attributeHint(value, name));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Value Semantics::callType(const Value &type, const CallArgs &args) {
  if (args.positional.size() != 1 || !args.keywords.empty()) {
    size_t count = args.positional.size() + args.keywords.size();
    return error(count == 0 ? diag::MissingArgument : diag::UnexpectedArgument,
                 "expected one argument of " + type.repr() + "(...), got " + llvm::Twine(count));
  }
  return cast(args.positional[0], type.getDType());
}

Value Semantics::call(const Value &callee, const CallArgs &args) {
  llvm::SaveAndRestore<int> shift(argumentShift, 0);
  OfArgument nothing(*this, -1, "");
  switch (callee.getKind()) {
  case Value::Kind::Poison:
  case Value::Kind::Undefined:
    return Value::poison();
  case Value::Kind::LanguageRef: {
    std::string path = canonicalPath(callee.getPath());
    llvm::StringRef name = path;
    name.consume_front("tl.");
    if (path == "tl" || isModule(name)) {
      return error(diag::NotCallable, "cannot call the module '" + name + "'");
    }
    return callBuiltin(path, args);
  }
  case Value::Kind::Function:
    return client.callFunction(callee.getFunction(), args);
  case Value::Kind::Method: {
    const Value &function = callee.getMethodFunction();
    CallArgs all;
    all.positional.push_back(callee.getSelf());
    std::string target = function.isLanguageRef() ? function.getPath() : std::string();
    const std::string path = target;
    for (llvm::StringRef family : {"dtype", "str"}) {
      llvm::StringRef name = path;
      if (name.consume_front(family) && name.consume_front(".")) {
        all.positional.push_back(Value::string(name.str()));
        target = family == "str" ? "str.call" : "dtype.query";
      }
    }
    argumentShift = static_cast<int>(all.positional.size());
    all.positional.append(args.positional.begin(), args.positional.end());
    all.keywords = args.keywords;
    if (function.isFunction()) {
      argumentShift = 0;
      return client.callFunction(function.getFunction(), all);
    }
    if (function.isHostObject()) {
      return callHost(function, all);
    }
    return callBuiltin(target, all);
  }
  case Value::Kind::Type:
    return callType(callee, args);
  case Value::Kind::HostObject:
    if (std::optional<Value> made = construct(callee, args)) {
      return *made;
    }
    return callHost(callee, args);
  case Value::Kind::Struct:
    if (std::optional<Value> method = findMember(callee, "__call__")) {
      return call(*method, args);
    }
    return error(diag::NotCallable, "cannot call " + callee.describe());
  default:
    return error(diag::NotCallable, "cannot call " + callee.describe());
  }
}

} // namespace tegula::frontend
