//===- Passes.td - Passes of the AMD backend -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_AMD_PASSES
#define TEGULA_AMD_PASSES

include "mlir/Pass/PassBase.td"

def AmdLowerThreadsPass : Pass<"amd-lower-threads", "::mlir::ModuleOp"> {
  let summary = "Write what threads do in instructions of AMD's chips";
  let description = [{
    Expects: the thread level of TileGPU. Leaves: `llvm`, `rocdl`, `scf`, `arith`,
    `vector`, `math`. Accesses with masks are in branches, exchanges between lanes in
    `ds_swizzle` and `ds_bpermute`; shared memory is one global of the module. Fails at
    prints, assertions and matrix instructions. Numerics: unchanged.
    ```mlir
    gpu.barrier
    // becomes
    llvm.fence syncscope("workgroup") release
    rocdl.s.barrier
    llvm.fence syncscope("workgroup") acquire
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect",
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def AmdToLLVMPass : Pass<"amd-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert the rest to the LLVM dialect and check it";
  let description = [{
    Expects: what `amd-lower-threads` leaves. Leaves: the LLVM and ROCDL dialects; kernels
    with their number of threads (`rocdl.flat_work_group_size`). Fails where an operation
    would become a call of a library. Numerics: unchanged.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect",
    "::mlir::cf::ControlFlowDialect"];
}

#endif // TEGULA_AMD_PASSES
