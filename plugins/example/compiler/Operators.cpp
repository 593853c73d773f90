//===- Operators.cpp - Ops that work on elements one by one ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table: op to C expression. What the ops compute is defined in full by
// Tegula's docs/semantics.md, so C's own gaps are avoided: integers are computed as
// 64-bit unsigned numbers, which wrap, and cut to their width when they are kept;
// 16-bit floats are kept as their bits, computed in float and rounded once.
//
//===----------------------------------------------------------------------===//

#include "Example.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace example {

llvm::StringRef storageType(Type element) {
  if (auto integer = dyn_cast<IntegerType>(element)) {
    switch (integer.getWidth()) {
    case 1:
    case 8:
      return "uint8_t";
    case 16:
      return "uint16_t";
    case 32:
      return "uint32_t";
    case 64:
      return "uint64_t";
    default:
      return "";
    }
  }
  if (isa<IndexType, tegula::tile::PtrType>(element)) {
    return "uint64_t";
  }
  if (isa<Float16Type, BFloat16Type>(element)) {
    return "uint16_t";
  }
  return isa<Float32Type>(element) ? "float" : isa<Float64Type>(element) ? "double" : "";
}

llvm::StringRef prelude() {
  return R"(#include <math.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t float_bits(float x) { uint32_t b; memcpy(&b, &x, 4); return b; }
static inline float bits_float(uint32_t b) { float x; memcpy(&x, &b, 4); return x; }
static inline uint64_t double_bits(double x) { uint64_t b; memcpy(&b, &x, 8); return b; }
static inline double bits_double(uint64_t b) { double x; memcpy(&x, &b, 8); return x; }

/* x rounded to a format with that many digits and that least normal exponent. */
static inline double narrow(double x, int digits, int least, int to_zero) {
  if (x == 0 || !isfinite(x)) return x;
  int exponent = ilogb(x) < least ? least : ilogb(x);
  double scaled = ldexp(x, digits - 1 - exponent);
  return ldexp(to_zero ? trunc(scaled) : nearbyint(scaled), exponent - digits + 1);
}
static inline float bf16_float(uint16_t b) { return bits_float((uint32_t)b << 16); }
static inline uint16_t float_bf16(double x, int to_zero) {
  if (x != x) return 0x7fc0;
  double y = narrow(x, 8, -126, to_zero);
  if (to_zero && isinf((float)y) && !isinf(x)) return x < 0 ? 0xff7f : 0x7f7f;
  return (uint16_t)(float_bits((float)y) >> 16);
}
static inline float f16_float(uint16_t b) {
  int exponent = b >> 10 & 31, fraction = b & 1023;
  float x = exponent == 31 ? (fraction ? NAN : INFINITY)
          : exponent ? ldexpf((float)(fraction + 1024), exponent - 25) : ldexpf((float)fraction, -24);
  return b & 0x8000 ? -x : x;
}
static inline uint16_t float_f16(double x, int to_zero) {
  uint16_t sign = signbit(x) ? 0x8000 : 0;
  if (x != x) return 0x7e00;
  double y = fabs(narrow(x, 11, -14, to_zero));
  if (y >= 65536) return sign | (to_zero && !isinf(x) ? 0x7bff : 0x7c00);
  if (y < ldexp(1, -14)) return sign | (uint16_t)ldexp(y, 24);
  int exponent = ilogb(y);
  return sign | (uint16_t)((exponent + 14) * 1024 + (int)ldexp(y, 10 - exponent));
}
/* Integers of more than 53 bits, so that rounding to double and again to 16 bits is
 * rounding once: the last digit is odd where others were dropped. */
static inline double odd_unsigned(uint64_t x) {
  return x >> 53 ? (double)((x & ~(uint64_t)2047) | (x & 2047 ? 2048 : 0)) : (double)x;
}
static inline double odd_signed(int64_t x) {
  return x < 0 ? -odd_unsigned(-(uint64_t)x) : odd_unsigned((uint64_t)x);
}
/* C's fmin and fmax make a NaN of a signalling one. */
static inline double min_number(double a, double b) {
  return a != a ? b : b != b ? a : a < b ? a : b;
}
static inline double max_number(double a, double b) {
  return a != a ? b : b != b ? a : a > b ? a : b;
}
static inline double minimum(double a, double b) {
  return a != a || b != b ? NAN : a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}
static inline double maximum(double a, double b) {
  return a != a || b != b ? NAN : a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}
)";
}

