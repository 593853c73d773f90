//===- Passes.td - Passes of the CPU backend -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CPU_PASSES
#define TEGULA_CPU_PASSES

include "mlir/Pass/PassBase.td"

// One option set for what the passes need of the target when the module has no
// `tile.target` attribute, as in tests.
def CpuFormLoopsPass : Pass<"cpu-form-loops", "::mlir::ModuleOp"> {
  let summary = "Turn tile operations into loops over native-width vectors";
  let description = [{
    Expects: `func.func`s of tile IR after `tile-expand-defined`, no views, no calls. Tiles
    have 1 to 2^20 elements, at most 32 dimensions and elements that memory holds; scalars have at
    most 64 bits. Anything else is refused (Diagnostics.def).
    Leaves: the same functions in scf, arith, math, vector and the LLVM dialect's memory
    operations; no tensor, no `!tile.ptr`; `tile.program_id` and `tile.num_programs` stay, and
    `tile_cpu.context` and `tile_cpu.program` stand for two arguments of the entry.
    Tiles are computed per chunk inside the loop that consumes them; a tile is kept in scratch
    memory (`tile_cpu.alloc`) where it is used by several loops, carried by a loop, reduced into
    or an operand or result of a dot, or where memory order demands it.
    Numerics: sums of reductions and dots are regrouped; `contract` is put on f32/f64 adds and
    multiplies where the target allows it.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "0",
           "Width of a vector register; 0: what tile.target says, else 512">,
    Option<"maskedAccess", "masked-access", "bool", "true",
           "Whether masked vector loads and stores are instructions (without tile.target)">];
  let statistics = [
    Statistic<"numLoops", "num-loops", "Loop nests formed">,
    Statistic<"numBuffers", "num-buffers", "Tiles kept in scratch memory">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::tegula::cpu::TileCPUDialect"];
}

def CpuPlanScratchPass : Pass<"cpu-plan-scratch", "::mlir::ModuleOp"> {
  let summary = "Give scratch buffers offsets in the thread's scratch memory";
  let description = [{
    Expects: `tile_cpu.alloc`. Leaves: `tile_cpu.scratch` and the function attribute
    `tile_cpu.scratch_bytes`. Buffers whose lifetimes (from the first to the last use,
    counted in the allocation's block) do not meet share memory. Fails where one program's
    buffers take more than 256 MiB (`cpu-scratch-limit`), and on scratch memory in functions of
    several blocks. Numerics: unchanged.
  }];
  let dependentDialects = ["::tegula::cpu::TileCPUDialect"];
}

def CpuLowerKernelPass : Pass<"cpu-lower-kernel", "::mlir::ModuleOp"> {
  let summary = "Give kernels the entry signature of the CPU ABI";
  let description = [{
    Expects: `func.func` with `tile.kernel` after `cpu-plan-scratch`. Leaves: functions of
    four pointers (arguments, program id, grid, context) that read their arguments from the block
    described in docs/kernel-abi.md. Fails on argument types outside the ABI. Numerics: unchanged.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect"];
}

def CpuExpandMathPass : Pass<"cpu-expand-math", "::mlir::ModuleOp"> {
  let summary = "Write math functions and narrow floats out as arithmetic";
  let description = [{
    Expects: scalars and vectors of fixed size.
    Leaves: nothing that code generation would call a library for.
    Numerics: 2 ulp in f32, 4 ulp in f64.
  }];
  let options = [
    Option<"fma", "fma", "bool", "false", "Target has fused multiply-add (without tile.target)">,
    Option<"f16c", "f16c", "bool", "false", "Target converts f16 (without tile.target)">,
    Option<"sse41", "sse41", "bool", "false", "Target rounds to integers (without tile.target)">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::mlir::math::MathDialect"];
}

def CpuToLLVMPass : Pass<"cpu-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert the rest to the LLVM dialect and check it";
  let description = [{
    Expects: scf, arith, math, vector, func and LLVM operations. Leaves: the LLVM dialect only.
    Fails where an operation would become a call of a library. Numerics: unchanged.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif // TEGULA_CPU_PASSES
