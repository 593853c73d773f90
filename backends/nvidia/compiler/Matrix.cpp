//===- Matrix.cpp - Matrix instructions
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

using namespace mlir;

namespace tegula::nvidia {

static StringRef nameOf(Type type) {
  if (type.isInteger(8)) {
    return cast<IntegerType>(type).isUnsigned() ? "u8" : "s8";
  }
  return type.isF16()                  ? "f16"
         : type.isBF16()               ? "bf16"
         : type.isTF32()               ? "tf32"
         : type.isF32()                ? "f32"
         : type.isF64()                ? "f64"
         : isa<Float8E4M3FNType>(type) ? "e4m3"
         : isa<Float8E5M2Type>(type)   ? "e5m2"
                                       : "s32";
}

namespace {
/// Registers of one operand: a letter for constraints, and the values.
struct Operand {
  char letter = 'r';
  SmallVector<Value> values;
};
} // namespace

static Operand operandOf(AsmBuilder &b, Value vector, bool keepsFloats) {
  Type element = getElementTypeOrSelf(vector.getType());
  if (!element.isF64() && !(keepsFloats && element.isF32())) {
    return {'r', b.toWords(vector)};
  }
  Operand operand{element.isF64() ? 'd' : 'f', {}};
  for (int64_t i = 0, n = cast<VectorType>(vector.getType()).getNumElements(); i < n; ++i) {
    operand.values.push_back(LLVM::ExtractElementOp::create(b.builder, b.loc, vector, b.i32(i)));
  }
  return operand;
}

Value lowerMma(OpBuilder &builder, tilegpu::MmaOp op) {
  AsmBuilder b(builder, op.getLoc());
  tilegpu::MmaAttr mma = op.getInstruction();
  const Operand parts[] = {operandOf(b, op.getA(), false), operandOf(b, op.getB(), false),
                           operandOf(b, op.getAcc(), true)};
  std::string text = "mma.sync.aligned.m" + std::to_string(mma.getM()) + "n" +
                     std::to_string(mma.getN()) + "k" + std::to_string(mma.getK()) + ".row.col";
  for (Type type : {mma.getAcc(), mma.getA(), mma.getB(), mma.getAcc()}) {
    text += "." + nameOf(type).str();
  }
  const unsigned numResults = parts[2].values.size();
  std::string constraints;
  unsigned next = 0;
  auto group = [&](unsigned count) {
    std::string list;
    for (unsigned i = 0; i < count; ++i) {
      list += (i ? ", $" : "$") + std::to_string(next++);
    }
    return "{" + list + "}";
  };
  text += " " + group(numResults);
  SmallVector<Type> results;
  for (unsigned i = 0; i < numResults; ++i) {
    constraints += std::string(i ? "," : "") + "=" + parts[2].letter;
    results.push_back(parts[2].values[i].getType());
  }
  SmallVector<Value> operands;
  for (const Operand &part : parts) {
    text += ", " + group(part.values.size());
    llvm::append_range(operands, part.values);
    for (size_t i = 0; i < part.values.size(); ++i) {
      constraints += std::string(",") + part.letter;
    }
  }
  SmallVector<Value> values = b.call(text + ";", constraints, operands, results, false);
  auto type = cast<VectorType>(op.getType());
  if (parts[2].letter == 'r') {
    return b.fromWords(values, type);
  }
  Value vector = LLVM::PoisonOp::create(builder, b.loc, type);
  for (auto [i, value] : llvm::enumerate(values)) {
    vector = LLVM::InsertElementOp::create(builder, b.loc, vector, value, b.i32(i));
  }
  return vector;
}

Value lowerLoadMatrix(OpBuilder &builder, tilegpu::LoadMatrixOp op) {
  AsmBuilder b(builder, op.getLoc());
  const unsigned count = op.getCount();
  std::string list, constraints;
  for (unsigned i = 0; i < count; ++i) {
    list += (i ? ", $" : "$") + std::to_string(i);
    constraints += "=r,";
  }
  Value address = LLVM::PtrToIntOp::create(builder, b.loc, builder.getI32Type(), op.getPtr());
  SmallVector<Value> words = b.call(
      "ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) + (op.getTrans() ? ".trans" : "") +
          ".shared.b16 {" + list + "}, [$" + std::to_string(count) + "];",
      constraints + "r,~{memory}", {address}, SmallVector<Type>(count, builder.getI32Type()),
      /*hasEffects=*/true);
  return b.fromWords(words, op.getType());
}

} // namespace tegula::nvidia