/// In an expression stand for operand n
///   {n}   an integer or pointer as uint64_t     {sn}  an integer as int64_t
///   {fn}  a float as float or double            {rn}  the element as it is kept
/// and for the result {w} its width and {F} the "f" of C's functions on float. `=` in
/// front: the expression is what is to be kept, as it is.
static llvm::StringRef expressionOf(llvm::StringRef op) {
  static const llvm::StringMap<llvm::StringRef> table = {
      // Integers. Corners of division and shifts are gone: tile-expand-defined.
      {"arith.addi", "{0} + {1}"},
      {"arith.subi", "{0} - {1}"},
      {"arith.muli", "{0} * {1}"},
      {"arith.divsi", "{s0} / {s1}"},
      {"arith.divui", "{0} / {1}"},
      {"arith.remsi", "{s0} % {s1}"},
      {"arith.remui", "{0} % {1}"},
      {"arith.andi", "{0} & {1}"},
      {"arith.ori", "{0} | {1}"},
      {"arith.xori", "{0} ^ {1}"},
      {"arith.shli", "{0} << ({1} & 63)"},
      {"arith.shrsi", "{s0} >> ({1} & 63)"},
      {"arith.shrui", "{0} >> ({1} & 63)"},
      {"arith.minsi", "{s0} < {s1} ? {s0} : {s1}"},
      {"arith.maxsi", "{s0} > {s1} ? {s0} : {s1}"},
      {"arith.minui", "{0} < {1} ? {0} : {1}"},
      {"arith.maxui", "{0} > {1} ? {0} : {1}"},
      {"math.absi", "{s0} < 0 ? -{0} : {0}"},
      {"math.ctlz", "{0} ? __builtin_clzll({0}) - (64 - {w}) : {w}"},
      {"math.ctpop", "__builtin_popcountll({0})"},
      {"math.cttz", "{0} ? __builtin_ctzll({0}) : {w}"},
      // Floats.
      {"arith.addf", "{f0} + {f1}"},
      {"arith.subf", "{f0} - {f1}"},
      {"arith.mulf", "{f0} * {f1}"},
      {"arith.divf", "{f0} / {f1}"},
      {"arith.remf", "fmod({f0}, {f1})"},
      {"arith.negf", "-{f0}"},
      {"arith.minnumf", "min_number({f0}, {f1})"},
      {"arith.maxnumf", "max_number({f0}, {f1})"},
      {"arith.minimumf", "minimum({f0}, {f1})"},
      {"arith.maximumf", "maximum({f0}, {f1})"},
      {"math.absf", "fabs({f0})"},
      {"math.acos", "acos{F}({f0})"},
      {"math.acosh", "acosh{F}({f0})"},
      {"math.asin", "asin{F}({f0})"},
      {"math.asinh", "asinh{F}({f0})"},
      {"math.atan", "atan{F}({f0})"},
      {"math.atan2", "atan2{F}({f0}, {f1})"},
      {"math.atanh", "atanh{F}({f0})"},
      {"math.cbrt", "cbrt{F}({f0})"},
      {"math.ceil", "ceil({f0})"},
      {"math.copysign", "copysign({f0}, {f1})"},
      {"math.cos", "cos{F}({f0})"},
      {"math.cosh", "cosh{F}({f0})"},
      {"math.erf", "erf{F}({f0})"},
      {"math.erfc", "erfc{F}({f0})"},
      {"math.exp", "exp{F}({f0})"},
      {"math.exp2", "exp2{F}({f0})"},
      {"math.expm1", "expm1{F}({f0})"},
      {"math.floor", "floor({f0})"},
      {"math.log", "log{F}({f0})"},
      {"math.log10", "log10{F}({f0})"},
      {"math.log1p", "log1p{F}({f0})"},
      {"math.log2", "log2{F}({f0})"},
      {"math.powf", "pow{F}({f0}, {f1})"},
      {"math.round", "round({f0})"},
      {"math.roundeven", "nearbyint({f0})"},
      {"math.rsqrt", "1 / sqrt{F}({f0})"},
      {"math.sin", "sin{F}({f0})"},
      {"math.sinh", "sinh{F}({f0})"},
      {"math.sqrt", "sqrt{F}({f0})"},
      {"math.tan", "tan{F}({f0})"},
      {"math.tanh", "tanh{F}({f0})"},
      {"math.trunc", "trunc({f0})"},
      {"math.isfinite", "=isfinite({f0}) != 0"},
      {"math.isinf", "=isinf({f0}) != 0"},
      {"math.isnan", "=isnan({f0}) != 0"},
      // Conversions.
      {"arith.extsi", "{s0}"},
      {"arith.extui", "{0}"},
      {"arith.trunci", "{0}"},
      {"arith.index_cast", "{s0}"},
      {"arith.index_castui", "{0}"},
      {"arith.extf", "{f0}"},
      {"arith.truncf", "{f0}"},
      {"arith.sitofp", "{s0}"},
      {"arith.uitofp", "{0}"},
      {"arith.fptosi", "(int64_t){f0}"},
      {"arith.fptoui", "(uint64_t){f0}"},
      {"tile.ptr_to_int", "{0}"},
      {"tile.int_to_ptr", "{0}"},
      {"tile.ptr_cast", "{0}"},
      // Elements that only move.
      {"arith.select", "={r0} ? {r1} : {r2}"},
      {"tile.hint", "={r0}"},
      {"tile.splat", "={r0}"},
  };
  return table.lookup(op);
}

