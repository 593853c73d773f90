//===- DType.cpp - Element types of the language --------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Value.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tegula/Tile/IR/Tile.h"
#include "llvm/Support/raw_ostream.h"

namespace tegula::frontend {

namespace {
struct DTypeRow {
  DType::Kind kind;
  const char *name;
  const char *signature;
  unsigned bits;
  unsigned mantissa;
};
} // namespace

using Kind = DType::Kind;

// In the order of DType::Kind.
static constexpr DTypeRow rows[] = {
    {Kind::Void, "void", "void", 0, 0},
    {Kind::Int1, "int1", "u1", 1, 0},
    {Kind::Int8, "int8", "i8", 8, 0},
    {Kind::Int16, "int16", "i16", 16, 0},
    {Kind::Int32, "int32", "i32", 32, 0},
    {Kind::Int64, "int64", "i64", 64, 0},
    {Kind::UInt8, "uint8", "u8", 8, 0},
    {Kind::UInt16, "uint16", "u16", 16, 0},
    {Kind::UInt32, "uint32", "u32", 32, 0},
    {Kind::UInt64, "uint64", "u64", 64, 0},
    {Kind::Fp8E4NV, "float8e4nv", "fp8e4nv", 8, 3},
    {Kind::Fp8E5, "float8e5", "fp8e5", 8, 2},
    {Kind::Fp8E4B8, "float8e4b8", "fp8e4b8", 8, 3},
    {Kind::Fp8E5B16, "float8e5b16", "fp8e5b16", 8, 2},
    {Kind::Fp8E4B15, "float8e4b15", "fp8e4b15", 8, 3},
    {Kind::Fp16, "float16", "fp16", 16, 10},
    {Kind::BF16, "bfloat16", "bf16", 16, 7},
    {Kind::Fp32, "float32", "fp32", 32, 23},
    {Kind::Fp64, "float64", "fp64", 64, 52},
    {Kind::Pointer, "pointer", "*", 64, 0},
};

static const DTypeRow &rowOf(Kind kind) {
  const DTypeRow &row = rows[static_cast<unsigned>(kind)];
  assert(row.kind == kind && "table out of order");
  return row;
}

struct DType::Pointee {
  DType element;
  bool isConst;
  unsigned addressSpace;
};

DType DType::pointer(DType element, bool isConst, unsigned addressSpace) {
  DType type;
  type.kind = Kind::Pointer;
  type.pointee =
      std::make_shared<const Pointee>(Pointee{std::move(element), isConst, addressSpace});
  return type;
}

std::optional<DType> DType::parse(llvm::StringRef name) {
  if (name.consume_front("*")) {
    bool isConst = name.consume_front("k");
    std::optional<DType> element = parse(name);
    if (!element) {
      return std::nullopt;
    }
    return pointer(*element, isConst);
  }
  for (const DTypeRow &row : rows) {
    if (row.kind != Kind::Pointer && (name == row.name || name == row.signature)) {
      return DType(row.kind);
    }
  }
  // Other spellings that signatures, hosts and older programs use.
  if (name == "i1" || name == "B" || name == "bool") {
    return DType(Kind::Int1);
  }
  if (name == "pi32_t") {
    return pointer(Kind::Int32);
  }
  static constexpr std::pair<const char *, Kind> others[] = {
      {"float8_e4m3fn", Kind::Fp8E4NV},
      {"float8_e5m2", Kind::Fp8E5},
      {"float8_e4m3fnuz", Kind::Fp8E4B8},
      {"float8_e5m2fnuz", Kind::Fp8E5B16},
      {"f16", Kind::Fp16},
      {"f32", Kind::Fp32},
      {"f64", Kind::Fp64},
      {"half", Kind::Fp16},
      {"float", Kind::Fp32},
      {"double", Kind::Fp64},
  };
  for (const auto &[other, kind] : others) {
    if (name == other) {
      return DType(kind);
    }
  }
  return std::nullopt;
}

DType DType::integer(unsigned bits, bool isSigned) {
  switch (bits) {
  case 1:
    return Kind::Int1;
  case 8:
    return isSigned ? Kind::Int8 : Kind::UInt8;
  case 16:
    return isSigned ? Kind::Int16 : Kind::UInt16;
  case 32:
    return isSigned ? Kind::Int32 : Kind::UInt32;
  default:
    return isSigned ? Kind::Int64 : Kind::UInt64;
  }
}

unsigned DType::getBitWidth() const { return rowOf(kind).bits; }
unsigned DType::getMantissaWidth() const { return rowOf(kind).mantissa; }

DType::NumberKind DType::getNumberKind() const {
  if (isBool()) {
    return NumberKind::Boolean;
  }
  return isInt() ? NumberKind::Integral : NumberKind::Floating;
}

BigInt DType::getIntMin() const {
  return isSignedInt() ? -(BigInt(1) << (getBitWidth() - 1)) : BigInt(0);
}

BigInt DType::getIntMax() const {
  return (BigInt(1) << (isSignedInt() ? getBitWidth() - 1 : getBitWidth())) - 1;
}

DType DType::getElement() const {
  assert(isPointer());
  return pointee->element;
}

bool DType::isConstPointer() const { return isPointer() && pointee->isConst; }

unsigned DType::getAddressSpace() const {
  assert(isPointer());
  return pointee->addressSpace;
}

std::string DType::getName() const {
  if (!isPointer()) {
    return rowOf(kind).name;
  }
  std::string text = "pointer<";
  if (pointee->isConst) {
    text += "const ";
  }
  text += pointee->element.getName();
  if (pointee->addressSpace != 1) {
    text += ", " + std::to_string(pointee->addressSpace);
  }
  return text + ">";
}

std::string DType::getSignature() const {
  if (!isPointer()) {
    return rowOf(kind).signature;
  }
  return std::string(pointee->isConst ? "*k" : "*") + pointee->element.getSignature();
}

mlir::Type DType::getMLIRType(mlir::MLIRContext *context) const {
  if (isInt()) {
    return mlir::IntegerType::get(context, getBitWidth());
  }
  if (isFp8()) {
    return mlir::IntegerType::get(context, 8);
  }
  switch (kind) {
  case Kind::Fp16:
    return mlir::Float16Type::get(context);
  case Kind::BF16:
    return mlir::BFloat16Type::get(context);
  case Kind::Fp32:
    return mlir::Float32Type::get(context);
  case Kind::Fp64:
    return mlir::Float64Type::get(context);
  case Kind::Pointer: {
    // Untyped memory is addressed in bytes.
    mlir::Type element = pointee->element.isVoid() ? mlir::IntegerType::get(context, 8)
                                                   : pointee->element.getMLIRType(context);
    return tile::PtrType::get(context, element, pointee->addressSpace);
  }
  default:
    return {};
  }
}

bool operator==(const DType &a, const DType &b) {
  if (a.kind != b.kind) {
    return false;
  }
  if (!a.isPointer() || a.pointee == b.pointee) {
    return true;
  }
  return a.pointee->isConst == b.pointee->isConst &&
         a.pointee->addressSpace == b.pointee->addressSpace &&
         a.pointee->element == b.pointee->element;
}

//===----------------------------------------------------------------------===//
// LangType
//===----------------------------------------------------------------------===//

int64_t LangType::getNumElements() const {
  int64_t count = 1;
  for (int64_t dim : shape) {
    count *= dim;
  }
  return count;
}

std::string LangType::getName() const {
  if (isOpaque() && isTile()) { // of a block pointer
    return "pointer<" + LangType(dtype, shape).getName() + ">";
  }
  if (isOpaque()) {
    std::string text;
    llvm::raw_string_ostream(text) << opaqueType;
    return text;
  }
  std::string text = dtype.getName();
  if (isScalar()) {
    return text;
  }
  text += "[";
  for (unsigned i = 0; i < shape.size(); ++i) {
    text += (i ? ", " : "") + std::to_string(shape[i]);
  }
  return text + "]";
}

mlir::Type LangType::getMLIRType(mlir::MLIRContext *context) const {
  if (isOpaque()) {
    return opaqueType;
  }
  mlir::Type element = dtype.getMLIRType(context);
  if (!element || isScalar()) {
    return element;
  }
  return mlir::RankedTensorType::get(shape, element);
}

} // namespace tegula::frontend
