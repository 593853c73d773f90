//===- TileComputeOps.td - Arithmetic with defined corners, dot, casts -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_COMPUTE_OPS
#define TEGULA_TILE_COMPUTE_OPS

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
// dot_scaled
//===----------------------------------------------------------------------===//

def Tile_DotScaledOp : Tile_Op<"dot_scaled", "0.1", [Pure, AttrSizedOperandSegments,
    AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + (a * a_scale) * (b * b_scale), with one scale per group along K";
  let description = [{
    a is M x K, b is K x N, acc is M x N of f32. e2m1 operands hold two
    values in an i8 along K, or along M and N where `a_k_pack`, `b_k_pack` are false.
    `a_scale` is M x K/G, `b_scale` is N x K/G. Scales are e8m0 (2^(s - 127), 255 is NaN), or
    e4m3fn values where `scale_e4m3` is set. A missing scale is 1.

    All may have a leading dimension, of as many matrices.

    Constraints: tile_dot_scaled_c1: ranks are alike and shapes fit as above.
    tile_dot_scaled_c2: i8 operands for e2m1, e4m3, e5m2; bf16 and f16 for the others.
    tile_dot_scaled_c3: the accumulator is of f32. tile_dot_scaled_c4: both scales
    have as many groups.
    ```mlir
    %d = tile.dot_scaled %a e4m3 scale %as, %b e4m3 scale %bs, %c
        : tensor<16x64xi8> scale tensor<16x2xi8>, tensor<64x16xi8> scale tensor<16x2xi8>,
          tensor<16x16xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$a, Tile_Tile:$b, Tile_Tile:$acc,
      Optional<Tile_TensorOf<[I8]>>:$a_scale, Optional<Tile_TensorOf<[I8]>>:$b_scale,
      Tile_ScaledFormatAttr:$a_format, Tile_ScaledFormatAttr:$b_format,
      DefaultValuedAttr<BoolAttr, "true">:$a_k_pack, DefaultValuedAttr<BoolAttr, "true">:$b_k_pack,
      UnitAttr:$scale_e4m3);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $a $a_format (`scale` $a_scale^)? `,` $b $b_format (`scale` $b_scale^)? `,` $acc
    attr-dict `:` type($a) (`scale` type($a_scale)^)? `,` type($b) (`scale` type($b_scale)^)? `,`
    type($acc)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// inline_asm, extern
//===----------------------------------------------------------------------===//

def Tile_InlineAsmOp : Tile_Op<"inline_asm", "0.1", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "instructions of the target, applied to groups of elements";
  let description = [{
    One run of the text handles `pack` consecutive elements of each operand;
    elements narrower than 32 bits are packed into 32-bit registers.
    `constraints` is as in LLVM. Operands and results are tiles of one shape,
    or all scalars. Targets without such instructions refuse it.

    Constraints: tile_inline_asm_c1: operands and results have one shape.
    tile_inline_asm_c2: `pack` is positive.
    ```mlir
    %y = tile.inline_asm "mov.b32 $0, $1;" constraints "=r,r" pack 1 (%x) pure
        : (tensor<64xi32>) -> tensor<64xi32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Value>:$operands, StrAttr:$text, StrAttr:$constraints,
      I32Attr:$pack, UnitAttr:$is_pure);
  let results = (outs Variadic<Tile_Value>:$results);
  let assemblyFormat = [{
    $text `constraints` $constraints `pack` $pack `(` $operands `)` (`pure` $is_pure^)?
    attr-dict `:` functional-type($operands, $results)
  }];
  let hasVerifier = 1;
}

def Tile_ExternOp : Tile_Op<"extern", "0.1", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a function of a library of the target, applied to each element";
  let description = [{
    `symbol` is its name in `library`. Operands and the result are tiles of one
    shape, or all scalars. Targets without such libraries refuse it.

    Constraints: tile_extern_c1: operands and the result have one shape.
    ```mlir
    %y = tile.extern "__nv_erff" library "libdevice" (%x) pure
        : (tensor<64xf32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Value>:$operands, StrAttr:$symbol, StrAttr:$library,
      UnitAttr:$is_pure);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $symbol `library` $library `(` $operands `)` (`pure` $is_pure^)?
    attr-dict `:` functional-type($operands, $result)
  }];
  let hasVerifier = 1;
}

#endif // TEGULA_TILE_COMPUTE_OPS
