//===- Scan.cpp - Scans
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// One loop along the axis carries what was combined so far. Vectors run along the
// last other dimension where that is the inner one in memory.
//
//===----------------------------------------------------------------------===//

#include "LoopFormer.h"
#include "LoopFormerInlines.h"

using namespace mlir;

namespace tegula::cpu {

/// The last dimension but `axis` that has several elements; -1: none.
static int lastOtherDim(ArrayRef<int64_t> shape, int axis) {
  for (int d = int(shape.size()) - 1; d >= 0; --d) {
    if (d != axis && shape[d] > 1) {
      return d;
    }
  }
  return -1;
}

LogicalResult LoopFormer::emitScan(tile::ScanOp op) {
  Location loc = op.getLoc();
  ArrayRef<int64_t> shape = tileType(op.getOperands()[0]).getShape();
  Block &combiner = op.getCombiner().front();
  int axis = op.getAxis(), dim = lastOtherDim(shape, axis);
  bool nested = llvm::any_of(combiner, [](Operation &inner) { return inner.getNumRegions() != 0; });
  bool inVectors = dim > axis && !nested;
  SmallVector<Buffer> outs;
  for (Value result : op.getResults()) {
    outs.push_back(makeBuffer(loc, shape, tileType(result).getElementType()));
  }
  for (Value operand : op.getOperands()) {
    if (!inVectors && isHeavy(operand) && failed(keep(operand))) {
      return failure();
    }
  }
  if (failed(prepare(op.getOperands(), shape))) {
    return failure();
  }
  unsigned lanes = inVectors ? lanesFor(op.getOperands(), shape[dim]) : 1;
  openNest(loc);
  Chunk chunk;
  chunk.at.assign(shape.size(), Coord::get(0));
  for (int d = 0; d < int(shape.size()); ++d) {
    if (d != axis && shape[d] > 1) {
      chunk.at[d] = nest->loop(0, shape[d], d == dim ? lanes : 1);
    }
  }
  if (lanes > 1) {
    chunk.dim = dim;
    chunk.lanes = lanes;
  }
  int64_t last = shape[axis] - 1;
  chunk.at[axis] = Coord::get(op.getReverse() ? last : 0);
  auto pullAll = [&](const Chunk &part) {
    SmallVector<Value> values;
    for (Value operand : op.getOperands()) {
      values.push_back(pull(operand, part).value);
    }
    return values;
  };
  auto storeAll = [&](const Chunk &part, ArrayRef<Value> values) {
    for (auto [buffer, value] : llvm::zip(outs, values)) {
      storeBuffer(loc, buffer, part, {value, nest->depth()});
    }
  };
  SmallVector<Value> values = pullAll(chunk);
  storeAll(chunk, values);
  if (last > 0) {
    Coord step;
    scf::ForOp loop = nest->carryingLoop(1, last + 1, 1, values, step);
    Chunk part = chunk;
    part.at[axis] = op.getReverse() ? addToCoord(loc, scaleCoord(loc, step, -1), last) : step;
    SmallVector<Value> next = pullAll(part);
    nest->at(nest->depth());
    SmallVector<Value> before(loop.getRegionIterArgs());
    SmallVector<Value> after = combineRegion(combiner, before, next);
    storeAll(part, after);
    builder.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(builder, loc, after);
    nest->leave();
  }
  closeNest();
  for (auto [result, buffer] : llvm::zip(op.getResults(), outs)) {
    buffers[result] = buffer;
  }
  return success();
}

} // namespace tegula::cpu
