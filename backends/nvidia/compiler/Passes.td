//===- Passes.td - Passes of the NVIDIA backend -*- tablegen -*-
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_NVIDIA_PASSES
#define TEGULA_NVIDIA_PASSES

include "mlir/Pass/PassBase.td"

def NvidiaLaunchDependenciesPass : Pass<"nvidia-launch-dependencies", "::mlir::ModuleOp"> {
  let summary = "Write how kernels of dependent launches wait for each other";
  let description = [{
    Expects: tile IR with layouts, where `tile.barrier {tile.launch_dependency = "wait"}` stands
    for waiting for the launches before, and `"launch"` for letting the next one start.
    Leaves: inline PTX in their place; nothing on chips before sm_90, where launches
    follow each other. Numerics: unchanged.
    ```mlir
    tile.barrier {tile.launch_dependency = "wait"}
    // after:
    llvm.inline_asm has_side_effects "griddepcontrol.wait;", "~{memory}" : () -> ()
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def NvidiaPackProgramsPass : Pass<"nvidia-pack-programs", "::mlir::ModuleOp"> {
  let summary = "Let blocks have several programs of one warp";
  let description = [{
    Expects: the thread level of TileGPU. Leaves: kernels whose programs are one warp without
    shared memory, prints and assertions with numbers of threads and programs from the
    size of the block, and `tile_nvidia.most_programs` on the module, the most programs
    that a launch may put into a block; barriers of such a program as `nvvm.bar.warp.sync`.
    Others unchanged. Numerics: unchanged.
    ```mlir
    %p = gpu.block_id x
    // after, with %n = the block's number of threads / 32:
    %b = nvvm.read.ptx.sreg.ctaid.x
    %f = arith.muli %b, %n
    %p = arith.addi %f, %warp
    ```
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect"];
}

def NvidiaPredictLimiterPass : Pass<"nvidia-predict-limiter", "::mlir::ModuleOp"> {
  let summary = "Remark what loops and programs would wait for most";
  let description = [{
    Expects: spread tiles. Leaves: the same; without listeners to remarks (`tegulac
    --explain`) it does nothing. Numerics: unchanged.
  }];
}

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
