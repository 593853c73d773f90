//===- Functions.h - expansions by function ---------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One builder per function, on f32 or f64 of any shape. Coefficients come from
// fit_coefficients.py, split constants are exact halves of the named number.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_MATH_FUNCTIONS_H
#define TEGULA_CONVERSION_MATH_FUNCTIONS_H

#include "Emitter.h"
#include <limits>

namespace tegula::conversion {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Exponentials (Exp.cpp)
Val expandExp(Val x);
/// The same for f32 with the instruction for 2^x, where no argument is between -87 and -110:
/// its `math.exp2` has the attribute `tegula.normal`.
Val expNormalByExp2(Val x);
Val expandExp2(Val x);
Val expandExpM1(Val x);
/// e^(x + xlo) * 2^exponent in f64, without intermediate overflow; |xlo| << |x|.
Val expScaledF64(Val x, Val xlo, int exponent);
/// e^x and 2^x in f32 where the result is a normal number: fewer instructions.
Val expNormalF32(Val x);
Val exp2NormalF32(Val x);
/// 2^x in f64 to 2^-39, for |x| < 1000: enough for one rounding to f32.
Val exp2Rough(Val x);

// Logarithms (Log.cpp)
Val expandLog(Val x);
Val expandLog2(Val x);
Val expandLog10(Val x);
Val expandLog1p(Val x);
/// log2 of a positive normal finite f64, to a relative 2^-50.
Val log2Rough(Val x);
/// The natural logarithm of a positive finite f64 to a relative 2^-64.
Pair logPair(Val x);

// Powers and roots (Pow.cpp)
Val expandPow(Val x, Val y);
/// `n` is an integer of any width, of the shape of `x`.
Val expandFPowI(Val x, Val n);
Val expandIPowI(Val x, Val n);
Val expandCbrt(Val x);
Val expandRsqrt(Val x);

// Trigonometry (Trig.cpp, TrigReduction.cpp)
/// x = r + rlo + quadrant * pi/2 with |r| <= pi/4 (a little more by rounding).
/// `quadrant` is an integer of the width of x, right modulo 4. Infinity gives NaN.
struct Reduced {
  Val quadrant;
  Val r;   ///< f64
  Val rlo; ///< f64; unset for f32 arguments
};
Reduced reduceByHalfPi(Val x);
Val expandSin(Val x);
Val expandCos(Val x);
Val expandTan(Val x);
std::pair<Val, Val> expandSinCos(Val x);

// Inverse trigonometry (InverseTrig.cpp)
Val expandAtan(Val x);
Val expandAtan2(Val y, Val x);
Val expandAsin(Val x);
Val expandAcos(Val x);

// Hyperbolic functions (Hyperbolic.cpp)
Val expandTanh(Val x);
Val expandSinh(Val x);
Val expandCosh(Val x);
Val expandAsinh(Val x);
Val expandAcosh(Val x);
Val expandAtanh(Val x);

// Error functions (Erf.cpp)
Val expandErf(Val x);
Val expandErfc(Val x);

// Rounding to an integer, remainder, fused multiply-add (Rounding.cpp, ...)
Val expandFloor(Val x);
Val expandCeil(Val x);
Val expandTrunc(Val x);
Val expandRound(Val x);
Val expandRoundEven(Val x);
Val expandRemainder(Val x, Val y);
Val expandFma(Val a, Val b, Val c);
/// a * b + c in f64, rounded to odd, of operands of at most 24 bits each: rounding it
/// again to fewer bits gives what rounding once would.
Val narrowFmaToOdd(Val a, Val b, Val c);

// Conversions (FloatFormats.cpp); `narrow` has a float type of 8 or 16 bits.
Val narrowToF32(Val narrow);
Val floatToNarrow(Val x, mlir::FloatType type, mlir::arith::RoundingMode mode);
Val roundF64ToF32(Val x, mlir::arith::RoundingMode mode);
/// Rounds so that a later rounding to fewer bits is as if from f64 at once.
Val roundF64ToF32Odd(Val x);

/// A small signed integer (|n| < 2^51, as i64) as f64 by arithmetic on bits,
/// since vectors of i64 have no such instruction before AVX-512.
inline Val smallToF64(Val n) { return n.em().asFloat(n + 0x4338000000000000ull) - 0x1.8p52; }

/// Applies an f64 expansion to f32 or f64.
inline Val throughF64(Val x, Val (*function)(Val)) {
  return x.elementType().isF64() ? function(x) : x.em().toF32(function(x.em().toF64(x)));
}

} // namespace tegula::conversion

#endif // TEGULA_CONVERSION_MATH_FUNCTIONS_H
