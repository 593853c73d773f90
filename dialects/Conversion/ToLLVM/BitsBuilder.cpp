//===- BitsBuilder.cpp - The bits of values -------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tegula/Conversion/Threads.h"

using namespace mlir;

namespace tegula::conversion {

unsigned getBits(Type type) {
  Type element = getElementTypeOrSelf(type);
  const unsigned bits = isa<LLVM::LLVMPointerType>(element) ? 64 : element.getIntOrFloatBitWidth();
  auto vector = dyn_cast<VectorType>(type);
  return vector ? bits * vector.getNumElements() : bits;
}

Value BitsBuilder::i32(int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                  builder.getI32IntegerAttr(int32_t(value)));
}

Value BitsBuilder::i64(int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                  builder.getI64IntegerAttr(value));
}

Value BitsBuilder::zero(Type type) { return LLVM::ZeroOp::create(builder, loc, type); }

/// Pointers as integers, since bits of pointers cannot be taken otherwise.
static Value withoutPointers(BitsBuilder &b, Value value) {
  if (!isa<LLVM::LLVMPointerType>(getElementTypeOrSelf(value.getType()))) {
    return value;
  }
  Type type = b.builder.getI64Type();
  if (auto vector = dyn_cast<VectorType>(value.getType())) {
    type = VectorType::get(vector.getShape(), type);
  }
  return LLVM::PtrToIntOp::create(b.builder, b.loc, type, value);
}

static Value withPointers(BitsBuilder &b, Value value, Type type) {
  if (!isa<LLVM::LLVMPointerType>(getElementTypeOrSelf(type))) {
    return value;
  }
  return LLVM::IntToPtrOp::create(b.builder, b.loc, type, value);
}

static Type withoutPointers(Type type) {
  if (!isa<LLVM::LLVMPointerType>(getElementTypeOrSelf(type))) {
    return type;
  }
  Type i64 = IntegerType::get(type.getContext(), 64);
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(VectorType::get(vector.getShape(), i64)) : i64;
}

static Value cast(BitsBuilder &b, Type type, Value value) {
  return value.getType() == type ? value : LLVM::BitcastOp::create(b.builder, b.loc, type, value);
}

Value BitsBuilder::toInteger(Value value) {
  value = withoutPointers(*this, value);
  return cast(*this, builder.getIntegerType(getBits(value.getType())), value);
}

Value BitsBuilder::fromInteger(Value bits, Type type) {
  return withPointers(*this, cast(*this, withoutPointers(type), bits), type);
}

SmallVector<Value> BitsBuilder::toWords(Value value) {
  value = withoutPointers(*this, value);
  const unsigned count = getBits(value.getType()) / 32;
  Type i32Type = builder.getI32Type();
  if (count == 1) {
    return {cast(*this, i32Type, value)};
  }
  Value words = cast(*this, VectorType::get(count, i32Type), value);
  SmallVector<Value> list;
  for (unsigned i = 0; i < count; ++i) {
    list.push_back(LLVM::ExtractElementOp::create(builder, loc, words, i32(i)));
  }
  return list;
}

Value BitsBuilder::fromWords(ArrayRef<Value> words, Type type) {
  if (words.size() == 1) {
    return fromInteger(words.front(), type);
  }
  Type packed = VectorType::get(words.size(), builder.getI32Type());
  Value vector = LLVM::PoisonOp::create(builder, loc, packed);
  for (auto [i, word] : llvm::enumerate(words)) {
    vector = LLVM::InsertElementOp::create(builder, loc, vector, word, i32(i));
  }
  return withPointers(*this, cast(*this, withoutPointers(type), vector), type);
}

Value BitsBuilder::where(Value condition, Value otherwise, llvm::function_ref<Value()> then) {
  auto branch =
      scf::IfOp::create(builder, loc, otherwise.getType(), condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  Value value = then();
  scf::YieldOp::create(builder, loc, value);
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, loc, otherwise);
  return branch.getResult(0);
}

void BitsBuilder::where(Value condition, llvm::function_ref<void()> then) {
  auto branch = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  then();
}

Value BitsBuilder::extreme(Value a, Value b, bool isMax) {
  Value best = isMax ? arith::MaximumFOp::create(builder, loc, a, b).getResult()
                     : arith::MinimumFOp::create(builder, loc, a, b).getResult();
  auto isNaN = [&](Value x) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, x, x);
  };
  best = arith::SelectOp::create(builder, loc, isNaN(b), a, best);
  return arith::SelectOp::create(builder, loc, isNaN(a), b, best);
}

} // namespace tegula::conversion
