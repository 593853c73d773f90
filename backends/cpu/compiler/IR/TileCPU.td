//===- TileCPU.td - What the CPU backend adds to the IR -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CPU_TILECPU
#define TEGULA_CPU_TILECPU

include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tegula/Tile/IR/TileInterfaces.td"

def TileCPU_Dialect : Dialect {
  let name = "tile_cpu";
  let cppNamespace = "::tegula::cpu";
  let summary = "Target and scratch memory of the CPU backend";
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def TileCPU_TargetAttr : AttrDef<TileCPU_Dialect, "Target",
    [DeclareAttrInterfaceMethods<Tile_TargetAttrInterface>]> {
  let mnemonic = "target";
  let summary = "processor that one compile is for";
  let description = [{
    `cpu` and `features` are LLVM's names, already resolved (`native` is gone,
    features hold what the processor implies). `vector_bits` is the width of the
    native vector registers, `contract` says whether products may be contracted.
    `skip_passes` names optional passes that are left out, sorted and once each.
    ```mlir
    #tile_cpu.target<arch = "x86-64-v4", triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v4",
                     features = "+avx512f", vector_bits = 512, contract = true>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"arch as the descriptor gave it">:$arch,
    StringRefParameter<"LLVM target triple">:$triple,
    StringRefParameter<"LLVM processor name">:$cpu,
    StringRefParameter<"LLVM feature string">:$features,
    "unsigned":$vector_bits,
    "bool":$contract,
    OptionalParameter<"::mlir::ArrayAttr">:$skip_passes);
  let assemblyFormat = "`<` struct(params) `>`";
}

class TileCPU_Op<string mnemonic, list<Trait> traits = []> : Op<TileCPU_Dialect, mnemonic, traits>;

def TileCPU_AllocOp : TileCPU_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "scratch memory that lives from its first to its last use in this block";
  let description = [{
    64-byte aligned, contents undefined. `cpu-plan-scratch` replaces it by an
    offset into the scratch memory of the running thread.
    ```mlir
    %p = tile_cpu.alloc 4096 : !llvm.ptr
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<2147483647>]>:$bytes);
  let results = (outs LLVM_AnyPointer:$result);
  let assemblyFormat = "$bytes attr-dict `:` type($result)";
}

def TileCPU_ScratchOp : TileCPU_Op<"scratch", [Pure]> {
  let summary = "address in the scratch memory of the running thread";
  let description = [{
    ```mlir
    %p = tile_cpu.scratch 128 : !llvm.ptr
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<2147483647>]>:$offset);
  let results = (outs LLVM_AnyPointer:$result);
  let assemblyFormat = "$offset attr-dict `:` type($result)";
}

class TileCPU_EntryOp<string mnemonic> : TileCPU_Op<mnemonic, [Pure]> {
  let arguments = (ins);
  let results = (outs LLVM_AnyPointer:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TileCPU_ContextOp : TileCPU_EntryOp<"context"> {
  let summary = "the context that the kernel's entry gets";
  let description = [{
    ```mlir
    %p = tile_cpu.context : !llvm.ptr
    ```
  }];
}

def TileCPU_ProgramOp : TileCPU_EntryOp<"program"> {
  let summary = "address of the three numbers of this program";
  let description = [{
    ```mlir
    %p = tile_cpu.program : !llvm.ptr
    ```
  }];
}

#endif // TEGULA_CPU_TILECPU