/// How an expression reads an operand.
static std::string read(llvm::StringRef text, Type type, char how) {
  const std::string kept = ("(" + text + ")").str();
  if (how == 'f') {
    return isa<Float16Type>(type)    ? "f16_float" + kept
           : isa<BFloat16Type>(type) ? "bf16_float" + kept
                                     : kept;
  }
  if (how == 'r') {
    return kept;
  }
  if (how != 's') {
    return "(uint64_t)" + kept;
  }
  // A true i1 is -1.
  if (type.isInteger(1)) {
    return "(-(int64_t)" + kept + ")";
  }
  return "(int64_t)(" + storageType(type).drop_front(1).str() + ")" + kept;
}

/// How the value of an expression is kept.
static std::string keep(std::string text, Type type, bool toZero) {
  if (isa<Float16Type, BFloat16Type>(type)) {
    return (isa<Float16Type>(type) ? "float_f16(" : "float_bf16(") + text +
           (toZero ? ", 1)" : ", 0)");
  }
  if (type.isInteger(1)) {
    return "((" + text + ") & 1)";
  }
  return "(" + storageType(type).str() + ")(" + text + ")";
}

static std::string compareExpression(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  const bool isSigned =
      predicate == P::slt || predicate == P::sle || predicate == P::sgt || predicate == P::sge;
  llvm::StringRef sign = predicate == P::eq                           ? "=="
                         : predicate == P::ne                         ? "!="
                         : predicate == P::slt || predicate == P::ult ? "<"
                         : predicate == P::sle || predicate == P::ule ? "<="
                         : predicate == P::sgt || predicate == P::ugt ? ">"
                                                                      : ">=";
  return ((isSigned ? "={s0} " : "={0} ") + sign + (isSigned ? " {s1}" : " {1}")).str();
}

