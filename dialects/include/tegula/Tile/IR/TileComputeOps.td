//===- TileComputeOps.td - Arithmetic with defined corners, dot, reduce, casts -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_COMPUTE_OPS
#define TEGULA_TILE_COMPUTE_OPS

include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tegula/Tile/IR/TileAttrs.td"
include "tegula/Tile/IR/TileTypes.td"

//===----------------------------------------------------------------------===//
// div, rem, shl, shr, fp_to_int: arith ops whose corner cases are poison, here defined
//===----------------------------------------------------------------------===//

class Tile_DefinedIntOp<string mnemonic> : Tile_Op<mnemonic, "0.1", [Pure,
    SameOperandsAndResultType]> {
  let results = (outs Tile_IntLike:$result);
  let hasFolder = 1;
}

def Tile_DivOp : Tile_DefinedIntOp<"div"> {
  let summary = "integer quotient, rounded towards zero";
  let description = [{
    x / 0 = 0; the most negative number / -1 wraps to itself.
    ```mlir
    %q = tile.div signed %a, %b : tensor<64xi32>
    ```
  }];
  let arguments = (ins Tile_SignednessAttr:$signedness, Tile_IntLike:$lhs, Tile_IntLike:$rhs);
  let assemblyFormat = "$signedness $lhs `,` $rhs attr-dict `:` type($result)";
}

def Tile_RemOp : Tile_DefinedIntOp<"rem"> {
  let summary = "integer remainder with the sign of the dividend";
  let description = [{
    x % 0 = x; the most negative number % -1 = 0.
    ```mlir
    %r = tile.rem unsigned %a, %b : i32
    ```
  }];
  let arguments = (ins Tile_SignednessAttr:$signedness, Tile_IntLike:$lhs, Tile_IntLike:$rhs);
  let assemblyFormat = "$signedness $lhs `,` $rhs attr-dict `:` type($result)";
}

def Tile_ShlOp : Tile_DefinedIntOp<"shl"> {
  let summary = "left shift; 0 when the amount reaches the width";
  let description = [{
    The amount is read as unsigned.
    ```mlir
    %s = tile.shl %a, %n : tensor<64xi32>
    ```
  }];
  let arguments = (ins Tile_IntLike:$lhs, Tile_IntLike:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def Tile_ShrOp : Tile_DefinedIntOp<"shr"> {
  let summary = "right shift; 0 or the sign when the amount reaches the width";
  let description = [{
    The amount is read as unsigned; `signed` shifts in the sign.
    ```mlir
    %s = tile.shr signed %a, %n : tensor<64xi32>
    ```
  }];
  let arguments = (ins Tile_SignednessAttr:$signedness, Tile_IntLike:$lhs, Tile_IntLike:$rhs);
  let assemblyFormat = "$signedness $lhs `,` $rhs attr-dict `:` type($result)";
}

def Tile_FpToIntOp : Tile_Op<"fp_to_int", "0.1", [Pure, SameOperandsAndResultShape]> {
  let summary = "float to integer: truncated, saturated, NaN is 0";
  let description = [{
    ```mlir
    %i = tile.fp_to_int signed %x : tensor<64xf32> -> tensor<64xi32>
    ```
  }];
  let arguments = (ins Tile_SignednessAttr:$signedness, Tile_FloatLike:$source);
  let results = (outs Tile_IntLike:$result);
  let assemblyFormat = "$signedness $source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// fp8 casts
//===----------------------------------------------------------------------===//

def Tile_FromFp8Op : Tile_Op<"from_fp8", "0.1", [Pure, SameOperandsAndResultShape]> {
  let summary = "8-bit floats, held in i8, to a wider float type";
  let description = [{
    Exact, except that f16 cannot hold every e5m2fnuz value.
    ```mlir
    %y = tile.from_fp8 e4m3fn %x : tensor<64xi8> -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Tile_Fp8KindAttr:$kind, Tile_I8Like:$source);
  let results = (outs Tile_FloatLike:$result);
  let assemblyFormat = "$kind $source attr-dict `:` type($source) `->` type($result)";
}

def Tile_ToFp8Op : Tile_Op<"to_fp8", "0.1", [Pure, SameOperandsAndResultShape]> {
  let summary = "floats to 8-bit floats, held in i8";
  let description = [{
    Rounds as `rounding` says; what is too large becomes the largest finite
    value, NaN stays NaN (docs/semantics.md).
    ```mlir
    %y = tile.to_fp8 e4m3fn %x round rtne : tensor<64xf32> -> tensor<64xi8>
    ```
  }];
  let arguments = (ins Tile_Fp8KindAttr:$kind, Tile_FloatLike:$source, Tile_RoundingAttr:$rounding);
  let results = (outs Tile_I8Like:$result);
  let assemblyFormat = [{
    $kind $source `round` $rounding
    attr-dict `:` type($source) `->` type($result)
  }];
}

//===----------------------------------------------------------------------===//
// dot
//===----------------------------------------------------------------------===//

def Tile_DotOp : Tile_Op<"dot", "0.1", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + a * b, a matrix product of tiles";
  let description = [{
    a is [B x] M x K, b is [B x] K x N, acc is [B x] M x N. Products and sums
    are formed in the accumulator's type or wider; the order of summation is
    not fixed. i8 operands are read as `signedness` says, or as floats of
    `a_fp8`, `b_fp8` when those are given.

    Constraints: tile_dot_c1: ranks are equal, 2 or 3. tile_dot_c2: shapes fit
    as above. tile_dot_c3: operand element types are equal, unless both are
    fp8. tile_dot_c4: the accumulator is i32 for integers; f32 or f16 for f16
    and fp8; f32 for bf16 and f32; f64 for f64.
    ```mlir
    %d = tile.dot %a, %b, %c precision ieee : tensor<16x32xf16>, tensor<32x16xf16>,
        tensor<16x16xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$a, Tile_Tile:$b, Tile_Tile:$acc,
      DefaultValuedAttr<Tile_DotPrecisionAttr, "::tegula::tile::DotPrecision::IEEE">:$precision,
      DefaultValuedAttr<I32Attr, "0">:$max_imprecise_acc,
      DefaultValuedAttr<Tile_SignednessAttr, "::tegula::tile::Signedness::Signed">:$signedness,
      OptionalAttr<Tile_Fp8KindAttr>:$a_fp8, OptionalAttr<Tile_Fp8KindAttr>:$b_fp8);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc `precision` $precision
    attr-dict `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
}

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
    ParentOneOf<["ReduceOp"]>]> {
  let summary = "results of a combiner region";
  let description = [{
    ```mlir
    tile.yield %c : f32
    ```
  }];
  let arguments = (ins Variadic<Tile_Element>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

#endif // TEGULA_TILE_COMPUTE_OPS
