//===- StoreInOrder.cpp - Stores of tiles, the last element stays ---------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of elements with one address the last in row-major order stays. Threads store in no
// order, so where addresses may meet each looks afterwards: if everybody finds what they
// stored, it does not matter who came last. Otherwise all elements are stored once more, in
// order. That is slow and rare: it takes equal addresses with different values.
//
//===----------------------------------------------------------------------===//

#include "StoreInOrder.h"
#include "HandOver.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tegula/TileGPU/Analysis/Access.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

namespace {
/// One access of one thread.
struct Piece {
  Value pointer, value, mask;
};
} // namespace

/// The accesses of a store, masked so that first copies act alone.
static SmallVector<Piece> getPieces(ThreadBuilder &thread, const TileStore &store) {
  const Access access = getAccess(store.op);
  const SmallVector<Value> pointers = thread.unpack(store.pointers);
  const SmallVector<Value> masks = store.masks ? thread.unpack(store.masks) : SmallVector<Value>();
  const bool hasCopies = hasLaneCopies(store.layout) || hasWarpCopies(store.layout);
  Value act = hasCopies ? thread.isFirstCopy(store.layout) : Value();
  const SmallVector<unsigned> first = getFirstRegisters(store.layout);
  SmallVector<Piece> pieces;
  for (ArrayRef<int64_t> group : groupRegisters(store.layout, access.dim, access.width)) {
    if (first[group[0]] != group[0]) {
      continue;
    }
    Value value = group.size() == 1 ? thread.unpack(thread.pick(store.values, group))[0]
                                    : thread.pick(store.values, group);
    pieces.push_back({pointers[group[0]], value,
                      andMasks(thread, masks.empty() ? Value() : masks[group[0]], act)});
  }
  return pieces;
}

static void emit(ThreadBuilder &thread, const TileStore &store, ArrayRef<Piece> pieces) {
  tile::StoreOp op = store.op;
  for (const Piece &piece : pieces) {
    ThreadStoreOp::create(thread.builder, thread.loc, piece.pointer, piece.value, piece.mask,
                          getAccess(op).alignment, op.getCache(), op.getEvict());
  }
}

void tegula::tilegpu::storeAll(ThreadBuilder &thread, const TileStore &store) {
  emit(thread, store, getPieces(thread, store));
}

void tegula::tilegpu::storeInOrder(ThreadBuilder &thread, const TileStore &store) {
  OpBuilder &builder = thread.builder;
  const Location loc = thread.loc;
  tile::StoreOp op = store.op;
  int64_t count = 1;
  for (int64_t size : store.layout.getShape()) {
    count *= size;
  }
  const SmallVector<Value> numbers = thread.unpack(thread.rowMajor(store.layout));
  const SmallVector<Value> pointers = thread.unpack(store.pointers);
  const SmallVector<Value> values = thread.unpack(store.values);
  const SmallVector<Value> masks = store.masks ? thread.unpack(store.masks) : SmallVector<Value>();
  const bool hasCopies = hasLaneCopies(store.layout) || hasWarpCopies(store.layout);
  Value act = hasCopies ? thread.isFirstCopy(store.layout) : Value();
  const SmallVector<unsigned> first = getFirstRegisters(store.layout);

  auto loop = scf::ForOp::create(builder, loc, thread.i32(0), thread.i32(count), thread.i32(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  for (unsigned i = 0, e = pointers.size(); i < e; ++i) {
    if (first[i] != i) {
      continue;
    }
    Value turn = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, numbers[i],
                                       loop.getInductionVar());
    Value mask = andMasks(thread, andMasks(thread, masks.empty() ? Value() : masks[i], act), turn);
    Type type = values[i].getType();
    const unsigned bytes = getSharedBytes(type);
    ThreadStoreOp::create(builder, loc, pointers[i], values[i], mask, bytes, op.getCache(),
                          op.getEvict());
  }
  thread.barrier();
}

/// The bits of a number, pointer, or vector of such.
static Value getBits(ThreadBuilder &thread, Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  auto shaped = [&](Type type) -> Type {
    auto vector = dyn_cast<VectorType>(value.getType());
    return vector ? Type(VectorType::get(vector.getShape(), type)) : type;
  };
  if (isa<LLVM::LLVMPointerType>(element)) {
    return LLVM::PtrToIntOp::create(thread.builder, thread.loc, shaped(thread.builder.getI64Type()),
                                    value);
  }
  if (isa<IntegerType>(element)) {
    return value;
  }
  Type bits = shaped(thread.builder.getIntegerType(element.getIntOrFloatBitWidth()));
  return arith::BitcastOp::create(thread.builder, thread.loc, bits, value);
}

void tegula::tilegpu::storeChecked(ThreadBuilder &thread, const TileStore &store, int64_t scratch) {
  OpBuilder &builder = thread.builder;
  const Location loc = thread.loc;
  const SmallVector<Piece> pieces = getPieces(thread, store);
  emit(thread, store, pieces);
  thread.barrier();

  Value lost;
  for (const Piece &piece : pieces) {
    // Masked off, the value itself is what is found. Past caches that others do not share.
    Value found = ThreadLoadOp::create(builder, loc, piece.value.getType(), piece.pointer,
                                       piece.mask, piece.mask ? piece.value : Value(),
                                       getAccess(store.op).alignment, tile::CacheModifier::None,
                                       tile::EvictionPolicy::Normal, /*is_volatile=*/false);
    Value differs = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                          getBits(thread, found), getBits(thread, piece.value));
    SmallVector<Value> bits =
        isa<VectorType>(differs.getType()) ? thread.unpack(differs) : SmallVector<Value>{differs};
    for (Value bit : bits) {
      lost = lost ? Value(arith::OrIOp::create(builder, loc, lost, bit)) : bit;
    }
  }
  // Each warp for itself, then one word of each for all.
  Value mine = arith::ExtUIOp::create(builder, loc, builder.getI32Type(), lost);
  for (unsigned mask = 1; mask < thread.machine.warpSize; mask *= 2) {
    mine = arith::OrIOp::create(builder, loc, mine, thread.shuffleXor(mine, mask));
  }
  Value isSpeaker =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, thread.laneId(), thread.i32(0));
  auto tell = scf::IfOp::create(builder, loc, isSpeaker);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(tell.thenBlock());
    Value place = arith::MulIOp::create(builder, loc, thread.warpId(), thread.i32(4));
    thread.storeShared(thread.offsetBytes(thread.sharedAddress(scratch), place), mine);
  }
  thread.barrier();
  Value any;
  for (unsigned warp = 0; warp < thread.machine.numWarps; ++warp) {
    Value word =
        thread.loadShared(thread.sharedAddress(scratch + 4 * int64_t(warp)), builder.getI32Type());
    any = any ? Value(arith::OrIOp::create(builder, loc, any, word)) : word;
  }
  Value anyLost = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, any, thread.i32(0));
  auto again = scf::IfOp::create(builder, loc, anyLost);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(again.thenBlock());
  storeInOrder(thread, store);
}
