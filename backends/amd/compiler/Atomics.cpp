//===- Atomics.cpp - Atomic accesses
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's memory model of these chips has our orders and scopes, and LLVM makes loops of
// what has no instruction that computes as we do.
//
//===----------------------------------------------------------------------===//

#include "tegula/Conversion/Atomics.h"
#include "Threads.h"

using namespace mlir;

namespace tegula::amd {

using tile::AtomicKind;

static StringRef scopeOf(tile::MemScope scope) {
  return scope == tile::MemScope::Program  ? "workgroup"
         : scope == tile::MemScope::Device ? "agent"
                                           : "";
}

/// A loop that tries to replace what is there by the larger or smaller of it and `value`.
static Value replaceByExtreme(BitsBuilder &b, tilegpu::ThreadAtomicRMWOp op) {
  OpBuilder &builder = b.builder;
  Value value = op.getValue();
  Type type = value.getType();
  const unsigned bits = conversion::getBits(type);
  Type integer = builder.getIntegerType(bits);
  const LLVM::AtomicOrdering order = conversion::orderingOf(op.getSemantic());
  const StringRef scope = scopeOf(op.getScope());
  Value first = LLVM::LoadOp::create(builder, b.loc, integer, op.getPtr(), bits / 8,
                                     /*isVolatile=*/false, false, false, false,
                                     LLVM::AtomicOrdering::monotonic, scope);
  auto loop = scf::WhileOp::create(
      builder, b.loc, TypeRange{integer}, ValueRange{first},
      [&](OpBuilder &, Location, ValueRange values) {
        Value best =
            b.extreme(b.fromInteger(values[0], type), value, op.getKind() == AtomicKind::FMax);
        auto pair =
            LLVM::AtomicCmpXchgOp::create(builder, b.loc, op.getPtr(), values[0], b.toInteger(best),
                                          order, conversion::withoutRelease(order), scope);
        Value found =
            LLVM::ExtractValueOp::create(builder, b.loc, pair.getRes(), ArrayRef<int64_t>{0});
        Value again =
            arith::CmpIOp::create(builder, b.loc, arith::CmpIPredicate::ne, found, values[0]);
        scf::ConditionOp::create(builder, b.loc, again, found);
      },
      [&](OpBuilder &, Location, ValueRange values) {
        scf::YieldOp::create(builder, b.loc, values);
      });
  return b.fromInteger(loop.getResult(0), type);
}

static Value withMask(BitsBuilder &b, Value mask, Type type, llvm::function_ref<Value()> access) {
  return mask ? b.where(mask, b.zero(type), access) : access();
}

Value lowerAtomic(OpBuilder &builder, tilegpu::ThreadAtomicRMWOp op) {
  BitsBuilder b(builder, op.getLoc());
  const AtomicKind kind = op.getKind();
  Value value = op.getValue();
  Type type = value.getType();
  return withMask(b, op.getMask(), type, [&]() -> Value {
    if (kind == AtomicKind::FMax || kind == AtomicKind::FMin) {
      return replaceByExtreme(b, op);
    }
    const bool isExchange = kind == AtomicKind::Xchg;
    Value old =
        LLVM::AtomicRMWOp::create(builder, b.loc, *conversion::binaryOf(kind), op.getPtr(),
                                  isExchange ? b.toInteger(value) : value,
                                  conversion::orderingOf(op.getSemantic()), scopeOf(op.getScope()));
    return isExchange ? b.fromInteger(old, type) : old;
  });
}

Value lowerAtomic(OpBuilder &builder, tilegpu::ThreadAtomicCASOp op) {
  BitsBuilder b(builder, op.getLoc());
  Type type = op.getValue().getType();
  const LLVM::AtomicOrdering order = conversion::orderingOf(op.getSemantic());
  return withMask(b, op.getMask(), type, [&]() -> Value {
    auto pair = LLVM::AtomicCmpXchgOp::create(
        builder, b.loc, op.getPtr(), b.toInteger(op.getExpected()), b.toInteger(op.getValue()),
        order, conversion::withoutRelease(order), scopeOf(op.getScope()));
    Value old = LLVM::ExtractValueOp::create(builder, b.loc, pair.getRes(), ArrayRef<int64_t>{0});
    return b.fromInteger(old, type);
  });
}

} // namespace tegula::amd
