//===- Memory.cpp - tl.load and tl.store ----------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryArguments.h"
#include "Views.h"
#include "tegula/Tile/IR/Tile.h"
#include "llvm/ADT/StringSwitch.h"

namespace tegula::frontend {

using Kind = DType::Kind;

std::optional<tile::CacheModifier> cacheModifier(const BoundCall &call, bool isLoad) {
  std::optional<std::string> text = call.getString("cache_modifier", "");
  if (!text) {
    return std::nullopt;
  }
  using Result = std::optional<tile::CacheModifier>;
  Result result = isLoad ? llvm::StringSwitch<Result>(*text)
                               .Case("", tile::CacheModifier::None)
                               .Case(".ca", tile::CacheModifier::CA)
                               .Case(".cg", tile::CacheModifier::CG)
                               .Case(".cs", tile::CacheModifier::CS)
                               .Case(".cv", tile::CacheModifier::CV)
                               .Default(std::nullopt)
                         : llvm::StringSwitch<Result>(*text)
                               .Case("", tile::CacheModifier::None)
                               .Case(".wb", tile::CacheModifier::WB)
                               .Case(".cg", tile::CacheModifier::CG)
                               .Case(".cs", tile::CacheModifier::CS)
                               .Case(".wt", tile::CacheModifier::WT)
                               .Default(std::nullopt);
  if (!result) {
    call.error(diag::InvalidArgument, "cache_modifier",
               llvm::Twine("expected ") +
                   (isLoad ? "'.ca', '.cg', '.cs' or '.cv'" : "'.wb', '.cg', '.cs' or '.wt'") +
                   ", got '" + *text + "'");
  }
  return result;
}

std::optional<tile::EvictionPolicy> evictionPolicy(const BoundCall &call) {
  std::optional<std::string> text = call.getString("eviction_policy", "");
  if (!text) {
    return std::nullopt;
  }
  using Result = std::optional<tile::EvictionPolicy>;
  Result result = llvm::StringSwitch<Result>(*text)
                      .Cases({"", "evict_normal"}, tile::EvictionPolicy::Normal)
                      .Case("evict_first", tile::EvictionPolicy::EvictFirst)
                      .Case("evict_last", tile::EvictionPolicy::EvictLast)
                      .Default(std::nullopt);
  if (!result) {
    call.error(diag::InvalidArgument, "eviction_policy",
               "expected 'evict_first' or 'evict_last', got '" + *text + "'");
  }
  return result;
}

Value pointerArgument(const BoundCall &call) {
  const Value &pointer = call.get("pointer");
  if (pointer.isRuntime() && pointer.getDType().isPointer()) {
    if (pointer.getDType().getElement().isVoid()) {
      return call.error(diag::ArgumentType, "pointer",
                        "cannot access memory of type void; cast the pointer, for "
                        "example with .to(tl.pointer_type(tl.float32))");
    }
    return pointer;
  }
  bool isDescriptor = pointer.isStruct(StructClass::Kind::TensorDescriptor);
  return call.error(diag::ArgumentType, "pointer",
                    "expected a pointer or a tile of pointers, got " + pointer.describe() +
                        (isDescriptor ? "; use its methods" : ""));
}

static bool checkBoundaryArguments(const BoundCall &call, bool isLoad) {
  const Value &check = call.get("boundary_check");
  bool hasCheck = !check.isNone() && !(check.isTuple() && check.getItems().empty());
  if (hasCheck) {
    call.error(diag::InvalidArgument, "boundary_check",
               "expected only with block pointers, got a pointer; use 'mask'");
    return false;
  }
  if (isLoad && call.has("padding_option")) {
    const Value &padding = call.get("padding_option");
    if (!padding.isStr() || !padding.getStr().empty()) {
      call.error(diag::InvalidArgument, "padding_option",
                 "expected only with block pointers, got a pointer; use 'other'");
      return false;
    }
  }
  return true;
}

Value fitToPointer(Semantics &semantics, const BoundCall &call, llvm::StringRef name,
                   const Value &value, const LangType &pointer) {
  if (value.isPoison()) {
    return value;
  }
  if (pointer.isScalar() && value.getType().isTile()) {
    return call.error(diag::ArgumentType, name,
                      "expected a scalar, as the pointer is one, got " + value.describe());
  }
  llvm::ArrayRef<int64_t> from = value.getType().shape, to = pointer.shape;
  bool fits = from.size() <= to.size();
  for (unsigned i = 0; fits && i < from.size(); ++i) {
    int64_t dim = from[from.size() - 1 - i];
    fits = dim == 1 || dim == to[to.size() - 1 - i];
  }
  if (!fits) {
    return call.error(diag::ShapeMismatch, name,
                      "expected a shape that broadcasts to that of the pointers, " +
                          pointer.getName() + ", got " + value.describe() +
                          (from.size() < to.size() && from.size() > 0
                               ? "; add the missing dimensions with x[:, None] or x[None, :]"
                               : ""));
  }
  return semantics.broadcastTo(value, to, true);
}

std::optional<mlir::Value> maskArgument(Semantics &semantics, const BoundCall &call,
                                        const LangType &pointer) {
  if (!call.has("mask")) {
    return mlir::Value();
  }
  const Value &given = call.get("mask");
  Value mask = given;
  if (given.isBool() || given.isInt()) {
    mask = semantics.constantInt(given.getInt() != 0, LangType(Kind::Int1));
  }
  if (!mask.isRuntime() || !mask.getDType().isBool()) {
    bool isNumber = mask.isRuntime() && mask.getDType().isInt();
    call.error(diag::ArgumentType, "mask",
               "expected bools (int1), got " + given.describe() +
                   (isNumber ? "; compare it, as in x != 0" : ""));
    return std::nullopt;
  }
  Value fitted = fitToPointer(semantics, call, "mask", mask, pointer);
  return fitted.isPoison() ? std::nullopt : std::optional(fitted.getIR());
}

bool widenPointer(Semantics &semantics, Value &pointer, const Value &other) {
  if (!other.isRuntime() || pointer.getType().isScalar() || other.getType().isScalar()) {
    return true;
  }
  llvm::ArrayRef<int64_t> from = pointer.getType().shape, to = other.getType().shape;
  if (from.size() != to.size()) {
    return true;
  }
  bool wider = false;
  llvm::SmallVector<int64_t, 4> shape(from);
  for (unsigned i = 0; i < from.size(); ++i) {
    if (from[i] != to[i] && from[i] != 1 && to[i] != 1) {
      return true; // reported where the operand is fitted
    }
    wider |= from[i] == 1 && to[i] != 1;
    shape[i] = std::max(from[i], to[i]);
  }
  if (wider) {
    pointer = semantics.broadcastTo(pointer, shape);
  }
  return !pointer.isPoison();
}

Value Builtins::load(Semantics &semantics, BoundCall &call) {
  if (call.get("pointer").isStruct(StructClass::Kind::BlockPointer)) {
    return loadBlock(semantics, call);
  }
  Value pointer = pointerArgument(call);
  if (pointer.isPoison() || !checkBoundaryArguments(call, true)) {
    return Value::poison();
  }
  auto cache = cacheModifier(call, true);
  auto eviction = cache ? evictionPolicy(call) : std::nullopt;
  auto isVolatile = eviction ? call.getBool("volatile", false) : std::nullopt;
  if (!isVolatile) {
    return Value::poison();
  }
  if (call.has("other") && !call.has("mask")) {
    return call.error(diag::InvalidArgument, "other", "expected only together with 'mask'");
  }
  DType element = pointer.getDType().getElement();
  if (!widenPointer(semantics, pointer, call.get("mask"))) {
    return Value::poison();
  }
  auto mask = maskArgument(semantics, call, pointer.getType());
  if (!mask) {
    return Value::poison();
  }
  mlir::Value other;
  if (call.has("other")) {
    const Value &given = call.get("other");
    if (!given.isNumber() && !given.isRuntime()) {
      return call.error(diag::ArgumentType, "other",
                        "expected a number or a tile, got " + given.describe());
    }
    if (given.isRuntime() && given.getDType().isPointer() != element.isPointer()) {
      return call.error(diag::ArgumentType, "other",
                        "expected " + element.getName() + ", got " + given.describe());
    }
    LangType type = pointer.getType().withDType(element);
    Value value;
    if (given.isNumber() && type.isTile() && element.isFloat() && !element.isFp8()) {
      value = given.isFloat() ? semantics.constantFloat(given.getFloat(), type)
                              : semantics.constantInt(given.getInt(), type);
    } else if (given.isNumber() && type.isTile() && element.isInt() && !given.isFloat() &&
               given.getInt() >= element.getIntMin() && given.getInt() <= element.getIntMax()) {
      value = semantics.constantInt(given.getInt(), type);
    } else {
      value = semantics.cast(given, element);
    }
    Value fitted = fitToPointer(semantics, call, "other", value, pointer.getType());
    if (fitted.isPoison()) {
      return fitted;
    }
    other = fitted.getIR();
  }
  LangType type = pointer.getType().withDType(element);
  mlir::Value result = tile::LoadOp::create(
      semantics.getBuilder(), semantics.loc(), type.getMLIRType(semantics.getContext()),
      pointer.getIR(), *mask, other, *cache, *eviction, *isVolatile);
  return Value::runtime(result, type);
}

Value Builtins::store(Semantics &semantics, BoundCall &call) {
  if (call.get("pointer").isStruct(StructClass::Kind::BlockPointer)) {
    return storeBlock(semantics, call);
  }
  Value pointer = pointerArgument(call);
  if (pointer.isPoison() || !checkBoundaryArguments(call, false)) {
    return Value::poison();
  }
  if (pointer.getDType().isConstPointer()) {
    return call.error(diag::StoreToConst, "pointer",
                      "cannot store through " + pointer.describe() +
                          ", which the signature declares constant");
  }
  auto cache = cacheModifier(call, false);
  auto eviction = cache ? evictionPolicy(call) : std::nullopt;
  if (!eviction) {
    return Value::poison();
  }
  const Value &given = call.get("value");
  if (!given.isNumber() && !given.isRuntime()) {
    return call.error(diag::ArgumentType, "value",
                      "expected a number or a tile, got " + given.describe());
  }
  DType element = pointer.getDType().getElement();
  if (!widenPointer(semantics, pointer, given) ||
      !widenPointer(semantics, pointer, call.get("mask"))) {
    return Value::poison();
  }
  bool fromPointer = given.isRuntime() && given.getDType().isPointer();
  if (fromPointer && element.isFloat()) {
    return call.error(diag::ArgumentType, "value",
                      "expected " + element.getName() + ", got " + given.describe());
  }
  Value value = semantics.cast(given, element);
  value = fitToPointer(semantics, call, "value", value, pointer.getType());
  if (value.isPoison()) {
    return value;
  }
  auto mask = maskArgument(semantics, call, pointer.getType());
  if (!mask) {
    return Value::poison();
  }
  tile::StoreOp::create(semantics.getBuilder(), semantics.loc(), pointer.getIR(), value.getIR(),
                        *mask, *cache, *eviction);
  return Value::none();
}

} // namespace tegula::frontend
