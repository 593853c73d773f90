//===- Arithmetic.cpp - Operators on run-time values ----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semantics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tegula/Tile/IR/Tile.h"

namespace tegula::frontend {

using Kind = DType::Kind;
namespace arith = mlir::arith;

/// Undefined names are reported by whoever looked them up; here they only must
/// not reach an operator.
static bool isBroken(const Value &value) { return value.isPoison() || value.isUndefined(); }

template <typename Op, typename... Args>
static Value emit(Semantics &semantics, const LangType &type, Args &&...args) {
  return Value::runtime(
      Op::create(semantics.getBuilder(), semantics.loc(), std::forward<Args>(args)...).getResult(),
      type);
}

static tile::Signedness signednessOf(const DType &dtype) {
  return dtype.isSignedInt() ? tile::Signedness::Signed : tile::Signedness::Unsigned;
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

Value Semantics::binary(ArithOp op, const Value &left, const Value &right) {
  if (isBroken(left) || isBroken(right)) {
    return Value::poison();
  }
  if (left.isStruct() || right.isStruct()) {
    if (std::optional<Value> result = binaryOfObjects(op, left, right)) {
      return *result;
    }
    return error(diag::OperandType, "unsupported operands of '" + spelling(op) +
                                        "': " + left.describe() + " and " + right.describe());
  }
  if (left.isCompileTime() && right.isCompileTime()) {
    return foldBinary(op, left, right);
  }
  Value lhs = left, rhs = right;
  llvm::StringRef name = spelling(op);
  bool lhsPtr = lhs.isRuntime() && lhs.getDType().isPointer();
  bool rhsPtr = rhs.isRuntime() && rhs.getDType().isPointer();

  switch (op) {
  case ArithOp::Pow:
    return error(diag::NotConstexpr, "'**' needs operands known at compile time, got " +
                                         lhs.describe() + " and " + rhs.describe() +
                                         (rhs.isInt() && rhs.getInt() >= 2 && rhs.getInt() <= 4
                                              ? "; multiply instead"
                                              : "; use libdevice.pow, or tl.exp2 and tl.log2"));
  case ArithOp::MatMul:
    return error(diag::UnsupportedSyntax, "'@' is not an operator of tiles; use tl.dot");
  case ArithOp::BitAnd:
  case ArithOp::BitOr:
  case ArithOp::BitXor:
  case ArithOp::Shl:
  case ArithOp::Shr:
    return bitwise(op, lhs, rhs);
  case ArithOp::Add:
    if (lhsPtr && rhsPtr) {
      return error(diag::OperandType, "cannot add " + lhs.describe() + " and " + rhs.describe());
    }
    if (lhsPtr || rhsPtr) {
      return addPointer(lhsPtr ? lhs : rhs, lhsPtr ? rhs : lhs, false);
    }
    break;
  case ArithOp::Sub:
    if (lhsPtr && rhsPtr) {
      return error(diag::OperandType, "cannot subtract " + rhs.describe() + " from " +
                                          lhs.describe() + "; cast both with .to(tl.int64)");
    }
    if (lhsPtr) {
      return addPointer(lhs, rhs, true);
    }
    break;
  default:
    break;
  }

  bool divOrMod = op == ArithOp::Div || op == ArithOp::FloorDiv || op == ArithOp::Mod;
  if (!unify(lhs, rhs, name, false, false, divOrMod)) {
    return Value::poison();
  }
  DType dtype = lhs.getDType();
  if (op == ArithOp::FloorDiv && dtype.isFloat()) {
    return error(diag::OperandType, "'//' needs integers, got " + left.describe() + " and " +
                                        right.describe() + "; use tl.floor(x / y)");
  }
  if (op == ArithOp::Div && dtype.isInt()) {
    lhs = cast(lhs, Kind::Fp32);
    rhs = cast(rhs, Kind::Fp32);
  }
  lhs = widenFp8(lhs);
  rhs = widenFp8(rhs);
  LangType type = lhs.getType();
  mlir::Value a = lhs.getIR(), b = rhs.getIR();
  if (type.dtype.isFloat()) {
    Value result;
    switch (op) {
    case ArithOp::Add:
      result = emit<arith::AddFOp>(*this, type, a, b);
      break;
    case ArithOp::Sub:
      result = emit<arith::SubFOp>(*this, type, a, b);
      break;
    case ArithOp::Mul:
      result = emit<arith::MulFOp>(*this, type, a, b);
      break;
    case ArithOp::Mod:
      result = emit<arith::RemFOp>(*this, type, a, b);
      break;
    default:
      result = emit<arith::DivFOp>(*this, type, a, b);
      break;
    }
    return dtype.isFp8() ? cast(result, dtype) : result;
  }
  assertNoOverflow(op, lhs, rhs);
  switch (op) {
  case ArithOp::Add:
    return emit<arith::AddIOp>(*this, type, a, b);
  case ArithOp::Sub:
    return emit<arith::SubIOp>(*this, type, a, b);
  case ArithOp::Mul:
    return emit<arith::MulIOp>(*this, type, a, b);
  case ArithOp::Mod:
    return emit<tile::RemOp>(*this, type, a.getType(), signednessOf(dtype), a, b);
  default:
    return emit<tile::DivOp>(*this, type, a.getType(), signednessOf(dtype), a, b);
  }
}

Value Semantics::addPointer(const Value &pointer, const Value &offset, bool negate) {
  Value base = pointer, distance = offset;
  bool isInt = distance.isInt() || distance.isBool() ||
               (distance.isRuntime() && distance.getDType().isInt());
  if (!isInt) {
    return error(diag::OperandType, "expected an integer offset for " + base.getDType().getName() +
                                        ", got " + distance.describe());
  }
  distance = toRuntime(distance);
  if (distance.isPoison()) {
    return distance;
  }
  // The op reads offsets as signed.
  if (distance.getDType().isUnsignedInt() && distance.getDType().getBitWidth() < 64) {
    distance = cast(distance, Kind::Int64);
  }
  if (negate) {
    distance = unary(PrefixOp::Minus, distance);
  }
  if (!broadcast(base, distance)) {
    return Value::poison();
  }
  return emit<tile::AddPtrOp>(*this, base.getType(), base.getIR().getType(), base.getIR(),
                              distance.getIR());
}

Value Semantics::bitwise(ArithOp op, Value lhs, Value rhs) {
  llvm::StringRef name = spelling(op);
  auto isInt = [](const Value &value) {
    return value.isInt() || value.isBool() || (value.isRuntime() && value.getDType().isInt());
  };
  if (!isInt(lhs) || !isInt(rhs)) {
    return error(diag::OperandType, "invalid operands of type " + lhs.describe() + " and " +
                                        rhs.describe() + " for '" + name + "', expected integers");
  }
  // What is shifted says whether its sign comes along, not the type of the result.
  std::optional<DType> shifted = lhs.isRuntime() ? lhs.getDType() : lhs.getHint();
  if (!unify(lhs, rhs, name)) {
    return Value::poison();
  }
  const LangType &type = lhs.getType();
  mlir::Value a = lhs.getIR(), b = rhs.getIR();
  switch (op) {
  case ArithOp::BitAnd:
    return emit<arith::AndIOp>(*this, type, a, b);
  case ArithOp::BitOr:
    return emit<arith::OrIOp>(*this, type, a, b);
  case ArithOp::BitXor:
    return emit<arith::XOrIOp>(*this, type, a, b);
  case ArithOp::Shl:
    return emit<tile::ShlOp>(*this, type, a.getType(), a, b);
  default:
    return emit<tile::ShrOp>(*this, type, a.getType(), signednessOf(shifted.value_or(type.dtype)),
                             a, b);
  }
}

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

Value Semantics::unary(PrefixOp op, const Value &operand) {
  if (isBroken(operand)) {
    return Value::poison();
  }
  if (operand.isStruct() && op != PrefixOp::Not) {
    llvm::StringRef name = op == PrefixOp::Minus  ? "__neg__"
                           : op == PrefixOp::Plus ? "__pos__"
                                                  : "__invert__";
    if (std::optional<Value> result = callMethod(operand, name, {})) {
      return *result;
    }
  }
  if (operand.isStruct() && op == PrefixOp::Not && !constantTruth(operand)) {
    Value truth = toBool(operand);
    return truth.isPoison() ? truth : unary(op, truth);
  }
  if (operand.isCompileTime()) {
    return foldUnary(op, operand);
  }
  DType dtype = operand.getDType();
  if (op == PrefixOp::Not) {
    Value truth = toBool(operand);
    Value ones = constantInt(1, truth.getType());
    return emit<arith::XOrIOp>(*this, truth.getType(), truth.getIR(), ones.getIR());
  }
  bool fits = !dtype.isPointer() && (op != PrefixOp::Invert || dtype.isInt());
  if (!fits) {
    return error(diag::OperandType,
                 "unsupported operand of unary '" + spelling(op) + "': " + operand.describe());
  }
  switch (op) {
  case PrefixOp::Minus: {
    if (dtype.isFloat()) {
      Value wide = widenFp8(operand);
      return cast(emit<arith::NegFOp>(*this, wide.getType(), wide.getIR()), dtype);
    }
    Value zero = constantInt(0, operand.getType());
    return emit<arith::SubIOp>(*this, operand.getType(), zero.getIR(), operand.getIR());
  }
  case PrefixOp::Invert: {
    Value ones = constantInt(-1, operand.getType());
    return emit<arith::XOrIOp>(*this, operand.getType(), operand.getIR(), ones.getIR());
  }
  default:
    return operand;
  }
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

Value Semantics::compare(RelationOp op, const Value &left, const Value &right) {
  if (isBroken(left) || isBroken(right)) {
    return Value::poison();
  }
  if (left.isStruct() || right.isStruct()) {
    if (std::optional<Value> result = compareObjects(op, left, right)) {
      return *result;
    }
  }
  if (left.isCompileTime() && right.isCompileTime()) {
    return foldCompare(op, left, right);
  }
  switch (op) {
  case RelationOp::Is:
    return Value::boolean(Value::isSame(left, right));
  case RelationOp::IsNot:
    return Value::boolean(!Value::isSame(left, right));
  case RelationOp::In:
  case RelationOp::NotIn:
    if (right.isRuntime()) {
      return error(diag::NotIterable, "expected a tuple or a string after '" + spelling(op) +
                                          "', got " + right.describe());
    }
    return error(diag::NotConstexpr,
                 "expected a compile-time value before '" + spelling(op) + "', got " +
                     left.describe() + "; compare with " +
                     (op == RelationOp::In ? "'==' and 'or'" : "'!=' and 'and'"));
  default:
    break;
  }
  auto comparable = [](const Value &value) { return value.isRuntime() || value.isNumber(); };
  if (!comparable(left) || !comparable(right)) {
    // As in Python, things of different kinds are just not equal.
    if (op == RelationOp::Eq || op == RelationOp::Ne) {
      return Value::boolean(op == RelationOp::Ne);
    }
    return error(diag::OperandType, "cannot order " + left.describe() + " and " + right.describe() +
                                        " with '" + spelling(op) + "'");
  }
  bool pointers = (left.isRuntime() && left.getDType().isPointer()) ||
                  (right.isRuntime() && right.getDType().isPointer());
  if (pointers) {
    return comparePointers(op, left, right);
  }
  Value lhs = left, rhs = right;
  if (!unify(lhs, rhs, spelling(op))) {
    return Value::poison();
  }
  return comparisonOf(op, widenFp8(lhs), widenFp8(rhs));
}

Value Semantics::comparePointers(RelationOp op, Value lhs, Value rhs) {
  auto address = [&](const Value &value) {
    bool fits = value.isInt() ||
                (value.isRuntime() && (value.getDType().isPointer() || value.getDType().isInt()));
    return fits ? cast(value, Kind::UInt64) : Value::poison();
  };
  Value a = address(lhs), b = address(rhs);
  if (a.isPoison() || b.isPoison()) {
    return error(diag::OperandType, "cannot compare " + lhs.describe() + " and " + rhs.describe());
  }
  if (!broadcast(a, b)) {
    return Value::poison();
  }
  return comparisonOf(op, a, b);
}

/// Operands have one type that arith can compare.
Value Semantics::comparisonOf(RelationOp op, Value lhs, Value rhs) {
  LangType result = lhs.getType().withDType(Kind::Int1);
  unsigned index = static_cast<unsigned>(op);
  assert(index <= static_cast<unsigned>(RelationOp::Ge));
  if (lhs.getDType().isFloat()) {
    // A NaN is unequal to everything and neither less nor greater.
    using Predicate = arith::CmpFPredicate;
    static constexpr Predicate predicates[] = {Predicate::OEQ, Predicate::UNE, Predicate::OLT,
                                               Predicate::OLE, Predicate::OGT, Predicate::OGE};
    return emit<arith::CmpFOp>(*this, result, predicates[index], lhs.getIR(), rhs.getIR());
  }
  using Predicate = arith::CmpIPredicate;
  static constexpr Predicate signedOnes[] = {Predicate::eq,  Predicate::ne,  Predicate::slt,
                                             Predicate::sle, Predicate::sgt, Predicate::sge};
  static constexpr Predicate unsignedOnes[] = {Predicate::eq,  Predicate::ne,  Predicate::ult,
                                               Predicate::ule, Predicate::ugt, Predicate::uge};
  Predicate predicate = lhs.getDType().isSignedInt() ? signedOnes[index] : unsignedOnes[index];
  return emit<arith::CmpIOp>(*this, result, predicate, lhs.getIR(), rhs.getIR());
}

//===----------------------------------------------------------------------===//
// Logic
//===----------------------------------------------------------------------===//

Value Semantics::logical(LogicalOp op, const Value &left, const Value &right) {
  if (isBroken(left) || isBroken(right)) {
    return Value::poison();
  }
  if (std::optional<bool> truth = constantTruth(left)) {
    const Value &chosen = *truth == (op == LogicalOp::And) ? right : left;
    if (!left.getHint()) {
      return chosen;
    }
    // What a variable or an argument holds gives a bool, as at run time.
    std::optional<bool> known = constantTruth(chosen);
    return known ? Value::boolean(*known, DType(Kind::Int1)) : toBool(chosen);
  }
  Value lhs = toBool(left), rhs = toBool(right);
  if (lhs.isPoison() || rhs.isPoison() || !broadcast(lhs, rhs)) {
    return Value::poison();
  }
  if (op == LogicalOp::And) {
    return emit<arith::AndIOp>(*this, lhs.getType(), lhs.getIR(), rhs.getIR());
  }
  return emit<arith::OrIOp>(*this, lhs.getType(), lhs.getIR(), rhs.getIR());
}

mlir::Value Semantics::condition(const Value &value, llvm::StringRef what) {
  if (isBroken(value)) {
    return {};
  }
  if (value.isRuntime() && value.getType().isTile()) {
    if (value.getType().getNumElements() == 1) {
      return condition(onlyElement(value), what);
    }
    error(diag::TileCondition, "expected a scalar for " + what + ", got " + value.describe() +
                                   "; use it as a mask or in tl.where, or reduce it with tl.max");
    return {};
  }
  Value truth = toBool(value);
  return truth.isPoison() ? mlir::Value() : truth.getIR();
}

Value Semantics::select(const Value &which, const Value &whenTrue, const Value &whenFalse,
                        llvm::StringRef name) {
  if (isBroken(which) || isBroken(whenTrue) || isBroken(whenFalse)) {
    return Value::poison();
  }
  Value condition = toBool(which), a = whenTrue, b = whenFalse;
  if (condition.isPoison()) {
    return condition;
  }
  if (a.isNumber() && b.isNumber()) {
    // Two literals meet as run-time values do.
    std::optional<DType> common = promote(a, b, false, name);
    if (!common) {
      return Value::poison();
    }
    a = toRuntime(a, *common);
    b = toRuntime(b, *common);
  }
  if (!unify(a, b, name, true, true) || !broadcast(condition, a) || !broadcast(condition, b)) {
    return Value::poison();
  }
  return emit<arith::SelectOp>(*this, a.getType(), condition.getIR(), a.getIR(), b.getIR());
}

} // namespace tegula::frontend
