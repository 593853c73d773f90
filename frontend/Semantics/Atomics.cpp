//===- Atomics.cpp - Atomic accesses --------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryArguments.h"
#include "tegula/Tile/IR/Tile.h"
#include "llvm/ADT/StringSwitch.h"

namespace tegula::frontend {

using Kind = tile::AtomicKind;

static std::optional<tile::MemSemantic> memorySemantic(const BoundCall &call) {
  std::optional<std::string> text = call.getString("sem", "acq_rel");
  if (!text) {
    return std::nullopt;
  }
  using Result = std::optional<tile::MemSemantic>;
  Result result = llvm::StringSwitch<Result>(*text)
                      .Case("relaxed", tile::MemSemantic::Relaxed)
                      .Case("acquire", tile::MemSemantic::Acquire)
                      .Case("release", tile::MemSemantic::Release)
                      .Case("acq_rel", tile::MemSemantic::AcqRel)
                      .Default(std::nullopt);
  if (!result) {
    call.error(diag::InvalidArgument, "sem",
               "expected 'acquire', 'release', 'acq_rel' or 'relaxed', got '" + *text + "'");
  }
  return result;
}

static std::optional<tile::MemScope> memoryScope(const BoundCall &call) {
  std::optional<std::string> text = call.getString("scope", "gpu");
  if (!text) {
    return std::nullopt;
  }
  using Result = std::optional<tile::MemScope>;
  Result result = llvm::StringSwitch<Result>(*text)
                      .Case("cta", tile::MemScope::Program)
                      .Case("gpu", tile::MemScope::Device)
                      .Case("sys", tile::MemScope::System)
                      .Default(std::nullopt);
  if (!result) {
    call.error(diag::InvalidArgument, "scope",
               "expected 'gpu', 'cta' or 'sys', got '" + *text + "'");
  }
  return result;
}

/// The argument `pointer` of an atomic access; `onlyIntegers`: of a bitwise one.
static Value atomicPointer(const BoundCall &call, bool onlyIntegers) {
  Value pointer = pointerArgument(call);
  if (pointer.isPoison()) {
    return pointer;
  }
  if (pointer.getDType().isConstPointer()) {
    return call.error(diag::StoreToConst, "pointer",
                      "cannot change memory through " + pointer.describe() +
                          ", which the signature declares constant");
  }
  DType element = pointer.getDType().getElement();
  bool isInteger = element.isInt() && !element.isBool();
  bool isFloat = element.isFloat() && !element.isFp8();
  if (!isInteger && (onlyIntegers || !isFloat)) {
    return call.error(diag::ArgumentType, "pointer",
                      (onlyIntegers ? "expected pointers to integers of 8 bits or more, got "
                                    : "expected pointers to integers of 8 bits or more or to "
                                      "floats of 16 bits or more, got ") +
                          pointer.describe());
  }
  return pointer;
}

/// The argument `name` as what the pointers point to, in their shape.
static Value atomicOperand(Semantics &semantics, const BoundCall &call, llvm::StringRef name,
                           const LangType &pointer) {
  const Value &given = call.get(name);
  bool isPointer = given.isRuntime() && given.getDType().isPointer();
  if ((!given.isNumber() && !given.isRuntime()) || isPointer) {
    return call.error(diag::ArgumentType, name,
                      "expected a number or a tile of numbers, got " + given.describe());
  }
  Value value;
  {
    Semantics::OfArgument about = call.about(name);
    value = semantics.cast(given, pointer.dtype.getElement());
  }
  return fitToPointer(semantics, call, name, value, pointer);
}

/// An access whose op is `signedKind`, `unsignedKind` or `floatKind`, as the element says.
static Value atomic(Semantics &semantics, BoundCall &call, Kind signedKind, Kind unsignedKind,
                    std::optional<Kind> floatKind) {
  Value pointer = atomicPointer(call, !floatKind);
  auto semantic = pointer.isPoison() ? std::nullopt : memorySemantic(call);
  auto scope = semantic ? memoryScope(call) : std::nullopt;
  if (!scope || !widenPointer(semantics, pointer, call.get("val")) ||
      !widenPointer(semantics, pointer, call.get("mask"))) {
    return Value::poison();
  }
  Value value = atomicOperand(semantics, call, "val", pointer.getType());
  if (value.isPoison()) {
    return value;
  }
  auto mask = maskArgument(semantics, call, pointer.getType());
  if (!mask) {
    return Value::poison();
  }
  DType element = value.getDType();
  Kind kind = element.isFloat() ? *floatKind : element.isSignedInt() ? signedKind : unsignedKind;
  mlir::Value result =
      tile::AtomicRMWOp::create(semantics.getBuilder(), semantics.loc(), value.getIR().getType(),
                                kind, *semantic, *scope, pointer.getIR(), value.getIR(), *mask);
  return Value::runtime(result, value.getType());
}

Value Builtins::atomicAdd(Semantics &semantics, BoundCall &call) {
  return atomic(semantics, call, Kind::Add, Kind::Add, Kind::FAdd);
}

Value Builtins::atomicMax(Semantics &semantics, BoundCall &call) {
  return atomic(semantics, call, Kind::Max, Kind::UMax, Kind::FMax);
}

Value Builtins::atomicMin(Semantics &semantics, BoundCall &call) {
  return atomic(semantics, call, Kind::Min, Kind::UMin, Kind::FMin);
}

Value Builtins::atomicAnd(Semantics &semantics, BoundCall &call) {
  return atomic(semantics, call, Kind::And, Kind::And, std::nullopt);
}

Value Builtins::atomicOr(Semantics &semantics, BoundCall &call) {
  return atomic(semantics, call, Kind::Or, Kind::Or, std::nullopt);
}

Value Builtins::atomicXor(Semantics &semantics, BoundCall &call) {
  return atomic(semantics, call, Kind::Xor, Kind::Xor, std::nullopt);
}

Value Builtins::atomicXchg(Semantics &semantics, BoundCall &call) {
  return atomic(semantics, call, Kind::Xchg, Kind::Xchg, Kind::Xchg);
}

Value Builtins::atomicCas(Semantics &semantics, BoundCall &call) {
  Value pointer = atomicPointer(call, false);
  auto semantic = pointer.isPoison() ? std::nullopt : memorySemantic(call);
  auto scope = semantic ? memoryScope(call) : std::nullopt;
  if (!scope || !widenPointer(semantics, pointer, call.get("cmp")) ||
      !widenPointer(semantics, pointer, call.get("val"))) {
    return Value::poison();
  }
  Value expected = atomicOperand(semantics, call, "cmp", pointer.getType());
  Value value =
      expected.isPoison() ? expected : atomicOperand(semantics, call, "val", pointer.getType());
  if (value.isPoison()) {
    return value;
  }
  mlir::Value result = tile::AtomicCASOp::create(semantics.getBuilder(), semantics.loc(),
                                                 value.getIR().getType(), *semantic, *scope,
                                                 pointer.getIR(), expected.getIR(), value.getIR());
  return Value::runtime(result, value.getType());
}

} // namespace tegula::frontend
