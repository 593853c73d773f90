//===- Map.cpp - Maps and histograms
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopFormer.h"
#include "LoopFormerInlines.h"

using namespace mlir;

namespace tegula::cpu {

/// The body is a block of scalars, like those of scf: the walk emits it inside a
/// loop over the kept operands.
LogicalResult LoopFormer::emitMap(tile::MapOp op) {
  Location loc = op.getLoc();
  auto type = tileType(op.getOperands()[0]);
  int64_t pack = op.getPack(), count = type.getNumElements();
  SmallVector<Buffer> outs;
  for (Value result : op.getResults()) {
    outs.push_back(makeBuffer(loc, type.getShape(), tileType(result).getElementType()));
  }
  if (failed(captureTiles(op))) {
    return failure();
  }
  for (Value operand : op.getOperands()) {
    if (failed(keep(operand))) {
      return failure();
    }
  }
  auto flat = [&](Buffer buffer) {
    buffer.shape = {count};
    return buffer;
  };
  Value first = constantI64(0), end = constantI64(count), step = constantI64(pack);
  auto loop = scf::ForOp::create(builder, loc, first, end, step);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  auto placeOf = [&](int64_t lane) {
    Chunk chunk;
    chunk.at.push_back(addToCoord(loc, {loop.getInductionVar(), 0, 0}, lane));
    return chunk;
  };
  Block &body = op.getBody().front();
  openNest(loc);
  for (auto [index, argument] : llvm::enumerate(body.getArguments())) {
    Buffer from = flat(buffers[op.getOperands()[index / pack]]);
    scalars[argument] = loadBuffer(loc, from, placeOf(index % pack)).value;
  }
  closeNest();
  auto before = buffers;
  if (failed(emitBlock(body))) {
    return failure();
  }
  openNest(loc);
  for (auto [index, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    storeBuffer(loc, flat(outs[index / pack]), placeOf(index % pack), {scalar(value), 0});
  }
  closeNest();
  buffers = before;
  builder.setInsertionPointAfter(loop);
  current = op;
  for (auto [result, buffer] : llvm::zip(op.getResults(), outs)) {
    buffers[result] = buffer;
  }
  return success();
}

LogicalResult LoopFormer::emitHistogram(tile::HistogramOp op) {
  Location loc = op.getLoc();
  auto type = tileType(op.getResult());
  int64_t bins = type.getNumElements();
  Buffer out = makeBuffer(loc, type.getShape(), type.getElementType());
  SmallVector<Value> operands(op->getOperands());
  for (Value operand : operands) {
    if (isHeavy(operand) && failed(keep(operand))) {
      return failure();
    }
  }
  ArrayRef<int64_t> shape = tileType(op.getSource()).getShape();
  if (failed(prepareOperands(operands, shape, {}))) {
    return failure();
  }
  unsigned lanes = lanesForBits(32, 32, bins);
  forEachChunk(loc, type.getShape(), lanes, [&](const Chunk &chunk) {
    storeBuffer(loc, out, chunk, {zero(type.getElementType(), lanes), 0});
  });
  announceWriteThrough(operands, shape);
  forEachChunk(loc, shape, 1, [&](const Chunk &chunk) {
    bool unmasked;
    Value on = pullMask(op.getMask(), chunk, unmasked).value;
    Value number = pull(op.getSource(), chunk).value;
    nest->at(nest->depth());
    Type i64 = builder.getI64Type();
    if (number.getType().isInteger(1)) {
      number = arith::ExtUIOp::create(builder, loc, i64, number);
    } else if (number.getType() != i64) {
      number = arith::ExtSIOp::create(builder, loc, i64, number);
    }
    // Without branches: what does not count adds 0 to the first bin.
    Value counts =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, number, constantI64(bins));
    if (!unmasked) {
      counts = arith::AndIOp::create(builder, loc, counts, on);
    }
    Value bin = arith::SelectOp::create(builder, loc, counts, number, constantI64(0));
    Value more = arith::ExtUIOp::create(builder, loc, type.getElementType(), counts);
    Chunk place;
    place.at.push_back({bin, 0, nest->depth()});
    Value have = loadBuffer(loc, out, place).value;
    Value sum = arith::AddIOp::create(builder, loc, have, more);
    storeBuffer(loc, out, place, {sum, nest->depth()});
  });
  buffers[op.getResult()] = out;
  return success();
}

} // namespace tegula::cpu
