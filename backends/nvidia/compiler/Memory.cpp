//===- Memory.cpp - Accesses of global memory
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A plain access is LLVM's, which can move it; one with a mask or a hint is one
// predicated instruction, whose result holds the other value before.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

using namespace mlir;

namespace tegula::nvidia {

using tile::CacheModifier;
using tile::EvictionPolicy;

/// ".global", ".cg" and the like; empty where nothing is to be said.
static StringRef spaceOf(Value pointer) {
  switch (cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace()) {
  case 1:
    return ".global";
  case 3:
    return ".shared";
  default:
    return "";
  }
}

static StringRef hintOf(CacheModifier cache, EvictionPolicy evict, bool isStore) {
  switch (cache) {
  case CacheModifier::CA:
    return isStore ? "" : ".ca";
  case CacheModifier::CG:
    return ".cg";
  case CacheModifier::CS:
    return ".cs";
  case CacheModifier::CV:
    return isStore ? "" : ".cv";
  case CacheModifier::WB:
    return isStore ? ".wb" : "";
  case CacheModifier::WT:
    return isStore ? ".wt" : "";
  case CacheModifier::None:
    break;
  }
  return evict == EvictionPolicy::EvictFirst  ? ".L1::evict_first"
         : evict == EvictionPolicy::EvictLast ? ".L1::evict_last"
                                              : "";
}

namespace {
/// How the bytes of one access are written: `count` instructions of `lanes` values each.
struct Shape {
  unsigned bits = 0;  ///< of a value: 8, 16 or 32
  unsigned lanes = 1; ///< values of one instruction
  unsigned count = 1;
};
} // namespace

/// Nullopt: the alignment is less than any instruction for these bytes wants.
static std::optional<Shape> shapeOf(Type type, unsigned alignment) {
  const unsigned bytes = getBits(type) / 8;
  if (bytes < 4) {
    return alignment >= bytes ? std::optional(Shape{bytes * 8, 1, 1}) : std::nullopt;
  }
  const unsigned unit = std::min({bytes, alignment, 16u});
  if (unit < 4) {
    return std::nullopt;
  }
  return Shape{32, unit / 4, bytes / unit};
}

static std::string typeOf(const Shape &shape) {
  return (shape.lanes > 1 ? ".v" + std::to_string(shape.lanes) : "") + ".b" +
         std::to_string(shape.bits);
}

/// "{$4, $5}" or "$4".
static std::string registers(unsigned first, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    text += (i ? ", $" : "$") + std::to_string(first + i);
  }
  return count > 1 ? "{" + text + "}" : text;
}

static std::string address(unsigned operand, unsigned offset) {
  return "[$" + std::to_string(operand) + (offset ? " + " + std::to_string(offset) : "") + "]";
}

/// Words of registers that instructions take: those below 32 bits are 16 wide.
static SmallVector<Value> toRegisters(AsmBuilder &b, Value value, const Shape &shape) {
  if (shape.bits == 32) {
    return b.toWords(value);
  }
  Value bits = b.toInteger(value);
  if (shape.bits == 8) {
    bits = LLVM::ZExtOp::create(b.builder, b.loc, b.builder.getI16Type(), bits);
  }
  return {bits};
}

static Value fromRegisters(AsmBuilder &b, ArrayRef<Value> values, const Shape &shape, Type type) {
  if (shape.bits == 32) {
    return b.fromWords(values, type);
  }
  Value bits = values.front();
  if (shape.bits == 8) {
    bits = LLVM::TruncOp::create(b.builder, b.loc, b.builder.getI8Type(), bits);
  }
  return b.fromInteger(bits, type);
}

