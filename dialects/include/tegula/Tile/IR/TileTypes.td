//===- TileTypes.td - Types of the tile dialect -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_TYPES
#define TEGULA_TILE_TYPES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "tegula/Tile/IR/TileBase.td"

class Tile_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Tile_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Tile_PtrType : Tile_Type<"Ptr", "ptr", [
    DeclareTypeInterfaceMethods<VectorElementTypeInterface>]> {
  let summary = "pointer to elements of one type";
  let description = [{
    `!tile.ptr<f32>` or `!tile.ptr<f32, 3>`: 64 bits, address space 1 (global)
    unless given. The pointee is an integer, a float or another `!tile.ptr`.
    Pointers to 1-bit values address bytes, where only 0 is false.

    Constraints: tile_ptr_c1: the pointee is i1, i8, i16, i32, i64, f16, bf16,
    f32, f64 or a pointer.
  }];
  let parameters = (ins "::mlir::Type":$pointeeType, DefaultValuedParameter<"unsigned",
      "1">:$addressSpace);
  let assemblyFormat = "`<` $pointeeType (`,` $addressSpace^)? `>`";
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointeeType), [{
    return $_get(pointeeType.getContext(), pointeeType, 1u);
  }]>];
  let genVerifyDecl = 1;
}

def Tile_ViewType : Tile_Type<"View", "view", [ShapedTypeInterface]> {
  let summary = "strided global memory accessed in tiles of one shape";
  let description = [{
    `!tile.view<64x32xf16>`: base pointer + shape + strides + padding, read and
    written in tiles of 64x32 at element offsets. Both tensor descriptors and
    block pointers are views plus offset values.

    Constraints: tile_view_c1: rank 1 to 5. tile_view_c2: every tile dimension
    is a positive constant. tile_view_c3: the element type can be pointed to.
    tile_view_c4: a tile has at most 2^20 elements.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::mlir::ShapedType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape,
        ::mlir::Type elementType) const;
    bool hasRank() const { return true; }
    /// The tile that one load yields.
    ::mlir::RankedTensorType getTileType() const;
  }];
}

// Constraints on operands, by what the ops need to say.
def Tile_Ptr : Type<CPred<"::llvm::isa<::tegula::tile::PtrType>($_self)">, "pointer",
    "::tegula::tile::PtrType">;
// Not Tile_ViewType itself, for which the printer would leave out `!tile.view`.
def Tile_View : Type<CPred<"::llvm::isa<::tegula::tile::ViewType>($_self)">, "view">;
class Tile_TensorOf<list<Type> elements> : StaticShapeTensorOf<elements>;
def Tile_PtrTensor : Tile_TensorOf<[Tile_Ptr]>;
def Tile_PtrLike : AnyTypeOf<[Tile_Ptr, Tile_PtrTensor], "pointer or tile of pointers">;
// i0 has no value to compute with or to keep.
def Tile_AnyInt : Type<And<[AnySignlessInteger.predicate,
    CPred<"::llvm::cast<::mlir::IntegerType>($_self).getWidth() > 0">]>,
    "signless integer", "::mlir::IntegerType">;
// What defined arithmetic works on: wider integers and other floats have no memory form.
def Tile_Int : Type<And<[Tile_AnyInt.predicate,
    CPred<"::llvm::cast<::mlir::IntegerType>($_self).getWidth() <= 64">]>,
    "signless integer of up to 64 bits", "::mlir::IntegerType">;
def Tile_Float : AnyTypeOf<[F16, BF16, F32, F64], "f16, bf16, f32 or f64", "::mlir::FloatType">;
def Tile_IntTensor : Tile_TensorOf<[Tile_Int]>;
def Tile_IntLike : AnyTypeOf<[Tile_Int, Tile_IntTensor],
    "integer of up to 64 bits or tile of such">;
def Tile_I1Like : AnyTypeOf<[I1, Tile_TensorOf<[I1]>], "i1 or tile of i1">;
def Tile_I8Like : AnyTypeOf<[I8, Tile_TensorOf<[I8]>], "i8 or tile of i8">;
def Tile_I64Like : AnyTypeOf<[I64, Tile_TensorOf<[I64]>], "i64 or tile of i64">;
def Tile_FloatLike : AnyTypeOf<[Tile_Float, Tile_TensorOf<[Tile_Float]>],
    "f16, bf16, f32, f64 or tile of such">;
def Tile_Element : AnyTypeOf<[Tile_AnyInt, AnyFloat, Tile_Ptr], "integer, float or pointer">;
def Tile_Tile : Tile_TensorOf<[Tile_AnyInt, AnyFloat, Tile_Ptr]>;
def Tile_Value : AnyTypeOf<[Tile_Element, Tile_Tile], "scalar or tile">;

#endif // TEGULA_TILE_TYPES
