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

namespace tegula::nvidia {

/// Writes at a builder's insertion point.
class AsmBuilder {
public:
  AsmBuilder(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  /// Inline PTX with any number of results.
  llvm::SmallVector<mlir::Value> call(llvm::StringRef text, llvm::StringRef constraints,
                                      llvm::ArrayRef<mlir::Value> operands,
                                      llvm::ArrayRef<mlir::Type> results, bool hasEffects);
  /// Bits of a scalar or vector of at least 32 bits in all, 32 each.
  llvm::SmallVector<mlir::Value> toWords(mlir::Value value);
  mlir::Value fromWords(llvm::ArrayRef<mlir::Value> words, mlir::Type type);
  /// Bits of a scalar or vector as one integer.
  mlir::Value toInteger(mlir::Value value);
  mlir::Value fromInteger(mlir::Value bits, mlir::Type type);
  mlir::Value zero(mlir::Type type);
};

/// Bits of a scalar or vector; pointers have 64.
unsigned getBits(mlir::Type type);

mlir::Value lowerLoad(mlir::OpBuilder &builder, tilegpu::ThreadLoadOp op);
void lowerStore(mlir::OpBuilder &builder, tilegpu::ThreadStoreOp op);
mlir::Value lowerAtomic(mlir::OpBuilder &builder, tilegpu::ThreadAtomicRMWOp op);
mlir::Value lowerAtomic(mlir::OpBuilder &builder, tilegpu::ThreadAtomicCASOp op);
mlir::Value lowerMma(mlir::OpBuilder &builder, tilegpu::MmaOp op);
mlir::Value lowerLoadMatrix(mlir::OpBuilder &builder, tilegpu::LoadMatrixOp op);

/// Prints and assertions of a kernel, with the hidden argument if it has any.
void lowerDebug(mlir::FunctionOpInterface kernel);

} // namespace tegula::nvidia

#endif // TEGULA_NVIDIA_THREADS_H
