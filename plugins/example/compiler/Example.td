//===- Example.td - What the example backend adds to the IR -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EXAMPLE_TD
#define EXAMPLE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "tegula/Tile/IR/TileInterfaces.td"

def Example_Dialect : Dialect {
  let name = "tile_example";
  let cppNamespace = "::example";
  let summary = "The target of the example backend";
  let useDefaultAttributePrinterParser = 1;
}

def Example_TargetAttr : AttrDef<Example_Dialect, "Target",
    [DeclareAttrInterfaceMethods<Tile_TargetAttrInterface>]> {
  let mnemonic = "target";
  let summary = "processor and C compiler that one compile is for";
  let description = [{
    ```mlir
    #tile_example.target<arch = "x86_64", cc = "cc", optimize = 1, timeout_s = 60>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"processor family, resolved">:$arch,
    StringRefParameter<"the C compiler: a path, or a name looked up in PATH">:$cc,
    "unsigned":$optimize,
    "unsigned":$timeout_s);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // EXAMPLE_TD
