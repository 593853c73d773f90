//===- Rearrange.cpp - Join, cat, gather, slice, extract
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Join and cat write a buffer. Gather and slice are virtual and read one: their
// source is kept where they stand. A slice that takes whole dimensions and single
// places of others needs none.
//
//===----------------------------------------------------------------------===//

#include "LoopFormer.h"
#include "LoopFormerInlines.h"

using namespace mlir;

namespace tegula::cpu {

/// Whether coordinates stay as they are, but for constant ones.
static bool takesWholeDims(tile::SliceOp op) {
  ArrayRef<int64_t> from = tileType(op.getSource()).getShape();
  ArrayRef<int64_t> to = tileType(op.getResult()).getShape();
  for (unsigned d = 0; d < to.size(); ++d) {
    bool whole = op.getOffsets()[d] == 0 && op.getSteps()[d] == 1 && from[d] == to[d];
    if (to[d] != 1 && !whole) {
      return false;
    }
  }
  return true;
}

Value pickedSource(Operation *op) {
  if (auto gather = dyn_cast<tile::GatherOp>(op)) {
    return gather.getSource();
  }
  auto slice = dyn_cast<tile::SliceOp>(op);
  return slice && !takesWholeDims(slice) ? slice.getSource() : Value();
}

static int64_t strideOf(ArrayRef<int64_t> shape, unsigned dim) {
  int64_t stride = 1;
  for (unsigned d = dim + 1; d < shape.size(); ++d) {
    stride *= shape[d];
  }
  return stride;
}

//===----------------------------------------------------------------------===//
// Join, cat
//===----------------------------------------------------------------------===//

LogicalResult LoopFormer::emitJoin(tile::JoinOp op) {
  Location loc = op.getLoc();
  auto type = tileType(op.getResult());
  Type element = type.getElementType();
  Buffer out = makeBuffer(loc, type.getShape(), element);
  ArrayRef<int64_t> shape = type.getShape().drop_back();
  if (failed(prepare(op->getOperands(), shape))) {
    return failure();
  }
  int dim = vectorDim(shape);
  unsigned lanes = dim < 0 ? 1 : lanesFor(op->getOperands(), shape[dim]);
  // The two make vectors of twice the size.
  lanes = std::min(lanes, std::max(1u, 2 * options.vectorBits / (8 * elementBytes(element))));
  forEachChunk(loc, shape, lanes, [&](const Chunk &chunk) {
    Pulled lhs = pull(op.getLhs(), chunk), rhs = pull(op.getRhs(), chunk);
    Chunk part = chunk.scalar();
    part.at.push_back(Coord::get(0));
    if (lanes == 1) {
      storeBuffer(loc, out, part, lhs);
      part.at.back() = Coord::get(1);
      storeBuffer(loc, out, part, rhs);
      return;
    }
    SmallVector<int64_t> order;
    for (unsigned i = 0; i < lanes; ++i) {
      order.push_back(i);
      order.push_back(lanes + i);
    }
    unsigned level = std::max(lhs.level, rhs.level);
    Pulled both = at(level, [&] {
      return vector::ShuffleOp::create(builder, loc, lhs.value, rhs.value, order);
    });
    storeBuffer(loc, out, part, both);
  });
  buffers[op.getResult()] = out;
  return success();
}

LogicalResult LoopFormer::emitCat(tile::CatOp op) {
  Location loc = op.getLoc();
  auto type = tileType(op.getResult());
  Buffer out = makeBuffer(loc, type.getShape(), type.getElementType());
  int64_t offset = 0;
  for (Value operand : {op.getLhs(), op.getRhs()}) {
    ArrayRef<int64_t> shape = tileType(operand).getShape();
    if (failed(prepare(operand, shape))) {
      return failure();
    }
    int dim = vectorDim(shape);
    // A dimension of one element that becomes longer parts the elements before it.
    bool apart = dim < int(op.getAxis());
    unsigned lanes = dim < 0 || apart ? 1 : lanesFor(operand, shape[dim]);
    forEachChunk(loc, shape, lanes, [&](const Chunk &chunk) {
      Chunk part = chunk;
      part.at[op.getAxis()] = addToCoord(loc, chunk.at[op.getAxis()], offset);
      storeBuffer(loc, out, part, pull(operand, chunk));
    });
    offset += shape[op.getAxis()];
  }
  buffers[op.getResult()] = out;
  return success();
}

//===----------------------------------------------------------------------===//
// Gather, slice, extract
//===----------------------------------------------------------------------===//

Pulled LoopFormer::pullGather(tile::GatherOp op, const Chunk &chunk) {
  Location loc = op.getLoc();
  const Buffer &from = buffers.find(op.getSource())->second;
  unsigned axis = op.getAxis(), lanes = chunk.lanes, bytes = elementBytes(from.element);
  // Small floats as integers: not every processor can choose between two of them.
  Type memory = memoryElement(from.element), element = memory;
  if (isa<FloatType>(memory) && bytes == 2) {
    element = builder.getI16Type();
  }
  Type i64 = withLanes(builder.getI64Type(), lanes);
  Pulled picked = pull(op.getIndices(), chunk);
  // Where lane 0 would be with index 0, and what the lanes add to it.
  Chunk first = chunk.scalar();
  first.at[axis] = Coord::get(0);
  Pulled base = elementPointer(loc, {from.pointer, 0}, linearise(loc, first, from.shape), element);
  int64_t stride = strideOf(from.shape, axis);
  int64_t laneStride =
      chunk.isVector() && chunk.dim != int(axis) ? strideOf(from.shape, chunk.dim) : 0;
  auto splatted = [&](int64_t number) -> Value {
    return lanes == 1 ? constantI64(number)
                      : constant(DenseElementsAttr::get(cast<VectorType>(i64), APInt(64, number)));
  };
  Value extent = splatted(from.shape[axis]), scale = splatted(stride), none = splatted(0);
  Value steps = laneStride ? iota(builder.getI64Type(), lanes, laneStride) : Value();
  return at(std::max(picked.level, base.level), [&]() -> Value {
    Value index = picked.value;
    if (index.getType() != i64) {
      bool flag = getElementTypeOrSelf(index.getType()).isInteger(1);
      index = flag ? arith::ExtUIOp::create(builder, loc, i64, index).getResult()
                   : arith::ExtSIOp::create(builder, loc, i64, index).getResult();
    }
    Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, index, extent);
    // Not outside of the buffer even where nothing is read.
    Value offset = arith::SelectOp::create(builder, loc, fits, index, none);
    if (stride != 1) {
      offset = arith::MulIOp::create(builder, loc, offset, scale);
    }
    if (steps) {
      offset = arith::AddIOp::create(builder, loc, offset, steps);
    }
    Value pointers = LLVM::GEPOp::create(builder, loc, withLanes(base.value.getType(), lanes),
                                         element, base.value, ArrayRef<LLVM::GEPArg>{offset});
    Value loaded;
    if (lanes == 1) {
      loaded = LLVM::LoadOp::create(builder, loc, element, pointers, bytes);
      loaded = arith::SelectOp::create(builder, loc, fits, loaded, zero(element, 1));
    } else {
      loaded = LLVM::masked_gather::create(builder, loc, withLanes(element, lanes), pointers, fits,
                                           ValueRange{zero(element, lanes)},
                                           builder.getI32IntegerAttr(bytes));
    }
    if (element != memory) {
      loaded = arith::BitcastOp::create(builder, loc, withLanes(memory, lanes), loaded);
    }
    return fromMemory(loc, loaded, from.element);
  });
}

