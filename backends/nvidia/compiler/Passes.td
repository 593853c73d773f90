//===- Passes.td - Passes of the NVIDIA backend -*- tablegen -*-
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_NVIDIA_PASSES
#define TEGULA_NVIDIA_PASSES

include "mlir/Pass/PassBase.td"

def NvidiaLowerThreadsPass : Pass<"nvidia-lower-threads", "::mlir::ModuleOp"> {
  let summary = "Write what threads do in instructions of NVIDIA's chips";
  let description = [{
    Expects: the thread level of TileGPU. Leaves: `llvm`, `nvvm`, `scf`, `arith`, `vector`,
    `math`, `gpu`; accesses with masks or hints, matrix instructions and votes as inline
    PTX; prints and assertions as records in a buffer, the kernel's last argument
    (docs/kernel-abi.md). Numerics: unchanged.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def NvidiaToLLVMPass : Pass<"nvidia-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert the rest to the LLVM dialect and check it";
  let description = [{
    Expects: what `nvidia-lower-threads` leaves. Leaves: the LLVM and NVVM dialects; kernels
    with their number of threads (`nvvm.reqntid`). Fails where an operation would become
    a call of a library. Numerics: unchanged.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::cf::ControlFlowDialect"];
}

#endif // TEGULA_NVIDIA_PASSES
