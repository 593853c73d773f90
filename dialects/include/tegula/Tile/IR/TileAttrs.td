//===- TileAttrs.td - Attributes of the tile dialect -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_ATTRS
#define TEGULA_TILE_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "tegula/Tile/IR/TileBase.td"

class Tile_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tegula::tile";
  let genSpecializedAttr = 0;
}
class Tile_EnumAttr<EnumAttrInfo info, string mnemonic> : EnumAttr<Tile_Dialect, info, mnemonic>;

def Tile_CacheModifier : Tile_I32Enum<"CacheModifier", "cache behaviour of one access", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"CA", 1, "ca">, I32EnumAttrCase<"CG", 2,
      "cg">,
  I32EnumAttrCase<"CS", 3, "cs">, I32EnumAttrCase<"CV", 4, "cv">, I32EnumAttrCase<"WB", 5, "wb">,
  I32EnumAttrCase<"WT", 6, "wt">]>;
def Tile_CacheModifierAttr : Tile_EnumAttr<Tile_CacheModifier, "cache">;

def Tile_EvictionPolicy : Tile_I32Enum<"EvictionPolicy", "eviction priority of one access", [
  I32EnumAttrCase<"Normal", 0, "normal">, I32EnumAttrCase<"EvictFirst", 1, "evict_first">,
  I32EnumAttrCase<"EvictLast", 2, "evict_last">]>;
def Tile_EvictionPolicyAttr : Tile_EnumAttr<Tile_EvictionPolicy, "evict">;

def Tile_DotPrecision : Tile_I32Enum<"DotPrecision", "how f32 operands of a dot are multiplied", [
  I32EnumAttrCase<"TF32", 0, "tf32">, I32EnumAttrCase<"TF32x3", 1, "tf32x3">,
  I32EnumAttrCase<"IEEE", 2, "ieee">, I32EnumAttrCase<"BF16x3", 3, "bf16x3">,
  I32EnumAttrCase<"BF16x6", 4, "bf16x6">]>;
def Tile_DotPrecisionAttr : Tile_EnumAttr<Tile_DotPrecision, "precision">;

def Tile_Padding : Tile_I32Enum<"Padding", "what a view reads outside its shape", [
  I32EnumAttrCase<"Zero", 0, "zero">, I32EnumAttrCase<"NaN", 1, "nan">]>;
def Tile_PaddingAttr : Tile_EnumAttr<Tile_Padding, "padding">;

def Tile_Rounding : Tile_I32Enum<"Rounding", "rounding of a narrowing float cast", [
  I32EnumAttrCase<"RTNE", 0, "rtne">, I32EnumAttrCase<"RTZ", 1, "rtz">]>;
def Tile_RoundingAttr : Tile_EnumAttr<Tile_Rounding, "rounding">;

// The 8-bit float kinds. Tiles of them are stored as i8; the kind is named by
// the cast that reads or writes them.
def Tile_Fp8Kind : Tile_I32Enum<"Fp8Kind", "8-bit float format held in an i8", [
  I32EnumAttrCase<"E4M3FN", 0, "e4m3fn">, I32EnumAttrCase<"E5M2", 1, "e5m2">,
  I32EnumAttrCase<"E4M3FNUZ", 2, "e4m3fnuz">, I32EnumAttrCase<"E5M2FNUZ", 3, "e5m2fnuz">,
  I32EnumAttrCase<"E4M3B15", 4, "e4m3b15">]>;
def Tile_Fp8KindAttr : Tile_EnumAttr<Tile_Fp8Kind, "fp8">;

def Tile_Signedness : Tile_I32Enum<"Signedness", "how the bits of an integer are read", [
  I32EnumAttrCase<"Signed", 0, "signed">, I32EnumAttrCase<"Unsigned", 1, "unsigned">]>;
def Tile_SignednessAttr : Tile_EnumAttr<Tile_Signedness, "signedness">;

def Tile_AtomicKind : Tile_I32Enum<"AtomicKind", "what an atomic access does to its memory", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"FAdd", 1, "fadd">,
  I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"UMax", 4, "umax">, I32EnumAttrCase<"UMin", 5, "umin">,
  I32EnumAttrCase<"FMax", 6, "fmax">, I32EnumAttrCase<"FMin", 7, "fmin">,
  I32EnumAttrCase<"And", 8, "and">, I32EnumAttrCase<"Or", 9, "or">,
  I32EnumAttrCase<"Xor", 10, "xor">, I32EnumAttrCase<"Xchg", 11, "xchg">]>;
def Tile_AtomicKindAttr : Tile_EnumAttr<Tile_AtomicKind, "atomic">;

def Tile_MemSemantic : Tile_I32Enum<"MemSemantic", "order of an atomic access among others", [
  I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
  I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"AcqRel", 3, "acq_rel">]>;
def Tile_MemSemanticAttr : Tile_EnumAttr<Tile_MemSemantic, "semantic">;

// Who may take part: the threads of one program, of one device, or of all.
def Tile_MemScope : Tile_I32Enum<"MemScope", "who sees an atomic access as one", [
  I32EnumAttrCase<"Program", 0, "program">, I32EnumAttrCase<"Device", 1, "device">,
  I32EnumAttrCase<"System", 2, "system">]>;
def Tile_MemScopeAttr : Tile_EnumAttr<Tile_MemScope, "scope">;

// Formats of the operands of a scaled dot. e2m1 packs two values in an i8, the
// one of the lower index in the lower half.
def Tile_ScaledFormat : Tile_I32Enum<"ScaledFormat", "element format of a scaled dot", [
  I32EnumAttrCase<"E2M1", 0, "e2m1">, I32EnumAttrCase<"E4M3", 1, "e4m3">,
  I32EnumAttrCase<"E5M2", 2, "e5m2">, I32EnumAttrCase<"BF16", 3, "bf16">,
  I32EnumAttrCase<"FP16", 4, "fp16">]>;
def Tile_ScaledFormatAttr : Tile_EnumAttr<Tile_ScaledFormat, "scaled_format">;

def Tile_SortOrder : Tile_I32Enum<"SortOrder", "direction of a sort", [
  I32EnumAttrCase<"Ascending", 0, "ascending">, I32EnumAttrCase<"Descending", 1, "descending">]>;
def Tile_SortOrderAttr : Tile_EnumAttr<Tile_SortOrder, "order">;

#endif // TEGULA_TILE_ATTRS
