//===- TileViewOps.td - Structured memory: views -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_VIEW_OPS
#define TEGULA_TILE_VIEW_OPS

include "mlir/Interfaces/SideEffectInterfaces.td"
include "tegula/Tile/IR/TileAttrs.td"
include "tegula/Tile/IR/TileTypes.td"

//===----------------------------------------------------------------------===//
// make_view, view_load, view_store
//===----------------------------------------------------------------------===//

def Tile_MakeViewOp : Tile_Op<"make_view", "0.1", [Pure, AttrSizedOperandSegments]> {
  let summary = "describe strided memory that is accessed in tiles";
  let description = [{
    Shape and strides count elements. Constraints: tile_make_view_c1: one shape
    and one stride per dimension of the view. tile_make_view_c2: the base
    points to the view's element type. tile_make_view_c3: the type that is written
    is a view. tile_make_view_c4: `pad` is zero or nan.
    ```mlir
    %v = tile.make_view %p shape [%m, %n] strides [%s, %one] pad zero : !tile.view<64x32xf16>
    ```
  }];
  let arguments = (ins Tile_Ptr:$base, Variadic<I64>:$shape, Variadic<I64>:$strides,
      DefaultValuedAttr<Tile_PaddingAttr, "::tegula::tile::Padding::Zero">:$padding);
  let results = (outs Tile_ViewType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_ViewLoadOp : Tile_Op<"view_load", "0.1"> {
  let summary = "read one tile of a view at element offsets";
  let description = [{
    Elements outside the view's shape in a dimension listed in `checked` are
    the view's padding and not accessed; other dimensions are not checked.
    Constraints: tile_view_load_c1: one offset per dimension.
    tile_view_load_c2: the result is the view's tile. tile_view_load_c3:
    `checked` lists existing dimensions, ascending.
    ```mlir
    %t = tile.view_load %v[%i, %j] checked [0, 1] : !tile.view<64x32xf16> -> tensor<64x32xf16>
    ```
  }];
  let arguments = (ins Arg<Tile_View, "", [MemRead]>:$view, Variadic<I64>:$offsets,
      DenseI32ArrayAttr:$checked);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $view `[` $offsets `]` `checked` $checked
    attr-dict `:` type($view) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_ViewStoreOp : Tile_Op<"view_store", "0.1"> {
  let summary = "write one tile of a view at element offsets";
  let description = [{
    Elements outside the view's shape in a `checked` dimension are not written.
    Constraints: tile_view_store_c1: one offset per dimension.
    tile_view_store_c2: the value is the view's tile. tile_view_store_c3:
    `checked` lists existing dimensions, ascending.
    ```mlir
    tile.view_store %v[%i, %j], %t checked [0, 1] : !tile.view<64x32xf16>, tensor<64x32xf16>
    ```
  }];
  let arguments = (ins Arg<Tile_View, "", [MemWrite]>:$view, Variadic<I64>:$offsets,
      Tile_Tile:$value,
      DenseI32ArrayAttr:$checked);
  let assemblyFormat = [{
    $view `[` $offsets `]` `,` $value `checked` $checked
    attr-dict `:` type($view) `,` type($value)
  }];
  let hasVerifier = 1;
}

#endif // TEGULA_TILE_VIEW_OPS
