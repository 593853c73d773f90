//===- Casts.cpp - Conversions between element types ----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Views.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tegula/Tile/IR/Tile.h"

namespace tegula::frontend {

using Kind = DType::Kind;
namespace arith = mlir::arith;

tile::Fp8Kind fp8Kind(const DType &dtype) {
  switch (dtype.getKind()) {
  case Kind::Fp8E5:
    return tile::Fp8Kind::E5M2;
  case Kind::Fp8E4B8:
    return tile::Fp8Kind::E4M3FNUZ;
  case Kind::Fp8E5B16:
    return tile::Fp8Kind::E5M2FNUZ;
  case Kind::Fp8E4B15:
    return tile::Fp8Kind::E4M3B15;
  default:
    return tile::Fp8Kind::E4M3FN;
  }
}

static tile::Signedness signednessOf(const DType &dtype) {
  return dtype.isSignedInt() ? tile::Signedness::Signed : tile::Signedness::Unsigned;
}

/// What a cast is told besides its types.
namespace {
struct Caster {
  Semantics &semantics;
  mlir::OpBuilder &builder = semantics.getBuilder();

  mlir::Type mlirType(const LangType &type) { return type.getMLIRType(builder.getContext()); }

  Value make(mlir::Value ir, const LangType &type) { return Value::runtime(ir, type); }

  Value isNotZero(const Value &value) {
    LangType result = value.getType().withDType(Kind::Int1);
    Value zero = semantics.constantInt(0, value.getType());
    mlir::Value ir =
        value.getDType().isFloat()
            ? arith::CmpFOp::create(builder, semantics.loc(), arith::CmpFPredicate::UNE,
                                    value.getIR(), zero.getIR())
                  .getResult()
            : arith::CmpIOp::create(builder, semantics.loc(), arith::CmpIPredicate::ne,
                                    value.getIR(), zero.getIR())
                  .getResult();
    return make(ir, result);
  }

  Value floatToFloat(const Value &value, const LangType &to, Rounding rounding) {
    const DType &from = value.getDType();
    auto tileRounding = rounding == Rounding::RTZ ? tile::Rounding::RTZ : tile::Rounding::RTNE;
    mlir::Location loc = semantics.loc();
    if (from.isFp8() && to.dtype.isFp8()) {
      // float32 holds every value of every kind.
      return floatToFloat(floatToFloat(value, to.withDType(Kind::Fp32), rounding), to, rounding);
    }
    if (from.isFp8()) {
      return make(tile::FromFp8Op::create(builder, loc, mlirType(to), fp8Kind(from), value.getIR()),
                  to);
    }
    if (to.dtype.isFp8()) {
      return make(tile::ToFp8Op::create(builder, loc, mlirType(to), fp8Kind(to.dtype),
                                        value.getIR(), tileRounding),
                  to);
    }
    if (from.getBitWidth() == to.dtype.getBitWidth()) {
      // float16 and bfloat16: neither holds the other.
      return floatToFloat(floatToFloat(value, to.withDType(Kind::Fp32), Rounding::RTNE), to,
                          rounding);
    }
    if (from.getBitWidth() < to.dtype.getBitWidth()) {
      return make(arith::ExtFOp::create(builder, loc, mlirType(to), value.getIR()), to);
    }
    auto op = arith::TruncFOp::create(builder, loc, mlirType(to), value.getIR());
    if (rounding == Rounding::RTZ) {
      op.setRoundingmode(arith::RoundingMode::toward_zero);
    }
    return make(op, to);
  }

  Value intToInt(const Value &value, const LangType &to) {
    const DType &from = value.getDType();
    mlir::Location loc = semantics.loc();
    if (to.dtype.isBool()) {
      return isNotZero(value);
    }
    if (from.getBitWidth() == to.dtype.getBitWidth()) {
      return make(value.getIR(), to);
    }
    if (from.getBitWidth() > to.dtype.getBitWidth()) {
      return make(arith::TruncIOp::create(builder, loc, mlirType(to), value.getIR()), to);
    }
    if (from.isSignedInt()) {
      return make(arith::ExtSIOp::create(builder, loc, mlirType(to), value.getIR()), to);
    }
    return make(arith::ExtUIOp::create(builder, loc, mlirType(to), value.getIR()), to);
  }

