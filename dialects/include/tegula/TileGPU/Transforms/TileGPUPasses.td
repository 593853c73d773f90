//===- TileGPUPasses.td - Passes on spread tiles -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_PASSES
#define TEGULA_TILEGPU_PASSES

include "mlir/Pass/PassBase.td"

def TileGPUAttachCapabilitiesPass : Pass<"tilegpu-attach-capabilities", "::mlir::ModuleOp"> {
  let summary = "Put what the target can do on the module";
  let description = [{
    Expects: `tile.target` of a GPU backend, or `tilegpu.capabilities` already there, which
    then stays. Leaves: `tilegpu.capabilities` and `tile.num_warps`: 4 unless given, and more
    where a tile would need over 256 registers of a thread.
  }];
  let dependentDialects = ["::tegula::tilegpu::TileGPUDialect"];
}

def TileGPUDistributePass : Pass<"tilegpu-distribute", "::mlir::ModuleOp"> {
  let summary = "Give every tile a layout";
  let description = [{
    Expects: tile IR, `tilegpu.capabilities`. Leaves: every tensor type with a layout, those
    of `scf` and `func` too; a blocked one (neighbouring threads hold neighbouring
    elements of the last dimension), save where ops relate the layouts of operands and
    results (`Analysis/InferLayout.h`). Numerics: unchanged.
    ```mlir
    %x = tile.load %p : tensor<64x!tile.ptr<f32>>
    // becomes
    %x = tile.load %p : tensor<64x!tile.ptr<f32>, #layout>
    ```
  }];
}

def TileGPUCoalescePass : Pass<"tilegpu-coalesce", "::mlir::ModuleOp"> {
  let summary = "Give accesses of memory layouts with wide, neighbouring accesses";
  let description = [{
    Expects: spread tiles. Leaves: loads, stores and atomics in layouts chosen from axis
    info, `tilegpu.convert_layout` around them. Numerics: unchanged.
    ```mlir
    %x = tile.load %p : tensor<1024x!tile.ptr<f32>, #one_each>
    // becomes, if four pointers in a row are consecutive and aligned
    %q = tilegpu.convert_layout %p
        : tensor<1024x!tile.ptr<f32>, #one_each> -> tensor<1024x!tile.ptr<f32>, #four_each>
    %y = tile.load %q : tensor<1024x!tile.ptr<f32>, #four_each>
    %x = tilegpu.convert_layout %y
        : tensor<1024xf32, #four_each> -> tensor<1024xf32, #one_each>
    ```
  }];
}

