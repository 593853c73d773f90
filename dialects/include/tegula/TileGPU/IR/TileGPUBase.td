//===- TileGPUBase.td - The dialect of tiles on GPUs -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_BASE
#define TEGULA_TILEGPU_BASE

include "mlir/IR/OpBase.td"

def TileGPU_Dialect : Dialect {
  let name = "tilegpu";
  let cppNamespace = "::tegula::tilegpu";
  let summary = "Tiles that are spread over the threads of a GPU";
  let description = [{
    What tile IR becomes on its way to any GPU, at two levels.

    Spread tiles: tensors get an encoding that says which thread holds which element;
    `arith`, `math`, `scf`, `func` and the ops of `tile` stay, `tilegpu.convert_layout`
    moves elements between threads.

    Threads: one function runs in every thread of a program. A tile is the `vector` of
    the elements that the thread holds, in the order of its registers; a tile of
    pointers a vector of `!llvm.ptr<1>`. `arith`, `math`, `vector`, `scf`, `llvm` (address
    arithmetic, accesses of shared memory) and `gpu` (thread, block, barrier, shuffle)
    say most; the ops here say the rest. A backend lowers this level to its own.

    Module attributes: `tilegpu.capabilities`, what passes may know of the target;
    `tilegpu.shared_bytes` (i32), shared memory that the program needs, once planned.
    Op attributes: `tilegpu.scratch` (i32), where in it the op may work; `tilegpu.mma`, the
    instruction of a product; `tilegpu.access`, `tilegpu.distinct`, `tilegpu.in_order`, how an
    access is made (`Analysis/Access.h`); of what threads do `tilegpu.each_thread` (alone, not
    with the others), and of prints and assertions `tilegpu.shape` (of the tile),
    `tilegpu.operands` (of the print), `tilegpu.text_only` (a print without values).

    Every layout in a module has log2(warp size) bits of lanes and log2(num_warps) bits
    of warps: copies are bits whose image is zero.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::tegula::tile::TileDialect"];
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
  }];
}

// `since` is the release in which the op first appeared.
class TileGPU_Op<string mnemonic, list<Trait> traits = []>
    : Op<TileGPU_Dialect, mnemonic, traits> {
  string since = "0.1";
}

#endif // TEGULA_TILEGPU_BASE
