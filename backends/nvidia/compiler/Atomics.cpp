//===- Atomics.cpp - Atomic accesses
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Conversion/Atomics.h"
#include "Threads.h"

using namespace mlir;

namespace tegula::nvidia {

using tile::AtomicKind;

// Written as inline PTX: LLVM's code generation drops the order of most of its `atomicrmw`.

static StringRef scopeOf(tile::MemScope scope) {
  return scope == tile::MemScope::Program ? "cta" : scope == tile::MemScope::Device ? "gpu" : "sys";
}

static StringRef orderOf(tile::MemSemantic semantic) {
  switch (semantic) {
  case tile::MemSemantic::Acquire:
    return "acquire";
  case tile::MemSemantic::Release:
    return "release";
  case tile::MemSemantic::AcqRel:
    return "acq_rel";
  case tile::MemSemantic::Relaxed:
    break;
  }
  return "relaxed";
}

namespace {
/// What the instructions of one access have in common.
struct Access {
  Value pointer;
  tile::MemSemantic semantic;
  tile::MemScope scope;
  /// The assembler takes order and scope either way; Triton, whose users search for the text,
  /// writes the order first in what is `atomic_cas` there.
  bool orderFirst = false;
};
} // namespace

/// The instruction with its type, such as `add.u32`; empty where the chips have none that
/// computes as we do.
static std::string instructionOf(AtomicKind kind, Type type) {
  const unsigned bits = getBits(type);
  const std::string size = std::to_string(bits);
  if (kind == AtomicKind::FAdd) {
    return type.isF16() ? "add.noftz.f16" : type.isF32() || type.isF64() ? "add.f" + size : "";
  }
  if (bits != 32 && bits != 64) {
    return "";
  }
  switch (kind) {
  case AtomicKind::Add:
    return "add.u" + size;
  case AtomicKind::Max:
    return "max.s" + size;
  case AtomicKind::Min:
    return "min.s" + size;
  case AtomicKind::UMax:
    return "max.u" + size;
  case AtomicKind::UMin:
    return "min.u" + size;
  case AtomicKind::And:
    return "and.b" + size;
  case AtomicKind::Or:
    return "or.b" + size;
  case AtomicKind::Xor:
    return "xor.b" + size;
  case AtomicKind::Xchg:
    return "exch.b" + size;
  case AtomicKind::FAdd:
  case AtomicKind::FMax:
  case AtomicKind::FMin:
    break;
  }
  return "";
}

/// `atom` with one or two operands of the type of its result.
static Value atom(AsmBuilder &b, const Access &access, StringRef instruction,
                  ArrayRef<Value> operands) {
  const Type type = operands.front().getType();
  const unsigned bits = getBits(type);
  const StringRef letter = type.isF32()   ? "f"
                           : type.isF64() ? "d"
                           : bits == 16   ? "h"
                           : bits == 32   ? "r"
                                          : "l";
  const StringRef order = orderOf(access.semantic), scope = scopeOf(access.scope);
  std::string text = ("atom.global." + (access.orderFirst ? order : scope) + "." +
                      (access.orderFirst ? scope : order) + "." + instruction + " $0, [$1]")
                         .str();
  std::string constraints = ("=" + letter + ",l").str();
  SmallVector<Value> all = {access.pointer};
  for (auto [i, operand] : llvm::enumerate(operands)) {
    text += ", $" + std::to_string(i + 2);
    constraints += "," + letter.str();
    all.push_back(operand);
  }
  return b.call(text + ";", constraints + ",~{memory}", all, {type}, /*hasEffects=*/true).front();
}

/// LLVM's name of a scope.
static StringRef llvmScopeOf(tile::MemScope scope) {
  return scope == tile::MemScope::Program  ? "block"
         : scope == tile::MemScope::Device ? "device"
                                           : "";
}

/// Puts the integer `wanted` where `expected` is; the integer that was there. LLVM makes loops
/// around a word of 8 bits, with their order.
static Value compareAndSwap(AsmBuilder &b, const Access &access, Value expected, Value wanted) {
  const unsigned bits = getBits(wanted.getType());
  if (bits >= 16) {
    return atom(b, access, "cas.b" + std::to_string(bits), {expected, wanted});
  }
  const LLVM::AtomicOrdering order = conversion::orderingOf(access.semantic);
  auto pair =
      LLVM::AtomicCmpXchgOp::create(b.builder, b.loc, access.pointer, expected, wanted, order,
                                    conversion::withoutRelease(order), llvmScopeOf(access.scope));
  return LLVM::ExtractValueOp::create(b.builder, b.loc, pair.getRes(), ArrayRef<int64_t>{0});
}

/// A loop that tries to replace what is there by what `next` makes of it.
static Value replaceLoop(AsmBuilder &b, const Access &access, Type type,
                         llvm::function_ref<Value(Value)> next) {
  OpBuilder &builder = b.builder;
  const unsigned bits = getBits(type);
  Type integer = builder.getIntegerType(bits);
  Value first = LLVM::LoadOp::create(builder, b.loc, integer, access.pointer, bits / 8,
                                     /*isVolatile=*/false, false, false, false,
                                     LLVM::AtomicOrdering::monotonic, llvmScopeOf(access.scope));
  auto loop = scf::WhileOp::create(
      builder, b.loc, TypeRange{integer}, ValueRange{first},
      [&](OpBuilder &, Location, ValueRange values) {
        Value wanted = b.toInteger(next(b.fromInteger(values[0], type)));
        Value found = compareAndSwap(b, access, values[0], wanted);
        Value again =
            arith::CmpIOp::create(builder, b.loc, arith::CmpIPredicate::ne, found, values[0]);
        scf::ConditionOp::create(builder, b.loc, again, found);
      },
      [&](OpBuilder &, Location, ValueRange values) {
        scf::YieldOp::create(builder, b.loc, values);
      });
  return b.fromInteger(loop.getResult(0), type);
}

/// Runs `access` where the mask is true; zero otherwise.
static Value masked(AsmBuilder &b, Value mask, Type type, llvm::function_ref<Value()> access) {
  return mask ? b.where(mask, b.zero(type), access) : access();
}

/// Adds to a float32.
static Value addFloat(AsmBuilder &b, const Access &access, Value value,
                      llvm::function_ref<Value()> addInLoop) {
  // The instruction takes numbers below 2^-126 for zero, in memory and as sums. From
  // 2^-100 on what is added hides the former and cannot lead to the latter.
  OpBuilder &builder = b.builder;
  Value bits = arith::BitcastOp::create(builder, b.loc, builder.getI32Type(), value);
  Value magnitude = arith::AndIOp::create(builder, b.loc, bits, b.i32(0x7fffffff));
  Value isLarge = arith::CmpIOp::create(builder, b.loc, arith::CmpIPredicate::uge, magnitude,
                                        b.i32((127 - 100) << 23));
  auto branch =
      scf::IfOp::create(builder, b.loc, value.getType(), isLarge, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  Value sum = atom(b, access, "add.f32", {value});
  scf::YieldOp::create(builder, b.loc, sum);
  builder.setInsertionPointToEnd(branch.elseBlock());
  Value exact = addInLoop();
  scf::YieldOp::create(builder, b.loc, exact);
  return branch.getResult(0);
}

Value lowerAtomic(OpBuilder &builder, tilegpu::ThreadAtomicRMWOp op) {
  AsmBuilder b(builder, op.getLoc());
  Value value = op.getValue();
  Type type = value.getType();
  const AtomicKind kind = op.getKind();
  const Access access = {op.getPtr(), op.getSemantic(), op.getScope()};
  auto addInLoop = [&] {
    return replaceLoop(b, access, type, [&](Value old) -> Value {
      return arith::AddFOp::create(builder, b.loc, old, value);
    });
  };
  return masked(b, op.getMask(), type, [&]() -> Value {
    if (kind == AtomicKind::FMax || kind == AtomicKind::FMin) {
      return replaceLoop(b, access, type, [&](Value old) {
        return b.extreme(old, value, kind == AtomicKind::FMax);
      });
    }
    if (kind == AtomicKind::FAdd && type.isF32()) {
      return addFloat(b, access, value, addInLoop);
    }
    const std::string instruction = instructionOf(kind, type);
    if (kind == AtomicKind::FAdd) {
      return instruction.empty() ? addInLoop() : atom(b, access, instruction, {value});
    }
    Value bits = b.toInteger(value);
    Value old = !instruction.empty()
                    ? atom(b, access, instruction, {bits})
                    : LLVM::AtomicRMWOp::create(
                          builder, b.loc, *conversion::binaryOf(kind), access.pointer, bits,
                          conversion::orderingOf(access.semantic), llvmScopeOf(access.scope))
                          .getResult();
    return b.fromInteger(old, type);
  });
}

Value lowerAtomic(OpBuilder &builder, tilegpu::ThreadAtomicCASOp op) {
  AsmBuilder b(builder, op.getLoc());
  const Access access = {op.getPtr(), op.getSemantic(), op.getScope(), /*orderFirst=*/true};
  Type type = op.getValue().getType();
  return masked(b, op.getMask(), type, [&]() -> Value {
    Value old =
        compareAndSwap(b, access, b.toInteger(op.getExpected()), b.toInteger(op.getValue()));
    return b.fromInteger(old, type);
  });
}

} // namespace tegula::nvidia
