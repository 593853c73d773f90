//===- TileGPUInterfaces.td - What targets of GPU backends answer -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_INTERFACES
#define TEGULA_TILEGPU_INTERFACES

include "mlir/IR/OpBase.td"

def TileGPU_GPUTargetInterface : AttrInterface<"GPUTargetInterface"> {
  let cppNamespace = "::tegula::tilegpu";
  let description = [{
    Target attributes (`tile.target`) of GPU backends tell with it what
    `tilegpu-attach-capabilities` puts on the module.
  }];
  let methods = [
    InterfaceMethod<"What neutral passes may know",
        "::tegula::tilegpu::CapabilitiesAttr", "getGPUCapabilities">,
  ];
}

#endif // TEGULA_TILEGPU_INTERFACES
