//===- Promote.cpp - Types of literals, mixed operands and joined paths ---===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semantics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tegula/Tile/IR/Tile.h"
#include <cmath>

namespace tegula::frontend {

using Kind = DType::Kind;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static mlir::Value makeConstant(Semantics &semantics, mlir::TypedAttr scalar,
                                const LangType &type) {
  mlir::OpBuilder &builder = semantics.getBuilder();
  mlir::TypedAttr attribute = scalar;
  if (type.isTile()) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type.getMLIRType(builder.getContext()));
    attribute = mlir::DenseElementsAttr::get(tensor, mlir::Attribute(scalar));
  }
  return mlir::arith::ConstantOp::create(builder, semantics.loc(), attribute);
}

Value Semantics::constantInt(BigInt value, const LangType &type) {
  uint64_t words[] = {static_cast<uint64_t>(value), static_cast<uint64_t>(value >> 64)};
  if (type.dtype.isFp8()) {
    return constantFloat(static_cast<double>(value), type);
  }
  if (type.dtype.isFloat()) {
    // Not by way of a double, which would round twice.
    auto mlirType = mlir::cast<mlir::FloatType>(type.dtype.getMLIRType(getContext()));
    llvm::APFloat number(mlirType.getFloatSemantics());
    (void)number.convertFromAPInt(llvm::APInt(128, words), /*IsSigned=*/true,
                                  llvm::APFloat::rmNearestTiesToEven);
    return Value::runtime(makeConstant(*this, mlir::FloatAttr::get(mlirType, number), type), type);
  }
  if (type.dtype.isPointer()) {
    Value address = constantInt(value, type.withDType(Kind::Int64));
    return cast(address, type.dtype);
  }
  llvm::APInt bits = llvm::APInt(128, words).trunc(type.dtype.getBitWidth());
  auto attribute = mlir::IntegerAttr::get(type.dtype.getMLIRType(getContext()), bits);
  return Value::runtime(makeConstant(*this, attribute, type), type);
}

