//===- TileAMD.td - What AMD's backend adds to the IR -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_AMD_TILEAMD
#define TEGULA_AMD_TILEAMD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "tegula/Tile/IR/TileInterfaces.td"
include "tegula/TileGPU/IR/TileGPUInterfaces.td"

def TileAMD_Dialect : Dialect {
  let name = "tile_amd";
  let cppNamespace = "::tegula::amd";
  let summary = "Target of the AMD backend";
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::tegula::tilegpu::TileGPUDialect"];
}

def TileAMD_TargetAttr : AttrDef<TileAMD_Dialect, "Target",
    [DeclareAttrInterfaceMethods<Tile_TargetAttrInterface>,
     DeclareAttrInterfaceMethods<TileGPU_GPUTargetInterface>]> {
  let mnemonic = "target";
  let summary = "chip that one compile is for";
  let description = [{
    `contract` says whether products may be contracted with sums.
    ```mlir
    #tile_amd.target<arch = "gfx942", triple = "amdgcn-amd-amdhsa", features = "",
                     contract = true>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"chip, as gfx942">:$arch,
    StringRefParameter<"LLVM target triple">:$triple,
    StringRefParameter<"LLVM feature string">:$features,
    "bool":$contract);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // TEGULA_AMD_TILEAMD