Value lowerLoad(OpBuilder &builder, tilegpu::ThreadLoadOp op) {
  AsmBuilder b(builder, op.getLoc());
  Type type = op.getType();
  const StringRef hint = hintOf(op.getCache(), op.getEvict(), /*isStore=*/false);
  const unsigned alignment = op.getAlignment();
  auto plain = [&]() -> Value {
    return LLVM::LoadOp::create(builder, b.loc, type, op.getPtr(), alignment, op.getIsVolatile());
  };
  std::optional<Shape> shape = shapeOf(type, alignment);
  const bool hasHint = shape && !op.getIsVolatile() && !hint.empty();
  if (!op.getMask() && !hasHint) {
    return plain();
  }
  Value other = op.getOther();
  if (op.getMask() && !other) {
    other = b.zero(type);
  }
  if (!shape) {
    return b.where(op.getMask(), other, plain);
  }
  const unsigned numValues = shape->lanes * shape->count;
  Type part = builder.getIntegerType(shape->bits == 32 ? 32 : 16);
  const StringRef letter = shape->bits == 32 ? "r" : "h";
  std::string text, constraints;
  SmallVector<Value> operands;
  const unsigned pointer = op.getMask() ? 2 * numValues : numValues;
  for (unsigned i = 0; i < numValues; ++i) {
    constraints += (i ? ",=" : "=") + letter.str();
  }
  if (op.getMask()) {
    operands = toRegisters(b, other, *shape);
    for (unsigned i = 0; i < numValues; ++i) {
      constraints += "," + std::to_string(i);
    }
  }
  operands.push_back(op.getPtr());
  constraints += ",l";
  if (op.getMask()) {
    operands.push_back(op.getMask());
    constraints += ",b";
  }
  for (unsigned i = 0; i < shape->count; ++i) {
    text += i ? "\n\t" : "";
    text += op.getMask() ? "@$" + std::to_string(pointer + 1) + " " : "";
    text += "ld";
    text += op.getIsVolatile() ? ".volatile" : "";
    text += spaceOf(op.getPtr());
    text += op.getIsVolatile() ? StringRef() : hint;
    text += typeOf(*shape) + " " + registers(i * shape->lanes, shape->lanes) + ", " +
            address(pointer, i * shape->lanes * 4) + ";";
  }
  // A store of the program before it must have happened.
  constraints += ",~{memory}";
  SmallVector<Value> values =
      b.call(text, constraints, operands, SmallVector<Type>(numValues, part), /*hasEffects=*/true);
  return fromRegisters(b, values, *shape, type);
}

void lowerStore(OpBuilder &builder, tilegpu::ThreadStoreOp op) {
  AsmBuilder b(builder, op.getLoc());
  Value value = op.getValue();
  const StringRef hint = hintOf(op.getCache(), op.getEvict(), /*isStore=*/true);
  std::optional<Shape> shape = shapeOf(value.getType(), op.getAlignment());
  auto plain = [&] {
    LLVM::StoreOp::create(builder, b.loc, value, op.getPtr(), op.getAlignment());
  };
  if (!op.getMask() && (hint.empty() || !shape)) {
    return plain();
  }
  if (!shape) {
    return b.where(op.getMask(), plain);
  }
  SmallVector<Value> operands = toRegisters(b, value, *shape);
  const unsigned pointer = operands.size();
  std::string text, constraints;
  for (unsigned i = 0; i < pointer; ++i) {
    constraints += shape->bits == 32 ? "r," : "h,";
  }
  operands.push_back(op.getPtr());
  constraints += "l";
  if (op.getMask()) {
    operands.push_back(op.getMask());
    constraints += ",b";
  }
  for (unsigned i = 0; i < shape->count; ++i) {
    text += i ? "\n\t" : "";
    text += op.getMask() ? "@$" + std::to_string(pointer + 1) + " " : "";
    text += "st";
    text += spaceOf(op.getPtr());
    text += hint;
    text += typeOf(*shape) + " " + address(pointer, i * shape->lanes * 4) + ", " +
            registers(i * shape->lanes, shape->lanes) + ";";
  }
  constraints += ",~{memory}";
  b.call(text, constraints, operands, {}, /*hasEffects=*/true);
}

void lowerAsyncCopy(OpBuilder &builder, tilegpu::ThreadAsyncCopyOp op) {
  AsmBuilder b(builder, op.getLoc());
  const std::string bytes = std::to_string(op.getBytes());
  Value shared = LLVM::PtrToIntOp::create(builder, b.loc, builder.getI32Type(), op.getShared());
  SmallVector<Value> operands = {shared, op.getPtr()};
  // 16 bytes pass by the first cache, which nobody else reads them from.
  std::string text = std::string("cp.async.") + (op.getBytes() == 16 ? "cg" : "ca") +
                     ".shared.global [$0], [$1], " + bytes;
  std::string constraints = "r,l";
  if (op.getMask()) {
    operands.push_back(
        LLVM::SelectOp::create(builder, b.loc, op.getMask(), b.i32(op.getBytes()), b.i32(0)));
    text += ", $2";
    constraints += ",r";
  }
  b.call(text + ";", constraints + ",~{memory}", operands, {}, /*hasEffects=*/true);
}

} // namespace tegula::nvidia
