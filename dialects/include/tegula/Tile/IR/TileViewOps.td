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
    is a view. tile_make_view_c4: `pad` is zero or nan. tile_make_view_c5: a kind of 8-bit
    float after it, which says what nan is, needs elements of i8.
    ```mlir
    %v = tile.make_view %p shape [%m, %n] strides [%s, %one] pad zero : !tile.view<64x32xf16>
    %w = tile.make_view %q shape [%n] strides [%one] pad nan e4m3fn : !tile.view<64xi8>
    ```
  }];
  let arguments = (ins Tile_Ptr:$base, Variadic<I64>:$shape, Variadic<I64>:$strides,
      DefaultValuedAttr<Tile_PaddingAttr, "::tegula::tile::Padding::Zero">:$padding,
      OptionalAttr<Tile_Fp8KindAttr>:$fp8);
  let results = (outs Tile_ViewType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_ViewLoadOp : Tile_Op<"view_load", "0.1"> {
  let summary = "read one tile of a view at element offsets";
  let description = [{
    Elements outside the view's shape in a dimension listed in `checked` are
    the view's padding and not accessed; other dimensions are not checked.
    `cache`, `evict` and `is_volatile` as in `tile.load`.
    Constraints: tile_view_load_c1: one offset per dimension.
    tile_view_load_c2: the result is the view's tile. tile_view_load_c3:
    `checked` lists existing dimensions, ascending.
    ```mlir
    %t = tile.view_load %v[%i, %j] checked [0, 1] : !tile.view<64x32xf16> -> tensor<64x32xf16>
    ```
  }];
  let arguments = (ins Arg<Tile_View, "", [MemRead]>:$view, Variadic<I64>:$offsets,
      DenseI32ArrayAttr:$checked,
      DefaultValuedAttr<Tile_CacheModifierAttr, "::tegula::tile::CacheModifier::None">:$cache,
      DefaultValuedAttr<Tile_EvictionPolicyAttr, "::tegula::tile::EvictionPolicy::Normal">:$evict,
      UnitAttr:$is_volatile);
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
    `cache` and `evict` as in `tile.store`.
    Constraints: tile_view_store_c1: one offset per dimension.
    tile_view_store_c2: the value is the view's tile. tile_view_store_c3:
    `checked` lists existing dimensions, ascending.
    ```mlir
    tile.view_store %v[%i, %j], %t checked [0, 1] : !tile.view<64x32xf16>, tensor<64x32xf16>
    ```
  }];
  let arguments = (ins Arg<Tile_View, "", [MemWrite]>:$view, Variadic<I64>:$offsets,
      Tile_Tile:$value,
      DenseI32ArrayAttr:$checked,
      DefaultValuedAttr<Tile_CacheModifierAttr, "::tegula::tile::CacheModifier::None">:$cache,
      DefaultValuedAttr<Tile_EvictionPolicyAttr, "::tegula::tile::EvictionPolicy::Normal">:$evict);
  let assemblyFormat = [{
    $view `[` $offsets `]` `,` $value `checked` $checked
    attr-dict `:` type($view) `,` type($value)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// view_gather, view_scatter, view_atomic
//===----------------------------------------------------------------------===//

def Tile_ViewGatherOp : Tile_Op<"view_gather", "0.1"> {
  let summary = "read rows of a view chosen by indices";
  let description = [{
    The view's tile is 1 x N. Row i of the result is the tile at offsets
    `[rows[i], column]`; what lies outside the view is its padding.
    Constraints: tile_view_gather_c1: the view's tile is 1 x N. tile_view_gather_c2:
    the result is rows x N of the view's elements.
    ```mlir
    %t = tile.view_gather %v[%rows, %j]
        : !tile.view<1x32xf16>, tensor<8xi32> -> tensor<8x32xf16>
    ```
  }];
  let arguments = (ins Arg<Tile_View, "", [MemRead]>:$view, 1DTensorOf<[I16, I32, I64]>:$rows,
      I64:$column);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $view `[` $rows `,` $column `]` attr-dict `:` type($view) `,` type($rows) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_ViewScatterOp : Tile_Op<"view_scatter", "0.1"> {
  let summary = "write rows of a view chosen by indices";
  let description = [{
    The reverse of `tile.view_gather`; what lies outside the view is not
    written. Of several rows with one index the last stays.
    Constraints: tile_view_scatter_c1: the view's tile is 1 x N. tile_view_scatter_c2:
    the value is rows x N of the view's elements.
    ```mlir
    tile.view_scatter %v[%rows, %j], %t
        : !tile.view<1x32xf16>, tensor<8xi32>, tensor<8x32xf16>
    ```
  }];
  let arguments = (ins Arg<Tile_View, "", [MemWrite]>:$view, 1DTensorOf<[I16, I32, I64]>:$rows,
      I64:$column, Tile_Tile:$value);
  let assemblyFormat = [{
    $view `[` $rows `,` $column `]` `,` $value
    attr-dict `:` type($view) `,` type($rows) `,` type($value)
  }];
  let hasVerifier = 1;
}

def Tile_ViewAtomicOp : Tile_Op<"view_atomic", "0.1"> {
  let summary = "change one tile of a view, each element in one relaxed step";
  let description = [{
    `kind` as in `tile.atomic_rmw`, scope device. Elements outside the view's
    shape in a `checked` dimension are not accessed.
    Constraints: tile_view_atomic_c1: one offset per dimension.
    tile_view_atomic_c2: the value is the view's tile. tile_view_atomic_c3:
    `checked` lists existing dimensions, ascending. tile_view_atomic_c4: the kind works on the
    element type.
    ```mlir
    tile.view_atomic fadd %v[%i, %j], %t checked [0, 1]
        : !tile.view<64x32xf32>, tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, Arg<Tile_View, "", [MemRead, MemWrite]>:$view,
      Variadic<I64>:$offsets, Tile_Tile:$value, DenseI32ArrayAttr:$checked);
  let assemblyFormat = [{
    $kind $view `[` $offsets `]` `,` $value `checked` $checked
    attr-dict `:` type($view) `,` type($value)
  }];
  let hasVerifier = 1;
}

#endif // TEGULA_TILE_VIEW_OPS