Pulled LoopFormer::pullSlice(tile::SliceOp op, const Chunk &chunk) {
  Location loc = op.getLoc();
  Chunk from = chunk;
  for (unsigned d = 0; d < from.at.size(); ++d) {
    Coord scaled = scaleCoord(loc, chunk.at[d], op.getSteps()[d]);
    from.at[d] = addToCoord(loc, scaled, op.getOffsets()[d]);
  }
  if (!pickedSource(op)) {
    return pull(op.getSource(), from);
  }
  const Buffer &buffer = buffers.find(op.getSource())->second;
  unsigned lanes = chunk.lanes;
  int64_t stride = lanes == 1 ? 1 : strideOf(buffer.shape, chunk.dim) * op.getSteps()[chunk.dim];
  Coord index = linearise(loc, from, buffer.shape);
  if (lanes == 1 || stride != -1) {
    return loadStrided(loc, buffer, index, stride, lanes);
  }
  // Backwards: one load that ends with the first lane.
  Pulled forwards = loadStrided(loc, buffer, addToCoord(loc, index, 1 - int64_t(lanes)), 1, lanes);
  SmallVector<int64_t> order;
  for (unsigned i = lanes; i > 0; --i) {
    order.push_back(i - 1);
  }
  return at(forwards.level, [&] {
    return vector::ShuffleOp::create(builder, loc, forwards.value, forwards.value, order);
  });
}

LogicalResult LoopFormer::emitExtract(tile::ExtractOp op) {
  Location loc = op.getLoc();
  auto type = tileType(op.getSource());
  if (failed(prepare({}, type.getShape(), op.getSource()))) {
    return failure();
  }
  openNest(loc);
  nest->at(0);
  Value inside;
  Chunk chunk;
  for (auto [index, extent] : llvm::zip(op.getIndices(), type.getShape())) {
    APInt number;
    if (matchPattern(index, m_ConstantInt(&number)) && number.ult(extent)) {
      chunk.at.push_back(Coord::get(number.getSExtValue()));
      continue;
    }
    Value place = scalar(index);
    Value fits =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, place, constantI64(extent));
    place = arith::SelectOp::create(builder, loc, fits, place, constantI64(0));
    chunk.at.push_back({place, 0, 0});
    inside = inside ? arith::AndIOp::create(builder, loc, inside, fits).getResult() : fits;
  }
  Value found = pull(op.getSource(), chunk).value;
  nest->at(0);
  if (inside) {
    // In bits: not every processor can choose between two small floats.
    Type element = found.getType(), bits = element;
    if (auto type = dyn_cast<FloatType>(element)) {
      bits = builder.getIntegerType(type.getWidth());
      found = arith::BitcastOp::create(builder, loc, bits, found);
    }
    found = arith::SelectOp::create(builder, loc, inside, found, zero(bits, 1));
    if (bits != element) {
      found = arith::BitcastOp::create(builder, loc, element, found);
    }
  }
  scalars[op.getResult()] = found;
  closeNest();
  return success();
}

} // namespace tegula::cpu
