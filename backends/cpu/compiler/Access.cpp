//===- Access.cpp - Loads and stores of chunks
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopFormer.h"
#include "LoopFormerInlines.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::cpu {

Value LoopFormer::toMemory(Location loc, Value value, Type element) {
  if (!element.isInteger(1)) {
    return value;
  }
  unsigned lanes =
      isa<VectorType>(value.getType()) ? cast<VectorType>(value.getType()).getDimSize(0) : 1;
  return arith::ExtUIOp::create(builder, loc, withLanes(builder.getI8Type(), lanes), value);
}

Value LoopFormer::fromMemory(Location loc, Value value, Type element) {
  if (!element.isInteger(1)) {
    return value;
  }
  Value none = constant(cast<TypedAttr>(builder.getZeroAttr(value.getType())));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value, none);
}

/// The mask of a chunk; `absent` when it is true everywhere.
Pulled LoopFormer::pullMask(Value mask, const Chunk &chunk, bool &absent) {
  absent = !mask || matchPattern(mask, m_One());
  if (absent) {
    return {Value(), 0};
  }
  return pull(mask, chunk);
}

/// The vector type that masked accesses have: code generation for processors with
/// SVE and bf16 lacks those of bf16.
static VectorType maskedType(Type type) {
  auto vector = cast<VectorType>(type);
  if (!vector.getElementType().isBF16()) {
    return vector;
  }
  return vector.clone(IntegerType::get(type.getContext(), 16));
}

/// Bit casts to the same type fold away.
static Value bitcastTo(OpBuilder &builder, Location loc, Type type, Value value) {
  return builder.createOrFold<arith::BitcastOp>(loc, type, value);
}

Value LoopFormer::emitMaskedLoad(Location loc, Type type, Value pointer, Value mask, Value other,
                                 unsigned align) {
  Type memory = maskedType(type);
  Value loaded = LLVM::MaskedLoadOp::create(
      builder, loc, memory, pointer, mask, bitcastTo(builder, loc, memory, other),
      builder.getI32IntegerAttr(align), /*nontemporal=*/UnitAttr());
  return bitcastTo(builder, loc, type, loaded);
}

void LoopFormer::emitMaskedStore(Location loc, Value value, Value pointer, Value mask,
                                 unsigned align) {
  Value stored = bitcastTo(builder, loc, maskedType(value.getType()), value);
  LLVM::MaskedStoreOp::create(builder, loc, stored, pointer, mask,
                              builder.getI32IntegerAttr(align));
}

Value LoopFormer::emitContiguousLoad(Location loc, Value pointer, Value mask, Value other,
                                     Type element, unsigned lanes) {
  Type memory = memoryElement(element);
  Type type = withLanes(memory, lanes);
  unsigned align = tile::getElementBytes(element);
  if (!mask) {
    return LLVM::LoadOp::create(builder, loc, type, pointer, align);
  }
  auto masked = [&] { return emitMaskedLoad(loc, type, pointer, mask, other, align); };
  if (options.maskedAccess) {
    return masked();
  }
  Value full = vector::ReductionOp::create(builder, loc, vector::CombiningKind::AND, mask);
  auto branch = scf::IfOp::create(builder, loc, type, full, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value whole = LLVM::LoadOp::create(builder, loc, type, pointer, align);
  scf::YieldOp::create(builder, loc, whole);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, masked());
  return branch.getResult(0);
}

