//===- ViewAccess.cpp - Pointers and masks of one access to a view -------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ViewAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tegula::tile {

Value ViewAccess::constant(int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
}

Value ViewAccess::splat(Value scalar, ArrayRef<int64_t> shape) {
  return SplatOp::create(builder, loc, RankedTensorType::get(shape, scalar.getType()), scalar);
}

Value ViewAccess::makePadding(ArrayRef<int64_t> shape) { return splat(view.padding, shape); }

Value ViewAccess::makeIndices(int64_t size) {
  return RangeOp::create(builder, loc, RankedTensorType::get({size}, builder.getI32Type()),
                         builder.getI32IntegerAttr(0), builder.getI32IntegerAttr(size));
}

Value ViewAccess::makeIndices64(int64_t size) {
  return arith::ExtSIOp::create(builder, loc, RankedTensorType::get({size}, builder.getI64Type()),
                                makeIndices(size));
}

Value ViewAccess::spread(Value line, ArrayRef<int64_t> shape, int64_t d) {
  Type element = getElementTypeOrSelf(line.getType());
  SmallVector<int64_t> partial(cast<RankedTensorType>(line.getType()).getShape());
  for (int64_t axis = 0, e = shape.size(); axis < e; ++axis) {
    if (axis != d) {
      partial.insert(partial.begin() + axis, 1);
      line = ExpandDimsOp::create(builder, loc, RankedTensorType::get(partial, element), line,
                                  builder.getI32IntegerAttr(axis));
    }
  }
  Type full = RankedTensorType::get(shape, element);
  return line.getType() == full ? line : BroadcastOp::create(builder, loc, full, line);
}

Value ViewAccess::step(Value pointers, Value line, Value stride, int64_t d) {
  auto pointerType = cast<RankedTensorType>(pointers.getType());
  Value strides = splat(stride, cast<RankedTensorType>(line.getType()).getShape());
  Value distance = arith::MulIOp::create(builder, loc, line, strides);
  return AddPtrOp::create(builder, loc, pointerType, pointers,
                          spread(distance, pointerType.getShape(), d));
}

//===----------------------------------------------------------------------===//
// One tile
//===----------------------------------------------------------------------===//

Value ViewAccess::makePointers(ValueRange offsets) {
  // What is the same for all elements is added to the base, as a scalar.
  Value start;
  for (auto [offset, stride] : llvm::zip_equal(offsets, view.strides)) {
    Value product = arith::MulIOp::create(builder, loc, offset, stride);
    start = start ? arith::AddIOp::create(builder, loc, start, product).getResult() : product;
  }
  Value base = AddPtrOp::create(builder, loc, view.base.getType(), view.base, start);
  Value pointers = splat(base, type.getShape());
  for (int64_t d = 0, e = type.getRank(); d < e; ++d) {
    if (type.getShape()[d] != 1) {
      pointers = step(pointers, makeIndices64(type.getShape()[d]), view.strides[d], d);
    }
  }
  return pointers;
}

/// Inside are `count` indices from `first` on. Both are found in i64, without overflow for any
/// offset and size, and are at most as large as the tile, so that the tile of comparisons is
/// one of i32.
Value ViewAccess::makeInside(Value offset, int64_t d) {
  int64_t length = type.getShape()[d];
  Value zero = constant(0), most = constant(length), least = constant(-length);
  Type i32 = builder.getI32Type();
  Value before = arith::MinSIOp::create(builder, loc,
                                        arith::MaxSIOp::create(builder, loc, offset, least), zero);
  Value first = arith::SubIOp::create(builder, loc, zero, before);
  Value from = arith::MaxSIOp::create(builder, loc, offset, zero);
  Value left = arith::SubIOp::create(builder, loc, view.sizes[d], from);
  Value count =
      arith::MinSIOp::create(builder, loc, arith::MaxSIOp::create(builder, loc, left, zero), most);
  first = splat(arith::TruncIOp::create(builder, loc, i32, first), {length});
  count = splat(arith::TruncIOp::create(builder, loc, i32, count), {length});
  Value relative = arith::SubIOp::create(builder, loc, makeIndices(length), first);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, relative, count);
}

Value ViewAccess::makeMask(ValueRange offsets, ArrayRef<int32_t> checked) {
  Value mask;
  for (int32_t d : checked) {
    Value inside = spread(makeInside(offsets[d], d), type.getShape(), d);
    mask = mask ? arith::AndIOp::create(builder, loc, mask, inside).getResult() : inside;
  }
  return mask;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static Value extendRows(OpBuilder &builder, Location loc, Value rows) {
  auto type = cast<RankedTensorType>(rows.getType());
  Type wide = type.clone(builder.getI64Type());
  return type == wide ? rows : arith::ExtSIOp::create(builder, loc, wide, rows);
}

Value ViewAccess::makeRowPointers(Value rows, Value column) {
  int64_t count = cast<RankedTensorType>(rows.getType()).getDimSize(0);
  int64_t width = type.getShape()[1];
  Value start = arith::MulIOp::create(builder, loc, column, view.strides[1]);
  Value base = AddPtrOp::create(builder, loc, view.base.getType(), view.base, start);
  Value pointers = splat(base, {count, width});
  pointers = step(pointers, extendRows(builder, loc, rows), view.strides[0], 0);
  return width == 1 ? pointers : step(pointers, makeIndices64(width), view.strides[1], 1);
}

Value ViewAccess::makeRowMask(Value rows, Value column) {
  int64_t count = cast<RankedTensorType>(rows.getType()).getDimSize(0);
  int64_t shape[] = {count, type.getShape()[1]};
  // Read as unsigned, negative rows are beyond every size.
  Value exists =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, extendRows(builder, loc, rows),
                            splat(view.sizes[0], {count}));
  return arith::AndIOp::create(builder, loc, spread(exists, shape, 0),
                               spread(makeInside(column, 1), shape, 1));
}

} // namespace tegula::tile
