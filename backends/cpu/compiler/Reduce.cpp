//===- Reduce.cpp - Reductions
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopFormer.h"
#include "LoopFormerInlines.h"

using namespace mlir;

namespace tegula::cpu {

/// Independent accumulators hide the latency of the combining operation.
static constexpr unsigned kAccumulators = 4;

/// The value that changes nothing when combined; null when there is none.
static TypedAttr identityOf(Operation *combiner, Type element) {
  OpBuilder b(combiner->getContext());
  if (auto type = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &format = type.getFloatSemantics();
    auto make = [&](APFloat value) { return cast<TypedAttr>(b.getFloatAttr(type, value)); };
    if (isa<arith::AddFOp>(combiner)) {
      return make(APFloat::getZero(format, /*Negative=*/true));
    }
    if (isa<arith::MulFOp>(combiner)) {
      return make(APFloat::getOne(format));
    }
    if (isa<arith::MaximumFOp>(combiner)) {
      return make(APFloat::getInf(format, /*Negative=*/true));
    }
    if (isa<arith::MinimumFOp>(combiner)) {
      return make(APFloat::getInf(format));
    }
    if (isa<arith::MaxNumFOp, arith::MinNumFOp>(combiner)) {
      return make(APFloat::getQNaN(format)); // the other operand wins; NaN only if all are
    }
    return TypedAttr();
  }
  unsigned bits = element.getIntOrFloatBitWidth();
  auto make = [&](APInt value) { return cast<TypedAttr>(b.getIntegerAttr(element, value)); };
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(combiner)) {
    return make(APInt::getZero(bits));
  }
  if (isa<arith::MulIOp>(combiner)) {
    return make(APInt(bits, 1));
  }
  if (isa<arith::AndIOp, arith::MinUIOp>(combiner)) {
    return make(APInt::getAllOnes(bits));
  }
  if (isa<arith::MaxSIOp>(combiner)) {
    return make(APInt::getSignedMinValue(bits));
  }
  if (isa<arith::MinSIOp>(combiner)) {
    return make(APInt::getSignedMaxValue(bits));
  }
  return TypedAttr();
}

static unsigned lanesOf(Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  return type ? type.getDimSize(0) : 1;
}

Value LoopFormer::combine(Operation *combiner, Value lhs, Value rhs) {
  // The builder is where the caller wants it; elementwise() would move it.
  IRMapping mapping;
  Operation *copy = combiner->cloneWithoutRegions(mapping);
  copy->setOperands({lhs, rhs});
  copy->getResult(0).setType(lhs.getType());
  builder.insert(copy);
  return copy->getResult(0);
}

SmallVector<Value> LoopFormer::combineRegion(Block &block, ValueRange lhs, ValueRange rhs) {
  llvm::DenseMap<Value, Value> values;
  Location loc = block.getParentOp()->getLoc();
  unsigned n = lhs.size(), lanes = lanesOf(lhs.front());
  for (unsigned i = 0; i < n; ++i) {
    values[block.getArgument(i)] = lhs[i];
    values[block.getArgument(n + i)] = rhs[i];
  }
  auto lookup = [&](Value value) -> Value {
    if (Value found = values.lookup(value)) {
      return found;
    }
    Value outside = scalar(value);
    return lanes == 1 ? outside
                      : vector::BroadcastOp::create(builder, loc,
                                                    withLanes(outside.getType(), lanes), outside)
                            .getResult();
  };
  for (Operation &inner : block.without_terminator()) {
    if (auto constantOp = dyn_cast<arith::ConstantOp>(&inner)) {
      TypedAttr value = constantOp.getValue();
      values[inner.getResult(0)] =
          lanes == 1 ? constant(value)
                     : constant(DenseElementsAttr::get(
                           VectorType::get({int64_t(lanes)}, value.getType()), Attribute(value)));
      continue;
    }
    if (inner.getNumRegions() != 0) {
      IRMapping mapping; // one lane only: supportsLanes() says so
      inner.walk([&](Operation *nested) {
        for (Value operand : nested->getOperands()) {
          if (values.contains(operand) || scalars.contains(operand)) {
            mapping.map(operand, lookup(operand));
          }
        }
      });
      Operation *copy = builder.clone(inner, mapping);
      for (auto [from, to] : llvm::zip(inner.getResults(), copy->getResults())) {
        values[from] = to;
      }
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : inner.getOperands()) {
      operands.push_back(lookup(operand));
    }
    IRMapping mapping;
    Operation *copy = inner.cloneWithoutRegions(mapping);
    copy->setOperands(operands);
    for (auto [from, to] : llvm::zip(inner.getResults(), copy->getResults())) {
      to.setType(withLanes(convertElement(to.getType()), lanes));
      values[from] = to;
    }
    builder.insert(copy);
  }
  SmallVector<Value> results;
  for (Value yielded : block.getTerminator()->getOperands()) {
    results.push_back(lookup(yielded));
  }
  return results;
}

