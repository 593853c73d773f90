//===- TileMemoryOps.td - Pointers, loads and stores -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_MEMORY_OPS
#define TEGULA_TILE_MEMORY_OPS

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tegula/Tile/IR/TileAttrs.td"
include "tegula/Tile/IR/TileTypes.td"

//===----------------------------------------------------------------------===//
// addptr and pointer casts
//===----------------------------------------------------------------------===//

def Tile_AddPtrOp : Tile_Op<"addptr", "0.1", [Pure, SameOperandsAndResultShape,
    AllTypesMatch<["ptr", "result"]>]> {
  let summary = "pointers moved by a number of elements";
  let description = [{
    The offset is sign-extended to 64 bits, multiplied by the size of the
    pointee (1 byte for i1, 8 for a pointer) and added; the sum wraps.
    ```mlir
    %q = tile.addptr %p, %o : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Tile_IntLike:$offset);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
  let hasFolder = 1;
}

def Tile_PtrToIntOp : Tile_Op<"ptr_to_int", "0.1", [Pure, SameOperandsAndResultShape]> {
  let summary = "addresses in bytes";
  let description = [{
    ```mlir
    %i = tile.ptr_to_int %p : !tile.ptr<f32> -> i64
    ```
  }];
  let arguments = (ins Tile_PtrLike:$source);
  let results = (outs Tile_I64Like:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

def Tile_IntToPtrOp : Tile_Op<"int_to_ptr", "0.1", [Pure, SameOperandsAndResultShape]> {
  let summary = "pointers from addresses in bytes";
  let description = [{
    ```mlir
    %p = tile.int_to_ptr %i : i64 -> !tile.ptr<f32>
    ```
  }];
  let arguments = (ins Tile_I64Like:$source);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

def Tile_PtrCastOp : Tile_Op<"ptr_cast", "0.1", [Pure, SameOperandsAndResultShape]> {
  let summary = "the same addresses with another pointee type";
  let description = [{
    Constraints: tile_ptr_cast_c1: equal address spaces.
    ```mlir
    %q = tile.ptr_cast %p : !tile.ptr<f32> -> !tile.ptr<i8>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$source);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// load, store
//===----------------------------------------------------------------------===//

def Tile_LoadOp : Tile_Op<"load", "0.1", [AttrSizedOperandSegments, SameOperandsAndResultShape]> {
  let summary = "read each element through its own pointer";
  let description = [{
    Where `mask` is false nothing is accessed and the element is `other`, or
    zero when there is none. A tile load happens as a whole before any later
    store of its program. i1 elements are bytes: true where not 0.

    Constraints: tile_load_c1: the result's element type is the pointee.
    tile_load_c2: `other` needs `mask`. tile_load_c3: `other` has the result's type.
    tile_load_c4: the type that is written is a pointer or a tile of pointers.
    tile_load_c5: `cache` and `evict` have values that exist.
    ```mlir
    %x = tile.load %p mask %m other %o : tensor<64x!tile.ptr<f32>>
    ```
  }];
  let arguments = (ins Arg<Tile_PtrLike, "", [MemRead]>:$ptr, Optional<Tile_I1Like>:$mask,
      Optional<Tile_Value>:$other,
      DefaultValuedAttr<Tile_CacheModifierAttr, "::tegula::tile::CacheModifier::None">:$cache,
      DefaultValuedAttr<Tile_EvictionPolicyAttr, "::tegula::tile::EvictionPolicy::Normal">:$evict,
      UnitAttr:$is_volatile);
  let results = (outs Tile_Value:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$ptr, CArg<"::mlir::Value", "{}">:$mask,
      CArg<"::mlir::Value", "{}">:$other,
      CArg<"::tegula::tile::CacheModifier", "::tegula::tile::CacheModifier::None">:$cache,
      CArg<"::tegula::tile::EvictionPolicy", "::tegula::tile::EvictionPolicy::Normal">:$evict,
      CArg<"bool", "false">:$isVolatile)>];
}

def Tile_StoreOp : Tile_Op<"store", "0.1", [SameOperandsShape]> {
  let summary = "write each element through its own pointer";
  let description = [{
    Where `mask` is false nothing is accessed. When several elements of one
    store have the same address, the one that comes last in row-major order
    stays. i1 elements are written as bytes 0 and 1.

    Constraints: tile_store_c1: the value's element type is the pointee.
    tile_store_c2: the type that is written is a pointer or a tile of pointers.
    tile_store_c3: `cache` and `evict` have values that exist.
    ```mlir
    tile.store %p, %x mask %m : tensor<64x!tile.ptr<f32>>
    ```
  }];
  let arguments = (ins Arg<Tile_PtrLike, "", [MemWrite]>:$ptr, Tile_Value:$value,
      Optional<Tile_I1Like>:$mask,
      DefaultValuedAttr<Tile_CacheModifierAttr, "::tegula::tile::CacheModifier::None">:$cache,
      DefaultValuedAttr<Tile_EvictionPolicyAttr, "::tegula::tile::EvictionPolicy::Normal">:$evict);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$value,
      CArg<"::mlir::Value", "{}">:$mask,
      CArg<"::tegula::tile::CacheModifier", "::tegula::tile::CacheModifier::None">:$cache,
      CArg<"::tegula::tile::EvictionPolicy", "::tegula::tile::EvictionPolicy::Normal">:$evict)>];
}

#endif // TEGULA_TILE_MEMORY_OPS