Value Semantics::constantFloat(double value, const LangType &type) {
  assert(type.dtype.isFloat());
  if (type.dtype.isFp8()) {
    return cast(constantFloat(value, type.withDType(Kind::Fp64)), type.dtype);
  }
  auto mlirType = mlir::cast<mlir::FloatType>(type.dtype.getMLIRType(getContext()));
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(mlirType.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  auto attribute = mlir::FloatAttr::get(mlirType, number);
  return Value::runtime(makeConstant(*this, attribute, type), type);
}

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

std::optional<DType> Semantics::literalType(const Value &number) {
  assert(number.isNumber());
  if (number.isBool()) {
    return DType(Kind::Int1);
  }
  if (number.isFloat()) {
    // The normal range of float32; anything beyond keeps its precision.
    double magnitude = std::fabs(number.getFloat());
    bool special = std::isnan(magnitude) || std::isinf(magnitude) || magnitude == 0;
    bool fits = magnitude >= 0x1p-126 && magnitude <= 0x1.fffffep127;
    return DType(special || fits ? Kind::Fp32 : Kind::Fp64);
  }
  for (DType dtype :
       {DType(Kind::Int32), DType(Kind::UInt32), DType(Kind::Int64), DType(Kind::UInt64)}) {
    if (number.getInt() >= dtype.getIntMin() && number.getInt() <= dtype.getIntMax()) {
      return dtype;
    }
  }
  error(diag::LiteralRange, "expected an integer of at most 64 bits, got " + number.repr());
  return std::nullopt;
}

std::optional<LangType> Semantics::typeOf(const Value &value) {
  if (value.isRuntime()) {
    return value.getType();
  }
  if (!value.isNumber()) {
    return std::nullopt;
  }
  if (value.isInt() && (value.getInt() < DType(Kind::Int64).getIntMin() ||
                        value.getInt() > DType(Kind::UInt64).getIntMax())) {
    return std::nullopt;
  }
  std::optional<DType> dtype = literalType(value);
  return dtype ? std::optional<LangType>(*dtype) : std::nullopt;
}

Value Semantics::toRuntime(const Value &value, std::optional<DType> dtype) {
  if (value.isPoison()) {
    return value;
  }
  if (value.isRuntime()) {
    return value;
  }
  if (value.isTuple()) {
    std::vector<Value> items;
    for (const Value &item : value.getItems()) {
      items.push_back(toRuntime(item, dtype));
      if (items.back().isPoison()) {
        return Value::poison();
      }
    }
    return value.withItems(std::move(items));
  }
  assert(value.isNumber() && "checked where the argument or operand is known");
  if (!dtype) {
    dtype = literalType(value);
    if (!dtype) {
      return Value::poison();
    }
  }
  assert(!dtype->isVoid());
  if (dtype->isFloat()) {
    return value.isFloat() ? constantFloat(value.getFloat(), *dtype)
                           : constantInt(value.getInt(), *dtype);
  }
  BigInt integer = 0;
  if (value.isFloat()) {
    double number = value.getFloat();
    if (std::floor(number) != number || std::fabs(number) > 0x1p64) {
      return error(diag::ArgumentType,
                   "expected an integer for " + dtype->getName() + ", got " + value.describe());
    }
    integer = static_cast<BigInt>(number);
  } else {
    integer = value.getInt();
  }
  if (dtype->isBool()) {
    return constantInt(integer != 0, *dtype);
  }
  if (dtype->isInt() && (integer < dtype->getIntMin() || integer > dtype->getIntMax())) {
    return error(diag::LiteralRange, value.describe() + " is out of range for " + dtype->getName());
  }
  return constantInt(integer, *dtype);
}

//===----------------------------------------------------------------------===//
// Mixed operands
//===----------------------------------------------------------------------===//

/// The type of mixed integers, as in C.
static DType promoteInts(const DType &a, const DType &b) {
  unsigned aBits = a.getBitWidth(), bBits = b.getBitWidth();
  if (a.isSignedInt() == b.isSignedInt()) {
    return aBits > bBits ? a : b;
  }
  if (a.isUnsignedInt()) {
    return aBits >= bBits ? a : b;
  }
  return bBits >= aBits ? b : a;
}

std::optional<DType> Semantics::promote(const Value &lhs, const Value &rhs, bool divOrMod,
                                        llvm::StringRef opName) {
  auto typeOfOperand = [&](const Value &operand) -> std::optional<DType> {
    if (operand.isNumber() && operand.getHint()) {
      return operand.getHint();
    }
    return operand.isRuntime() ? std::optional<DType>(operand.getDType()) : literalType(operand);
  };
  std::optional<DType> first = typeOfOperand(lhs);
  std::optional<DType> second = first ? typeOfOperand(rhs) : std::nullopt;
  if (!first || !second) {
    return std::nullopt;
  }
  DType a = *first, b = *second;

  // A number of the source takes the type of what it meets, unless it is of a
  // higher kind. One that a variable or an argument holds has the type of a
  // scalar and keeps it.
  auto adapts = [](const Value &operand) { return operand.isNumber() && !operand.getHint(); };
  if (adapts(lhs) != adapts(rhs)) {
    DType number = adapts(lhs) ? a : b, other = adapts(lhs) ? b : a;
    if (number.getNumberKind() <= other.getNumberKind()) {
      if (divOrMod && (other.isFp16() || other.isBF16())) {
        return DType(Kind::Fp32);
      }
      return other;
    }
  }
  if (a.isFp64() || b.isFp64()) {
    return DType(Kind::Fp64);
  }
  if (a.isFp32() || b.isFp32()) {
    return DType(Kind::Fp32);
  }
  if (a.isFp16() || b.isFp16()) {
    return DType(divOrMod ? Kind::Fp32 : Kind::Fp16);
  }
  if (a.isBF16() || b.isBF16()) {
    return DType(a == b && !divOrMod ? Kind::BF16 : Kind::Fp32);
  }
  if (a.isFp8() && b.isFp8()) {
    return a == b ? a : DType(Kind::Fp16);
  }
  if (!a.isInt() || !b.isInt()) {
    error(diag::TypeMismatch, "unsupported operands of '" + opName + "': " + a.getName() + " and " +
                                  b.getName() +
                                  "; cast one of them, for example with .to(tl.float32)");
    return std::nullopt;
  }
  if (divOrMod && a.isSignedInt() != b.isSignedInt()) {
    DType target = DType::integer(std::max(a.getBitWidth(), b.getBitWidth()), true);
    error(diag::TypeMismatch, "operands of '" + opName + "' differ in signedness: " + a.getName() +
                                  " and " + b.getName() +
                                  "; cast one of them, for example with .to(tl." +
                                  target.getName() + ")");
    return std::nullopt;
  }
  return promoteInts(a, b);
}

bool Semantics::unify(Value &lhs, Value &rhs, llvm::StringRef opName, bool allowLhsPtr,
                      bool allowRhsPtr, bool divOrMod) {
  if (lhs.isPoison() || rhs.isPoison()) {
    return false;
  }
  auto usable = [](const Value &value) { return value.isNumber() || value.isRuntime(); };
  if (!usable(lhs) || !usable(rhs)) {
    error(diag::OperandType,
          "unsupported operands of '" + opName + "': " + lhs.describe() + " and " + rhs.describe());
    return false;
  }
  bool lhsPtr = lhs.isRuntime() && lhs.getDType().isPointer();
  bool rhsPtr = rhs.isRuntime() && rhs.getDType().isPointer();
  if (lhsPtr || rhsPtr) {
    auto isFloat = [&](const Value &value) {
      return value.isFloat() || (value.isRuntime() && value.getDType().isFloat());
    };
    bool allowed = (!lhsPtr || allowLhsPtr) && (!rhsPtr || allowRhsPtr) && !isFloat(lhs) &&
                   !isFloat(rhs) && (!(lhsPtr && rhsPtr) || lhs.getDType() == rhs.getDType());
    if (!allowed) {
      error(diag::OperandType, "unsupported operands of '" + opName + "': " + lhs.describe() +
                                   " and " + rhs.describe());
      return false;
    }
    lhs = toRuntime(lhs);
    rhs = toRuntime(rhs);
    return !lhs.isPoison() && !rhs.isPoison() && broadcast(lhs, rhs);
  }

  std::optional<DType> common = promote(lhs, rhs, divOrMod, opName);
  if (!common) {
    return false;
  }
  auto bring = [&](Value &operand) {
    if (!operand.isNumber()) {
      operand = cast(operand, *common);
      return !operand.isPoison();
    }
    if (operand.getHint()) {
      operand = cast(toRuntime(operand, operand.getHint()), *common);
      return !operand.isPoison();
    }
    if (common->isUnsignedInt() && !common->isBool() && operand.asDouble() < 0) {
      error(diag::LiteralRange, "'" + opName + "' mixes " + common->getName() +
                                    " with the negative number " + operand.repr() +
                                    "; cast one of them, for example with .to(tl." +
                                    DType::integer(common->getBitWidth(), true).getName() + ")");
      return false;
    }
    operand = toRuntime(operand, *common);
    return !operand.isPoison();
  };
  return bring(lhs) && bring(rhs) && broadcast(lhs, rhs);
}

Value Semantics::widenFp8(const Value &value) {
  if (!value.isRuntime() || !value.getDType().isFp8()) {
    return value;
  }
  // float16 holds every value of the other kinds.
  return cast(value, value.getDType().getKind() == Kind::Fp8E5B16 ? Kind::Fp32 : Kind::Fp16);
}

//===----------------------------------------------------------------------===//
// Joined paths
//===----------------------------------------------------------------------===//

std::optional<LangType> Semantics::joinTypes(const Value &a, const Value &b) {
  auto usable = [](const Value &value) { return value.isNumber() || value.isRuntime(); };
  if (!usable(a) || !usable(b)) {
    return std::nullopt;
  }
  if (a.isRuntime() && b.isRuntime()) {
    const LangType &first = a.getType(), &second = b.getType();
    if (first == second) {
      return first;
    }
    if (first.isOpaque() || second.isOpaque()) {
      return std::nullopt;
    }
    // Only constness may differ.
    if (first.shape == second.shape && first.dtype.isPointer() && second.dtype.isPointer() &&
        first.dtype.getElement() == second.dtype.getElement() &&
        first.dtype.getAddressSpace() == second.dtype.getAddressSpace()) {
      return first.dtype.isConstPointer() ? first : second;
    }
    return std::nullopt;
  }
  const Value &runtime = a.isRuntime() ? a : b;
  if (runtime.isRuntime() && (runtime.getType().isTile() || runtime.getDType().isPointer())) {
    return std::nullopt;
  }
  if (std::optional<DType> common = promote(a, b, false, "=")) {
    return LangType(*common);
  }
  return std::nullopt;
}

Value Semantics::convertTo(const Value &value, const LangType &type) {
  if (value.isNumber() && type.isScalar()) {
    return toRuntime(value, type.dtype);
  }
  bool fits = value.isRuntime() && value.getType().shape == type.shape;
  if (fits && (type.isOpaque() || value.getType().isOpaque())) {
    return value.getType() == type ? value : Value::poison();
  }
  return fits ? cast(value, type.dtype) : Value::poison();
}

} // namespace tegula::frontend