static Chunk withoutAxis(const Chunk &chunk, int axis) {
  Chunk result = chunk;
  result.at.erase(result.at.begin() + axis);
  if (chunk.dim > axis) {
    --result.dim;
  } else if (chunk.dim == axis) {
    result.dim = -1;
    result.lanes = 1;
  }
  return result;
}

void LoopFormer::emitSimpleReduce(tile::ReduceOp op, Operation *combiner, const Buffer *out) {
  Location loc = op.getLoc();
  Value operand = op.getOperands()[0];
  auto type = tileType(operand);
  ArrayRef<int64_t> shape = type.getShape();
  Type element = type.getElementType();
  int axis = op.getAxis(), dim = vectorDim(shape);
  unsigned lanes = dim < 0 ? 1 : lanesFor(operand, shape[dim]);
  bool across = dim == axis || shape[axis] == 1; // combine lanes at the end
  TypedAttr identity = identityOf(combiner, element);

  openNest(loc);
  Chunk chunk;
  chunk.at.assign(shape.size(), Coord::get(0));
  for (int d = 0; d < int(shape.size()); ++d) {
    if (d != axis && d != dim && shape[d] > 1) {
      chunk.at[d] = nest->loop(0, shape[d], 1);
    }
  }
  if (lanes > 1) {
    chunk.dim = dim;
    chunk.lanes = lanes;
  }
  // How many chunks one trip of the inner loop takes, and along what.
  int64_t step, unroll = 1;
  int along;
  if (across) {
    step = dim == axis ? lanes : 1;
    along = axis;
  } else {
    along = dim; // neighbouring columns, each with an accumulator of its own
    step = lanes;
  }
  // A long chain per chunk hides the latency by itself, and more of them at once
  // spill registers.
  const unsigned accumulators = isHeavy(operand) ? 1 : kAccumulators;
  while (unroll < accumulators && (shape[along] / step) % (2 * unroll) == 0) {
    unroll *= 2;
  }
  if (!across && dim >= 0) {
    chunk.at[dim] = nest->loop(0, shape[dim], step * unroll);
  } else if (dim >= 0 && dim != axis) {
    chunk.at[dim] = nest->loop(0, shape[dim], lanes); // axis has one element
  }
  explainLoop(loc, "reduction", shape, element, lanes);
  Type accumulatorType = withLanes(convertElement(element), lanes);
  Value start = lanes == 1 ? constant(identity)
                           : constant(DenseElementsAttr::get(cast<VectorType>(accumulatorType),
                                                             Attribute(identity)));
  SmallVector<Value> sums(unroll, start);
  unsigned outer = nest->depth();
  int64_t trip = across ? step * unroll : 1;
  auto body = [&](const Coord &at, ArrayRef<Value> before) {
    SmallVector<Value> after;
    for (int64_t u = 0; u < unroll; ++u) {
      Chunk part = chunk;
      if (across) {
        part.at[axis] = addToCoord(loc, at, u * step);
      } else {
        part.at[axis] = at;
        part.at[dim] = addToCoord(loc, chunk.at[dim], u * step);
      }
      Value next = pull(operand, part).value;
      nest->at(nest->depth());
      after.push_back(combine(combiner, before[u], next));
    }
    return after;
  };
  if (shape[axis] > trip) {
    Coord at;
    scf::ForOp loop = nest->carryingLoop(0, shape[axis], trip, sums, at);
    SmallVector<Value> before(loop.getRegionIterArgs());
    SmallVector<Value> after = body(at, before);
    builder.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(builder, loc, after);
    nest->leave();
    sums.assign(loop.getResults().begin(), loop.getResults().end());
  } else {
    sums = body(Coord::get(0), sums);
  }
  nest->at(outer);
  if (across) {
    while (sums.size() > 1) {
      for (unsigned i = 0; i < sums.size() / 2; ++i) {
        sums[i] = combine(combiner, sums[2 * i], sums[2 * i + 1]);
      }
      sums.resize(sums.size() / 2);
    }
    if (dim == axis) {
      for (unsigned width = lanes; width > 1; width /= 2) {
        SmallVector<int64_t> low, high;
        for (unsigned i = 0; i < width / 2; ++i) {
          low.push_back(i);
          high.push_back(i + width / 2);
        }
        Value a = vector::ShuffleOp::create(builder, loc, sums[0], sums[0], low);
        Value b = vector::ShuffleOp::create(builder, loc, sums[0], sums[0], high);
        sums[0] = combine(combiner, a, b);
      }
      if (lanes > 1) {
        sums[0] = vector::ExtractOp::create(builder, loc, sums[0], ArrayRef<int64_t>{0});
      }
    }
  }
  if (!out) {
    scalars[op.getResult(0)] = sums[0];
  } else {
    for (auto [u, sum] : llvm::enumerate(sums)) {
      Chunk part = chunk;
      if (!across) {
        part.at[dim] = addToCoord(loc, chunk.at[dim], u * step);
      }
      storeBuffer(loc, *out, withoutAxis(part, axis), {sum, outer});
    }
  }
  closeNest();
}

