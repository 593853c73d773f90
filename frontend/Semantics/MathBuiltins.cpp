//===- MathBuiltins.cpp - Elementwise functions ---------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tegula/Tile/IR/Tile.h"

namespace tegula::frontend {

using Kind = DType::Kind;
namespace arith = mlir::arith;
namespace math = mlir::math;

template <typename Op, typename... Args>
static Value emit(Semantics &semantics, const LangType &type, Args &&...args) {
  return Value::runtime(
      Op::create(semantics.getBuilder(), semantics.loc(), std::forward<Args>(args)...)
          ->getResult(0),
      type);
}

/// A float32 or float64 argument; whole numbers of the source count as float32.
static Value getFloat(Semantics &semantics, BoundCall &call, llvm::StringRef name) {
  const Value &given = call.get(name);
  if (given.isInt() || given.isBool()) {
    return semantics.toRuntime(given, DType(Kind::Fp32));
  }
  Value value = call.getTile(name);
  if (value.isPoison() || value.getDType().isFp32() || value.getDType().isFp64()) {
    return value;
  }
  return call.error(diag::ArgumentType, name,
                    "expected float32 or float64, got " + value.describe() +
                        "; cast it with .to(tl.float32)");
}

//===----------------------------------------------------------------------===//
// One op each
//===----------------------------------------------------------------------===//

template <typename Op> static Value unaryMath(Semantics &semantics, BoundCall &call) {
  Value x = getFloat(semantics, call, "x");
  return x.isPoison() ? x : emit<Op>(semantics, x.getType(), x.getIR());
}

template <typename Op> static Value classify(Semantics &semantics, BoundCall &call) {
  Value x = getFloat(semantics, call, "x");
  return x.isPoison() ? x : emit<Op>(semantics, x.getType().withDType(Kind::Int1), x.getIR());
}

template <typename Op> static Value binaryMath(Semantics &semantics, BoundCall &call) {
  Value x = getFloat(semantics, call, "x"), y = getFloat(semantics, call, "y");
  if (x.isPoison() || y.isPoison()) {
    return Value::poison();
  }
  // A literal takes the other's type.
  x = call.get("x").isNumber() && call.get("y").isRuntime() ? call.get("x") : x;
  y = call.get("y").isNumber() && call.get("x").isRuntime() ? call.get("y") : y;
  if (!semantics.unify(x, y, call.path)) {
    return Value::poison();
  }
  return emit<Op>(semantics, x.getType(), x.getIR(), y.getIR());
}

/// x ** y, where y may be of integers. These are exact in float64, and their last bit decides
/// about the sign.
static Value power(Semantics &semantics, BoundCall &call) {
  const Value &y = call.get("y");
  bool isInteger = y.isRuntime() && y.getDType().isInt() && !y.getDType().isBool() &&
                   y.getDType().getBitWidth() <= 32;
  Value x = isInteger ? getFloat(semantics, call, "x") : Value::poison();
  if (x.isPoison()) {
    return isInteger ? x : binaryMath<math::PowFOp>(semantics, call);
  }
  Value base = semantics.cast(x, Kind::Fp64), exponent = semantics.cast(y, Kind::Fp64);
  if (!semantics.unify(base, exponent, call.path)) {
    return Value::poison();
  }
  Value wide = emit<math::PowFOp>(semantics, base.getType(), base.getIR(), exponent.getIR());
  return semantics.cast(wide, x.getDType());
}

template <typename Op> static Value bitMath(Semantics &semantics, BoundCall &call) {
  Value x = call.getTile("x");
  if (x.isPoison()) {
    return x;
  }
  if (!x.getDType().isInt() || x.getDType().isBool()) {
    return call.error(diag::ArgumentType, "x", "expected integers, got " + x.describe());
  }
  return semantics.cast(emit<Op>(semantics, x.getType(), x.getIR()), Kind::Int32);
}

/// Position of the lowest set bit, counted from 1; 0 if there is none.
static Value findFirstSet(Semantics &semantics, BoundCall &call) {
  Value index = bitMath<math::CountTrailingZerosOp>(semantics, call);
  if (index.isPoison()) {
    return index;
  }
  Value isZero = semantics.compare(RelationOp::Eq, call.getTile("x"), Value::integer(0));
  return semantics.select(isZero, Value::integer(0),
                          semantics.binary(ArithOp::Add, index, Value::integer(1)));
}

static Value exp10(Semantics &semantics, BoundCall &call) {
  Value x = getFloat(semantics, call, "x");
  if (x.isPoison()) {
    return x;
  }
  Value ten = semantics.constantFloat(10, x.getType());
  return emit<math::PowFOp>(semantics, x.getType(), ten.getIR(), x.getIR());
}

static Value signBit(Semantics &semantics, BoundCall &call) {
  Value x = getFloat(semantics, call, "x");
  if (x.isPoison()) {
    return x;
  }
  Value bits = semantics.bitcast(x, DType::integer(x.getDType().getBitWidth(), true));
  return semantics.compare(RelationOp::Lt, bits, Value::integer(0));
}

#define UNARY(NAME, OP, SUMMARY, METHOD) {NAME, "(x)", unaryMath<math::OP>, SUMMARY, METHOD}
#define BINARY(NAME, OP, SUMMARY) {NAME, "(x, y)", binaryMath<OP>, SUMMARY, false}

static constexpr Builtin mathTable[] = {
    UNARY("exp", ExpOp, "e ** x", true),
    UNARY("exp2", Exp2Op, "2 ** x", true),
    UNARY("log", LogOp, "natural logarithm", true),
    UNARY("log2", Log2Op, "logarithm to base 2", true),
    UNARY("sin", SinOp, "sine", true),
    UNARY("cos", CosOp, "cosine", true),
    UNARY("sqrt", SqrtOp, "square root", true),
    UNARY("sqrt_rn", SqrtOp, "square root, correctly rounded", true),
    UNARY("rsqrt", RsqrtOp, "1 / sqrt(x)", true),
    UNARY("erf", ErfOp, "error function", true),
    UNARY("floor", FloorOp, "largest integer not above x", true),
    UNARY("ceil", CeilOp, "smallest integer not below x", true),
    UNARY("libdevice.acos", AcosOp, "arc cosine", false),
    UNARY("libdevice.acosh", AcoshOp, "inverse hyperbolic cosine", false),
    UNARY("libdevice.asin", AsinOp, "arc sine", false),
    UNARY("libdevice.asinh", AsinhOp, "inverse hyperbolic sine", false),
    UNARY("libdevice.atan", AtanOp, "arc tangent", false),
    UNARY("libdevice.atanh", AtanhOp, "inverse hyperbolic tangent", false),
    UNARY("libdevice.cbrt", CbrtOp, "cube root", false),
    UNARY("libdevice.cosh", CoshOp, "hyperbolic cosine", false),
    UNARY("libdevice.erfc", ErfcOp, "1 - erf(x)", false),
    UNARY("libdevice.expm1", ExpM1Op, "exp(x) - 1", false),
    UNARY("libdevice.fabs", AbsFOp, "magnitude", false),
    UNARY("libdevice.fast_cosf", CosOp, "cosine", false),
    UNARY("libdevice.fast_expf", ExpOp, "e ** x", false),
    UNARY("libdevice.fast_log2f", Log2Op, "logarithm to base 2", false),
    UNARY("libdevice.fast_logf", LogOp, "natural logarithm", false),
    UNARY("libdevice.fast_sinf", SinOp, "sine", false),
    UNARY("libdevice.fast_tanf", TanOp, "tangent", false),
    UNARY("libdevice.fast_tanhf", TanhOp, "hyperbolic tangent", false),
    UNARY("libdevice.log10", Log10Op, "logarithm to base 10", false),
    UNARY("libdevice.log1p", Log1pOp, "log(1 + x)", false),
    UNARY("libdevice.nearbyint", RoundEvenOp, "nearest integer, ties to even", false),
    UNARY("libdevice.rint", RoundEvenOp, "nearest integer, ties to even", false),
    UNARY("libdevice.round", RoundOp, "nearest integer, ties away from zero", false),
    UNARY("libdevice.rsqrt_rn", RsqrtOp, "1 / sqrt(x)", false),
    UNARY("libdevice.sinh", SinhOp, "hyperbolic sine", false),
    UNARY("libdevice.tan", TanOp, "tangent", false),
    UNARY("libdevice.tanh", TanhOp, "hyperbolic tangent", false),
    UNARY("libdevice.trunc", TruncOp, "x without its fraction", false),
    BINARY("libdevice.atan2", math::Atan2Op, "angle of the point (y, x)"),
    BINARY("libdevice.copysign", math::CopySignOp, "x with the sign of y"),
    BINARY("libdevice.fast_dividef", arith::DivFOp, "x / y"),
    BINARY("libdevice.fast_powf", math::PowFOp, "x ** y"),
    BINARY("libdevice.fmax", arith::MaxNumFOp, "the larger one"),
    BINARY("libdevice.fmin", arith::MinNumFOp, "the smaller one"),
    BINARY("libdevice.fmod", arith::RemFOp, "remainder with the sign of x"),
    {"libdevice.pow", "(x, y)", power, "x ** y"},
    {"libdevice.exp10", "(x)", exp10, "10 ** x"},
    {"libdevice.isnan", "(x)", classify<math::IsNaNOp>, "whether x is a NaN"},
    {"libdevice.isinf", "(x)", classify<math::IsInfOp>, "whether x is an infinity"},
    {"libdevice.isfinited", "(x)", classify<math::IsFiniteOp>, "whether x is finite"},
    {"libdevice.finitef", "(x)", classify<math::IsFiniteOp>, "whether x is finite"},
    {"libdevice.signbit", "(x)", signBit, "whether the sign bit is set"},
    {"libdevice.clz", "(x)", bitMath<math::CountLeadingZerosOp>, "leading zero bits"},
    {"libdevice.popc", "(x)", bitMath<math::CtPopOp>, "set bits"},
    {"libdevice.ffs", "(x)", findFirstSet, "position of the lowest set bit, from 1"},
};

#undef UNARY
#undef BINARY

llvm::ArrayRef<Builtin> mathBuiltins() { return mathTable; }

//===----------------------------------------------------------------------===//
// maximum, minimum, clamp
//===----------------------------------------------------------------------===//

static std::optional<bool> propagatesNaN(const BoundCall &call) {
  const Value &mode = call.get("propagate_nan");
  if (mode.isNone() || Semantics::isLanguage(mode, "tl.PropagateNan.NONE")) {
    return false;
  }
  if (Semantics::isLanguage(mode, "tl.PropagateNan.ALL")) {
    return true;
  }
  call.error(diag::InvalidArgument, "propagate_nan",
             "expected tl.PropagateNan.NONE or tl.PropagateNan.ALL, got " + mode.describe());
  return std::nullopt;
}

/// The larger or smaller of two numbers or tiles; bfloat16 becomes float32.
static Value extremum(Semantics &semantics, const BoundCall &call, Value x, Value y, bool larger,
                      bool propagate) {
  if (x.isNumber() && y.isNumber()) {
    x = semantics.toRuntime(x);
  }
  if (!semantics.unify(x, y, call.path)) {
    return Value::poison();
  }
  DType dtype = x.getDType();
  if (dtype.isBF16()) {
    x = semantics.cast(x, Kind::Fp32);
    y = semantics.cast(y, Kind::Fp32);
    dtype = x.getDType();
  }
  x = semantics.widenFp8(x);
  y = semantics.widenFp8(y);
  LangType type = x.getType();
  mlir::Value a = x.getIR(), b = y.getIR();
  if (dtype.isFloat()) {
    Value result = larger ? (propagate ? emit<arith::MaximumFOp>(semantics, type, a, b)
                                       : emit<arith::MaxNumFOp>(semantics, type, a, b))
                          : (propagate ? emit<arith::MinimumFOp>(semantics, type, a, b)
                                       : emit<arith::MinNumFOp>(semantics, type, a, b));
    return semantics.cast(result, dtype);
  }
  if (dtype.isSignedInt()) {
    return larger ? emit<arith::MaxSIOp>(semantics, type, a, b)
                  : emit<arith::MinSIOp>(semantics, type, a, b);
  }
  return larger ? emit<arith::MaxUIOp>(semantics, type, a, b)
                : emit<arith::MinUIOp>(semantics, type, a, b);
}

static Value extremumCall(Semantics &semantics, BoundCall &call, bool larger) {
  std::optional<bool> propagate = propagatesNaN(call);
  return propagate ? extremum(semantics, call, call.get("x"), call.get("y"), larger, *propagate)
                   : Value::poison();
}

Value Builtins::maximum(Semantics &semantics, BoundCall &call) {
  return extremumCall(semantics, call, true);
}

Value Builtins::minimum(Semantics &semantics, BoundCall &call) {
  return extremumCall(semantics, call, false);
}

Value Builtins::clamp(Semantics &semantics, BoundCall &call) {
  std::optional<bool> propagate = propagatesNaN(call);
  Value x = call.getTile("x");
  if (!propagate || x.isPoison()) {
    return Value::poison();
  }
  if (!x.getDType().isFloat()) {
    return call.error(diag::ArgumentType, "x",
                      "expected floats, got " + x.describe() +
                          "; use tl.minimum and tl.maximum for integers");
  }
  Value above = extremum(semantics, call, x, call.get("min"), true, *propagate);
  return extremum(semantics, call, above, call.get("max"), false, *propagate);
}

/// Python's min and max: the first of equal ones; run-time scalars as tl.minimum.
static Value pythonExtremum(Semantics &semantics, BoundCall &call, bool larger) {
  std::vector<Value> items = call.rest;
  if (items.empty()) {
    return semantics.error(diag::MissingArgument, call.path + " takes at least one argument");
  }
  if (items.size() == 1) {
    const Value &only = call.rest[0];
    if (only.isRuntime()) {
      return semantics.error(diag::NotIterable,
                             call.path + " of one argument expects a tuple, got " +
                                 only.describe() + "; reduce a tile with tl." + call.path,
                             call.place("args"));
    }
    std::optional<std::vector<Value>> inner = semantics.iterate(only, call.path);
    if (!inner) {
      return Value::poison();
    }
    items = *inner;
    if (items.empty()) {
      return semantics.error(diag::InvalidArgument,
                             call.path + " takes at least one value, got an empty tuple",
                             call.place("args"));
    }
  }
  Value best = items[0];
  for (const Value &item : llvm::ArrayRef<Value>(items).drop_front()) {
    if (best.isCompileTime() && item.isCompileTime()) {
      Value better = semantics.compare(larger ? RelationOp::Gt : RelationOp::Lt, item, best);
      if (better.isPoison()) {
        return better;
      }
      bool typed = best.isNumber() && item.isNumber() && !best.isFloat() && !item.isFloat() &&
                   (best.getHint() || item.getHint());
      std::optional<DType> common;
      if (typed && !(common = semantics.promote(best, item, false, call.path))) {
        return Value::poison();
      }
      best = better.getBool() ? item : best;
      if (common && !common->isBool()) {
        best = Value::integer(best.getInt(), common);
      }
    } else {
      best = extremum(semantics, call, best, item, larger, false);
    }
  }
  return best;
}

Value Builtins::pyMin(Semantics &semantics, BoundCall &call) {
  return pythonExtremum(semantics, call, false);
}

Value Builtins::pyMax(Semantics &semantics, BoundCall &call) {
  return pythonExtremum(semantics, call, true);
}

//===----------------------------------------------------------------------===//
// Arithmetic by name
//===----------------------------------------------------------------------===//

Value Builtins::abs(Semantics &semantics, BoundCall &call) {
  const Value &given = call.get("x");
  if (given.isNumber()) {
    bool negative = given.asDouble() < 0;
    return semantics.unary(negative ? PrefixOp::Minus : PrefixOp::Plus, given);
  }
  Value x = call.getTile("x");
  if (x.isPoison()) {
    return x;
  }
  DType dtype = x.getDType();
  if (dtype.isPointer()) {
    return call.error(diag::ArgumentType, "x", "expected numbers, got " + x.describe());
  }
  if (dtype.isFloat()) {
    Value wide = semantics.widenFp8(x);
    return semantics.cast(emit<math::AbsFOp>(semantics, wide.getType(), wide.getIR()), dtype);
  }
  if (!dtype.isSignedInt()) {
    return x;
  }
  // Spelled out, since the most negative number has to wrap.
  Value negative = semantics.compare(RelationOp::Lt, x, Value::integer(0));
  return semantics.select(negative, semantics.unary(PrefixOp::Minus, x), x);
}

Value Builtins::fma(Semantics &semantics, BoundCall &call) {
  Value x = call.get("x"), y = call.get("y"), z = call.get("z");
  // Twice, so that a wide z widens x and y.
  if ((x.isNumber() && y.isNumber())) {
    x = semantics.toRuntime(x);
  }
  if (!semantics.unify(x, y, call.path) || !semantics.unify(x, z, call.path) ||
      !semantics.unify(y, x, call.path) || !semantics.unify(z, x, call.path)) {
    return Value::poison();
  }
  if (!x.getDType().isFloat() || x.getDType().isFp8()) {
    return call.error(diag::ArgumentType, "x", "expected floats, got " + x.describe());
  }
  return emit<math::FmaOp>(semantics, x.getType(), x.getIR(), y.getIR(), z.getIR());
}

Value Builtins::fdiv(Semantics &semantics, BoundCall &call) {
  Value x = call.get("x"), y = call.get("y");
  if (x.isNumber() && y.isNumber()) {
    x = semantics.toRuntime(x);
  }
  if (!call.getBool("ieee_rounding", false) ||
      !semantics.unify(x, y, call.path, false, false, true)) {
    return Value::poison();
  }
  if (!x.getDType().isFloat()) {
    return call.error(diag::ArgumentType, "x", "expected floats, got " + x.describe());
  }
  return semantics.binary(ArithOp::Div, x, y);
}

Value Builtins::divRn(Semantics &semantics, BoundCall &call) {
  return binaryMath<arith::DivFOp>(semantics, call);
}

Value Builtins::umulhi(Semantics &semantics, BoundCall &call) {
  Value x = call.get("x"), y = call.get("y");
  if (x.isNumber() && y.isNumber()) {
    x = semantics.toRuntime(x);
  }
  if (!semantics.unify(x, y, call.path)) {
    return Value::poison();
  }
  unsigned width = x.getDType().getBitWidth();
  if (!x.getDType().isInt() || width < 32) {
    return call.error(diag::ArgumentType, "x",
                      "expected integers of 32 or 64 bits, got " + x.describe());
  }
  auto op =
      arith::MulUIExtendedOp::create(semantics.getBuilder(), semantics.loc(), x.getIR(), y.getIR());
  return Value::runtime(op.getHigh(), x.getType());
}

Value Builtins::binaryAdd(Semantics &semantics, BoundCall &call) {
  return semantics.binary(ArithOp::Add, call.get("x"), call.get("y"));
}

Value Builtins::binarySub(Semantics &semantics, BoundCall &call) {
  return semantics.binary(ArithOp::Sub, call.get("x"), call.get("y"));
}

Value Builtins::binaryMul(Semantics &semantics, BoundCall &call) {
  return semantics.binary(ArithOp::Mul, call.get("x"), call.get("y"));
}

Value Builtins::logicalAnd(Semantics &semantics, BoundCall &call) {
  return semantics.logical(LogicalOp::And, call.get("input"), call.get("other"));
}

Value Builtins::logicalOr(Semantics &semantics, BoundCall &call) {
  return semantics.logical(LogicalOp::Or, call.get("input"), call.get("other"));
}

} // namespace tegula::frontend
