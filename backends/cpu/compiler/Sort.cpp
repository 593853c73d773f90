//===- Sort.cpp - Stable sorts
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A merge sort from the bottom up, one line along the axis after the other. Runs
// of 1, 2, 4, ... elements are merged from one buffer to another and back; the
// first is chosen so that the last merge ends in the result. All of it is three
// loops whatever the size: over passes, over pairs of runs, over elements.
//
//===----------------------------------------------------------------------===//

#include "LoopFormer.h"
#include "LoopFormerInlines.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::cpu {

/// Whether key `a` must come before key `b`.
static Value comesBefore(OpBuilder &b, Location loc, tile::SortOp op, Value lhs, Value rhs) {
  if (op.getOrder() == tile::SortOrder::Descending) {
    std::swap(lhs, rhs);
  }
  if (!isa<FloatType>(lhs.getType())) {
    bool isSigned = op.getSignedness() == tile::Signedness::Signed && !lhs.getType().isInteger(1);
    return arith::CmpIOp::create(
        b, loc, isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult, lhs, rhs);
  }
  // Less or one of them NaN; then it is the right one.
  Value less = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ULT, lhs, rhs);
  Value number = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, lhs, lhs);
  return arith::AndIOp::create(b, loc, less, number);
}

namespace {
/// The lines of all operands in one of the two places.
struct Line {
  SmallVector<Value> pointers;
};

/// Builds the loops over passes, pairs and elements for one line.
class MergeSort {
public:
  MergeSort(OpBuilder &b, tile::SortOp op, ArrayRef<Type> elements, int64_t length)
      : b(b), loc(op.getLoc()), op(op), elements(elements), length(length) {}

