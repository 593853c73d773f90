//===- Memory.cpp - Addresses, loads and stores by threads ----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread accesses the elements in its registers, as many at once as tilegpu-plan-accesses
// says. All copies of an element are read, the first one alone writes.
//
//===----------------------------------------------------------------------===//

#include "Combiner.h"
#include "HandOver.h"
#include "StoreInOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tegula/TileGPU/Analysis/Access.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

namespace {
struct AddPtrPattern : ThreadPattern<tile::AddPtrOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::AddPtrOp op, OpAdaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    auto pointer = cast<tile::PtrType>(getElementTypeOrSelf(op.getPtr().getType()));
    Value offset = in.getOffset();
    Type wide = rewriter.getI64Type();
    if (auto vector = dyn_cast<VectorType>(offset.getType())) {
      wide = VectorType::get(vector.getShape(), wide);
    }
    if (offset.getType() != wide) {
      offset = arith::ExtSIOp::create(rewriter, op.getLoc(), wide, offset);
    }
    // Indices of i8 wrap as the sum does; those of larger elements are multiplied alike.
    Type unit = rewriter.getIntegerType(8 * tile::getElementBytes(pointer.getPointeeType()));
    rewriter.replaceOpWithNewOp<LLVM::GEPOp>(op, in.getPtr().getType(), unit, in.getPtr(),
                                             ArrayRef<LLVM::GEPArg>{offset});
    return success();
  }
};

template <typename OpTy, typename LLVMOp> struct CastPattern : ThreadPattern<OpTy> {
  using ThreadPattern<OpTy>::ThreadPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = this->getTypeConverter()->convertType(op.getResult().getType());
    rewriter.replaceOpWithNewOp<LLVMOp>(op, type, in.getSource());
    return success();
  }
};

struct PtrCastPattern : ThreadPattern<tile::PtrCastOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::PtrCastOp op, OpAdaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, in.getSource());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// The type with i1 as the byte that it is in memory.
Type inMemory(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!element.isInteger(1)) {
    return type;
  }
  Type byte = IntegerType::get(type.getContext(), 8);
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(VectorType::get(vector.getShape(), byte)) : byte;
}

struct LoadPattern : ThreadPattern<tile::LoadOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::LoadOp op, OpAdaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder thread(rewriter, op.getLoc(), machine);
    const bool mustHandOver = op.getIsVolatile() && !op.use_empty();
    if (!isa<RankedTensorType>(op.getPtr().getType())) {
      Value mask = in.getMask();
      if (op.getIsVolatile()) {
        mask = andMasks(thread, mask, whoActs(thread, op));
      }
      Value result = load(op, thread, in.getPtr(), mask, in.getMask() ? in.getOther() : Value(),
                          in.getPtr().getType(), op.getResult().getType(), /*width=*/1);
      if (mustHandOver && !isOfEachThread(op)) {
        result = handOverScalar(thread, result, scratchOf(op));
      }
      rewriter.replaceOp(op, result);
      return success();
    }
    const Layout layout = layoutOf(op.getPtr());
    const Access access = getAccess(op);
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getResult().getType()));
    const bool hasCopies = hasLaneCopies(layout) || hasWarpCopies(layout);
    Value act = op.getIsVolatile() && hasCopies ? thread.isFirstCopy(layout) : Value();

    const SmallVector<Value> pointers = thread.unpack(in.getPtr());
    const SmallVector<Value> masks =
        in.getMask() ? thread.unpack(in.getMask()) : SmallVector<Value>();
    SmallVector<Value> results(pointers.size());
    for (ArrayRef<int64_t> group : groupRegisters(layout, access.dim, access.width)) {
      Value mask = andMasks(thread, masks.empty() ? Value() : masks[group[0]], act);
      Value other = in.getOther() ? thread.pick(in.getOther(), group) : Value();
      Type one = VectorType::get({int64_t(group.size())}, type.getElementType());
      Value loaded = load(op, thread, pointers[group[0]], mask, other, pointers[0].getType(), one,
                          access.width);
      for (auto [index, element] : llvm::zip_equal(group, thread.unpack(loaded))) {
        results[index] = element;
      }
    }
    Value result = thread.pack(results);
    if (mustHandOver && hasCopies) {
      result = handOverTile(thread, result, layout, scratchOf(op));
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// One access; i1 comes as a byte and is asked whether it is 0. Vectors of one element
  /// are accessed as scalars.
  static Value load(tile::LoadOp op, ThreadBuilder &thread, Value pointer, Value mask, Value other,
                    Type pointerType, Type type, unsigned width) {
    const Type element = getElementTypeOrSelf(type);
    const bool isVector = isa<VectorType>(type);
    Type access = width == 1 ? element : type;
    if (auto ptr = dyn_cast<tile::PtrType>(access)) {
      access = LLVM::LLVMPointerType::get(ptr.getContext(), ptr.getAddressSpace());
    }
    Type memory = inMemory(access);
    if (other && width == 1 && isVector) {
      other = thread.unpack(other)[0];
    }
    if (other && other.getType() != memory) {
      other = arith::ExtUIOp::create(thread.builder, thread.loc, memory, other);
    }
    Value loaded = ThreadLoadOp::create(thread.builder, thread.loc, memory, pointer, mask,
                                        mask ? other : Value(), getAccess(op).alignment,
                                        op.getCache(), op.getEvict(), op.getIsVolatile());
    if (memory != access) {
      loaded = arith::CmpIOp::create(thread.builder, thread.loc, arith::CmpIPredicate::ne, loaded,
                                     thread.zero(memory));
    }
    return isVector && width == 1 ? thread.pack(loaded) : loaded;
  }
};

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

struct StorePattern : ThreadPattern<tile::StoreOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::StoreOp op, OpAdaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder thread(rewriter, op.getLoc(), machine);
    Value value = in.getValue();
    if (Type memory = inMemory(value.getType()); memory != value.getType()) {
      value = arith::ExtUIOp::create(rewriter, op.getLoc(), memory, value);
    }
    if (!isa<RankedTensorType>(op.getPtr().getType())) {
      Value mask = andMasks(thread, in.getMask(), whoActs(thread, op));
      ThreadStoreOp::create(rewriter, op.getLoc(), in.getPtr(), value, mask,
                            getAccess(op).alignment, op.getCache(), op.getEvict());
      rewriter.eraseOp(op);
      return success();
    }
    TileStore store{op, layoutOf(op.getPtr()), in.getPtr(), value, in.getMask()};
    switch (getStoreOrder(op)) {
    case StoreOrder::Distinct:
      storeAll(thread, store);
      break;
    case StoreOrder::InOrder:
      storeInOrder(thread, store);
      break;
    case StoreOrder::Checked:
      storeChecked(thread, store, scratchOf(op));
      break;
    }
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tegula::tilegpu::addMemoryPatterns(ThreadPatterns &list) {
  list.add<AddPtrPattern, CastPattern<tile::PtrToIntOp, LLVM::PtrToIntOp>,
           CastPattern<tile::IntToPtrOp, LLVM::IntToPtrOp>, PtrCastPattern, LoadPattern,
           StorePattern>();
}
