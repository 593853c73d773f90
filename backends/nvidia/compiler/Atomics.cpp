//===- Atomics.cpp - Atomic accesses
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

using namespace mlir;

namespace tegula::nvidia {

using tile::AtomicKind;

static StringRef scopeOf(tile::MemScope scope) {
  return scope == tile::MemScope::Program  ? "block"
         : scope == tile::MemScope::Device ? "device"
                                           : "";
}

static LLVM::AtomicOrdering orderOf(tile::MemSemantic semantic) {
  switch (semantic) {
  case tile::MemSemantic::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case tile::MemSemantic::Release:
    return LLVM::AtomicOrdering::release;
  case tile::MemSemantic::AcqRel:
    return LLVM::AtomicOrdering::acq_rel;
  case tile::MemSemantic::Relaxed:
    break;
  }
  return LLVM::AtomicOrdering::monotonic;
}

/// What LLVM calls it; nullopt for those that it has not with our rules.
static std::optional<LLVM::AtomicBinOp> binaryOf(AtomicKind kind) {
  switch (kind) {
  case AtomicKind::Add:
    return LLVM::AtomicBinOp::add;
  case AtomicKind::FAdd:
    return LLVM::AtomicBinOp::fadd;
  case AtomicKind::Max:
    return LLVM::AtomicBinOp::max;
  case AtomicKind::Min:
    return LLVM::AtomicBinOp::min;
  case AtomicKind::UMax:
    return LLVM::AtomicBinOp::umax;
  case AtomicKind::UMin:
    return LLVM::AtomicBinOp::umin;
  case AtomicKind::And:
    return LLVM::AtomicBinOp::_and;
  case AtomicKind::Or:
    return LLVM::AtomicBinOp::_or;
  case AtomicKind::Xor:
    return LLVM::AtomicBinOp::_xor;
  case AtomicKind::Xchg:
    return LLVM::AtomicBinOp::xchg;
  case AtomicKind::FMax:
  case AtomicKind::FMin:
    break;
  }
  return std::nullopt;
}

/// Largest or smallest: a NaN loses, -0.0 is less than 0.0.
static Value extreme(OpBuilder &builder, Location loc, Value a, Value b, bool isMax) {
  Value best = isMax ? arith::MaximumFOp::create(builder, loc, a, b).getResult()
                     : arith::MinimumFOp::create(builder, loc, a, b).getResult();
  auto isNaN = [&](Value x) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, x, x);
  };
  best = arith::SelectOp::create(builder, loc, isNaN(b), a, best);
  return arith::SelectOp::create(builder, loc, isNaN(a), b, best);
}

/// A loop that tries to replace what is there by what `next` makes of it.
static Value replaceLoop(AsmBuilder &b, Value pointer, Type type, LLVM::AtomicOrdering order,
                         StringRef scope, llvm::function_ref<Value(Value)> next) {
  OpBuilder &builder = b.builder;
  const unsigned bits = getBits(type);
  Type integer = builder.getIntegerType(bits), i1 = builder.getI1Type();
  Value first = LLVM::LoadOp::create(builder, b.loc, integer, pointer, bits / 8,
                                     /*isVolatile=*/false, false, false, false,
                                     LLVM::AtomicOrdering::monotonic, scope);
  Value no = LLVM::ConstantOp::create(builder, b.loc, i1, builder.getBoolAttr(false));
  auto loop = scf::WhileOp::create(
      builder, b.loc, TypeRange{integer}, ValueRange{first},
      [&](OpBuilder &, Location, ValueRange values) {
        Value wanted = b.toInteger(next(b.fromInteger(values[0], type)));
        auto pair = LLVM::AtomicCmpXchgOp::create(builder, b.loc, pointer, values[0], wanted, order,
                                                  LLVM::AtomicOrdering::monotonic, scope);
        Value found =
            LLVM::ExtractValueOp::create(builder, b.loc, pair.getRes(), ArrayRef<int64_t>{0});
        Value done =
            LLVM::ExtractValueOp::create(builder, b.loc, pair.getRes(), ArrayRef<int64_t>{1});
        Value again = arith::CmpIOp::create(builder, b.loc, arith::CmpIPredicate::eq, done, no);
        scf::ConditionOp::create(builder, b.loc, again, found);
      },
      [&](OpBuilder &, Location, ValueRange values) {
        scf::YieldOp::create(builder, b.loc, values);
      });
  return b.fromInteger(loop.getResult(0), type);
}

