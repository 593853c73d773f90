//===- Fp8.h - 8-bit floats -----------------------------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_TILEGPUTOTHREADS_FP8_H
#define TEGULA_CONVERSION_TILEGPUTOTHREADS_FP8_H

#include "tegula/Conversion/TileGPUToThreads/ThreadLowering.h"

namespace tegula::tilegpu {

/// tile.from_fp8 and tile.to_fp8, as arithmetic of integers.
void addFp8Patterns(ThreadPatterns &list);

} // namespace tegula::tilegpu

#endif // TEGULA_CONVERSION_TILEGPUTOTHREADS_FP8_H
