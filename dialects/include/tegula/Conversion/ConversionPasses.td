//===- ConversionPasses.td - From one dialect to another -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_PASSES
#define TEGULA_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def TileGPUToThreadsPass : Pass<"tilegpu-to-threads", "::mlir::ModuleOp"> {
  let summary = "From spread tiles to what one thread does";
  let description = [{
    Expects: `tilegpu-plan-shared` and `tilegpu-insert-barriers` have run. Leaves: kernels
    as functions of one thread: vectors of registers, `gpu` for threads and barriers,
    `llvm` for addresses, the thread ops of `tilegpu`; no tensor and no op of `tile`.
    Numerics: unchanged.
    ```mlir
    %y = arith.addf %x, %x : tensor<1024xf32, #layout>
    // becomes, with 128 threads
    %y = arith.addf %x, %x : vector<8xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
      "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
      "::mlir::math::MathDialect"];
}

#endif // TEGULA_CONVERSION_PASSES
