//===- Threads.h - Instructions of threads, by subject
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function writes one op of TileGPU's thread level in other ops, at a builder's
// insertion point, and returns what its result becomes. The caller erases the op.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_AMD_THREADS_H
#define TEGULA_AMD_THREADS_H

#include "Passes.h"
#include "tegula/Conversion/Threads.h"

namespace tegula::amd {

using conversion::BitsBuilder;

mlir::Value lowerLoad(mlir::OpBuilder &builder, tilegpu::ThreadLoadOp op);
void lowerStore(mlir::OpBuilder &builder, tilegpu::ThreadStoreOp op);
mlir::Value lowerAtomic(mlir::OpBuilder &builder, tilegpu::ThreadAtomicRMWOp op);
mlir::Value lowerAtomic(mlir::OpBuilder &builder, tilegpu::ThreadAtomicCASOp op);

} // namespace tegula::amd

#endif // TEGULA_AMD_THREADS_H
