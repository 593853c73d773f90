//===- HandOver.cpp - What one thread found, for those with copies --------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HandOver.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tegula/TileGPU/Analysis/Access.h"

using namespace mlir;
using namespace tegula::tilegpu;

Value tegula::tilegpu::andMasks(ThreadBuilder &thread, Value a, Value b) {
  if (!a || !b) {
    return a ? a : b;
  }
  return arith::AndIOp::create(thread.builder, thread.loc, a, b);
}

Value tegula::tilegpu::handOverScalar(ThreadBuilder &thread, Value value, int64_t scratch) {
  Value address = thread.sharedAddress(scratch);
  auto only = scf::IfOp::create(thread.builder, thread.loc, thread.isFirstThread());
  {
    OpBuilder::InsertionGuard guard(thread.builder);
    thread.builder.setInsertionPointToStart(only.thenBlock());
    thread.storeShared(address, value);
  }
  thread.barrier();
  return thread.loadShared(address, value.getType());
}

Value tegula::tilegpu::handOverTile(ThreadBuilder &thread, Value vector, const Layout &layout,
                                    int64_t scratch) {
  if (hasWarpCopies(layout)) {
    thread.storeRowMajor(vector, layout, scratch); // by the first copies
    thread.barrier();
    return thread.loadRowMajor(cast<VectorType>(vector.getType()).getElementType(), layout,
                               scratch);
  }
  if (!hasLaneCopies(layout)) {
    return vector;
  }
  const uint32_t free = layout.getInner().getFreeBits(Axis::Lane);
  Value first = arith::AndIOp::create(thread.builder, thread.loc, thread.laneId(),
                                      thread.i32(int64_t(thread.machine.warpSize - 1) & ~free));
  SmallVector<Value> elements;
  for (Value element : thread.unpack(vector)) {
    elements.push_back(thread.shuffleIndex(element, first));
  }
  return thread.pack(elements);
}
