//===- Threads.h - Instructions of threads, by subject
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Each function replaces one op of TileGPU's thread level, which the caller erases, and
// returns what its result becomes (null for none).
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_NVIDIA_THREADS_H
#define TEGULA_NVIDIA_THREADS_H

#include "Passes.h"
#include "tegula/Conversion/Threads.h"

namespace tegula::nvidia {

using conversion::getBits;

/// Adds inline PTX.
class AsmBuilder : public conversion::BitsBuilder {
public:
  using BitsBuilder::BitsBuilder;

  /// Inline PTX with any number of results.
  llvm::SmallVector<mlir::Value> call(llvm::StringRef text, llvm::StringRef constraints,
                                      llvm::ArrayRef<mlir::Value> operands,
                                      llvm::ArrayRef<mlir::Type> results, bool hasEffects);
};

mlir::Value lowerLoad(mlir::OpBuilder &builder, tilegpu::ThreadLoadOp op);
void lowerStore(mlir::OpBuilder &builder, tilegpu::ThreadStoreOp op);
/// Bytes that a mask turns off are not read and become zero.
void lowerAsyncCopy(mlir::OpBuilder &builder, tilegpu::ThreadAsyncCopyOp op);
mlir::Value lowerAtomic(mlir::OpBuilder &builder, tilegpu::ThreadAtomicRMWOp op);
mlir::Value lowerAtomic(mlir::OpBuilder &builder, tilegpu::ThreadAtomicCASOp op);
mlir::Value lowerMma(mlir::OpBuilder &builder, tilegpu::MmaOp op);
mlir::Value lowerLoadMatrix(mlir::OpBuilder &builder, tilegpu::LoadMatrixOp op);

/// Prints and assertions of a kernel, with the hidden argument if it has any.
void lowerDebug(mlir::FunctionOpInterface kernel);

} // namespace tegula::nvidia

#endif // TEGULA_NVIDIA_THREADS_H
