//===- TileGPUTypes.td - Channels and copies in flight -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_TYPES
#define TEGULA_TILEGPU_TYPES

include "mlir/IR/AttrTypeBase.td"
include "tegula/TileGPU/IR/TileGPUBase.td"

def TileGPU_ChannelType : TypeDef<TileGPU_Dialect, "Channel"> {
  let mnemonic = "channel";
  let summary = "a ring of tiles in the shared memory of a program";
  let description = [{
    `slots` places for tiles of one type. The layout of that type has registers alone:
    register i is the element at offset i of a slot.
    ```mlir
    !tilegpu.channel<3, tensor<4x8xf16, #tilegpu.linear<4x8,
        register = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]>>>
    ```
    Constraints: tilegpu_channel_c1: 1 to 64 slots. tilegpu_channel_c2: the tile has integers or
    floats of 8 to 64 bits, each element at one offset.
  }];
  let parameters = (ins "unsigned":$slots, "::mlir::RankedTensorType":$tile);
  let assemblyFormat = "`<` $slots `,` $tile `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Which element is at an offset.
    LinearMap getMemory() const;
    /// Of one slot.
    uint64_t getSlotBytes() const;
  }];
}

def TileGPU_TokenType : TypeDef<TileGPU_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "copies that are on their way, or have come";
  let description = [{
    What `tilegpu.async_copy`, `async_commit` and `async_wait` yield: who holds it owns the
    copies. It is no value of threads.
  }];
}

#endif // TEGULA_TILEGPU_TYPES
