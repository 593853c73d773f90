//===- ThreadBuilder.cpp - What patterns write
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Places.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tegula/TileGPU/Analysis/Scratch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir;
using namespace tegula::tilegpu;

static constexpr auto kNoWrap = arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value ThreadBuilder::i32(int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(int32_t(value)));
}

Value ThreadBuilder::constant(Type type, int64_t value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attribute;
  if (isa<FloatType>(element)) {
    attribute = builder.getFloatAttr(element, double(value));
  } else if (element.isIndex()) {
    attribute = builder.getIndexAttr(value);
  } else {
    unsigned width = element.getIntOrFloatBitWidth();
    attribute =
        builder.getIntegerAttr(element, APInt(64, uint64_t(value), true).sextOrTrunc(width));
  }
  if (auto vector = dyn_cast<VectorType>(type)) {
    attribute = DenseElementsAttr::get(vector, attribute);
  }
  return arith::ConstantOp::create(builder, loc, attribute);
}

Value ThreadBuilder::zero(Type type) {
  if (isa<LLVM::LLVMPointerType>(getElementTypeOrSelf(type))) {
    return LLVM::ZeroOp::create(builder, loc, type);
  }
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

Value ThreadBuilder::threadId() {
  Value index = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), index);
}

Value ThreadBuilder::laneId() {
  return arith::AndIOp::create(builder, loc, threadId(), i32(machine.warpSize - 1));
}

Value ThreadBuilder::warpId() {
  return arith::ShRUIOp::create(builder, loc, threadId(), i32(llvm::Log2_32(machine.warpSize)));
}

Value ThreadBuilder::coordinates(const Layout &layout, unsigned dim) {
  return Places::ofDimension(layout, dim).getVector(*this);
}

Value ThreadBuilder::rowMajor(const Layout &layout) { return Places(layout).getVector(*this); }

Value ThreadBuilder::applyBits(Value index, ArrayRef<uint64_t> images) {
  // Bits that move by one distance move together: a mask and a shift. Where that takes more
  // terms than there are bits, each bit is multiplied by its image instead.
  std::map<int, uint64_t> masks; // bits of the index by distance
  unsigned numImages = 0;
  for (auto [bit, image] : llvm::enumerate(images)) {
    numImages += image != 0;
    for (uint64_t rest = image; rest != 0; rest &= rest - 1) {
      masks[llvm::countr_zero(rest) - int(bit)] |= uint64_t(1) << bit;
    }
  }
  SmallVector<std::pair<Value, uint64_t>> terms; // and the bits that they may have
  if (masks.size() <= numImages) {
    for (auto [distance, mask] : masks) {
      Value term = arith::AndIOp::create(builder, loc, index, i32(int64_t(mask)));
      uint64_t reach = distance < 0 ? mask >> -distance : mask << distance;
      if (distance > 0) {
        term = arith::ShLIOp::create(builder, loc, term, i32(distance), kNoWrap);
      } else if (distance < 0) {
        term = arith::ShRUIOp::create(builder, loc, term, i32(-distance));
      }
      terms.push_back({term, reach});
    }
  } else {
    for (auto [bit, image] : llvm::enumerate(images)) {
      if (image == 0) {
        continue;
      }
      Value shifted = arith::ShRUIOp::create(builder, loc, index, i32(int64_t(bit)));
      Value one = arith::AndIOp::create(builder, loc, shifted, i32(1));
      Value term = arith::MulIOp::create(builder, loc, one, i32(int64_t(image)), kNoWrap);
      terms.push_back({term, image});
    }
  }
  if (terms.empty()) {
    return i32(0);
  }
  auto [sum, reach] = terms.front();
  for (auto [term, bits] : ArrayRef(terms).drop_front()) {
    // Sums of what has no common bits are exclusive ors, and fold better.
    sum = (reach & bits) == 0 ? Value(arith::AddIOp::create(builder, loc, sum, term, kNoWrap))
                              : Value(arith::XOrIOp::create(builder, loc, sum, term));
    reach |= bits;
  }
  return sum;
}

Value ThreadBuilder::isFirstCopy(const Layout &layout) {
  uint32_t copies = getCopyBits(layout);
  if (copies == 0) {
    return constant(builder.getI1Type(), 1);
  }
  Value bits = arith::AndIOp::create(builder, loc, threadId(), i32(copies));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, bits, i32(0));
}

Value ThreadBuilder::isFirstThread() {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, threadId(), i32(0));
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

SmallVector<Value> ThreadBuilder::unpack(Value vector) {
  if (!isa<VectorType>(vector.getType())) {
    return {vector};
  }
  SmallVector<Value> elements;
  if (auto made = vector.getDefiningOp<vector::FromElementsOp>()) {
    llvm::append_range(elements, made.getElements());
    return elements;
  }
  for (int64_t i = 0; i < cast<VectorType>(vector.getType()).getNumElements(); ++i) {
    elements.push_back(vector::ExtractOp::create(builder, loc, vector, ArrayRef<int64_t>{i}));
  }
  return elements;
}

