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

//===----------------------------------------------------------------------===//
// join, split, cat
//===----------------------------------------------------------------------===//

def Tile_JoinOp : Tile_Op<"join", "0.1", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "two tiles side by side in a new last dimension of size 2";
  let description = [{
    Scalars give a tile of rank 1.
    Constraints: tile_join_c1: the result has the operands' shape with a 2 at
    the end and their element type.
    ```mlir
    %j = tile.join %a, %b : tensor<64xf32> -> tensor<64x2xf32>
    ```
  }];
  let arguments = (ins Tile_Value:$lhs, Tile_Value:$rhs);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_SplitOp : Tile_Op<"split", "0.1", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "the two halves of a tile along its last dimension, of size 2";
  let description = [{
    The reverse of `tile.join`; a tile of rank 1 gives scalars.
    Constraints: tile_split_c1: the last dimension of the source is 2.
    tile_split_c2: results have the other dimensions and the element type.
    ```mlir
    %a, %b = tile.split %x : tensor<64x2xf32> -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Value:$lhs, Tile_Value:$rhs);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($lhs)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_CatOp : Tile_Op<"cat", "0.1", [Pure]> {
  let summary = "one tile after another along a dimension";
  let description = [{
    Constraints: tile_cat_c1: 0 <= axis < rank. tile_cat_c2: operands agree but in
    dimension `axis`, where the result has the sum.
    ```mlir
    %c = tile.cat %a, %b axis 0 : tensor<64xf32>, tensor<64xf32> -> tensor<128xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$lhs, Tile_Tile:$rhs, I32Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `axis` $axis attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// gather, slice, extract
//===----------------------------------------------------------------------===//

def Tile_GatherOp : Tile_Op<"gather", "0.1", [Pure]> {
  let summary = "elements of a tile chosen by indices along one dimension";
  let description = [{
    `result[i, j] = source[indices[i, j], j]` for axis 0. Indices are signed;
    one that is negative or too large yields zero.
    Constraints: tile_gather_c1: 0 <= axis < rank. tile_gather_c2: ranks are equal and
    the indices agree with the source but in dimension `axis`. tile_gather_c3: the result has the
    indices' shape and the source's element type.
    ```mlir
    %g = tile.gather %x[%i] axis 0 : tensor<64xf32>, tensor<16xi32> -> tensor<16xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source, Tile_IntTensor:$indices, I32Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` `axis` $axis
    attr-dict `:` type($source) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_SliceOp : Tile_Op<"slice", "0.1", [Pure]> {
  let summary = "a part of a tile at constant places";
  let description = [{
    Element i of the result is element `offsets + i * steps` of the source in
    each dimension. Steps may be negative.
    Constraints: tile_slice_c1: one offset and step per dimension, of equal rank and
    element type. tile_slice_c2: steps are not 0 and every element exists.
    ```mlir
    %s = tile.slice %x at [0, 31] step [1, -1] : tensor<64x32xf32> -> tensor<16x32xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source, DenseI64ArrayAttr:$offsets, DenseI64ArrayAttr:$steps);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $source `at` $offsets `step` $steps attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ExtractOp : Tile_Op<"extract", "0.1", [Pure]> {
  let summary = "one element of a tile";
  let description = [{
    An index that is negative or too large yields zero.
    Constraints: tile_extract_c1: one index per dimension. tile_extract_c2: the result is the
    element type.
    ```mlir
    %e = tile.extract %x[%i, %j] : tensor<64x32xf32> -> f32
    ```
  }];
  let arguments = (ins Tile_Tile:$source, Variadic<I64>:$indices);
  let results = (outs Tile_Element:$result);
  let assemblyFormat = "$source `[` $indices `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TEGULA_TILE_SHAPE_OPS
