//===- TileProgramOps.td - Program ids, ranges, hints, barriers -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_PROGRAM_OPS
#define TEGULA_TILE_PROGRAM_OPS

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tegula/Tile/IR/TileTypes.td"

//===----------------------------------------------------------------------===//
// program_id, num_programs
//===----------------------------------------------------------------------===//

def Tile_ProgramIdOp : Tile_Op<"program_id", "0.1", [Pure]> {
  let summary = "index of this program in the launch grid along one axis";
  let description = [{
    At least 0 and less than `tile.num_programs` of the same axis.
    Constraints: tile_program_id_c1: 0 <= axis <= 2.
    ```mlir
    %pid = tile.program_id 0 : i32
    ```
  }];
  let arguments = (ins I32Attr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_NumProgramsOp : Tile_Op<"num_programs", "0.1", [Pure]> {
  let summary = "size of the launch grid along one axis";
  let description = [{
    Constraints: tile_num_programs_c1: 0 <= axis <= 2.
    ```mlir
    %n = tile.num_programs 0 : i32
    ```
  }];
  let arguments = (ins I32Attr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// range
//===----------------------------------------------------------------------===//

def Tile_RangeOp : Tile_Op<"range", "0.1", [Pure]> {
  let summary = "the integers of a half-open interval";
  let description = [{
    Element i is `start + i`.
    Constraints: tile_range_c1: the result has end - start elements and rank 1.
    ```mlir
    %r = tile.range 0 to 64 : tensor<64xi32>
    ```
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs 1DTensorOf<[I32]>:$result);
  let assemblyFormat = "$start `to` $end attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// hint, assume, barrier
//===----------------------------------------------------------------------===//

def Tile_HintOp : Tile_Op<"hint", "0.1", [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "a promise of the author about a value, per dimension";
  let description = [{
    Yields its operand. `divisibility[d]`: the first element of each run along d
    is a multiple (bytes for pointers); `contiguity[d]`: runs of that many
    consecutive values; `constancy[d]`: runs of that many equal values. A wrong
    promise may make accesses wrong, as the author was told.

    Constraints: tile_hint_c1: each list has one entry per dimension (one for a
    scalar). tile_hint_c2: entries are positive.
    ```mlir
    %0 = tile.hint %x {divisibility = array<i64: 16>} : i32
    ```
  }];
  let arguments = (ins Tile_Value:$source, OptionalAttr<DenseI64ArrayAttr>:$divisibility,
                       OptionalAttr<DenseI64ArrayAttr>:$contiguity,
                           OptionalAttr<DenseI64ArrayAttr>:$constancy);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$source attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_AssumeOp : Tile_Op<"assume", "0.1", [MemoryEffects<[MemWrite]>]> {
  let summary = "a promise that a condition holds";
  let description = [{
    Range analysis may use it; checked mode tests it.
    ```mlir
    tile.assume %c : i1
    ```
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict `:` type($condition)";
}

def Tile_BarrierOp : Tile_Op<"barrier", "0.1", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "orders all memory accesses of one program before and after it";
  let description = [{
    ```mlir
    tile.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// print, assert
//===----------------------------------------------------------------------===//

def Tile_PrintOp : Tile_Op<"print", "0.1", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "write values to the standard output of the host";
  let description = [{
    One line per element: `pid (x, y, z) idx (i, j) <prefix> (operand n) value`, in hexadecimal
    with `hex`. Integers are read as `signs` says, one entry per operand.
    Constraints: tile_print_c1: `signs` has one entry per operand.
    ```mlir
    tile.print "x: " hex (%x) signs [true] : tensor<64xi32>
    ```
  }];
  let arguments = (ins StrAttr:$prefix, UnitAttr:$hex, Variadic<Tile_Value>:$operands,
      DenseBoolArrayAttr:$signs);
  let assemblyFormat = [{
    $prefix (`hex` $hex^)? `(` $operands `)` `signs` $signs attr-dict (`:` type($operands)^)?
  }];
  let hasVerifier = 1;
}

def Tile_AssertOp : Tile_Op<"assert", "0.1", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "end the launch with an error where a condition is false";
  let description = [{
    The condition must hold for every element. The launch reports the message with
    the place in the source and the program; what other programs wrote stays.
    ```mlir
    tile.assert %c, "x is too large" : tensor<64xi1>
    ```
  }];
  let arguments = (ins Tile_I1Like:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

#endif // TEGULA_TILE_PROGRAM_OPS