Value ThreadBuilder::pack(ArrayRef<Value> elements) {
  auto type = VectorType::get({int64_t(elements.size())}, elements[0].getType());
  return vector::FromElementsOp::create(builder, loc, type, elements);
}

Value ThreadBuilder::slice(Value vector, unsigned first, unsigned count) {
  if (count == cast<VectorType>(vector.getType()).getNumElements()) {
    return vector;
  }
  return vector::ExtractStridedSliceOp::create(builder, loc, vector, ArrayRef<int64_t>{first},
                                               ArrayRef<int64_t>{count}, ArrayRef<int64_t>{1});
}

Value ThreadBuilder::concat(ArrayRef<Value> vectors) {
  if (vectors.size() == 1) {
    return vectors[0];
  }
  SmallVector<Value> elements;
  for (Value vector : vectors) {
    llvm::append_range(elements, unpack(vector));
  }
  return pack(elements);
}

Value ThreadBuilder::pick(Value vector, ArrayRef<int64_t> indices) {
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  bool isSame = int64_t(indices.size()) == count;
  for (auto [i, index] : llvm::enumerate(indices)) {
    isSame &= index == int64_t(i);
  }
  if (isSame) {
    return vector;
  }
  if (llvm::all_equal(indices)) {
    Value element = vector::ExtractOp::create(builder, loc, vector, indices.take_front());
    auto type = VectorType::get({int64_t(indices.size())}, element.getType());
    return vector::BroadcastOp::create(builder, loc, type, element);
  }
  return vector::ShuffleOp::create(builder, loc, vector, vector, indices);
}

//===----------------------------------------------------------------------===//
// Other lanes
//===----------------------------------------------------------------------===//

void ThreadBuilder::barrier() { gpu::BarrierOp::create(builder, loc); }

/// Runs `exchange` on the 32-bit parts of a scalar.
static Value exchangeParts(ThreadBuilder &build, Value scalar,
                           llvm::function_ref<Value(Value)> exchange) {
  OpBuilder &builder = build.builder;
  Location loc = build.loc;
  Type type = scalar.getType();
  if (isa<LLVM::LLVMPointerType>(type)) {
    Value bits = LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), scalar);
    return LLVM::IntToPtrOp::create(builder, loc, type, exchangeParts(build, bits, exchange));
  }
  if (isa<FloatType>(type)) {
    Type bitsType = builder.getIntegerType(type.getIntOrFloatBitWidth());
    Value bits = arith::BitcastOp::create(builder, loc, bitsType, scalar);
    return arith::BitcastOp::create(builder, loc, type, exchangeParts(build, bits, exchange));
  }
  if (type.isIndex()) {
    Value bits = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), scalar);
    return arith::IndexCastOp::create(builder, loc, type, exchangeParts(build, bits, exchange));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 32) {
    return exchange(scalar);
  }
  Type word = builder.getI32Type();
  if (width < 32) {
    Value wide = arith::ExtUIOp::create(builder, loc, word, scalar);
    return arith::TruncIOp::create(builder, loc, type, exchange(wide));
  }
  unsigned wholeWidth = llvm::alignTo(width, 32);
  Type whole = builder.getIntegerType(wholeWidth);
  if (wholeWidth != width) {
    scalar = arith::ExtUIOp::create(builder, loc, whole, scalar);
  }
  Value result;
  for (unsigned at = 0; at < wholeWidth; at += 32) {
    Value part = scalar;
    if (at != 0) {
      part = arith::ShRUIOp::create(builder, loc, part, build.constant(whole, at));
    }
    part = exchange(arith::TruncIOp::create(builder, loc, word, part));
    part = arith::ExtUIOp::create(builder, loc, whole, part);
    if (at != 0) {
      part = arith::ShLIOp::create(builder, loc, part, build.constant(whole, at));
    }
    result = result ? Value(arith::OrIOp::create(builder, loc, result, part)) : part;
  }
  return wholeWidth == width ? result : Value(arith::TruncIOp::create(builder, loc, type, result));
}

Value ThreadBuilder::shuffleXor(Value scalar, unsigned mask) {
  if (mask == 0) {
    return scalar;
  }
  return exchangeParts(*this, scalar, [&](Value word) -> Value {
    return gpu::ShuffleOp::create(builder, loc, word, i32(mask), i32(machine.warpSize),
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  });
}

Value ThreadBuilder::shuffleIndex(Value scalar, Value lane) {
  return exchangeParts(*this, scalar, [&](Value word) -> Value {
    return gpu::ShuffleOp::create(builder, loc, word, lane, i32(machine.warpSize),
                                  gpu::ShuffleMode::IDX)
        .getShuffleResult();
  });
}
