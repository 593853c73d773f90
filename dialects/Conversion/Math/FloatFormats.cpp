//===- FloatFormats.cpp - conversions of narrow floats --------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One text for all formats: normal numbers move their bits, denormal ones are
// aligned by adding or subtracting a float whose last place is theirs.
//
//===----------------------------------------------------------------------===//

#include "tegula/Conversion/Math/FloatFormats.h"
#include "Functions.h"

using namespace mlir;
using arith::RoundingMode;

namespace tegula::conversion {

namespace {
struct Format {
  unsigned width;
  unsigned mantissa;
  unsigned bias;
  uint32_t largest;  ///< The largest finite magnitude.
  uint32_t infinity; ///< Its code, 0 if there is none.
  uint32_t nan;      ///< Its code, 0 if there is none.
  bool unsignedZero; ///< -0 is the NaN.
  bool saturates;    ///< Overflow and infinity give `largest`.
};
} // namespace

static Format formatOf(Fp8Kind kind, bool saturate) {
  switch (kind) {
  case Fp8Kind::E4M3FN:
    return {8, 3, 7, 0x7e, 0, 0x7f, false, saturate};
  case Fp8Kind::E5M2:
    return {8, 2, 15, 0x7b, 0x7c, 0x7f, false, saturate};
  case Fp8Kind::E4M3FNUZ:
    return {8, 3, 8, 0x7f, 0, 0x80, true, saturate};
  case Fp8Kind::E5M2FNUZ:
    return {8, 2, 16, 0x7f, 0, 0x80, true, saturate};
  case Fp8Kind::E4B15:
    return {8, 3, 15, 0x7f, 0, 0, false, true};
  }
  llvm_unreachable("all kinds are listed");
}

static Format formatOf(Type type) {
  if (type.isF16()) {
    return {16, 10, 15, 0x7bff, 0x7c00, 0x7e00, false, false};
  }
  if (type.isBF16()) {
    return {16, 7, 127, 0x7f7f, 0x7f80, 0x7fc0, false, false};
  }
  return formatOf(*getFp8Kind(type), /*saturate=*/true);
}

std::optional<Fp8Kind> getFp8Kind(Type type) {
  if (isa<Float8E4M3FNType>(type)) {
    return Fp8Kind::E4M3FN;
  }
  if (isa<Float8E5M2Type>(type)) {
    return Fp8Kind::E5M2;
  }
  if (isa<Float8E4M3FNUZType>(type)) {
    return Fp8Kind::E4M3FNUZ;
  }
  if (isa<Float8E5M2FNUZType>(type)) {
    return Fp8Kind::E5M2FNUZ;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Widening
//===----------------------------------------------------------------------===//

static Val widen(Val code, const Format &format) {
  Emitter &em = code.em();
  Val bits = em.zext(code, 32);
  if (format.width == 16 && format.bias == 127) {
    return em.asFloat(bits << 16);
  }
  uint32_t magnitudeMask = (1u << (format.width - 1)) - 1;
  unsigned shift = 23 - format.mantissa;
  Val magnitude = bits & magnitudeMask;
  Val normal = (magnitude << shift) + ((127 - format.bias) << 23);
  // With the exponent field one up, the implicit bit stands for the smallest
  // normal number; taking that away leaves the denormal one.
  Val denormal = em.asFloat(normal + (1 << 23)) - std::ldexp(1.0, 1 - int(format.bias));
  Val result = select(lt(magnitude, 1 << format.mantissa), em.bits(denormal), normal);
  if (format.infinity) {
    // Infinity and NaN have the top exponent in both formats.
    unsigned topExponent = format.infinity >> format.mantissa;
    uint32_t lift = (255 - (topExponent + 127 - format.bias)) << 23;
    result = select(lt(magnitude, static_cast<int>(format.infinity)), result, normal + lift);
  } else if (format.nan && !format.unsignedZero) {
    result = select(eq(magnitude, format.nan), 0x7fc00000, result);
  }
  result = result | ((bits & (1u << (format.width - 1))) << (32 - format.width));
  if (format.unsignedZero) {
    result = select(eq(bits, format.nan), 0x7fc00000, result);
  }
  return em.asFloat(result);
}

//===----------------------------------------------------------------------===//
// Narrowing
//===----------------------------------------------------------------------===//

/// A magnitude rounded towards zero, and what was cut off.
namespace {
struct Cut {
  Val code;
  Val inexact;
  Val halfOrMore;
};
} // namespace

static Cut cutMagnitude(Val magnitude, Val absolute, const Format &format) {
  Emitter &em = magnitude.em();
  unsigned shift = 23 - format.mantissa;
  uint32_t rebias = (127 - format.bias) << format.mantissa;
  Val rest = magnitude & ((1u << shift) - 1);
  Cut cut{(magnitude >> shift) - rebias, ne(rest, 0), ne(rest & (1u << (shift - 1)), 0)};
  if (rebias == 0) {
    return cut;
  }
  // Below the normal numbers count in units of the smallest denormal one.
  Val isDenormal = lt(magnitude, static_cast<int>((128 - format.bias) << 23));
  Val units = select(isDenormal, absolute, 0.0) *
              std::ldexp(1.0, int(format.bias) - 1 + int(format.mantissa));
  Val whole = em.floatToInt(units, em.integer(32));
  Val fraction = units - em.intToFloat(whole, em.f32());
  return {select(isDenormal, whole, cut.code), select(isDenormal, gt(fraction, 0.0), cut.inexact),
          select(isDenormal, ge(fraction, 0.5), cut.halfOrMore)};
}

static Val nearestEven(Val magnitude, Val absolute, const Format &format) {
  Emitter &em = magnitude.em();
  unsigned shift = 23 - format.mantissa;
  uint32_t rebias = (127 - format.bias) << 23;
  Val odd = (magnitude >> shift) & 1;
  uint32_t bump = ((1u << (shift - 1)) - 1) - rebias;
  Val normal = (magnitude + odd + bump) >> shift;
  if (rebias == 0) {
    return normal;
  }
  // The sum has the smallest denormal number as its last place.
  double magic = std::ldexp(1.0, 24 - int(format.bias) - int(format.mantissa));
  uint32_t magicBits = llvm::bit_cast<uint32_t>(static_cast<float>(magic));
  Val denormal = em.bits(absolute + magic) - magicBits;
  return select(lt(magnitude, static_cast<int>((128 - format.bias) << 23)), denormal, normal);
}

/// Rounds f32 to the bits of `format`, as an integer of its width.
static Val narrow(Val x, const Format &format, RoundingMode mode) {
  Emitter &em = x.em();
  Val bits = em.bits(x);
  Val sign = bits & 0x80000000u;
  Val magnitude = bits ^ sign;
  Val absolute = em.asFloat(magnitude);
  uint32_t overflow = format.saturates  ? format.largest
                      : format.infinity ? format.infinity
                                        : format.nan;
  Val code;
  Val overflowCode = em.i32Constant(overflow);
  if (mode == RoundingMode::to_nearest_even) {
    code = nearestEven(magnitude, absolute, format);
  } else {
    Cut cut = cutMagnitude(magnitude, absolute, format);
    Val negative = ne(sign, 0);
    Val largest = em.i32Constant(format.largest);
    code = cut.code;
    Val one = em.i32Constant(1), zero = em.i32Constant(0);
    switch (mode) {
    case RoundingMode::to_nearest_away:
      code = code + select(cut.halfOrMore, one, zero);
      break;
    case RoundingMode::upward:
      code = code + select(cut.inexact & (negative ^ 1), one, zero);
      overflowCode = select(negative, largest, overflowCode);
      break;
    case RoundingMode::downward:
      code = code + select(cut.inexact & negative, one, zero);
      overflowCode = select(negative, overflowCode, largest);
      break;
    default:
      overflowCode = largest;
      break;
    }
    if (!format.saturates) {
      overflowCode = select(eq(magnitude, 0x7f800000), em.i32Constant(overflow), overflowCode);
    }
  }
  Val isNan = gt(magnitude, 0x7f800000);
  // The comparison is signed: codes of huge magnitudes stay below 2^31.
  code = select(gt(code, static_cast<int>(format.largest)), overflowCode, code);
  if (format.nan && !format.unsignedZero) {
    Val nan = em.i32Constant(format.nan);
    if (format.width == 16) {
      uint32_t payload = (1u << (format.mantissa - 1)) - 1;
      nan = ((magnitude >> (23 - format.mantissa)) & payload) | format.nan;
    }
    code = select(isNan, nan, code);
  }
  Val signBit = sign >> (32 - format.width);
  if (format.unsignedZero) {
    // Zero has no sign, and the overflow code may be the NaN, which is 0x80.
    code = select(eq(code, 0), 0, code | signBit);
    code = select(isNan, format.nan, code);
  } else {
    code = code | signBit;
  }
  return em.trunc(code, format.width);
}

Val roundF64ToF32Odd(Val x) {
  Emitter &em = x.em();
  Val nearest = em.toF32(x);
  Val back = em.toF64(nearest);
  Val bits = em.bits(nearest);
  bits = select(gt(abs(back), abs(x)), bits - 1, bits);
  Val inexact = em.compare(arith::CmpFPredicate::ONE, back, x);
  return em.asFloat(select(inexact, bits | 1, bits));
}

Val roundF64ToF32(Val x, RoundingMode mode) {
  Emitter &em = x.em();
  Val nearest = em.toF32(x);
  if (mode == RoundingMode::to_nearest_even) {
    return nearest;
  }
  Val back = em.toF64(nearest);
  Val bits = em.bits(nearest);
  if (mode == RoundingMode::to_nearest_away) {
    // Only a tie that went down is wrong.
    Val next = em.toF64(em.asFloat(bits + 1));
    Val tie = eq(abs(x) - abs(back), abs(next) - abs(x)) & lt(abs(back), abs(x)) & lt(abs(x), kInf);
    return em.asFloat(select(tie, bits + 1, bits));
  }
  Val cut = select(gt(abs(back), abs(x)), bits - 1, bits);
  if (mode == RoundingMode::toward_zero) {
    return em.asFloat(cut);
  }
  Val grows = mode == RoundingMode::upward ? gt(x, 0.0) : lt(x, 0.0);
  Val inexact = em.compare(arith::CmpFPredicate::ONE, back, x);
  return em.asFloat(select(inexact & grows, cut + 1, cut));
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

Val narrowToF32(Val value) {
  Format format = formatOf(value.elementType());
  Emitter &em = value.em();
  return widen(em.bitcast(value, em.integer(format.width)), format);
}

static Val narrowAny(Val x, const Format &format, RoundingMode mode) {
  return narrow(x.elementType().isF64() ? roundF64ToF32Odd(x) : x, format, mode);
}

Val floatToNarrow(Val x, FloatType type, RoundingMode mode) {
  Emitter &em = x.em();
  return em.bitcast(narrowAny(x, formatOf(type), mode), em.shaped(type));
}

Value buildFp8ToF32(OpBuilder &builder, Location loc, Value source, Fp8Kind kind) {
  Emitter em(builder, loc, source.getType(), MathOptions());
  return widen(em.wrap(source), formatOf(kind, true)).get();
}

Value buildF32ToFp8(OpBuilder &builder, Location loc, Value source, Fp8Kind kind,
                    RoundingMode rounding, bool saturate) {
  Emitter em(builder, loc, source.getType(), MathOptions());
  return narrowAny(em.wrap(source), formatOf(kind, saturate), rounding).get();
}

Value buildHalfToF32(OpBuilder &builder, Location loc, Value source) {
  Emitter em(builder, loc, source.getType(), MathOptions());
  return narrowToF32(em.wrap(source)).get();
}

Value buildFloatToHalf(OpBuilder &builder, Location loc, Value source, FloatType elementType,
                       RoundingMode rounding) {
  Emitter em(builder, loc, source.getType(), MathOptions());
  return floatToNarrow(em.wrap(source), elementType, rounding).get();
}

Value buildF64ToF32(OpBuilder &builder, Location loc, Value source, RoundingMode rounding) {
  Emitter em(builder, loc, source.getType(), MathOptions());
  return roundF64ToF32(em.wrap(source), rounding).get();
}

} // namespace tegula::conversion
