//===- Atomics.cpp - Atomic accesses
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// One element after the other in row-major order. Integers use the processor's
// instructions. Floats compare and swap their bits: sums in any width, and minima
// and maxima whose corner cases no instruction has.
//
//===----------------------------------------------------------------------===//

#include "tegula/Conversion/Atomics.h"
#include "LoopFormer.h"
#include "LoopFormerInlines.h"

using namespace mlir;

namespace tegula::cpu {

/// Floats as integers of their size; others as they are.
static Value toBits(OpBuilder &builder, Location loc, Value value) {
  auto type = dyn_cast<FloatType>(value.getType());
  if (!type) {
    return value;
  }
  return arith::BitcastOp::create(builder, loc, builder.getIntegerType(type.getWidth()), value);
}

static Value fromBits(OpBuilder &builder, Location loc, Type type, Value bits) {
  return bits.getType() == type ? bits
                                : arith::BitcastOp::create(builder, loc, type, bits).getResult();
}

/// NaN loses against everything, -0 is less than +0. Those of the type would be
/// right but for NaN.
static Value extremum(OpBuilder &builder, Location loc, bool largest, Value old, Value value) {
  Value both = largest ? arith::MaximumFOp::create(builder, loc, old, value).getResult()
                       : arith::MinimumFOp::create(builder, loc, old, value).getResult();
  auto isNaN = [&](Value x) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, x, x);
  };
  Value unlessOld = arith::SelectOp::create(builder, loc, isNaN(old), value, both);
  return arith::SelectOp::create(builder, loc, isNaN(value), old, unlessOld);
}

Value LoopFormer::emitAtomicFloat(tile::AtomicRMWOp op, Value pointer, Value value) {
  Location loc = op.getLoc();
  auto type = cast<FloatType>(value.getType());
  Type bits = builder.getIntegerType(type.getWidth());
  unsigned align = type.getWidth() / 8;
  LLVM::AtomicOrdering ordering = conversion::orderingOf(op.getSemantic());
  Value first = LLVM::LoadOp::create(builder, loc, bits, pointer, align, /*isVolatile=*/false,
                                     /*isNonTemporal=*/false, /*isInvariant=*/false,
                                     /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic);
  auto loop = scf::WhileOp::create(builder, loc, TypeRange{bits}, ValueRange{first});
  OpBuilder::InsertionGuard guard(builder);
  Block *before = builder.createBlock(&loop.getBefore(), {}, {bits}, {loc});
  Value seen = before->getArgument(0);
  Value old = fromBits(builder, loc, type, seen), next;
  if (op.getKind() == tile::AtomicKind::FAdd) {
    next = arith::AddFOp::create(builder, loc, old, value);
  } else {
    next = extremum(builder, loc, op.getKind() == tile::AtomicKind::FMax, old, value);
  }
  Value done =
      LLVM::AtomicCmpXchgOp::create(builder, loc, pointer, seen, toBits(builder, loc, next),
                                    ordering, conversion::withoutRelease(ordering));
  Value there = LLVM::ExtractValueOp::create(builder, loc, done, ArrayRef<int64_t>{0});
  Value swapped = LLVM::ExtractValueOp::create(builder, loc, done, ArrayRef<int64_t>{1});
  Value again = arith::XOrIOp::create(builder, loc, swapped, constant(builder.getBoolAttr(true)));
  scf::ConditionOp::create(builder, loc, again, there);
  Block *after = builder.createBlock(&loop.getAfter(), {}, {bits}, {loc});
  scf::YieldOp::create(builder, loc, after->getArguments());
  builder.setInsertionPointAfter(loop);
  return fromBits(builder, loc, type, loop.getResult(0));
}

/// One access at the builder's place; yields what was there.
Value LoopFormer::emitAtomicElement(Operation *op, Value pointer, ValueRange values) {
  Location loc = op->getLoc();
  Type type = values.front().getType();
  if (auto cas = dyn_cast<tile::AtomicCASOp>(op)) {
    LLVM::AtomicOrdering ordering = conversion::orderingOf(cas.getSemantic());
    Value done = LLVM::AtomicCmpXchgOp::create(
        builder, loc, pointer, toBits(builder, loc, values[0]), toBits(builder, loc, values[1]),
        ordering, conversion::withoutRelease(ordering));
    return fromBits(builder, loc, type,
                    LLVM::ExtractValueOp::create(builder, loc, done, ArrayRef<int64_t>{0}));
  }
  auto rmw = cast<tile::AtomicRMWOp>(op);
  if (isa<FloatType>(type) && rmw.getKind() != tile::AtomicKind::Xchg) {
    return emitAtomicFloat(rmw, pointer, values[0]);
  }
  Value old = LLVM::AtomicRMWOp::create(builder, loc, *conversion::binaryOf(rmw.getKind()), pointer,
                                        toBits(builder, loc, values[0]),
                                        conversion::orderingOf(rmw.getSemantic()));
  return fromBits(builder, loc, type, old);
}

LogicalResult LoopFormer::emitAtomic(Operation *op, Value ptr, ValueRange values, Value mask) {
  Location loc = op->getLoc();
  if (failed(settleLoadsBefore(op))) {
    return failure();
  }
  Value result = op->getResult(0);
  auto type = tileType(result);
  SmallVector<int64_t> shape;
  if (type) {
    shape.assign(type.getShape().begin(), type.getShape().end());
  }
  // What the accesses read is read before the first of them, and in vectors.
  SmallVector<Value> operands(values);
  if (mask) {
    operands.push_back(mask);
  }
  llvm::SmallSetVector<Operation *, 8> loads;
  SmallPtrSet<Value, 16> seen;
  for (Value operand : operands) {
    collectLoads(operand, loads, seen);
  }
  collectLoads(ptr, loads, seen);
  for (Operation *load : loads) {
    if (failed(keep(load->getResult(0)))) {
      return failure();
    }
  }
  for (Value operand : operands) {
    if (tileType(operand) && isHeavy(operand) && failed(keep(operand))) {
      return failure();
    }
  }
  if (failed(prepareOperands(operands, shape, ptr))) {
    return failure();
  }
  std::optional<Buffer> out;
  if (type && !result.use_empty()) {
    out = makeBuffer(loc, shape, type.getElementType());
  }
  announceWriteThrough(operands, shape);
  explainLoop(loc, "atomic access", shape, getElementTypeOrSelf(result), 1,
              "each element is an atomic instruction of its own");
  forEachChunk(loc, shape, 1, [&](const Chunk &chunk) {
    bool unmasked;
    Value on = pullMask(mask, chunk, unmasked).value;
    Value pointer = pull(ptr, chunk).value;
    SmallVector<Value> elements;
    for (Value value : values) {
      elements.push_back(pull(value, chunk).value);
    }
    nest->at(nest->depth());
    Value old;
    if (unmasked) {
      old = emitAtomicElement(op, pointer, elements);
    } else {
      Type element = elements.front().getType();
      auto branch = scf::IfOp::create(builder, loc, element, on, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      Value there = emitAtomicElement(op, pointer, elements);
      scf::YieldOp::create(builder, loc, there);
      builder.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(builder, loc, zero(element, 1));
      old = branch.getResult(0);
    }
    if (out) {
      storeBuffer(loc, *out, chunk, {old, nest->depth()});
    } else if (!type) {
      scalars[result] = old;
    }
  });
  if (out) {
    buffers[result] = *out;
  }
  return success();
}

} // namespace tegula::cpu
