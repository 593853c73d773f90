//===- TileGPUOps.td - Spread tiles, and what threads do -*- tablegen -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_OPS
#define TEGULA_TILEGPU_OPS

include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tegula/Tile/IR/TileAttrs.td"
include "tegula/Tile/IR/TileTypes.td"
include "tegula/TileGPU/IR/TileGPUAttrs.td"
include "tegula/TileGPU/IR/TileGPUTypes.td"

//===----------------------------------------------------------------------===//
// Spread tiles
//===----------------------------------------------------------------------===//

def TileGPU_KeepsValues : NativeOpTrait<"KeepsValues"> {
  let cppNamespace = "::tegula::tile";
}

def TileGPU_ConvertLayoutOp : TileGPU_Op<"convert_layout", [Pure, TileGPU_KeepsValues]> {
  let summary = "the same tile, held by other threads";
  let description = [{
    Constraints: tilegpu_convert_layout_c1: shapes and element types are equal.
    tilegpu_convert_layout_c2: both types have a layout.
    ```mlir
    %y = tilegpu.convert_layout %x : tensor<64xf32, #a> -> tensor<64xf32, #b>
    ```
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Spread tiles: channels
//===----------------------------------------------------------------------===//
//
// Tiles come into a channel by copies that run beside the program. A copy belongs to a
// group once it is committed; a thread waits for its own copies of a group, and a barrier
// behind that says that those of all threads have come (`tilegpu-insert-barriers` puts it).
// A slot is named by a position, an i32 below the number of slots, and how far ahead of it
// the slot lies in the ring.

def TileGPU_ChannelOp : TileGPU_Op<"channel"> {
  let summary = "a ring of tiles in shared memory, from here to its release";
  let description = [{
    ```mlir
    %c = tilegpu.channel : !tilegpu.channel<3, tensor<128x32xf16, #memory>>
    ```
  }];
  let results = (outs Res<TileGPU_ChannelType, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TileGPU_NextSlotOp : TileGPU_Op<"next_slot", [Pure]> {
  let summary = "the position behind another one in a ring";
  let description = [{
    Constraints: tilegpu_next_slot_c1: 1 to 64 slots.
    ```mlir
    %q = tilegpu.next_slot %p of 3
    ```
  }];
  let arguments = (ins I32:$position, I32Attr:$slots);
  let results = (outs I32:$result);
  let assemblyFormat = "$position `of` $slots attr-dict";
  let hasVerifier = 1;
}

def TileGPU_AsyncCopyOp : TileGPU_Op<"async_copy"> {
  let summary = "begin to read a tile of global memory into a slot";
  let description = [{
    Elements that `mask` turns off become zero. Nothing may change what is read, nor use
    the slot, until a wait for the copy.

    Constraints: tilegpu_async_copy_c1: shape and element type of the pointers are the
    channel's, and the pointers have a layout. tilegpu_async_copy_c2: the mask has the
    pointers' shape and layout. tilegpu_async_copy_c3: `ahead` is less than the slots.
    ```mlir
    %t = tilegpu.async_copy %a mask %m into %c[%p] ahead 2
        : tensor<128x32x!tile.ptr<f16>, #rows>, !tilegpu.channel<3, tensor<128x32xf16, #memory>>
    ```
  }];
  let arguments = (ins Arg<Tile_Tile, "", [MemRead]>:$ptr, Optional<Tile_Tile>:$mask,
      Arg<TileGPU_ChannelType, "", [MemWrite]>:$channel, I32:$position, I32Attr:$ahead);
  let results = (outs TileGPU_TokenType:$token);
  let assemblyFormat = [{
    $ptr (`mask` $mask^ `:` type($mask) `:`)? `into` $channel `[` $position `]` `ahead` $ahead
    attr-dict `:` type($ptr) `,` type($channel)
  }];
  let hasVerifier = 1;
}

def TileGPU_AsyncCommitOp : TileGPU_Op<"async_commit", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "make a group of copies";
  let description = [{
    All copies since the last commit.
    ```mlir
    %g = tilegpu.async_commit(%t, %u)
    ```
  }];
  let arguments = (ins Variadic<TileGPU_TokenType>:$copies);
  let results = (outs TileGPU_TokenType:$token);
  let assemblyFormat = "`(` $copies `)` attr-dict";
}

def TileGPU_AsyncWaitOp : TileGPU_Op<"async_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait until a group of copies has come";
  let description = [{
    `pending`: how many groups were committed after it, for which nobody waits.
    ```mlir
    %w = tilegpu.async_wait %g pending 1
    ```
  }];
  let arguments = (ins Variadic<TileGPU_TokenType>:$groups, I32Attr:$pending);
  let results = (outs TileGPU_TokenType:$token);
  let assemblyFormat = "$groups `pending` $pending attr-dict";
}

def TileGPU_ChannelReadOp : TileGPU_Op<"channel_read"> {
  let summary = "a part of the tile in a slot";
  let description = [{
    The elements from `offsets` on, as many as the result has. `token` is the wait for the
    copy.

    Constraints: tilegpu_channel_read_c1: the element type is the channel's and the result
    has a layout. tilegpu_channel_read_c2: offsets are multiples of the result's sizes,
    powers of two, and the part lies within the tile.
    ```mlir
    %x = tilegpu.channel_read %c[%p] at [0, 16] after %w
        : !tilegpu.channel<3, tensor<128x32xf16, #memory>> -> tensor<128x16xf16, #fragment>
    ```
  }];
  let arguments = (ins Arg<TileGPU_ChannelType, "", [MemRead]>:$channel, I32:$position,
      DenseI64ArrayAttr:$offsets, TileGPU_TokenType:$token);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $channel `[` $position `]` `at` $offsets `after` $token attr-dict
    `:` type($channel) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TileGPU_ChannelReleaseOp : TileGPU_Op<"channel_release"> {
  let summary = "the end of a channel, whose copies have all come";
  let description = [{
    `token` is a wait behind which no copy into the channel is on its way. Others may have
    the memory from here on.
    ```mlir
    tilegpu.channel_release %c after %w : !tilegpu.channel<3, tensor<128x32xf16, #memory>>
    ```
  }];
  let arguments = (ins Arg<TileGPU_ChannelType, "", [MemFree]>:$channel, TileGPU_TokenType:$token);
  let assemblyFormat = "$channel `after` $token attr-dict `:` type($channel)";
}

//===----------------------------------------------------------------------===//
// Threads: memory
//===----------------------------------------------------------------------===//

def TileGPU_ThreadElement : AnyTypeOf<[AnySignlessInteger, AnyFloat, LLVM_AnyPointer,
    VectorOfRankAndType<[1], [AnySignlessInteger, AnyFloat, LLVM_AnyPointer]>],
    "integer, float or pointer, or a vector of such">;

def TileGPU_ThreadLoadOp : TileGPU_Op<"thread_load", [AttrSizedOperandSegments]> {
  let summary = "read consecutive elements of global memory in one access";
  let description = [{
    One access of as many bytes as the result has, aligned to `alignment` bytes. Where
    `mask` is false nothing is accessed and the result is `other`, or zero. A vector has
    1, 2, 4, 8 or 16 elements, 16 bytes at most; i1 is not an element (load i8).

    Constraints: tilegpu_thread_load_c1: the bytes are a power of two, 16 at most.
    tilegpu_thread_load_c2: `other` has the result's type and needs `mask`.
    ```mlir
    %x = tilegpu.thread_load %p mask %m other %o align 16 : !llvm.ptr<1> -> vector<4xf32>
    ```
  }];
  let arguments = (ins Arg<LLVM_AnyPointer, "", [MemRead]>:$ptr, Optional<I1>:$mask,
      Optional<TileGPU_ThreadElement>:$other, I32Attr:$alignment,
      DefaultValuedAttr<Tile_CacheModifierAttr, "::tegula::tile::CacheModifier::None">:$cache,
      DefaultValuedAttr<Tile_EvictionPolicyAttr, "::tegula::tile::EvictionPolicy::Normal">:$evict,
      UnitAttr:$is_volatile);
  let results = (outs TileGPU_ThreadElement:$result);
  let assemblyFormat = [{
    $ptr (`mask` $mask^)? (`other` $other^)? `align` $alignment
    attr-dict `:` type($ptr) (`,` type($other)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def TileGPU_ThreadStoreOp : TileGPU_Op<"thread_store"> {
  let summary = "write consecutive elements of global memory in one access";
  let description = [{
    As `tilegpu.thread_load`; where `mask` is false nothing is accessed.
    Constraints: tilegpu_thread_store_c1: the bytes are a power of two, 16 at most.
    ```mlir
    tilegpu.thread_store %p, %x mask %m align 16 : !llvm.ptr<1>, vector<4xf32>
    ```
  }];
  let arguments = (ins Arg<LLVM_AnyPointer, "", [MemWrite]>:$ptr, TileGPU_ThreadElement:$value,
      Optional<I1>:$mask, I32Attr:$alignment,
      DefaultValuedAttr<Tile_CacheModifierAttr, "::tegula::tile::CacheModifier::None">:$cache,
      DefaultValuedAttr<Tile_EvictionPolicyAttr, "::tegula::tile::EvictionPolicy::Normal">:$evict);
  let assemblyFormat = [{
    $ptr `,` $value (`mask` $mask^)? `align` $alignment
    attr-dict `:` type($ptr) `,` type($value)
  }];
  let hasVerifier = 1;
}

def TileGPU_ThreadAtomicRMWOp : TileGPU_Op<"thread_atomic_rmw", [AllTypesMatch<["value",
    "result"]>]> {
  let summary = "change one element of memory in one step and yield what was there";
  let description = [{
    Kinds, semantic and scope are those of `tile.atomic_rmw`; integers of 8 to 64 bits,
    f16, bf16, f32, f64. Where `mask` is false nothing is accessed and the result is zero.
    The order `semantic` holds for this thread's accesses.
    ```mlir
    %old = tilegpu.thread_atomic_rmw fadd relaxed device %p, %x mask %m : !llvm.ptr<1>, f32
    ```
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, Tile_MemSemanticAttr:$semantic,
      Tile_MemScopeAttr:$scope, Arg<LLVM_AnyPointer, "", [MemRead, MemWrite]>:$ptr,
      AnyTypeOf<[AnySignlessInteger, AnyFloat]>:$value, Optional<I1>:$mask);
  let results = (outs AnyTypeOf<[AnySignlessInteger, AnyFloat]>:$result);
  let assemblyFormat = [{
    $kind $semantic $scope $ptr `,` $value (`mask` $mask^)? attr-dict `:` type($ptr) `,`
    type($value)
  }];
}

def TileGPU_ThreadAtomicCASOp : TileGPU_Op<"thread_atomic_cas", [AllTypesMatch<["expected",
    "value", "result"]>]> {
  let summary = "replace one element of memory that equals another, in one step";
  let description = [{
    Compares bits, floats' too; yields what was there. Where `mask` is false nothing is
    accessed and the result is zero.
    ```mlir
    %old = tilegpu.thread_atomic_cas acq_rel device %p, %e, %x : !llvm.ptr<1>, i32
    ```
  }];
  let arguments = (ins Tile_MemSemanticAttr:$semantic, Tile_MemScopeAttr:$scope,
      Arg<LLVM_AnyPointer, "", [MemRead, MemWrite]>:$ptr,
      AnyTypeOf<[AnySignlessInteger, AnyFloat]>:$expected,
      AnyTypeOf<[AnySignlessInteger, AnyFloat]>:$value, Optional<I1>:$mask);
  let results = (outs AnyTypeOf<[AnySignlessInteger, AnyFloat]>:$result);
  let assemblyFormat = [{
    $semantic $scope $ptr `,` $expected `,` $value (`mask` $mask^)? attr-dict `:` type($ptr) `,`
    type($value)
  }];
}

def TileGPU_SharedBaseOp : TileGPU_Op<"shared_base", [Pure]> {
  let summary = "where the shared memory of this program begins";
  let description = [{
    Aligned to 1024 bytes; `tilegpu.shared_bytes` of the module says how much there is.
    ```mlir
    %p = tilegpu.shared_base : !llvm.ptr<3>
    ```
  }];
  let results = (outs LLVM_PointerInAddressSpace<3>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TileGPU_ThreadAsyncCopyOp : TileGPU_Op<"thread_async_copy"> {
  let summary = "begin to copy bytes of global memory to shared memory";
  let description = [{
    One access of both, aligned to its size. Where `mask` is false nothing is read and the
    bytes become zero.

    Constraints: tilegpu_thread_async_copy_c1: 4, 8 or 16 bytes.
    ```mlir
    tilegpu.thread_async_copy %s, %p mask %m bytes 16 : !llvm.ptr<1>
    ```
  }];
  let arguments = (ins Arg<LLVM_PointerInAddressSpace<3>, "", [MemWrite]>:$shared,
      Arg<LLVM_AnyPointer, "", [MemRead]>:$ptr, Optional<I1>:$mask, I32Attr:$bytes);
  let assemblyFormat = [{
    $shared `,` $ptr (`mask` $mask^)? `bytes` $bytes attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
}

def TileGPU_ThreadAsyncCommitOp : TileGPU_Op<"thread_async_commit",
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "make a group of this thread's copies";
  let description = [{
    ```mlir
    tilegpu.thread_async_commit
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def TileGPU_ThreadAsyncWaitOp : TileGPU_Op<"thread_async_wait",
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait for all groups of this thread but the last ones";
  let description = [{
    ```mlir
    tilegpu.thread_async_wait 1
    ```
  }];
  let arguments = (ins I32Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}

//===----------------------------------------------------------------------===//
// Threads: matrices
//===----------------------------------------------------------------------===//

def TileGPU_MmaOp : TileGPU_Op<"mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + a * b by one matrix instruction of the warp";
  let description = [{
    All threads of a warp run it together. Operands are what this thread holds of the
    fragments (`Layout/Fragments.h`), in the order of registers; 8-bit floats as i8, tf32 as
    f32, whose low bits are ignored.

    Constraints: tilegpu_mma_op_c1: vectors have the sizes of the fragments.
    ```mlir
    %d = tilegpu.mma #tilegpu.mma<mma_sync, 16, 8, 16, f16, f16, f32> %a, %b, %c
        : vector<8xf16>, vector<4xf16>, vector<4xf32>
    ```
  }];
  let arguments = (ins TileGPU_MmaAttr:$instruction, VectorOfRankAndType<[1], [AnyType]>:$a,
      VectorOfRankAndType<[1], [AnyType]>:$b, VectorOfRankAndType<[1], [AnyType]>:$acc);
  let results = (outs VectorOfRankAndType<[1], [AnyType]>:$result);
  let assemblyFormat = [{
    $instruction $a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
}

def TileGPU_LoadMatrixOp : TileGPU_Op<"load_matrix"> {
  let summary = "8 x 8 matrices of 16-bit elements from shared memory, by the whole warp";
  let description = [{
    Thread 8 i + r gives the address of row r of matrix i, 16 bytes each, aligned to 16.
    The result holds two elements of each matrix (`ldmatrixFragment`); `trans` reads the
    matrices transposed. Elements of 8 or 32 bits travel as halves or pairs of 16.

    Constraints: tilegpu_load_matrix_c1: 1, 2 or 4 matrices, and the result has 32 bits
    for each.
    ```mlir
    %a = tilegpu.load_matrix %p count 4 trans : !llvm.ptr<3> -> vector<8xf16>
    ```
  }];
  let arguments = (ins Arg<LLVM_PointerInAddressSpace<3>, "", [MemRead]>:$ptr, I32Attr:$count,
      UnitAttr:$trans);
  let results = (outs VectorOfRankAndType<[1], [AnyType]>:$result);
  let assemblyFormat = [{
    $ptr `count` $count (`trans` $trans^)? attr-dict `:` type($ptr) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Threads: debugging
//===----------------------------------------------------------------------===//

def TileGPU_ThreadPrintOp : TileGPU_Op<"thread_print", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "one line of a print, for one element";
  let description = [{
    As `tile.print` writes it: `indices` are those of the element, none for a scalar;
    `operand` its number. Where `mask` is false nothing happens.
    ```mlir
    tilegpu.thread_print "x: " hex operand 0 signed [%i, %j] %x mask %m : f32
    ```
  }];
  let arguments = (ins StrAttr:$prefix, UnitAttr:$hex, I32Attr:$operand, UnitAttr:$is_signed,
      Variadic<I32>:$indices, AnyTypeOf<[AnySignlessInteger, AnyFloat, LLVM_AnyPointer]>:$value,
      I1:$mask);
  let assemblyFormat = [{
    $prefix (`hex` $hex^)? `operand` $operand (`signed` $is_signed^)? `[` $indices `]` $value
    `mask` $mask attr-dict `:` type($value)
  }];
}

def TileGPU_ThreadAssertOp : TileGPU_Op<"thread_assert", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "end the launch with an error where a condition is false";
  let description = [{
    `index` is the row-major number of the element. The location is the assertion's.
    ```mlir
    tilegpu.thread_assert %c, %i, "x is too large"
    ```
  }];
  let arguments = (ins I1:$condition, I32:$index, StrAttr:$message);
  let assemblyFormat = "$condition `,` $index `,` $message attr-dict";
}

#endif // TEGULA_TILEGPU_OPS
