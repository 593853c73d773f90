//===- MathOptions.h - what the target can do natively ----------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instruction-set facts that decide which operations stay as they are and
// which are written out, because code generation would call a library for them.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_MATH_MATHOPTIONS_H
#define TEGULA_CONVERSION_MATH_MATHOPTIONS_H

namespace tegula::conversion {

/// Facts about the target. All false describes baseline x86-64 (SSE2); AArch64
/// has the first three.
struct MathOptions {
  /// Fused multiply-add is an instruction (x86 feature "fma").
  bool hasFma = false;
  /// f16 <-> f32 conversion is an instruction (x86 feature "f16c").
  bool hasF16C = false;
  /// floor, ceil, trunc and roundeven are instructions (x86 feature "sse4.1").
  bool hasSse41 = false;
  /// 2^x of f32 within 2 ulp, subnormal results too, is an instruction (GPUs).
  bool hasExp2 = false;
};

} // namespace tegula::conversion

#endif // TEGULA_CONVERSION_MATH_MATHOPTIONS_H
