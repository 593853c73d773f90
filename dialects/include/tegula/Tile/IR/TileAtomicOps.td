//===- TileAtomicOps.td - Atomic accesses through pointers -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_ATOMIC_OPS
#define TEGULA_TILE_ATOMIC_OPS

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tegula/Tile/IR/TileAttrs.td"
include "tegula/Tile/IR/TileTypes.td"

//===----------------------------------------------------------------------===//
// atomic_rmw, atomic_cas
//===----------------------------------------------------------------------===//

def Tile_AtomicRMWOp : Tile_Op<"atomic_rmw", "0.1", [SameOperandsAndResultShape,
    AllTypesMatch<["value", "result"]>]> {
  let summary = "change each element of memory in one step and yield what was there";
  let description = [{
    Each element is one atomic access of its own; the order of several to one
    address is not fixed. Where `mask` is false nothing is accessed and the
    result is zero. `fmax` and `fmin` let NaN lose and order -0 below +0. `xchg` takes any
    element, as do `add`, `and`, `or`, `xor`, `max`, `min`, `umax`, `umin` integers of
    8 to 64 bits and the others floats. `semantic` orders the access as a whole.

    Constraints: tile_atomic_rmw_c1: the value's element type is the pointee.
    tile_atomic_rmw_c2: the kind works on that type, which is not i1.
    ```mlir
    %old = tile.atomic_rmw fadd relaxed device %p, %x mask %m
        : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi1>
    ```
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, Tile_MemSemanticAttr:$semantic,
      Tile_MemScopeAttr:$scope, Arg<Tile_PtrLike, "", [MemRead, MemWrite]>:$ptr,
      Tile_Value:$value, Optional<Tile_I1Like>:$mask);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $kind $semantic $scope $ptr `,` $value (`mask` $mask^)?
    attr-dict `:` type($ptr) `,` type($value) (`,` type($mask)^)?
  }];
  let hasVerifier = 1;
}

def Tile_AtomicCASOp : Tile_Op<"atomic_cas", "0.1", [SameOperandsAndResultShape,
    AllTypesMatch<["expected", "value", "result"]>]> {
  let summary = "replace each element of memory that equals another, in one step";
  let description = [{
    Compares bits, floats' too; yields what was there.
    Constraints: tile_atomic_cas_c1: the value's element type is the pointee, and not i1.
    ```mlir
    %old = tile.atomic_cas acq_rel device %p, %e, %x : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
    ```
  }];
  let arguments = (ins Tile_MemSemanticAttr:$semantic, Tile_MemScopeAttr:$scope,
      Arg<Tile_PtrLike, "", [MemRead, MemWrite]>:$ptr, Tile_Value:$expected, Tile_Value:$value);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $semantic $scope $ptr `,` $expected `,` $value attr-dict `:` type($ptr) `,` type($value)
  }];
  let hasVerifier = 1;
}

#endif // TEGULA_TILE_ATOMIC_OPS
