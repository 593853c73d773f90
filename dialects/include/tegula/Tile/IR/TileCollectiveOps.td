//===- TileCollectiveOps.td - Reduce, scan, map, sort, histogram -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_COLLECTIVE_OPS
#define TEGULA_TILE_COLLECTIVE_OPS

include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tegula/Tile/IR/TileAttrs.td"
include "tegula/Tile/IR/TileTypes.td"

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

def Tile_ReduceOp : Tile_Op<"reduce", "0.1", [RecursiveMemoryEffects, SameVariadicOperandSize,
    SingleBlock]> {
  let summary = "combine the elements along one dimension";
  let description = [{
    The region combines two groups of scalars, one of each operand, and must be
    associative; it need not be commutative: elements are combined in order,
    the grouping is free. Reducing a rank-1 tile yields scalars.

    Constraints: tile_reduce_c1: at least one operand, all of one shape.
    tile_reduce_c2: 0 <= axis < rank, which is 1 or more. tile_reduce_c3: results are the operands
    without the dimension `axis`. tile_reduce_c4: the region takes two scalars
    per operand (first all of the left group) and yields one per operand.
    ```mlir
    %s = tile.reduce (%x) axis 0 : (tensor<64x32xf32>) -> tensor<32xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$operands, I32Attr:$axis);
  let results = (outs Variadic<Tile_Value>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    `(` $operands `)` `axis` $axis
    attr-dict `:` functional-type($operands, $results) $combiner
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The single op of the combiner when it is a commutative arith op on its
    /// two arguments (add, mul, min, max, and, or, xor); null otherwise.
    ::mlir::Operation *getSimpleCombiner();
  }];
}

def Tile_YieldOp : Tile_Op<"yield", "0.1", [Pure, Terminator, ReturnLike,
    ParentOneOf<["MapOp", "ReduceOp", "ScanOp"]>]> {
  let summary = "results of the region of a reduce, scan or map";
  let description = [{
    ```mlir
    tile.yield %c : f32
    ```
  }];
  let arguments = (ins Variadic<Tile_Element>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

def Tile_ScanOp : Tile_Op<"scan", "0.1", [RecursiveMemoryEffects, SameVariadicOperandSize,
    SingleBlock]> {
  let summary = "combine every element with all before it along one dimension";
  let description = [{
    Element i of the results combines elements 0 to i in order; with `reverse`,
    elements n-1 down to i, the later one on the left. The region is as in
    `tile.reduce`: associative, not necessarily commutative.

    Constraints: tile_scan_c1: at least one operand, all of one shape.
    tile_scan_c2: 0 <= axis < rank, which is 1 or more. tile_scan_c3: results have the types of
    the operands. tile_scan_c4: the region takes two scalars per operand
    (first all of the left group) and yields one per operand.
    ```mlir
    %s = tile.scan (%x) axis 0 reverse : (tensor<64xi32>) -> tensor<64xi32> {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tile.yield %c : i32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$operands, I32Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Tile>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    `(` $operands `)` `axis` $axis (`reverse` $reverse^)?
    attr-dict `:` functional-type($operands, $results) $combiner
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// As of a reduction.
    ::mlir::Operation *getSimpleCombiner();
  }];
}

//===----------------------------------------------------------------------===//
// map
//===----------------------------------------------------------------------===//

def Tile_MapOp : Tile_Op<"map", "0.1", [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "run a region of scalars once for each element";
  let description = [{
    The region may hold control flow. It sees `pack` consecutive elements (in
    row-major order) of each operand: first those of the first operand. It
    yields as many of each result.

    Constraints: tile_map_c1: at least one operand; operands and results are of one shape.
    tile_map_c2: `pack` is positive and divides the number of elements.
    tile_map_c3: the region takes `pack` scalars per operand and yields `pack` per result.
    ```mlir
    %y = tile.map (%x) pack 1 : (tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%a: f32):
      %b = arith.addf %a, %a : f32
      tile.yield %b : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$operands, I32Attr:$pack);
  let results = (outs Variadic<Tile_Tile>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $operands `)` `pack` $pack
    attr-dict `:` functional-type($operands, $results) $body
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// sort, histogram
//===----------------------------------------------------------------------===//

def Tile_SortOp : Tile_Op<"sort", "0.1", [Pure, SameVariadicOperandSize]> {
  let summary = "order the elements along one dimension by a key";
  let description = [{
    The first operand is the key; the others move with it. The sort is stable:
    equal keys keep their order, in both directions. Integers are read as
    `signedness` says. Floats are ordered by value, -0 equals +0, NaN counts as
    larger than infinity.

    Constraints: tile_sort_c1: at least one operand, all of one shape.
    tile_sort_c2: 0 <= axis < rank, which is 1 or more. tile_sort_c3: results have the types of
    the operands. tile_sort_c4: the key is of integers or of f16, bf16, f32 or f64.
    ```mlir
    %k, %v = tile.sort (%x, %i) axis 0 ascending signed
        : (tensor<64xf32>, tensor<64xi32>) -> (tensor<64xf32>, tensor<64xi32>)
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$operands, I32Attr:$axis, Tile_SortOrderAttr:$order,
      Tile_SignednessAttr:$signedness);
  let results = (outs Variadic<Tile_Tile>:$results);
  let assemblyFormat = [{
    `(` $operands `)` `axis` $axis $order $signedness
    attr-dict `:` functional-type($operands, $results)
  }];
  let hasVerifier = 1;
}

def Tile_HistogramOp : Tile_Op<"histogram", "0.1", [Pure]> {
  let summary = "how often each of the numbers 0, 1, ... occurs";
  let description = [{
    Element b counts the elements of the source that equal b and whose `mask`
    is true. Elements outside the result are not counted, negative ones neither.

    Constraints: tile_histogram_c1: the mask has the source's shape.
    ```mlir
    %h = tile.histogram %x mask %m : tensor<64xi32>, tensor<64xi1> -> tensor<16xi32>
    ```
  }];
  let arguments = (ins 1DTensorOf<[Tile_Int]>:$source, Optional<1DTensorOf<[I1]>>:$mask);
  let results = (outs 1DTensorOf<[I32]>:$result);
  let assemblyFormat = [{
    $source (`mask` $mask^)?
    attr-dict `:` type($source) (`,` type($mask)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TEGULA_TILE_COLLECTIVE_OPS
