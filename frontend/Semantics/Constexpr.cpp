//===- Constexpr.cpp - Operators on values known at compile time ----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Python's rules: `//` and `%` floor, `/` is a float, bool is an int. Hints of
// parameters are dropped by arithmetic.
//
//===----------------------------------------------------------------------===//

#include "Semantics.h"
#include "tegula/Frontend/Frontend.h"
#include <cmath>

namespace tegula::frontend {

llvm::StringRef spelling(ArithOp op) {
  static constexpr llvm::StringLiteral names[] = {"+",  "-",  "*", "/", "//", "%", "**",
                                                  "<<", ">>", "&", "|", "^",  "@"};
  return names[static_cast<unsigned>(op)];
}

llvm::StringRef spelling(RelationOp op) {
  static constexpr llvm::StringLiteral names[] = {"==", "!=", "<",      "<=", ">",
                                                  ">=", "is", "is not", "in", "not in"};
  return names[static_cast<unsigned>(op)];
}

llvm::StringRef spelling(PrefixOp op) {
  static constexpr llvm::StringLiteral names[] = {"+", "-", "~", "not"};
  return names[static_cast<unsigned>(op)];
}

Value Semantics::error(DiagID id, const llvm::Twine &message, int argument) {
  if (argument < 0 && !argumentText.empty()) {
    client.reportError(id, argumentText + message, std::max(argumentInHand - argumentShift, -1));
  } else {
    client.reportError(id, message, std::max(argument - argumentShift, -1));
  }
  return Value::poison();
}

void Semantics::warn(DiagID id, const llvm::Twine &message, int argument) {
  client.reportWarning(id, message, std::max(argument - argumentShift, -1));
}

std::optional<bool> Semantics::constantTruth(const Value &value) {
  switch (value.getKind()) {
  case Value::Kind::Poison:
  case Value::Kind::Undefined:
  case Value::Kind::Runtime:
    return std::nullopt;
  case Value::Kind::Int:
  case Value::Kind::Bool:
    return value.getInt() != 0;
  case Value::Kind::Float:
    return value.getFloat() != 0;
  case Value::Kind::Str:
    return !value.getStr().empty();
  case Value::Kind::None:
    return false;
  case Value::Kind::Tuple:
    return !value.getItems().empty();
  case Value::Kind::Struct:
    if (std::optional<Value> answer = callMethod(value, "__bool__", {})) {
      return constantTruth(*answer);
    }
    return true;
  default:
    return true;
  }
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static BigInt floorDiv(BigInt a, BigInt b) {
  BigInt quotient = a / b;
  return quotient - ((a % b != 0 && ((a < 0) != (b < 0))) ? 1 : 0);
}

/// The remainder that belongs to floorDiv, whose product may not fit.
static BigInt floorMod(BigInt a, BigInt b) {
  BigInt rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/// Nullopt when 128 bits do not suffice.
static std::optional<BigInt> power(BigInt base, BigInt exponent) {
  BigInt result = 1;
  while (exponent > 0) {
    if ((exponent & 1) && __builtin_mul_overflow(result, base, &result)) {
      return std::nullopt;
    }
    exponent >>= 1;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) {
      return std::nullopt;
    }
  }
  return result;
}

/// `a op b` for operators whose result is an int; nullopt on overflow. The
/// divisor is not 0 and shift amounts are not negative.
static std::optional<BigInt> foldInts(ArithOp op, BigInt a, BigInt b) {
  BigInt result = 0;
  bool overflow = false;
  switch (op) {
  case ArithOp::Add:
    overflow = __builtin_add_overflow(a, b, &result);
    break;
  case ArithOp::Sub:
    overflow = __builtin_sub_overflow(a, b, &result);
    break;
  case ArithOp::Mul:
    overflow = __builtin_mul_overflow(a, b, &result);
    break;
  case ArithOp::FloorDiv:
    if (b == -1) {
      overflow = __builtin_sub_overflow(BigInt(0), a, &result);
    } else {
      result = floorDiv(a, b);
    }
    break;
  case ArithOp::Mod:
    result = b == -1 ? 0 : floorMod(a, b);
    break;
  case ArithOp::Pow:
    return power(a, b);
  case ArithOp::Shl:
    if (a != 0 && b > 126) {
      return std::nullopt;
    }
    overflow = a != 0 && __builtin_mul_overflow(a, BigInt(1) << static_cast<int>(b), &result);
    break;
  case ArithOp::Shr:
    result = a >> static_cast<int>(b > 127 ? BigInt(127) : b);
    break;
  case ArithOp::BitAnd:
    result = a & b;
    break;
  case ArithOp::BitOr:
    result = a | b;
    break;
  case ArithOp::BitXor:
    result = a ^ b;
    break;
  default:
    return std::nullopt;
  }
  return overflow ? std::nullopt : std::optional<BigInt>(result);
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

bool Semantics::checkSize(uint64_t size) {
  if (size > Value::kMaxSize) {
    error(diag::SizeLimit, "expected at most " + llvm::Twine(Value::kMaxSize) +
                               " items and characters in a compile-time value, got " +
                               llvm::Twine(size));
    return false;
  }
  return true;
}

bool Semantics::checkSize(const Value &value) {
  if (value.getDepth() > Value::kMaxDepth) {
    error(diag::SizeLimit, "expected at most " + llvm::Twine(Value::kMaxDepth) +
                               " tuples inside each other, got more");
    return false;
  }
  return checkSize(value.getSize());
}

static Value repeat(const Value &value, BigInt count) {
  if (value.isStr()) {
    std::string text;
    for (BigInt i = 0; i < count; ++i) {
      text += value.getStr();
    }
    return Value::string(std::move(text));
  }
  std::vector<Value> items;
  for (BigInt i = 0; i < count; ++i) {
    items.insert(items.end(), value.getItems().begin(), value.getItems().end());
  }
  return Value::tuple(std::move(items));
}

/// A number that a variable or an argument holds is a scalar of the kernel that
/// happens to be known: operators on it give what they give at run time, in the
/// same type. Nullopt where Python's rules hold. Floats keep their precision.
static std::optional<Value> foldScalars(Semantics &semantics, ArithOp op, const Value &lhs,
                                        const Value &rhs) {
  bool integers = lhs.isNumber() && rhs.isNumber() && !lhs.isFloat() && !rhs.isFloat();
  if (!integers || (!lhs.getHint() && !rhs.getHint()) || op == ArithOp::Pow ||
      op == ArithOp::MatMul) {
    return std::nullopt;
  }
  bool divOrMod = op == ArithOp::Div || op == ArithOp::FloorDiv || op == ArithOp::Mod;
  std::optional<DType> common = semantics.promote(lhs, rhs, divOrMod, spelling(op));
  if (!common) {
    return Value::poison();
  }
  for (const Value &value : {lhs, rhs}) {
    if (!value.getHint() && !common->isBool() &&
        (value.getInt() < common->getIntMin() || value.getInt() > common->getIntMax())) {
      return semantics.toRuntime(value, *common); // reports it
    }
  }
  if (op == ArithOp::Div) {
    float a = static_cast<float>(lhs.getInt()), b = static_cast<float>(rhs.getInt());
    return Value::floating(a / b, DType(DType::Kind::Fp32));
  }
  unsigned width = common->getBitWidth();
  bool isSigned = common->isSignedInt();
  auto bitsOf = [width](BigInt value) {
    uint64_t words[] = {static_cast<uint64_t>(value), static_cast<uint64_t>(value >> 64)};
    return llvm::APInt(128, words).trunc(width);
  };
  llvm::APInt a = bitsOf(lhs.getInt()), b = bitsOf(rhs.getInt()), result(width, 0);
  bool far = b.uge(width);
  bool overflows = isSigned && a.isMinSignedValue() && b.isAllOnes();
  switch (op) {
  case ArithOp::Add:
    result = a + b;
    break;
  case ArithOp::Sub:
    result = a - b;
    break;
  case ArithOp::Mul:
    result = a * b;
    break;
  case ArithOp::FloorDiv:
    if (!b.isZero()) {
      result = !isSigned ? a.udiv(b) : overflows ? a : a.sdiv(b);
    }
    break;
  case ArithOp::Mod:
    if (b.isZero()) {
      result = a;
    } else if (!overflows) {
      result = isSigned ? a.srem(b) : a.urem(b);
    }
    break;
  case ArithOp::Shl:
    result = far ? result : a.shl(b);
    break;
  case ArithOp::Shr:
    if (isSigned) {
      result = a.ashr(far ? width - 1 : b.getZExtValue());
    } else {
      result = far ? result : a.lshr(b);
    }
    break;
  case ArithOp::BitAnd:
    result = a & b;
    break;
  case ArithOp::BitOr:
    result = a | b;
    break;
  default:
    result = a ^ b;
    break;
  }
  BigInt number = isSigned ? BigInt(result.getSExtValue()) : BigInt(result.getZExtValue());
  return common->isBool() ? Value::boolean(number != 0, common) : Value::integer(number, common);
}

Value Semantics::foldBinary(ArithOp op, const Value &lhs, const Value &rhs) {
  if (std::optional<Value> scalar = foldScalars(*this, op, lhs, rhs)) {
    return *scalar;
  }
  auto unsupported = [&] {
    bool text =
        op == ArithOp::Add && (lhs.isStr() || rhs.isStr()) && (lhs.isNumber() || rhs.isNumber());
    return error(diag::OperandType, "unsupported operands of '" + spelling(op) +
                                        "': " + lhs.describe() + " and " + rhs.describe() +
                                        (text ? "; put the number into an f-string" : ""));
  };

  if (!lhs.isNumber() || !rhs.isNumber()) {
    bool lhsSequence = lhs.isStr() || lhs.isTuple();
    bool rhsSequence = rhs.isStr() || rhs.isTuple();
    if (op == ArithOp::Add && lhsSequence && rhsSequence &&
        !checkSize(lhs.getSize() + rhs.getSize())) {
      return Value::poison();
    }
    if (op == ArithOp::Add && lhs.isStr() && rhs.isStr()) {
      return Value::string(lhs.getStr() + rhs.getStr());
    }
    if (op == ArithOp::Add && lhs.isTuple() && rhs.isTuple()) {
      std::vector<Value> items(lhs.getItems());
      items.insert(items.end(), rhs.getItems().begin(), rhs.getItems().end());
      return Value::tuple(std::move(items));
    }
    if (op == ArithOp::Mul && ((lhsSequence && rhs.isInt()) || (lhs.isInt() && rhsSequence))) {
      BigInt count = lhsSequence ? rhs.getInt() : lhs.getInt();
      if (count > 65536) {
        return error(diag::SizeLimit, "expected at most 65536 repetitions, got " + toString(count));
      }
      const Value &sequence = lhsSequence ? lhs : rhs;
      if (count > 0 && !checkSize(sequence.getSize() * static_cast<uint64_t>(count))) {
        return Value::poison();
      }
      return repeat(sequence, count);
    }
    return unsupported();
  }

  bool anyFloat = lhs.isFloat() || rhs.isFloat();
  bool zeroDivisor = rhs.isFloat() ? rhs.getFloat() == 0 : rhs.getInt() == 0;
  if ((op == ArithOp::Div || op == ArithOp::FloorDiv || op == ArithOp::Mod) && zeroDivisor) {
    return error(diag::ConstantArithmetic,
                 "division by zero: " + lhs.repr() + " " + spelling(op) + " " + rhs.repr());
  }
  if (op == ArithOp::Div) {
    return Value::floating(lhs.asDouble() / rhs.asDouble());
  }
  if (!anyFloat) {
    BigInt a = lhs.getInt(), b = rhs.getInt();
    bool bits = op == ArithOp::BitAnd || op == ArithOp::BitOr || op == ArithOp::BitXor;
    if (bits && lhs.isBool() && rhs.isBool()) {
      return Value::boolean(*foldInts(op, a, b) != 0);
    }
    if ((op == ArithOp::Shl || op == ArithOp::Shr) && b < 0) {
      return error(diag::ConstantArithmetic, "negative shift amount: " + rhs.repr());
    }
    if (op == ArithOp::MatMul) {
      return unsupported();
    }
    if (op == ArithOp::Pow && b < 0) {
      if (a == 0) {
        return error(diag::ConstantArithmetic,
                     "division by zero: " + lhs.repr() + " ** " + rhs.repr());
      }
      return Value::floating(std::pow(lhs.asDouble(), rhs.asDouble()));
    }
    std::optional<BigInt> result = foldInts(op, a, b);
    if (!result) {
      return error(diag::ConstantArithmetic,
                   "integer constant does not fit in 128 bits: " + lhs.repr() + " " + spelling(op) +
                       " " + rhs.repr());
    }
    return Value::integer(*result);
  }

  double a = lhs.asDouble(), b = rhs.asDouble();
  switch (op) {
  case ArithOp::Add:
    return Value::floating(a + b);
  case ArithOp::Sub:
    return Value::floating(a - b);
  case ArithOp::Mul:
    return Value::floating(a * b);
  case ArithOp::FloorDiv:
  case ArithOp::Mod: {
    // The rest is exact, and has the sign of the divisor; what is left of `a`
    // divides by `b` but for roundings.
    double rest = std::fmod(a, b);
    double quotient = (a - rest) / b;
    if (rest == 0) {
      rest = std::copysign(0.0, b);
    } else if ((rest < 0) != (b < 0)) {
      rest += b;
      quotient -= 1;
    }
    if (op == ArithOp::Mod) {
      return Value::floating(rest);
    }
    double whole = std::floor(quotient);
    whole = quotient - whole > 0.5 ? whole + 1 : whole;
    return Value::floating(quotient == 0 ? std::copysign(0.0, a / b) : whole);
  }
  case ArithOp::Pow:
    return Value::floating(std::pow(a, b));
  default:
    return unsupported();
  }
}

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

Value Semantics::foldUnary(PrefixOp op, const Value &operand) {
  if (op == PrefixOp::Not) {
    return Value::boolean(!*constantTruth(operand));
  }
  if (operand.isFloat() && op != PrefixOp::Invert) {
    return Value::floating(op == PrefixOp::Minus ? -operand.getFloat() : operand.getFloat());
  }
  if (operand.isInt() || operand.isBool()) {
    BigInt value = operand.getInt();
    if (std::optional<DType> hint = operand.getHint(); hint && op != PrefixOp::Plus) {
      // 0 - x, or all ones ^ x, in the type of the variable.
      bool minus = op == PrefixOp::Minus;
      BigInt ones = hint->isUnsignedInt() ? hint->getIntMax() : BigInt(-1);
      Value left = Value::integer(minus ? BigInt(0) : ones, hint);
      return foldBinary(minus ? ArithOp::Sub : ArithOp::BitXor, left, operand);
    }
    switch (op) {
    case PrefixOp::Plus:
      return operand.getHint() ? operand : Value::integer(value);
    case PrefixOp::Minus: {
      std::optional<BigInt> result = foldInts(ArithOp::Sub, 0, value);
      return result ? Value::integer(*result)
                    : error(diag::ConstantArithmetic,
                            "integer constant does not fit in 128 bits: -(" + operand.repr() + ")");
    }
    default:
      return Value::integer(~value);
    }
  }
  return error(diag::OperandType,
               "unsupported operand of unary '" + spelling(op) + "': " + operand.describe());
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

template <typename T> static bool order(RelationOp op, const T &a, const T &b) {
  switch (op) {
  case RelationOp::Eq:
    return a == b;
  case RelationOp::Ne:
    return a != b;
  case RelationOp::Lt:
    return a < b;
  case RelationOp::Le:
    return a <= b;
  case RelationOp::Gt:
    return a > b;
  default:
    return a >= b;
  }
}

Value Semantics::foldCompare(RelationOp op, const Value &lhs, const Value &rhs) {
  switch (op) {
  case RelationOp::Is:
    return Value::boolean(Value::isSame(lhs, rhs));
  case RelationOp::IsNot:
    return Value::boolean(!Value::isSame(lhs, rhs));
  case RelationOp::In:
  case RelationOp::NotIn: {
    bool found = false;
    if (lhs.isStr() && rhs.isStr()) {
      found = rhs.getStr().find(lhs.getStr()) != std::string::npos;
    } else if (rhs.isTuple()) {
      for (const Value &item : rhs.getItems()) {
        Value equal = compare(RelationOp::Eq, lhs, item);
        if (equal.isPoison()) {
          return equal;
        }
        if (!equal.isBool()) {
          return error(diag::NotConstexpr, "expected compile-time values around '" + spelling(op) +
                                               "', got " + item.describe());
        }
        found |= equal.getBool();
      }
    } else if (rhs.isHostObject() && client.getResolver()) {
      break;
    } else {
      return error(diag::NotIterable, "expected a tuple or a string after '" + spelling(op) +
                                          "', got " + rhs.describe());
    }
    return Value::boolean(found == (op == RelationOp::In));
  }
  default:
    break;
  }

  // Objects of the host know themselves how they compare.
  if (lhs.isHostObject() || rhs.isHostObject()) {
    NameResolver *resolver = client.getResolver();
    std::optional<HostValue> a = toHost(lhs);
    std::optional<HostValue> b = a ? toHost(rhs) : std::nullopt;
    if (!a || !b) {
      return Value::poison();
    }
    bool negate = op == RelationOp::NotIn;
    std::string failure;
    std::optional<HostValue> result;
    if (resolver) {
      result = resolver->compare(negate ? "in" : spelling(op), *a, *b, failure);
    }
    if (result) {
      Value value = fromHost(*result);
      std::optional<bool> truth = constantTruth(value);
      return truth ? Value::boolean(*truth != negate) : Value::poison();
    }
    if (!failure.empty()) {
      return error(diag::HostError,
                   "cannot compare " + lhs.describe() + " and " + rhs.describe() + ": " + failure);
    }
    if (op == RelationOp::Eq || op == RelationOp::Ne) {
      return Value::boolean(Value::isSame(lhs, rhs) == (op == RelationOp::Eq));
    }
    return error(diag::OperandType, "cannot compare " + lhs.describe() + " and " + rhs.describe());
  }

  if (lhs.isNumber() && rhs.isNumber()) {
    if (lhs.isFloat() || rhs.isFloat()) {
      // An int may have no double; a whole float has an int.
      auto asInt = [](const Value &value) -> std::optional<BigInt> {
        if (!value.isFloat()) {
          return value.getInt();
        }
        double number = value.getFloat();
        bool fits = std::floor(number) == number && std::fabs(number) < 0x1p126;
        return fits ? std::optional<BigInt>(static_cast<BigInt>(number)) : std::nullopt;
      };
      std::optional<BigInt> a = asInt(lhs), b = asInt(rhs);
      return a && b ? Value::boolean(order(op, *a, *b))
                    : Value::boolean(order(op, lhs.asDouble(), rhs.asDouble()));
    }
    return Value::boolean(order(op, lhs.getInt(), rhs.getInt()));
  }
  if (lhs.isStr() && rhs.isStr()) {
    return Value::boolean(order(op, lhs.getStr(), rhs.getStr()));
  }
  bool isEquality = op == RelationOp::Eq || op == RelationOp::Ne;
  if (lhs.isComposite() && rhs.isComposite() && isEquality &&
      (lhs.isTuple() ? rhs.isTuple() : Value::haveSameForm(lhs, rhs))) {
    bool sameSize = lhs.getItems().size() == rhs.getItems().size();
    return sameSize ? equalItems(op, lhs, rhs) : Value::boolean(op == RelationOp::Ne);
  }
  if (lhs.isTuple() && rhs.isTuple()) {
    llvm::ArrayRef<Value> a = lhs.getItems(), b = rhs.getItems();
    size_t common = std::min(a.size(), b.size());
    for (size_t i = 0; i < common; ++i) {
      Value equal = compare(RelationOp::Eq, a[i], b[i]);
      if (equal.isPoison()) {
        return equal;
      }
      if (!equal.isBool()) {
        return error(diag::NotConstexpr, "expected tuples of compile-time values around '" +
                                             spelling(op) + "', got " +
                                             (a[i].isRuntime() ? a[i] : b[i]).describe());
      }
      if (!equal.getBool()) {
        return compare(op, a[i], b[i]);
      }
    }
    return Value::boolean(order(op, a.size(), b.size()));
  }
  if (isEquality) {
    return Value::boolean(Value::isSame(lhs, rhs) == (op == RelationOp::Eq));
  }
  return error(diag::OperandType, "cannot order " + lhs.describe() + " and " + rhs.describe() +
                                      " with '" + spelling(op) + "'");
}

} // namespace tegula::frontend
