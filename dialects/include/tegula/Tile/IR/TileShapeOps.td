//===- TileShapeOps.td - Ops that change the shape of a tile, not its values -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_SHAPE_OPS
#define TEGULA_TILE_SHAPE_OPS

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tegula/Tile/IR/TileTypes.td"

//===----------------------------------------------------------------------===//
// splat, broadcast, expand_dims
//===----------------------------------------------------------------------===//

def Tile_SplatOp : Tile_Op<"splat", "0.1", [Pure]> {
  let summary = "a tile whose elements all equal one scalar";
  let description = [{
    Constraints: tile_splat_c1: the element type is the scalar's.
    ```mlir
    %t = tile.splat %x : f32 -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Tile_Element:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", "0.1", [Pure]> {
  let summary = "a tile repeated along its dimensions of size 1";
  let description = [{
    Constraints: tile_broadcast_c1: equal rank and element type.
    tile_broadcast_c2: a dimension of the source is 1 or the result's.
    ```mlir
    %b = tile.broadcast %x : tensor<64x1xf32> -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", "0.1", [Pure]> {
  let summary = "a tile with one more dimension, of size 1";
  let description = [{
    Constraints: tile_expand_dims_c1: 0 <= axis <= rank of the source.
    tile_expand_dims_c2: the result's shape is the source's with a 1 at `axis`.
    ```mlir
    %e = tile.expand_dims %x axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source, I32Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source `axis` $axis attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// reshape, transpose
//===----------------------------------------------------------------------===//

def Tile_ReshapeOp : Tile_Op<"reshape", "0.1", [Pure]> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    With `allow_reorder` the elements may come in any order.
    Constraints: tile_reshape_c1: equal element type and number of elements.
    ```mlir
    %r = tile.reshape %x : tensor<64x32xf32> -> tensor<2048xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source, UnitAttr:$allow_reorder);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $source (`allow_reorder` $allow_reorder^)?
    attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_TransposeOp : Tile_Op<"transpose", "0.1", [Pure]> {
  let summary = "a tile with its dimensions permuted";
  let description = [{
    Dimension d of the result is dimension `order[d]` of the source.
    Constraints: tile_transpose_c1: `order` is a permutation of the source's
    dimensions. tile_transpose_c2: the result's shape and element type follow.
    ```mlir
    %t = tile.transpose %x order [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source, DenseI32ArrayAttr:$order);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source `order` $order attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

#endif // TEGULA_TILE_SHAPE_OPS
