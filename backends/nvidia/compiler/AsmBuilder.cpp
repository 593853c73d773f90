//===- AsmBuilder.cpp - Inline PTX and the bits of values
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

using namespace mlir;

namespace tegula::nvidia {

unsigned getBits(Type type) {
  Type element = getElementTypeOrSelf(type);
  const unsigned bits = isa<LLVM::LLVMPointerType>(element) ? 64 : element.getIntOrFloatBitWidth();
  auto vector = dyn_cast<VectorType>(type);
  return vector ? bits * vector.getNumElements() : bits;
}

Value AsmBuilder::i32(int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                  builder.getI32IntegerAttr(int32_t(value)));
}

Value AsmBuilder::i64(int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                  builder.getI64IntegerAttr(value));
}

Value AsmBuilder::zero(Type type) { return LLVM::ZeroOp::create(builder, loc, type); }

SmallVector<Value> AsmBuilder::call(StringRef text, StringRef constraints, ArrayRef<Value> operands,
                                    ArrayRef<Type> results, bool hasEffects) {
  MLIRContext *context = builder.getContext();
  SmallVector<Type> types;
  if (results.size() == 1) {
    types.push_back(results.front());
  } else if (results.size() > 1) {
    types.push_back(LLVM::LLVMStructType::getLiteral(context, results));
  }
  auto op = LLVM::InlineAsmOp::create(
      builder, loc, types, operands, text, constraints, hasEffects, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(context, LLVM::AsmDialect::AD_ATT), ArrayAttr());
  SmallVector<Value> values;
  if (results.size() == 1) {
    values.push_back(op.getRes());
  }
  for (size_t i = 0; results.size() > 1 && i < results.size(); ++i) {
    values.push_back(
        LLVM::ExtractValueOp::create(builder, loc, op.getRes(), ArrayRef<int64_t>{int64_t(i)}));
  }
  return values;
}

/// Pointers as integers, since bits of pointers cannot be taken otherwise.
static Value withoutPointers(AsmBuilder &b, Value value) {
  if (!isa<LLVM::LLVMPointerType>(getElementTypeOrSelf(value.getType()))) {
    return value;
  }
  Type type = b.builder.getI64Type();
  if (auto vector = dyn_cast<VectorType>(value.getType())) {
    type = VectorType::get(vector.getShape(), type);
  }
  return LLVM::PtrToIntOp::create(b.builder, b.loc, type, value);
}

static Value withPointers(AsmBuilder &b, Value value, Type type) {
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

static Value cast(AsmBuilder &b, Type type, Value value) {
  return value.getType() == type ? value : LLVM::BitcastOp::create(b.builder, b.loc, type, value);
}

Value AsmBuilder::toInteger(Value value) {
  value = withoutPointers(*this, value);
  return cast(*this, builder.getIntegerType(getBits(value.getType())), value);
}

Value AsmBuilder::fromInteger(Value bits, Type type) {
  return withPointers(*this, cast(*this, withoutPointers(type), bits), type);
}

SmallVector<Value> AsmBuilder::toWords(Value value) {
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

Value AsmBuilder::fromWords(ArrayRef<Value> words, Type type) {
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

} // namespace tegula::nvidia