Pulled LoopFormer::pullLoad(tile::LoadOp op, const Chunk &chunk) {
  Location loc = op.getLoc();
  Type element = getElementTypeOrSelf(op.getResult().getType());
  Type memory = memoryElement(element);
  unsigned lanes = chunk.lanes, bytes = tile::getElementBytes(element);
  bool unmasked;
  Pulled mask = pullMask(op.getMask(), chunk, unmasked);
  Pulled other = {zero(memory, lanes), 0};
  if (!unmasked && op.getOther()) {
    other = pull(op.getOther(), chunk);
    if (element.isInteger(1)) {
      other = at(other.level, [&] { return toMemory(loc, other.value, element); });
    }
  }
  unsigned level = std::max(mask.level, other.level);

  if (lanes == 1) {
    Pulled pointer = pull(op.getPtr(), chunk);
    return at(std::max(level, pointer.level), [&]() -> Value {
      auto load = [&]() -> Value {
        return LLVM::LoadOp::create(builder, loc, memory, pointer.value, bytes, op.getIsVolatile());
      };
      if (unmasked) {
        return fromMemory(loc, load(), element);
      }
      auto branch = scf::IfOp::create(builder, loc, memory, mask.value, /*withElseRegion=*/true);
      {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(branch.thenBlock());
        scf::YieldOp::create(builder, loc, load());
        builder.setInsertionPointToStart(branch.elseBlock());
        scf::YieldOp::create(builder, loc, other.value);
      }
      return fromMemory(loc, branch.getResult(0), element);
    });
  }

  auto gather = [&](Value pointers) -> Value {
    return LLVM::masked_gather::create(builder, loc, withLanes(memory, lanes), pointers,
                                       unmasked ? allTrue(lanes) : mask.value,
                                       ValueRange{other.value}, builder.getI32IntegerAttr(bytes));
  };
  Stride stride = getStride(op.getPtr(), chunk.dim, lanes);
  explainAccess(op, element, lanes, stride, !unmasked);
  if (stride.kind == Stride::Opaque ||
      (stride.kind == Stride::Known && stride.step != int64_t(bytes))) {
    Pulled pointers = pull(op.getPtr(), chunk);
    return at(std::max(level, pointers.level),
              [&] { return fromMemory(loc, gather(pointers.value), element); });
  }
  Pulled first = pull(op.getPtr(), chunk.scalar());
  if (stride.kind == Stride::Known) {
    return at(std::max(level, first.level), [&] {
      Value loaded = emitContiguousLoad(loc, first.value, mask.value, other.value, element, lanes);
      return fromMemory(loc, loaded, element);
    });
  }
  // Contiguous or not is seen at run time.
  Pulled test = checkContiguous(op.getPtr(), chunk, first, stride, bytes);
  level = std::max(level, test.level);
  Pulled pointers = contiguityLanes;
  return at(std::max(level, first.level), [&]() -> Value {
    auto branch = scf::IfOp::create(builder, loc, withLanes(memory, lanes), test.value, true);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      Value loaded = emitContiguousLoad(loc, first.value, mask.value, other.value, element, lanes);
      scf::YieldOp::create(builder, loc, loaded);
      builder.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(builder, loc,
                           gather(lanePointers(loc, first.value, pointers.value, lanes)));
    }
    return fromMemory(loc, branch.getResult(0), element);
  });
}

/// Yields an i1: whether the lanes of `pointer` follow each other. Leaves in
/// `contiguityLanes` what `lanePointers` needs: the pointers, or for a symbolic
/// stride the distance in bytes between two lanes.
Pulled LoopFormer::checkContiguous(Value pointer, const Chunk &chunk, Pulled first, Stride stride,
                                   unsigned bytes) {
  Location loc = locOf(pointer);
  Type i64 = builder.getI64Type();
  if (stride.kind == Stride::Symbolic) {
    // All lanes are a chunk apart by the same amount: two of them tell it.
    Chunk second = chunk.scalar();
    second.at[chunk.dim] = addToCoord(loc, chunk.at[chunk.dim], 1);
    Pulled next = pull(pointer, second);
    unsigned level = std::max(first.level, next.level);
    contiguityLanes = at(level, [&] {
      Value a = LLVM::PtrToIntOp::create(builder, loc, i64, first.value);
      Value b = LLVM::PtrToIntOp::create(builder, loc, i64, next.value);
      return arith::SubIOp::create(builder, loc, b, a);
    });
    Value size = constantI64(bytes);
    return at(level, [&] {
      return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, contiguityLanes.value,
                                   size);
    });
  }
  Pulled pointers = pull(pointer, chunk);
  contiguityLanes = pointers;
  return at(std::max(first.level, pointers.level), [&]() -> Value {
    unsigned lanes = chunk.lanes;
    Value base = LLVM::PtrToIntOp::create(builder, loc, i64, first.value);
    Value wide = vector::BroadcastOp::create(builder, loc, withLanes(i64, lanes), base);
    Value wanted = arith::AddIOp::create(builder, loc, wide, iota(i64, lanes, bytes));
    Value have = LLVM::PtrToIntOp::create(builder, loc, withLanes(i64, lanes), pointers.value);
    Value equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, have, wanted);
    return vector::ReductionOp::create(builder, loc, vector::CombiningKind::AND, equal);
  });
}