static llvm::StringRef compareExpression(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::AlwaysFalse:
    return "=0";
  case P::OEQ:
    return "={f0} == {f1}";
  case P::OGT:
    return "={f0} > {f1}";
  case P::OGE:
    return "={f0} >= {f1}";
  case P::OLT:
    return "={f0} < {f1}";
  case P::OLE:
    return "={f0} <= {f1}";
  case P::ONE:
    return "={f0} < {f1} || {f0} > {f1}";
  case P::ORD:
    return "={f0} == {f0} && {f1} == {f1}";
  case P::UEQ:
    return "=!({f0} < {f1} || {f0} > {f1})";
  case P::UGT:
    return "=!({f0} <= {f1})";
  case P::UGE:
    return "=!({f0} < {f1})";
  case P::ULT:
    return "=!({f0} >= {f1})";
  case P::ULE:
    return "=!({f0} > {f1})";
  case P::UNE:
    return "={f0} != {f1}";
  case P::UNO:
    return "={f0} != {f0} || {f1} != {f1}";
  case P::AlwaysTrue:
    return "=1";
  }
  return "";
}

/// The same bits as another type of that width.
static std::string bitcastExpression(Type from, Type to) {
  if (storageType(from) == storageType(to)) {
    return "={r0}";
  }
  const bool fromFloat = isa<FloatType>(from);
  const bool wide = from.getIntOrFloatBitWidth() == 64;
  return fromFloat ? (wide ? "=double_bits({r0})" : "=float_bits({r0})")
                   : (wide ? "=bits_double({r0})" : "=bits_float({r0})");
}

static std::string patternOf(Operation *op, Type from, Type to) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    return compareExpression(compare.getPredicate());
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    return compareExpression(compare.getPredicate()).str();
  }
  if (isa<arith::BitcastOp>(op)) {
    return bitcastExpression(from, to);
  }
  if (isa<math::FmaOp>(op)) {
    // In float an f16 would be rounded twice.
    return isa<Float32Type>(to)   ? "fmaf({f0}, {f1}, {f2})"
           : isa<Float64Type>(to) ? "fma({f0}, {f1}, {f2})"
                                  : "";
  }
  if (auto addptr = dyn_cast<tegula::tile::AddPtrOp>(op)) {
    auto pointer = cast<tegula::tile::PtrType>(to);
    return "{0} + {s1} * " +
           std::to_string(tegula::tile::getElementBytes(pointer.getPointeeType()));
  }
  const bool isHalf = isa<Float16Type, BFloat16Type>(to);
  if (isHalf && isa<arith::SIToFPOp>(op)) {
    return "odd_signed({s0})";
  }
  if (isHalf && isa<arith::UIToFPOp>(op)) {
    return "odd_unsigned({0})";
  }
  return expressionOf(op->getName().getStringRef()).str();
}

std::string scalarExpression(Operation *op, llvm::ArrayRef<std::string> operands) {
  if (op->getNumResults() != 1) {
    return "";
  }
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  Type from = operands.empty() ? to : getElementTypeOrSelf(op->getOperand(0).getType());
  bool toZero = false;
  if (auto truncate = dyn_cast<arith::TruncFOp>(op)) {
    using Mode = arith::RoundingMode;
    const Mode mode = truncate.getRoundingmode().value_or(Mode::to_nearest_even);
    toZero = mode == Mode::toward_zero;
    if (mode != Mode::to_nearest_even && (!toZero || isa<Float32Type>(to))) {
      return "";
    }
  }
  const std::string pattern = patternOf(op, from, to);
  llvm::StringRef rest = pattern;
  const bool isKept = rest.consume_front("=");
  std::string text;
  while (!rest.empty()) {
    const auto [before, behind] = rest.split('{');
    text += before;
    if (behind.empty()) {
      break;
    }
    const auto [hole, after] = behind.split('}');
    if (hole == "F") {
      text += isa<Float64Type>(to) ? "" : "f";
    } else if (hole == "w") {
      text += std::to_string(to.getIntOrFloatBitWidth());
    } else {
      const unsigned n = hole.back() - '0';
      text += read(operands[n], getElementTypeOrSelf(op->getOperand(n).getType()), hole.front());
    }
    rest = after;
  }
  return text.empty() || isKept ? text : keep(text, to, toZero);
}

} // namespace example