  Value pointerCast(const Value &value, const LangType &to) {
    const DType &from = value.getDType();
    mlir::Location loc = semantics.loc();
    LangType address = to.withDType(Kind::Int64);
    if (from.isPointer() && to.dtype.isPointer()) {
      if (from.getAddressSpace() != to.dtype.getAddressSpace()) {
        return semantics.error(diag::InvalidCast, "cannot cast " + from.getName() + " to " +
                                                      to.dtype.getName() +
                                                      ": the address spaces differ");
      }
      if (mlirType(value.getType()) == mlirType(to)) {
        return make(value.getIR(), to);
      }
      return make(tile::PtrCastOp::create(builder, loc, mlirType(to), value.getIR()), to);
    }
    if (from.isPointer() && to.dtype.isInt() &&
        (to.dtype.getBitWidth() == 64 || to.dtype.isBool())) {
      Value bits =
          make(tile::PtrToIntOp::create(builder, loc, mlirType(address), value.getIR()), address);
      return to.dtype.isBool() ? isNotZero(bits) : make(bits.getIR(), to);
    }
    if (from.isInt() && to.dtype.isPointer()) {
      Value bits = intToInt(value, address);
      return make(tile::IntToPtrOp::create(builder, loc, mlirType(to), bits.getIR()), to);
    }
    return semantics.error(diag::InvalidCast,
                           "cannot cast " + from.getName() + " to " + to.dtype.getName() +
                               (from.isPointer() ? ", only to int64; use tl.load for the value "
                                                   "behind a pointer"
                                                 : "; only integers can be addresses"));
  }
};
} // namespace

Value Semantics::cast(const Value &operand, DType dtype, std::optional<Rounding> rounding) {
  if (operand.isPoison()) {
    return operand;
  }
  if (dtype.isVoid()) {
    return error(diag::InvalidCast, "cannot cast " + operand.describe() + " to void");
  }
  Value value = operand;
  if (operand.isNumber()) {
    // Constants are made in the type wanted where that gives the same result.
    bool wraps = operand.isInt() && dtype.isInt() &&
                 (operand.getInt() < dtype.getIntMin() || operand.getInt() > dtype.getIntMax());
    bool direct = (dtype.isFloat() && !rounding) || (dtype.isInt() && !operand.isFloat() && !wraps);
    // A rounding mode rounds the number itself, not the float32 nearest to it.
    std::optional<DType> source;
    if (direct) {
      source = dtype;
    } else if (rounding && operand.isFloat() && dtype.isFloat()) {
      source = DType(Kind::Fp64);
    }
    value = toRuntime(operand, source);
    if (direct || value.isPoison()) {
      return value;
    }
  }
  if (!value.isRuntime()) {
    return error(diag::ArgumentType, "expected a number or a tile to cast to " + dtype.getName() +
                                         ", got " + value.describe());
  }

  DType from = value.getDType();
  bool narrows = from.isFloat() && dtype.isFloat() && dtype.getBitWidth() < from.getBitWidth();
  if (rounding && !narrows && from != dtype) {
    return error(diag::InvalidCast, "a rounding mode needs a cast to a narrower float, got " +
                                        from.getName() + " to " + dtype.getName());
  }
  if (from == dtype) {
    return value;
  }
  LangType to = value.getType().withDType(dtype);
  Caster caster{*this};
  if (from.isPointer() || dtype.isPointer()) {
    return caster.pointerCast(value, to);
  }
  if (from.isFloat() && dtype.isFloat()) {
    return caster.floatToFloat(value, to, rounding.value_or(Rounding::RTNE));
  }
  if (from.isInt() && dtype.isInt()) {
    return caster.intToInt(value, to);
  }
  if (from.isFp8() || dtype.isFp8()) {
    return cast(cast(value, Kind::Fp32), dtype);
  }
  if (from.isFloat()) {
    if (dtype.isBool()) {
      return caster.isNotZero(value);
    }
    return Value::runtime(tile::FpToIntOp::create(builder, loc(), caster.mlirType(to),
                                                  signednessOf(dtype), value.getIR()),
                          to);
  }
  if (from.isSignedInt()) {
    return Value::runtime(
        arith::SIToFPOp::create(builder, loc(), caster.mlirType(to), value.getIR()), to);
  }
  return Value::runtime(arith::UIToFPOp::create(builder, loc(), caster.mlirType(to), value.getIR()),
                        to);
}

Value Semantics::bitcast(const Value &operand, DType dtype) {
  Value value = toRuntime(operand);
  if (value.isPoison()) {
    return value;
  }
  assert(value.isRuntime() && "callers refuse tuples");
  DType from = value.getDType();
  if (from.isPointer() || dtype.isPointer()) {
    return cast(value, dtype);
  }
  if (from.getBitWidth() != dtype.getBitWidth()) {
    return error(diag::InvalidCast, "cannot bitcast " + from.getName() + " to " + dtype.getName() +
                                        ": " + llvm::Twine(from.getBitWidth()) + " and " +
                                        llvm::Twine(dtype.getBitWidth()) + " bits");
  }
  LangType to = value.getType().withDType(dtype);
  mlir::Type type = to.getMLIRType(getContext());
  if (type == value.getIR().getType()) {
    return Value::runtime(value.getIR(), to);
  }
  return Value::runtime(arith::BitcastOp::create(builder, loc(), type, value.getIR()), to);
}

Value Semantics::toBool(const Value &value) {
  if (value.isRuntime()) {
    return cast(value, Kind::Int1);
  }
  if (std::optional<Value> answer = callMethod(value, "__bool__", {})) {
    return toBool(*answer);
  }
  if (std::optional<bool> truth = constantTruth(value)) {
    return constantInt(*truth, DType(Kind::Int1));
  }
  return Value::poison();
}

} // namespace tegula::frontend
