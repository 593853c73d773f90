//===- Simt.td - What the simulator's backend adds to the IR -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SIMT_TD
#define SIMT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "tegula/Tile/IR/TileInterfaces.td"
include "tegula/TileGPU/IR/TileGPUInterfaces.td"

def Simt_Dialect : Dialect {
  let name = "tile_simt";
  let cppNamespace = "::tegula::simt";
  let summary = "Targets that are simulated GPUs";
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::tegula::tilegpu::TileGPUDialect"];
}

def Simt_TargetAttr : AttrDef<Simt_Dialect, "Target",
    [DeclareAttrInterfaceMethods<Tile_TargetAttrInterface>,
     DeclareAttrInterfaceMethods<TileGPU_GPUTargetInterface>]> {
  let mnemonic = "target";
  let summary = "a simulated GPU";
  let description = [{
    ```mlir
    #tile_simt.target<arch = "simt-32", matrices = true>
    ```
  }];
  let parameters = (ins StringRefParameter<"simt-32 or simt-64">:$arch,
      "bool":$matrices);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // SIMT_TD
