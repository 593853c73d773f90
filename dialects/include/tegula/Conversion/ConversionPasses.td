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

def ExpandThreadMathPass : Pass<"expand-thread-math", "::mlir::ModuleOp"> {
  let summary = "Mathematical functions of threads as functions of the module";
  let description = [{
    Expects: `tilegpu-to-threads` has run. Leaves: each mathematical function that is no
    instruction of GPUs as a private function of scalars, written out as plain
    arithmetic (`tegula/Conversion/Math/ExpandMath.h`), called once per register. Divisions
    of f32 registers by one scalar multiply by its reciprocal and correct the product, with
    one test of the operands' ranges for all registers.
    `math.fma`, `math.sqrt`, `math.absf`, `math.copysign` and roundings to integers stay on f32
    and f64; so do `arith.extf` and `arith.truncf` that round to nearest.
    Numerics: within 2 ulp in f32, 4 ulp in f64.
    ```mlir
    %y = math.log %x : vector<4xf32>
    // becomes, four times
    %b = func.call @__tegula_log_f32(%a) : (f32) -> f32
    ```
  }];
  let options = [Option<"exp2", "exp2", "bool", "false",
      "2^x of f32 is an instruction and stays; e^x is made of it">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
      "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // TEGULA_CONVERSION_PASSES
