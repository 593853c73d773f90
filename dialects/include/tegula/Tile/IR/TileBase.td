//===- TileBase.td - The tile dialect -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_BASE
#define TEGULA_TILE_BASE

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tegula::tile";
  let summary = "Target-neutral tiles: what arith, math, scf and func lack";
  let description = [{
    Values are builtin scalars and ranked, statically shaped `tensor`s.
    Elementwise work is `arith` and `math` on tensors, control flow is `scf`,
    functions are `func`. A kernel is a `func.func` with the unit attribute
    `tile.kernel`. Launch facts are argument attributes:

    | attribute | on | meaning |
    |---|---|---|
    | `tile.divisibility = N : i32` | pointer or integer argument | a multiple of N (bytes) |
    | `tile.noalias` | pointer argument | no other argument reaches the same memory |
    | `tile.name = "x"` | any argument | its name in the source |

    Module attributes: `tile.target` (a backend's target attribute),
    `tile.num_warps`, `tile.num_stages`, `tile.num_ctas` (i32).

    Constraints: tile_attr_c1: `tile.kernel` is a unit attribute of a function.
    tile_attr_c2: `tile.target` is a backend's. tile_attr_c3: the numbers are
    positive i32. tile_attr_c4: what is said of arguments stands on arguments.
    tile_attr_c5: a divisibility is a positive i32, tile_attr_c6: on an integer or
    pointer. tile_attr_c7: `tile.noalias` is a unit attribute, tile_attr_c8: on a
    pointer. tile_attr_c9: `tile.name` is a string.

    A tile has at most 2^20 elements (`kMaxTileElements`): backends refuse more.

    Nothing computed by these ops is undefined: docs/semantics.md.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
  }];
}

// `since` is the release in which the op first appeared.
class Tile_Op<string mnemonic, string since_, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits> {
  string since = since_;
}

#endif // TEGULA_TILE_BASE
