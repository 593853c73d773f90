//===- TileGPUAttrs.td - Layouts and what a target can do -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_ATTRS
#define TEGULA_TILEGPU_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"
include "tegula/TileGPU/IR/TileGPUBase.td"

//===----------------------------------------------------------------------===//
// linear
//===----------------------------------------------------------------------===//

def TileGPU_LinearAttr : AttrDef<TileGPU_Dialect, "Linear",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "linear";
  let summary = "which register of which lane of which warp holds an element";
  let description = [{
    A linear map over GF(2) on the bits of the register, lane, warp and block numbers
    (`tegula/TileGPU/Layout/LinearMap.h`), repeated any number of times
    (`Layout.h`). First the sizes of the map, then for each axis the coordinates of its
    bits, the lowest bit first; axes without bits are left out. Each repetition is the
    axis that counts it, the dimension that grows, and how often.

    The accumulator of a matrix instruction of 16 x 8 elements, and three groups of four
    warps with 64 rows each:
    ```mlir
    #mma = #tilegpu.linear<16x8, register = [[0, 1], [8, 0]],
                           lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
    #wide = #tilegpu.linear<64x8, register = [[0, 1], [8, 0]],
                            lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                            warp = [[16, 0], [32, 0]], repeat = [[warp, 0, 3]]>
    ```

    Constraints: tilegpu_linear_c1: sizes are powers of two, at most 2^20 elements in
    all. tilegpu_linear_c2: coordinates lie within the sizes, one for each dimension.
    tilegpu_linear_c3: every element is held by some thread. tilegpu_linear_c4: a
    repetition grows a dimension that is there, at least twice, and is not one that
    could be bits of the map or part of the repetition before it.
    tilegpu_linear_c5: the tensor's shape is that of the layout.
  }];
  let parameters = (ins
    ArrayRefParameter<"unsigned", "logarithms of the map's sizes">:$outputBits,
    ArrayRefParameter<"uint64_t", "packed images of the register bits">:$registers,
    ArrayRefParameter<"uint64_t", "packed images of the lane bits">:$lanes,
    ArrayRefParameter<"uint64_t", "packed images of the warp bits">:$warps,
    ArrayRefParameter<"uint64_t", "packed images of the block bits">:$blocks,
    ArrayRefParameter<"unsigned", "axis, dimension and count of each repetition">:$repetitions);
  let builders = [AttrBuilder<(ins "const ::tegula::tilegpu::Layout &":$layout)>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    Layout getLayout() const;
  }];
}

//===----------------------------------------------------------------------===//
// mma, capabilities
//===----------------------------------------------------------------------===//

def TileGPU_MmaFamily : I32EnumAttr<"MmaFamily", "who multiplies, and with which fragments", [
  I32EnumAttrCase<"MmaSync", 0, "mma_sync">, I32EnumAttrCase<"Mfma", 1, "mfma">,
  I32EnumAttrCase<"Wmma", 2, "wmma">]> {
  let cppNamespace = "::tegula::tilegpu";
  let genSpecializedAttr = 0;
}

def TileGPU_MmaAttr : AttrDef<TileGPU_Dialect, "Mma"> {
  let mnemonic = "mma";
  let summary = "a matrix instruction of one warp";
  let description = [{
    Sizes, element types of the operands and of the accumulator. Element types are
    those that the instruction reads: `tf32` for f32 tiles, `f8E4M3FN`, `f8E5M2` for tiles
    of i8, `si8` and `ui8`. Which thread holds what is in `Layout/Fragments.h`.
    ```mlir
    #tilegpu.mma<mma_sync, 16, 8, 16, f16, f16, f32>
    ```
    Constraints: tilegpu_mma_c1: sizes are powers of two.
  }];
  let parameters = (ins EnumParameter<TileGPU_MmaFamily>:$family, "unsigned":$m, "unsigned":$n,
      "unsigned":$k, "::mlir::Type":$a, "::mlir::Type":$b, "::mlir::Type":$acc);
  let assemblyFormat = "`<` $family `,` $m `,` $n `,` $k `,` $a `,` $b `,` $acc `>`";
  let genVerifyDecl = 1;
}

def TileGPU_CapabilitiesAttr : AttrDef<TileGPU_Dialect, "Capabilities"> {
  let mnemonic = "capabilities";
  let summary = "what neutral passes may know of a GPU";
  let description = [{
    `shared_bytes`: the most that one program may use. `mma`: matrix instructions, the
    preferred first. `load_matrix`: 8 x 8 matrices of 16 bits from shared memory
    (`tilegpu.load_matrix`). `max_access_bytes`: of one thread's access of memory.
    `async_copy`: global to shared memory beside the program (`tilegpu.thread_async_copy`).
    ```mlir
    module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32,
        max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true,
        mma = [<mma_sync, 16, 8, 16, f16, f16, f32>]>} {}
    ```
    Constraints: tilegpu_capabilities_c1: the warp size is 32 or 64, the largest access a
    power of two from 4 to 16.
  }];
  let parameters = (ins "unsigned":$warp_size, "unsigned":$max_threads, "unsigned":$shared_bytes,
      "unsigned":$max_access_bytes, "bool":$load_matrix,
      OptionalArrayRefParameter<"::tegula::tilegpu::MmaAttr">:$mma,
      DefaultValuedParameter<"bool", "false">:$async_copy);
  let builders = [AttrBuilder<(ins "unsigned":$warpSize, "unsigned":$maxThreads,
      "unsigned":$sharedBytes, "unsigned":$maxAccessBytes, "bool":$loadMatrix,
      "::llvm::ArrayRef<::tegula::tilegpu::MmaAttr>":$mma), [{
    return $_get($_ctxt, warpSize, maxThreads, sharedBytes, maxAccessBytes, loadMatrix, mma, false);
  }]>];
  let assemblyFormat = [{
    `<` (`async_copy` `=` $async_copy^ `,`)?
    `warp_size` `=` $warp_size `,` `max_threads` `=` $max_threads `,`
    `shared_bytes` `=` $shared_bytes `,` `max_access_bytes` `=` $max_access_bytes `,`
    `load_matrix` `=` $load_matrix (`,` `mma` `=` `[` $mma^ `]`)? `>`
  }];
  let genVerifyDecl = 1;
}

#endif // TEGULA_TILEGPU_ATTRS