/// Runs `access` where the mask is true; zero otherwise.
static Value masked(AsmBuilder &b, Value mask, Type type, llvm::function_ref<Value()> access) {
  if (!mask) {
    return access();
  }
  OpBuilder &builder = b.builder;
  auto branch = scf::IfOp::create(builder, b.loc, type, mask, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, b.loc, access());
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, b.loc, b.zero(type));
  return branch.getResult(0);
}

Value lowerAtomic(OpBuilder &builder, tilegpu::ThreadAtomicRMWOp op) {
  AsmBuilder b(builder, op.getLoc());
  Value pointer = op.getPtr(), value = op.getValue();
  Type type = value.getType();
  const LLVM::AtomicOrdering order = orderOf(op.getSemantic());
  const StringRef scope = scopeOf(op.getScope());
  return masked(b, op.getMask(), type, [&]() -> Value {
    const AtomicKind kind = op.getKind();
    const bool isHalf = type.isF16() || type.isBF16();
    if (kind == AtomicKind::FMax || kind == AtomicKind::FMin) {
      return replaceLoop(b, pointer, type, order, scope, [&](Value old) {
        return extreme(builder, b.loc, old, value, kind == AtomicKind::FMax);
      });
    }
    auto addInLoop = [&] {
      return replaceLoop(b, pointer, type, order, scope, [&](Value old) -> Value {
        return arith::AddFOp::create(builder, b.loc, old, value);
      });
    };
    if (kind == AtomicKind::FAdd && isHalf) {
      return addInLoop();
    }
    if (kind == AtomicKind::FAdd && type.isF32()) {
      // The instruction takes numbers below 2^-126 for zero, in memory and as sums. From
      // 2^-100 on what is added hides the former and cannot lead to the latter.
      Type i32 = builder.getI32Type();
      Value bits = arith::BitcastOp::create(builder, b.loc, i32, value);
      Value magnitude = arith::AndIOp::create(builder, b.loc, bits, b.i32(0x7fffffff));
      Value isLarge = arith::CmpIOp::create(builder, b.loc, arith::CmpIPredicate::uge, magnitude,
                                            b.i32((127 - 100) << 23));
      auto branch = scf::IfOp::create(builder, b.loc, type, isLarge, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(branch.thenBlock());
      Value sum = LLVM::AtomicRMWOp::create(builder, b.loc, LLVM::AtomicBinOp::fadd, pointer, value,
                                            order, scope);
      scf::YieldOp::create(builder, b.loc, sum);
      builder.setInsertionPointToEnd(branch.elseBlock());
      Value exact = addInLoop();
      scf::YieldOp::create(builder, b.loc, exact);
      return branch.getResult(0);
    }
    if (kind == AtomicKind::Xchg) {
      Value old = LLVM::AtomicRMWOp::create(builder, b.loc, LLVM::AtomicBinOp::xchg, pointer,
                                            b.toInteger(value), order, scope);
      return b.fromInteger(old, type);
    }
    return LLVM::AtomicRMWOp::create(builder, b.loc, *binaryOf(kind), pointer, value, order, scope);
  });
}

Value lowerAtomic(OpBuilder &builder, tilegpu::ThreadAtomicCASOp op) {
  AsmBuilder b(builder, op.getLoc());
  Type type = op.getValue().getType();
  const LLVM::AtomicOrdering order = orderOf(op.getSemantic());
  // One that fails has read: as much of the order as reads have.
  const bool acquires =
      order == LLVM::AtomicOrdering::acquire || order == LLVM::AtomicOrdering::acq_rel;
  return masked(b, op.getMask(), type, [&]() -> Value {
    auto pair = LLVM::AtomicCmpXchgOp::create(
        builder, b.loc, op.getPtr(), b.toInteger(op.getExpected()), b.toInteger(op.getValue()),
        order, acquires ? LLVM::AtomicOrdering::acquire : LLVM::AtomicOrdering::monotonic,
        scopeOf(op.getScope()));
    Value old = LLVM::ExtractValueOp::create(builder, b.loc, pair.getRes(), ArrayRef<int64_t>{0});
    return b.fromInteger(old, type);
  });
}

} // namespace tegula::nvidia
