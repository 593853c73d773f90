//===- TilePasses.td - Passes on the tile dialect -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_PASSES
#define TEGULA_TILE_PASSES

include "mlir/Pass/PassBase.td"

def TileVerifyDefinedPass : Pass<"tile-verify-defined", "::mlir::ModuleOp"> {
  let summary = "Reject arith ops whose corner cases are poison";
  let description = [{
    Expects: any module. Leaves: it unchanged.
    Fails on arith.divsi/divui/remsi/remui/ceildiv*/floordiv*/shli/shrsi/shrui/fptosi/fptoui
    outside what `tile-expand-defined` made: the defined forms are `tile.div`,
    `tile.rem`, `tile.shl`, `tile.shr`, `tile.fp_to_int`. Numerics: unchanged.
  }];
}

def TileExpandDefinedPass : Pass<"tile-expand-defined", "::mlir::ModuleOp"> {
  let summary = "Lower div, rem, shl, shr and fp_to_int to arith with their corners guarded";
  let description = [{
    Expects: any module. Leaves: no `tile.div`, `tile.rem`, `tile.shl`, `tile.shr`,
        `tile.fp_to_int`.
    Guards are left out where operands are constants that cannot reach the corner.
    An `scf.for` on integers whose number could wrap past its last trip, or whose step may not
    be positive (then it runs no trip), counts unsigned, or counts trips. Numerics: unchanged.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileLowerViewsPass : Pass<"tile-lower-views", "::mlir::ModuleOp"> {
  let summary = "Rewrite view accesses as pointer tiles, masks and padding";
  let description = [{
    Expects: views made by `tile.make_view` in the same function (through scf results and
    arguments too). Leaves: no view type or op. For targets without structured accesses.
    Numerics: unchanged.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileDecomposeDotScaledPass : Pass<"tile-decompose-dot-scaled", "::mlir::ModuleOp"> {
  let summary = "Rewrite scaled dots as dots of operands multiplied by their scales";
  let description = [{
    Expects: any module. Leaves: no `tile.dot_scaled`. For targets without such instructions.
    Numerics: an operand times its scale is formed in f32 and kept in bf16, which is exact save for
    results outside bf16's range of normal numbers; in f32 where an operand is of f16.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileUniformAdvancePass : Pass<"tile-uniform-advance", "::mlir::ModuleOp"> {
  let summary = "Replace loop-carried tiles that advance by an invariant step";
  let description = [{
    Expects: `scf.for` carrying a tile of pointers or integers p whose next value is
    `addptr(p, d)` or `addi(p, d)` with d invariant in the loop.
    Leaves: p computed in the body from its initial value and the trip number, so that address
    analysis sees through the loop; a uniform d (a splat) becomes a carried scalar.
    Skips: steps that depend on the loop. Numerics: unchanged (integers wrap alike).
  }];
  let statistics = [Statistic<"numRewritten", "num-rewritten", "Carried tiles rewritten">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::tegula::tile::TileDialect"];
}

def TilePrintAxisInfoPass : Pass<"tile-test-axis-info", "::mlir::ModuleOp"> {
  let summary = "Remark contiguity, divisibility and constancy of every value (for tests)";
}

def TilePrintArgumentAccessPass : Pass<"tile-test-argument-access", "::mlir::ModuleOp"> {
  let summary = "Remark what each function does with its pointer arguments (for tests)";
}

#endif // TEGULA_TILE_PASSES
