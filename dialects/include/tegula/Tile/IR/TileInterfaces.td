//===- TileInterfaces.td - Interfaces that backends implement -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_INTERFACES
#define TEGULA_TILE_INTERFACES

include "mlir/IR/OpBase.td"

def Tile_TargetAttrInterface : AttrInterface<"TargetAttrInterface"> {
  let cppNamespace = "::tegula::tile";
  let description = [{
    The module attribute `tile.target`: what one compile is for. Backends
    implement it with an attribute of their own; neutral passes read only this.
  }];
  let methods = [
    InterfaceMethod<"Plugin id of the backend, as in `cpu`", "::llvm::StringRef", "getBackendId">,
    InterfaceMethod<"Architecture text, as in `x86-64-v3` or `sm_90a`", "::llvm::StringRef",
        "getArch">,
    InterfaceMethod<"LLVM target triple, resolved", "::llvm::StringRef", "getTriple">,
    InterfaceMethod<"Features as `+x,-y`, resolved: what the code may use", "::llvm::StringRef",
        "getFeatures">,
    InterfaceMethod<"Whether a product may be contracted with a sum (numerics.fma)", "bool",
        "allowsFmaContraction">,
  ];
}

#endif // TEGULA_TILE_INTERFACES
