//===- Rounding.cpp - rounding to an integer ------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For targets where floor and its kin are calls: adding and subtracting 2^52
// (2^23) rounds a smaller magnitude to the nearest integer.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace tegula::conversion {

static double integerLimit(Val x) { return x.elementType().isF32() ? 0x1p23 : 0x1p52; }

/// `rounded` (of magnitude |x|) with x's sign; x where it is an integer anyway.
static Val finish(Val x, Val rounded) {
  // An unordered comparison keeps NaN, too.
  return select(lt(abs(x), integerLimit(x)), copysign(rounded, x), x);
}

static Val nearestMagnitude(Val x) { return (abs(x) + integerLimit(x)) - integerLimit(x); }

Val expandRoundEven(Val x) {
  if (x.em().options.hasSse41) {
    return x.em().make<mlir::math::RoundEvenOp>(x.get());
  }
  return finish(x, nearestMagnitude(x));
}

Val expandTrunc(Val x) {
  if (x.em().options.hasSse41) {
    return x.em().make<mlir::math::TruncOp>(x.get());
  }
  Val nearest = nearestMagnitude(x);
  return finish(x, select(gt(nearest, abs(x)), nearest - 1.0, nearest));
}

Val expandFloor(Val x) {
  Val nearest = copysign(nearestMagnitude(x), x);
  return finish(x, select(gt(nearest, x), nearest - 1.0, nearest));
}

Val expandCeil(Val x) {
  Val nearest = copysign(nearestMagnitude(x), x);
  return finish(x, select(lt(nearest, x), nearest + 1.0, nearest));
}

Val expandRound(Val x) {
  // Halves go away from zero; |x| - trunc|x| is exact.
  Val a = abs(x);
  Val whole = expandTrunc(a);
  return finish(x, select(ge(a - whole, 0.5), whole + 1.0, whole));
}

} // namespace tegula::conversion