Value LoopFormer::lanePointers(Location loc, Value first, Value lanesOrStep, unsigned lanes) {
  if (isa<VectorType>(lanesOrStep.getType())) {
    return lanesOrStep;
  }
  Type i64 = builder.getI64Type();
  Value wide = vector::BroadcastOp::create(builder, loc, withLanes(i64, lanes), lanesOrStep);
  Value offsets = arith::MulIOp::create(builder, loc, wide, iota(i64, lanes, 1));
  return LLVM::GEPOp::create(builder, loc, withLanes(first.getType(), lanes), builder.getI8Type(),
                             first, ArrayRef<LLVM::GEPArg>{offsets});
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void LoopFormer::emitContiguousStore(Location loc, Value pointer, Value value, Value mask,
                                     Type element, unsigned lanes) {
  unsigned align = tile::getElementBytes(element);
  if (!mask) {
    LLVM::StoreOp::create(builder, loc, value, pointer, align);
    return;
  }
  auto masked = [&] { emitMaskedStore(loc, value, pointer, mask, align); };
  if (options.maskedAccess) {
    masked();
    return;
  }
  Value full = vector::ReductionOp::create(builder, loc, vector::CombiningKind::AND, mask);
  auto branch = scf::IfOp::create(builder, loc, full, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  LLVM::StoreOp::create(builder, loc, value, pointer, align);
  builder.setInsertionPointToStart(branch.elseBlock());
  masked();
}

/// Stores one chunk. With `redirect` (an i1) false, the chunk goes to the same
/// place in the buffer `elsewhere`, mask and all.
void LoopFormer::emitStoreChunk(tile::StoreOp op, const Chunk &chunk, Pulled value, Value redirect,
                                const Buffer *elsewhere) {
  Location loc = op.getLoc();
  Type element = getElementTypeOrSelf(op.getValue().getType());
  unsigned lanes = chunk.lanes, bytes = tile::getElementBytes(element);
  bool unmasked;
  Pulled mask = pullMask(op.getMask(), chunk, unmasked);
  auto divert = [&](Pulled pointer) -> Value {
    if (!redirect) {
      return pointer.value;
    }
    Pulled spare = elementPointer(loc, {elsewhere->pointer, 0},
                                  linearise(loc, chunk, elsewhere->shape), memoryElement(element));
    nest->at(nest->depth());
    return arith::SelectOp::create(builder, loc, redirect, pointer.value, spare.value);
  };
  if (lanes == 1) {
    Value pointer = divert(pull(op.getPtr(), chunk));
    nest->at(nest->depth());
    Value stored = toMemory(loc, value.value, element);
    if (unmasked) {
      LLVM::StoreOp::create(builder, loc, stored, pointer, bytes);
      return;
    }
    auto branch = scf::IfOp::create(builder, loc, mask.value, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
    LLVM::StoreOp::create(builder, loc, stored, pointer, bytes);
    return;
  }
  Stride stride = getStride(op.getPtr(), chunk.dim, lanes);
  explainAccess(op, element, lanes, stride, !unmasked);
  auto scatter = [&](Value pointers, Value stored) {
    LLVM::masked_scatter::create(builder, loc, stored, pointers,
                                 unmasked ? allTrue(lanes) : mask.value,
                                 builder.getI32IntegerAttr(bytes));
  };
  bool contiguous = stride.kind == Stride::Known && stride.step == int64_t(bytes);
  if (stride.kind == Stride::Opaque || (stride.kind == Stride::Known && !contiguous)) {
    Pulled pointers = pull(op.getPtr(), chunk);
    nest->at(nest->depth());
    scatter(pointers.value, toMemory(loc, value.value, element));
    return;
  }
  Pulled first = pull(op.getPtr(), chunk.scalar());
  if (contiguous) {
    Value pointer = divert(first);
    nest->at(nest->depth());
    emitContiguousStore(loc, pointer, toMemory(loc, value.value, element), mask.value, element,
                        lanes);
    return;
  }
  Pulled test = checkContiguous(op.getPtr(), chunk, first, stride, bytes);
  Pulled pointers = contiguityLanes;
  nest->at(nest->depth());
  Value stored = toMemory(loc, value.value, element);
  auto branch = scf::IfOp::create(builder, loc, test.value, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitContiguousStore(loc, first.value, stored, mask.value, element, lanes);
  builder.setInsertionPointToStart(branch.elseBlock());
  scatter(lanePointers(loc, first.value, pointers.value, lanes), stored);
}

void LoopFormer::emitStoreLoops(tile::StoreOp op, const Buffer *from, Value redirect,
                                const Buffer *elsewhere) {
  auto type = tileType(op.getValue());
  int dim = vectorDim(type.getShape());
  SmallVector<Value> shaping = {op.getValue()};
  if (op.getMask()) {
    shaping.push_back(op.getMask());
  }
  unsigned lanes = dim < 0 ? 1 : lanesFor(shaping, type.getDimSize(dim));
  explainLoop(op.getLoc(), "store", type.getShape(), type.getElementType(), lanes);
  forEachChunk(op.getLoc(), type.getShape(), lanes, [&](const Chunk &chunk) {
    Pulled value = from ? loadBuffer(op.getLoc(), *from, chunk) : pull(op.getValue(), chunk);
    emitStoreChunk(op, chunk, value, redirect, elsewhere);
  });
}

/// An i1: whether fused loops are right, since each load either reads none of
/// the bytes that the store writes or exactly the same elements. Null when that
/// cannot be told cheaply.
Value LoopFormer::emitOverlapTest(tile::StoreOp op, ArrayRef<Operation *> loads) {
  auto type = tileType(op.getValue());
  int dim = vectorDim(type.getShape());
  auto isLine = [&](Value pointer, Type element) {
    auto shape = tileType(pointer).getShape();
    int64_t bytes = tile::getElementBytes(element);
    int line = vectorDim(shape);
    if (line < 0 || llvm::count_if(shape, [](int64_t n) { return n != 1; }) != 1) {
      return false;
    }
    Stride stride = getStride(pointer, line, shape[line]);
    return stride.kind == Stride::Known && stride.step == bytes;
  };
  Type element = type.getElementType();
  if (dim < 0 || !isLine(op.getPtr(), element)) {
    return Value();
  }
  for (Operation *load : loads) {
    auto op2 = cast<tile::LoadOp>(load);
    if (tileType(op2.getResult()).getShape() != type.getShape() ||
        !isLine(op2.getPtr(), tileType(op2.getResult()).getElementType())) {
      return Value();
    }
  }
  Location loc = op.getLoc();
  openNest(loc);
  Type i64 = builder.getI64Type();
  auto address = [&](Value pointer) -> Value {
    Chunk origin;
    origin.at.assign(tileType(pointer).getRank(), Coord::get(0));
    Value value = pull(pointer, origin).value;
    nest->at(0);
    return LLVM::PtrToIntOp::create(builder, loc, i64, value);
  };
  Value to = address(op.getPtr());
  int64_t count = type.getNumElements();
  int64_t toBytes = count * tile::getElementBytes(element);
  Value all;
  for (Operation *load : loads) {
    auto op2 = cast<tile::LoadOp>(load);
    Type from = tileType(op2.getResult()).getElementType();
    Value start = address(op2.getPtr());
    nest->at(0);
    // One unsigned comparison: start - to lies in (-fromBytes, toBytes) when they meet.
    int64_t fromBytes = count * tile::getElementBytes(from);
    Value distance = arith::SubIOp::create(builder, loc, start, to);
    Value shifted = arith::AddIOp::create(builder, loc, distance, constantI64(fromBytes - 1));
    Value apart = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, shifted,
                                        constantI64(fromBytes + toBytes - 1));
    if (tile::getElementBytes(from) == tile::getElementBytes(element)) {
      Value same = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, start, to);
      apart = arith::OrIOp::create(builder, loc, apart, same);
    }
    all = all ? arith::AndIOp::create(builder, loc, all, apart).getResult() : apart;
  }
  closeNest();
  return all;
}

LogicalResult LoopFormer::emitStore(tile::StoreOp op) {
  Location loc = op.getLoc();
  if (failed(settleLoadsBefore(op))) {
    return failure();
  }
  auto type = tileType(op.getValue());
  if (!type) {
    openNest(loc);
    Chunk none;
    emitStoreChunk(op, none, {scalar(op.getValue()), 0}, Value(), nullptr);
    closeNest();
    return success();
  }
  SmallVector<Value> operands = {op.getValue()};
  if (op.getMask()) {
    operands.push_back(op.getMask());
  }
  if (failed(prepareOperands(operands, type.getShape(), op.getPtr()))) {
    return failure();
  }
  // Loads inside this store's own loops.
  llvm::SmallSetVector<Operation *, 8> loads, addressLoads;
  SmallPtrSet<Value, 16> seen, seenAddress;
  collectLoads(op.getValue(), loads, seen);
  collectLoads(op.getPtr(), addressLoads, seenAddress);
  if (op.getMask()) {
    collectLoads(op.getMask(), addressLoads, seenAddress);
  }
  SmallVector<Operation *> conflicts;
  for (Operation *load : loads) {
    if (mayAlias(cast<tile::LoadOp>(load).getPtr(), op.getPtr())) {
      conflicts.push_back(load);
    }
  }
  for (Operation *load : addressLoads) {
    if (mayAlias(cast<tile::LoadOp>(load).getPtr(), op.getPtr()) &&
        failed(keep(load->getResult(0)))) {
      return failure();
    }
  }
  llvm::erase_if(conflicts, [&](Operation *load) { return buffers.contains(load->getResult(0)); });
  if (conflicts.empty()) {
    announceWriteThrough(operands, type.getShape());
    emitStoreLoops(op, nullptr, Value(), nullptr);
    return success();
  }
  Value fits = emitOverlapTest(op, conflicts);
  Buffer spare = makeBuffer(loc, type.getShape(), type.getElementType(),
                            "the store may write what its own loads still read");
  if (!fits) {
    if (failed(keep(op.getValue(), &spare))) {
      return failure();
    }
    emitStoreLoops(op, &spare, Value(), nullptr);
    return success();
  }
  announceWriteThrough(operands, type.getShape());
  emitStoreLoops(op, nullptr, fits, &spare);
  Value yes = constant(builder.getBoolAttr(true));
  Value clash = arith::XOrIOp::create(builder, loc, fits, yes);
  auto branch = scf::IfOp::create(builder, loc, clash, /*withElseRegion=*/false);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitStoreLoops(op, &spare, Value(), nullptr);
  builder.setInsertionPointAfter(branch);
  return success();
}

} // namespace tegula::cpu
