//===- TileNVIDIA.td - What NVIDIA's backend adds to the IR -*- tablegen -*-
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_NVIDIA_TILENVIDIA
#define TEGULA_NVIDIA_TILENVIDIA

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "tegula/Tile/IR/TileInterfaces.td"
include "tegula/TileGPU/IR/TileGPUInterfaces.td"

def TileNVIDIA_Dialect : Dialect {
  let name = "tile_nvidia";
  let cppNamespace = "::tegula::nvidia";
  let summary = "Target of the NVIDIA backend";
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::tegula::tilegpu::TileGPUDialect"];
}

def TileNVIDIA_TargetAttr : AttrDef<TileNVIDIA_Dialect, "Target",
    [DeclareAttrInterfaceMethods<Tile_TargetAttrInterface>,
     DeclareAttrInterfaceMethods<TileGPU_GPUTargetInterface>]> {
  let mnemonic = "target";
  let summary = "chip that one compile is for";
  let description = [{
    `ptx` is ten times the version of the PTX language that is written. `contract` says
    whether products may be contracted with sums. `ptxas` is the assembler's path, empty
    for the one that is found; `emit` the artifact formats in order of preference.
    ```mlir
    #tile_nvidia.target<arch = "sm_90a", triple = "nvptx64-nvidia-cuda", features = "+ptx84",
                        ptx = 84, contract = true, ptxas = "", emit = "cubin,ptx">
    ```
  }];
  let parameters = (ins
    StringRefParameter<"chip, as sm_90a">:$arch,
    StringRefParameter<"LLVM target triple">:$triple,
    StringRefParameter<"LLVM feature string">:$features,
    "unsigned":$ptx,
    "bool":$contract,
    StringRefParameter<"path of the assembler">:$ptxas,
    StringRefParameter<"artifact formats">:$emit);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // TEGULA_NVIDIA_TILENVIDIA