  void run(int64_t passes, const Line &even, const Line &odd) {
    auto loop = scf::ForOp::create(b, loc, number(0), number(passes), number(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    Value pass = loop.getInductionVar();
    Value width = arith::ShLIOp::create(b, loc, number(1), pass);
    Value bit = arith::AndIOp::create(b, loc, pass, number(1));
    Value isEven = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bit, number(0));
    SmallVector<Value> from, to;
    for (auto [first, second] : llvm::zip(even.pointers, odd.pointers)) {
      from.push_back(arith::SelectOp::create(b, loc, isEven, first, second));
      to.push_back(arith::SelectOp::create(b, loc, isEven, second, first));
    }
    Value both = arith::ShLIOp::create(b, loc, width, number(1));
    auto pairs = scf::ForOp::create(b, loc, number(0), number(length), both);
    b.setInsertionPoint(pairs.getBody()->getTerminator());
    Value first = pairs.getInductionVar();
    Value middle = clamp(add(first, width)), end = clamp(add(first, both));
    merge(from, to, first, middle, end);
  }

private:
  Value number(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  Value add(Value lhs, Value rhs) { return arith::AddIOp::create(b, loc, lhs, rhs); }
  Value clamp(Value place) { return arith::MinSIOp::create(b, loc, place, number(length)); }
  Value less(Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, lhs, rhs);
  }
  Value pointerAt(Value base, Type element, Value place) {
    return LLVM::GEPOp::create(b, loc, base.getType(), element, base,
                               ArrayRef<LLVM::GEPArg>{place});
  }
  Value load(Value base, Type element, Value place) {
    return LLVM::LoadOp::create(b, loc, element, pointerAt(base, element, place),
                                elementBytes(element));
  }
  Value key(Value base, Value place) {
    Value value = load(base, elements[0], place);
    return isFlag() ? arith::TruncIOp::create(b, loc, b.getI1Type(), value).getResult() : value;
  }
  bool isFlag() { return getElementTypeOrSelf(op.getOperands()[0].getType()).isInteger(1); }

  /// Runs [first, middle) and [middle, end). Of equal keys the left comes first. No
  /// branch depends on the data; a run that is used up is read at its last element,
  /// or next to it, and not taken.
  void merge(ArrayRef<Value> from, ArrayRef<Value> to, Value first, Value middle, Value end) {
    Value lastLeft = add(middle, number(-1)), lastRight = add(end, number(-1));
    auto loop = scf::ForOp::create(b, loc, first, end, number(1), ValueRange{first, middle});
    OpBuilder::InsertionGuard guard(b);
    Block *body = loop.getBody();
    b.setInsertionPointToEnd(body);
    Value left = loop.getRegionIterArg(0), right = loop.getRegionIterArg(1);
    Value readLeft = arith::MinSIOp::create(b, loc, left, lastLeft);
    Value readRight = arith::MinSIOp::create(b, loc, right, lastRight);
    Value a = key(from[0], readLeft), c = key(from[0], readRight);
    Value rightFirst = comesBefore(b, loc, op, c, a);
    Value hasLeft = less(left, middle), hasRight = less(right, end);
    Value noLeft = arith::XOrIOp::create(b, loc, hasLeft,
                                         arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
    Value either = arith::OrIOp::create(b, loc, noLeft, rightFirst);
    Value takeRight = arith::AndIOp::create(b, loc, hasRight, either);
    Value source = arith::SelectOp::create(b, loc, takeRight, right, left);
    for (auto [element, in, out] : llvm::zip(elements, from, to)) {
      Value moved = load(in, element, source);
      LLVM::StoreOp::create(b, loc, moved, pointerAt(out, element, loop.getInductionVar()),
                            elementBytes(element));
    }
    Value one = arith::ExtUIOp::create(b, loc, b.getI64Type(), takeRight);
    Value nextRight = add(right, one);
    Value nextLeft = add(left, arith::SubIOp::create(b, loc, number(1), one));
    scf::YieldOp::create(b, loc, ValueRange{nextLeft, nextRight});
  }

  OpBuilder &b;
  Location loc;
  tile::SortOp op;
  ArrayRef<Type> elements;
  int64_t length;
};
} // namespace

LogicalResult LoopFormer::emitSort(tile::SortOp op) {
  Location loc = op.getLoc();
  ArrayRef<int64_t> shape = tileType(op.getOperands()[0]).getShape();
  int axis = op.getAxis();
  int64_t length = shape[axis], passes = llvm::Log2_64_Ceil(length);
  // Where the axis is the inner dimension, lines of the result are merged into.
  bool inner = vectorDim(shape) == axis || length == 1;
  SmallVector<Buffer> outs, firsts, seconds;
  SmallVector<Type> elements;
  for (Value result : op.getResults()) {
    Type element = tileType(result).getElementType();
    elements.push_back(memoryElement(element));
    outs.push_back(makeBuffer(loc, shape, element));
    firsts.push_back(inner ? outs.back() : makeBuffer(loc, {length}, element));
    seconds.push_back(passes > 0 ? makeBuffer(loc, {length}, element) : firsts.back());
  }
  if (failed(prepare(op.getOperands(), shape))) {
    return failure();
  }
  unsigned lanes = inner && length > 1 ? lanesFor(op.getOperands(), length) : 1;
  openNest(loc);
  Chunk row;
  row.at.assign(shape.size(), Coord::get(0));
  for (int d = 0; d < int(shape.size()); ++d) {
    if (d != axis && shape[d] > 1) {
      row.at[d] = nest->loop(0, shape[d], 1);
    }
  }
  unsigned depth = nest->depth();
  auto leaveTo = [&] {
    while (nest->depth() > depth) {
      nest->leave();
    }
  };
  auto lineOf = [&](const Buffer &buffer, const Chunk &chunk) {
    Chunk line = chunk.scalar();
    if (buffer.shape.size() != shape.size()) {
      line.at = {chunk.at[axis]};
    }
    return line;
  };
  // An odd number of passes starts in the second place.
  ArrayRef<Buffer> start = passes % 2 ? seconds : firsts;
  ArrayRef<Buffer> other = passes % 2 ? firsts : seconds;
  Chunk chunk = row;
  chunk.at[axis] = nest->loop(0, length, lanes);
  if (lanes > 1) {
    chunk.dim = axis;
    chunk.lanes = lanes;
  }
  for (auto [operand, buffer] : llvm::zip(op.getOperands(), start)) {
    Pulled value = pull(operand, chunk);
    storeBuffer(loc, buffer, lineOf(buffer, chunk), value);
  }
  leaveTo();
  if (passes > 0) {
    auto pointersTo = [&](ArrayRef<Buffer> lines) {
      Line result;
      for (auto [buffer, element] : llvm::zip(lines, elements)) {
        Coord index = linearise(loc, lineOf(buffer, row), buffer.shape);
        result.pointers.push_back(elementPointer(loc, {buffer.pointer, 0}, index, element).value);
      }
      return result;
    };
    Line even = pointersTo(start), odd = pointersTo(other);
    nest->at(depth);
    MergeSort(builder, op, elements, length).run(passes, even, odd);
  }
  if (!inner) {
    Chunk place = row;
    place.at[axis] = nest->loop(0, length, 1);
    for (auto [from, to] : llvm::zip(firsts, outs)) {
      storeBuffer(loc, to, place, loadBuffer(loc, from, lineOf(from, place)));
    }
    leaveTo();
  }
  closeNest();
  for (auto [result, buffer] : llvm::zip(op.getResults(), outs)) {
    buffers[result] = buffer;
  }
  return success();
}

} // namespace tegula::cpu
