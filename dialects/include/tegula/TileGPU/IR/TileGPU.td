//===- TileGPU.td - The dialect of tiles on GPUs -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU
#define TEGULA_TILEGPU

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/IR/OpBase.td"

def TileGPU_Dialect : Dialect {
  let name = "tilegpu";
  let cppNamespace = "::tegula::tilegpu";
  let summary = "Tiles that are spread over the threads of a GPU";
  let description = [{
    What tile IR becomes on its way to any GPU: tensors get an encoding that says
    which thread holds which element. `arith`, `math`, `scf` and `func` stay.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

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

#endif // TEGULA_TILEGPU
