//===- LoadMatrix.h - Operands of matrix instructions from shared memory -*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_TILEGPUTOTHREADS_LOADMATRIX_H
#define TEGULA_CONVERSION_TILEGPUTOTHREADS_LOADMATRIX_H

#include "tegula/Conversion/TileGPUToThreads/ThreadLowering.h"

namespace tegula::tilegpu {

/// `vector` under the layout `to`: stored to shared memory from byte `scratch` on (aligned to
/// 16, as large as the tile), a barrier, and read by `tilegpu.load_matrix`. Null, with
/// nothing written, exactly where planMatrixLoad (TileGPU/Analysis/DotPlan.h) has no plan.
mlir::Value tryLoadMatrix(ThreadBuilder &out, mlir::Value vector, const Layout &from,
                          const Layout &to, int64_t scratch);

} // namespace tegula::tilegpu

#endif // TEGULA_CONVERSION_TILEGPUTOTHREADS_LOADMATRIX_H
