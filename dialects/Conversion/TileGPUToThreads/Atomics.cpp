//===- Atomics.cpp - Atomic accesses by threads ---------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each element is accessed by the first thread that holds it, a scalar by the first thread
// of the program. The others get the result when somebody asks for it. What orders the
// access among those of the other threads, tilegpu-insert-barriers has put around it.
//
//===----------------------------------------------------------------------===//

#include "Combiner.h"
#include "HandOver.h"
#include "tegula/TileGPU/Analysis/Access.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

namespace {
/// One of the two ops, for one element.
Value access(ThreadBuilder &thread, tile::AtomicRMWOp op, Value pointer, ArrayRef<Value> values,
             Value mask) {
  return ThreadAtomicRMWOp::create(thread.builder, thread.loc, values[0].getType(), op.getKind(),
                                   op.getSemantic(), op.getScope(), pointer, values[0], mask);
}
Value access(ThreadBuilder &thread, tile::AtomicCASOp op, Value pointer, ArrayRef<Value> values,
             Value mask) {
  return ThreadAtomicCASOp::create(thread.builder, thread.loc, values[0].getType(),
                                   op.getSemantic(), op.getScope(), pointer, values[0], values[1],
                                   mask);
}
Value getMask(tile::AtomicRMWOp::Adaptor in) { return in.getMask(); }
Value getMask(tile::AtomicCASOp::Adaptor) { return {}; }
SmallVector<Value> getValues(tile::AtomicRMWOp::Adaptor in) { return {in.getValue()}; }
SmallVector<Value> getValues(tile::AtomicCASOp::Adaptor in) {
  return {in.getExpected(), in.getValue()};
}

template <typename OpTy> struct AtomicPattern : ThreadPattern<OpTy> {
  using ThreadPattern<OpTy>::ThreadPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder thread(rewriter, op.getLoc(), this->machine);
    Value result = isa<RankedTensorType>(op.getPtr().getType()) ? lowerTile(op, in, thread)
                                                                : lowerScalar(op, in, thread);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  Value lowerScalar(OpTy op, typename OpTy::Adaptor in, ThreadBuilder &thread) const {
    Value mask = andMasks(thread, getMask(in), whoActs(thread, op));
    Value result = access(thread, op, in.getPtr(), getValues(in), mask);
    return op->use_empty() || isOfEachThread(op)
               ? result
               : handOverScalar(thread, result, this->scratchOf(op));
  }

  Value lowerTile(OpTy op, typename OpTy::Adaptor in, ThreadBuilder &thread) const {
    const Layout layout = this->layoutOf(op.getPtr());
    const bool hasCopies = hasLaneCopies(layout) || hasWarpCopies(layout);
    Value act = hasCopies ? thread.isFirstCopy(layout) : Value();
    const SmallVector<Value> pointers = thread.unpack(in.getPtr());
    SmallVector<SmallVector<Value>> values;
    for (Value vector : getValues(in)) {
      values.push_back(thread.unpack(vector));
    }
    const SmallVector<Value> masks =
        getMask(in) ? thread.unpack(getMask(in)) : SmallVector<Value>();
    const SmallVector<unsigned> first = getFirstRegisters(layout);
    SmallVector<Value> results;
    for (unsigned i = 0, e = pointers.size(); i < e; ++i) {
      if (first[i] != i) {
        results.push_back(results[first[i]]);
        continue;
      }
      SmallVector<Value> operands;
      for (const SmallVector<Value> &vector : values) {
        operands.push_back(vector[i]);
      }
      Value mask = andMasks(thread, masks.empty() ? Value() : masks[i], act);
      results.push_back(access(thread, op, pointers[i], operands, mask));
    }
    Value result = thread.pack(results);
    return op->use_empty() ? result : handOverTile(thread, result, layout, this->scratchOf(op));
  }
};
} // namespace

void tegula::tilegpu::addAtomicPatterns(ThreadPatterns &list) {
  list.add<AtomicPattern<tile::AtomicRMWOp>, AtomicPattern<tile::AtomicCASOp>>();
}