/// Any associative combiner: element after element along the axis, in order.
void LoopFormer::emitOrderedReduce(tile::ReduceOp op, ArrayRef<Buffer> outs) {
  Location loc = op.getLoc();
  auto type = tileType(op.getOperands()[0]);
  ArrayRef<int64_t> shape = type.getShape();
  int axis = op.getAxis();
  // Vectors run along another dimension, if there is one.
  int dim = -1;
  for (int d = 0; d < int(shape.size()); ++d) {
    if (d != axis && shape[d] > 1) {
      dim = d;
    }
  }
  bool nested = llvm::any_of(op.getCombiner().front(),
                             [](Operation &inner) { return inner.getNumRegions() != 0; });
  unsigned lanes = dim < 0 || nested || dim < axis ? 1 : lanesFor(op.getOperands(), shape[dim]);
  explainLoop(loc, "reduction in order", shape, type.getElementType(), lanes,
              nested ? "its combiner holds control flow"
                     : "its combiner takes the elements of a row one after the other");
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
  unsigned outer = nest->depth();
  SmallVector<Value> values;
  for (Value operand : op.getOperands()) {
    values.push_back(pull(operand, chunk).value);
  }
  if (shape[axis] > 1) {
    Coord at;
    scf::ForOp loop = nest->carryingLoop(1, shape[axis], 1, values, at);
    Chunk part = chunk;
    part.at[axis] = at;
    SmallVector<Value> next;
    for (Value operand : op.getOperands()) {
      next.push_back(pull(operand, part).value);
    }
    nest->at(nest->depth());
    SmallVector<Value> before(loop.getRegionIterArgs());
    SmallVector<Value> after = combineRegion(op.getCombiner().front(), before, next);
    builder.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(builder, loc, after);
    nest->leave();
    values.assign(loop.getResults().begin(), loop.getResults().end());
  }
  nest->at(outer);
  for (unsigned i = 0; i < values.size(); ++i) {
    if (outs.empty()) {
      scalars[op.getResult(i)] = values[i];
    } else {
      storeBuffer(loc, outs[i], withoutAxis(chunk, axis), {values[i], outer});
    }
  }
  closeNest();
}

LogicalResult LoopFormer::emitReduce(tile::ReduceOp op) {
  auto type = tileType(op.getOperands()[0]);
  SmallVector<Buffer> outs;
  for (Value result : op.getResults()) {
    if (auto resultType = tileType(result)) {
      outs.push_back(makeBuffer(op.getLoc(), resultType.getShape(), resultType.getElementType()));
    }
  }
  if (failed(prepare(op.getOperands(), type.getShape()))) {
    return failure();
  }
  Operation *combiner = op.getSimpleCombiner();
  if (combiner && identityOf(combiner, type.getElementType())) {
    emitSimpleReduce(op, combiner, outs.empty() ? nullptr : &outs[0]);
  } else {
    emitOrderedReduce(op, outs);
  }
  for (auto [result, buffer] : llvm::zip(op.getResults(), outs)) {
    buffers[result] = buffer;
  }
  return success();
}

} // namespace tegula::cpu