def TileGPUSelectMmaPass : Pass<"tilegpu-select-mma", "::mlir::ModuleOp"> {
  let summary = "Give products the fragments of matrix instructions";
  let description = [{
    Expects: spread tiles. Leaves: each `tile.dot` that an instruction of
    `tilegpu.capabilities` can do with accumulator and operands in its fragments,
    `tilegpu.convert_layout` around it, and the attribute `tilegpu.mma`. Others stay and
    are multiplied element by element. Numerics: f32 under `precision tf32` is rounded to
    tf32; sums may be formed in another order.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
      "::tegula::tilegpu::TileGPUDialect"];
}

def TileGPUPropagateLayoutsPass : Pass<"tilegpu-propagate-layouts", "::mlir::ModuleOp"> {
  let summary = "Remove conversions of layouts";
  let description = [{
    Expects: spread tiles. Leaves: layouts of accesses, products and reductions carried
    to what computes and uses their tiles, cheap ops computed again in another layout,
    fewer `tilegpu.convert_layout`. Numerics: unchanged.
  }];
}

def TileGPUPipelineLoadsPass : Pass<"tilegpu-pipeline-loads", "::mlir::ModuleOp"> {
  let summary = "Copy operands of products to shared memory trips of the loop ahead";
  let description = [{
    Expects: spread tiles in their last layouts, `async_copy` in `tilegpu.capabilities`,
    `tile.num_stages` above 1; else nothing is done. Leaves: in loops whose writes cannot
    meet them, loads of the operands of `tile.dot` whose addresses are known ahead as copies
    into channels of `tile.num_stages` slots, `num_stages - 1` trips ahead; fewer where
    shared memory is short. Copies of a trip that is not made are masked off. Products with
    a matrix instruction are cut along K, and the next part is read before the part before it
    is multiplied. Other loads stay: where an access has less than 4 bytes, where `other`
    is not zero, where shapes are no powers of two. Numerics: unchanged.
    ```mlir
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %p = %start) -> (...) {
      %a = tile.load %p : tensor<64x32x!tile.ptr<f16>, #rows>
      %f = tilegpu.convert_layout %a : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #fragment>
      %d = tile.dot %f, %b, %acc ...
      %q = tile.addptr %p, %k ...
      scf.yield %d, %q
    }
    // becomes, with two stages
    %c = tilegpu.channel : !tilegpu.channel<2, tensor<64x32xf16, #memory>>
    %any = arith.cmpi slt, %c0, %n
    %t = tilegpu.async_copy %start mask (splat %any) into %c[%zero] ahead 0
    %g0 = tilegpu.async_commit(%t)
    %q0 = tile.addptr %start, %k ...
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %q = %q0, %slot = %zero,
        %more = (1 < %n), %g = %g0) -> (...) {
      %w = tilegpu.async_wait %g pending 0
      %f = tilegpu.channel_read %c[%slot] at [0, 0] after %w -> tensor<64x32xf16, #fragment>
      %u = tilegpu.async_copy %q mask (splat %more) into %c[%slot] ahead 1
      %h = tilegpu.async_commit(%u)
      %d = tile.dot %f, %b, %acc ...
      ...
      %s = tilegpu.next_slot %slot of 2
      scf.yield %d, ..., %s, ..., %h
    }
    %w = tilegpu.async_wait %r#4 pending 0
    tilegpu.channel_release %c after %w
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
      "::tegula::tilegpu::TileGPUDialect"];
}

def TileGPUPrefetchLoadsPass : Pass<"tilegpu-prefetch-loads", "::mlir::ModuleOp"> {
  let summary = "Load operands of products a trip of the loop ahead";
  let description = [{
    Expects: spread tiles in their last layouts; `tile.num_stages` above 1, else nothing is
    done. Leaves: in loops that do not write memory, loads of the operands of `tile.dot`
    whose addresses and masks are known a trip ahead, issued there: the loop carries the
    tiles. Accesses, masks included, are those of the program. Loops whose tiles would take
    too many registers stay. Numerics: unchanged.
    ```mlir
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %p = %start) -> (...) {
      %a = tile.load %p : tensor<64x32x!tile.ptr<f16>, #rows>
      %f = tilegpu.convert_layout %a : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #fragment>
      %d = tile.dot %f, %b, %acc ...
      %q = tile.addptr %p, %k ...
      scf.yield %d, %q
    }
    // becomes
    %any = arith.cmpi slt, %c0, %n
    %first = tile.load %start mask (splat %any)
    %r = scf.for %i = %c0 to %n step %c1
        iter_args(%acc = %zero, %p = %start, %a = %first) -> (...) {
      %left = arith.subi %n, %i
      %more = arith.cmpi ult, %c1, %left
      %q = tile.addptr %p, %k ...
      %next = tile.load %q mask (splat %more)
      %f = tilegpu.convert_layout %a : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #fragment>
      %d = tile.dot %f, %b, %acc ...
      scf.yield %d, %q, %next
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TileGPUPlanAccessesPass : Pass<"tilegpu-plan-accesses", "::mlir::ModuleOp"> {
  let summary = "Say how wide accesses are, and which stores may meet themselves";
  let description = [{
    Expects: spread tiles in their last layouts. Leaves: on loads and stores of tiles
    `tilegpu.access` (dimension, elements and alignment of each access, from axis info and
    the layout), on stores whose elements have different addresses `tilegpu.distinct`.
    Where run-time strides decide it, a branch with two stores, one `tilegpu.distinct`,
    one `tilegpu.in_order`. On integer comparisons `tilegpu.access` says how many elements in
    a row have one result, which a thread then computes once. Numerics: unchanged.
    ```mlir
    tile.store %p, %x : tensor<1024x!tile.ptr<f32>, #four_each>
    // becomes
    tile.store %p, %x {tilegpu.access = array<i64: 0, 4, 16>, tilegpu.distinct}
        : tensor<1024x!tile.ptr<f32>, #four_each>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TileGPUExplainPass : Pass<"tilegpu-explain", "::mlir::ModuleOp"> {
  let summary = "Remark what became of accesses, products and conversions";
  let description = [{
    Expects: spread tiles, as `tilegpu-plan-accesses` leaves them. Leaves: the same; without
    listeners to remarks (`tegulac --explain`, MLIR's `-remark-format`) it does nothing.
    Numerics: unchanged.
  }];
}

def TileGPUPlanSharedPass : Pass<"tilegpu-plan-shared", "::mlir::ModuleOp"> {
  let summary = "Say where in shared memory each op works";
  let description = [{
    Expects: spread tiles. Leaves: `tilegpu.scratch` on each op that needs shared memory
    (`Analysis/Scratch.h`), `tilegpu.shared_bytes` on the module. Ops share it, small ones in
    turns. Fails at the largest user where the target has too little.
  }];
}

def TileGPUInsertBarriersPass : Pass<"tilegpu-insert-barriers", "::mlir::ModuleOp"> {
  let summary = "Keep accesses of one program in order across its threads";
  let description = [{
    Expects: `tilegpu-plan-shared` has run. Leaves: `gpu.barrier` between accesses of
    shared memory that overlap, and between accesses of global memory of which one is a
    store and which may meet in one address from different threads. `tile.barrier` becomes
    `gpu.barrier`.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

#endif // TEGULA_TILEGPU_PASSES
