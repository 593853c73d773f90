//===- Threads.h - From what threads do to the LLVM dialect -----*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What backends of GPUs share below TileGPU's thread level.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_THREADS_H
#define TEGULA_CONVERSION_THREADS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace tegula::conversion {

/// Bits of a scalar or vector; pointers have 64.
unsigned getBits(mlir::Type type);

/// Writes at a builder's insertion point.
class BitsBuilder {
public:
  BitsBuilder(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value zero(mlir::Type type);
  /// Bits of a scalar or vector of at least 32 bits in all, 32 each.
  llvm::SmallVector<mlir::Value> toWords(mlir::Value value);
  mlir::Value fromWords(llvm::ArrayRef<mlir::Value> words, mlir::Type type);
  /// Bits of a scalar or vector as one integer.
  mlir::Value toInteger(mlir::Value value);
  mlir::Value fromInteger(mlir::Value bits, mlir::Type type);
  /// What `then` makes where `condition` is true, `otherwise` elsewhere.
  mlir::Value where(mlir::Value condition, mlir::Value otherwise,
                    llvm::function_ref<mlir::Value()> then);
  /// Runs `then` where `condition` is true.
  void where(mlir::Value condition, llvm::function_ref<void()> then);
  /// The larger or smaller of two floats: a NaN loses, -0.0 is less than 0.0.
  mlir::Value extreme(mlir::Value a, mlir::Value b, bool isMax);
};

/// A number of 32 bits that X, Y or Z reads for an axis, as an index.
template <typename X, typename Y, typename Z>
mlir::Value readRegister(mlir::OpBuilder &builder, mlir::Location loc, mlir::gpu::Dimension axis) {
  mlir::Type i32 = builder.getI32Type();
  mlir::Value number = axis == mlir::gpu::Dimension::x   ? X::create(builder, loc, i32).getResult()
                       : axis == mlir::gpu::Dimension::y ? Y::create(builder, loc, i32).getResult()
                                                         : Z::create(builder, loc, i32).getResult();
  return mlir::arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), number);
}

/// The functions of a module of threads, whose `gpu` and `tilegpu` ops are gone, to the LLVM
/// dialect and to `own`, a dialect of instructions. Arguments of kernels that are i1 become
/// i8, and alignments that launches promise become attributes; `finish` is called for
/// each kernel afterwards. Failure has been reported: at ops that stand outside of
/// functions, kernels with results or arguments that cannot be passed, ops without a
/// conversion, and calls of libraries (verifyNoCalls).
mlir::LogicalResult convertThreadsToLLVM(mlir::ModuleOp module, llvm::StringRef own,
                                         llvm::function_ref<bool(mlir::Operation *)> isInstruction,
                                         llvm::function_ref<void(mlir::LLVM::LLVMFuncOp)> finish);

/// Reports the first operation of a module in the LLVM dialect that code generation would
/// make a call of a library, and the first call of a function that the module lacks.
/// `isInstruction` says whether the chip has a function of isLibraryIntrinsic.
mlir::LogicalResult verifyNoCalls(mlir::ModuleOp module,
                                  llvm::function_ref<bool(mlir::Operation *)> isInstruction);

} // namespace tegula::conversion

#endif // TEGULA_CONVERSION_THREADS_H
