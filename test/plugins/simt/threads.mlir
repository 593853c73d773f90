// REQUIRES: plugin-simt
// RUN: split-file %s %t
// RUN: export TEGULA_PLUGIN_PATH=%build/lib/tegula/simt
// RUN: tegula-run %t/masks.mlir -k masks -t simt -g 2 -a x=arange:fp32[200] -a out=zeros:fp32[256] -a n=200:i32 --out out=%t/masks.npy
// RUN: %python -c "import numpy as n; a = n.load('%t/masks.npy'); assert (a[:200] == n.arange(200)).all() and (a[200:] == 7).all(), a"
// RUN: tegula-run %t/shared.mlir -k shared -t simt -g 3 -a out=zeros:i32[384] --out out=%t/shared.npy
// RUN: env TEGULA_SIMT_ORDER=reverse TEGULA_SIMT_RACES=1 tegula-run %t/shared.mlir -k shared -t simt -g 3 -a out=zeros:i32[384] --out out=%t/reverse.npy
// RUN: %python -c "import numpy as n; a = n.load('%t/shared.npy'); b = n.load('%t/reverse.npy'); i = n.arange(384); assert (a == 127 - i %% 128 + 1000 * (i // 128)).all() and (a == b).all(), a"
// RUN: tegula-run %t/warp.mlir -k warp -t simt -g 1 -a out=zeros:i32[128] -a sum=zeros:fp32[1] --out out=%t/warp.npy --out sum=%t/sum.npy
// RUN: %python -c "import numpy as n; a = n.load('%t/warp.npy'); i = n.arange(128); assert (a == (i ^ 5)).all(), a; assert n.load('%t/sum.npy')[0] == 64"

//--- masks.mlir
// Masked accesses touch nothing, and give what they are told instead.
module attributes {tile.num_warps = 4 : i32} {
  func.func @masks(%x_t: !tile.ptr<f32> {tile.name = "x"}, %out_t: !tile.ptr<f32> {tile.name = "out"}, %n: i32 {tile.name = "n"}) attributes {tile.kernel} {
    %x_n = tile.ptr_to_int %x_t : !tile.ptr<f32> -> i64
    %x = llvm.inttoptr %x_n : i64 to !llvm.ptr<1>
    %out_n = tile.ptr_to_int %out_t : !tile.ptr<f32> -> i64
    %out = llvm.inttoptr %out_n : i64 to !llvm.ptr<1>
    %c128 = arith.constant 128 : i32
    %seven = arith.constant 7.0 : f32
    %bx = gpu.block_id x
    %b = arith.index_cast %bx : index to i32
    %tx = gpu.thread_id x
    %t = arith.index_cast %tx : index to i32
    %first = arith.muli %b, %c128 : i32
    %i = arith.addi %first, %t : i32
    %m = arith.cmpi slt, %i, %n : i32
    %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %v = tilegpu.thread_load %p mask %m other %seven align 4 : !llvm.ptr<1>, f32 -> f32
    %q = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    tilegpu.thread_store %q, %v align 4 : !llvm.ptr<1>, f32
    return
  }
}

//--- shared.mlir
// Values of other threads through shared memory.
module attributes {tile.num_warps = 4 : i32, tile_simt.shared_bytes = 512 : i32} {
  func.func @shared(%out_t: !tile.ptr<i32> {tile.name = "out"}) attributes {tile.kernel} {
    %out_n = tile.ptr_to_int %out_t : !tile.ptr<i32> -> i64
    %out = llvm.inttoptr %out_n : i64 to !llvm.ptr<1>
    %c128 = arith.constant 128 : i32
    %c127 = arith.constant 127 : i32
    %c1000 = arith.constant 1000 : i32
    %bx = gpu.block_id x
    %b = arith.index_cast %bx : index to i32
    %tx = gpu.thread_id x
    %t = arith.index_cast %tx : index to i32
    %base = tilegpu.shared_base : !llvm.ptr<3>
    %p = llvm.getelementptr %base[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %high = arith.muli %b, %c1000 : i32
    %v = arith.addi %high, %t : i32
    llvm.store %v, %p : i32, !llvm.ptr<3>
    gpu.barrier
    %other = arith.subi %c127, %t : i32
    %q = llvm.getelementptr %base[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %w = llvm.load %q : !llvm.ptr<3> -> i32
    %first = arith.muli %b, %c128 : i32
    %i = arith.addi %first, %t : i32
    %o = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    tilegpu.thread_store %o, %w align 4 : !llvm.ptr<1>, i32
    return
  }
}

//--- warp.mlir
// Shuffles, and atomic sums of half the threads.
module attributes {tile.num_warps = 4 : i32} {
  func.func @warp(%out_t: !tile.ptr<i32> {tile.name = "out"}, %sum_t: !tile.ptr<f32> {tile.name = "sum"}) attributes {tile.kernel} {
    %out_n = tile.ptr_to_int %out_t : !tile.ptr<i32> -> i64
    %out = llvm.inttoptr %out_n : i64 to !llvm.ptr<1>
    %sum_n = tile.ptr_to_int %sum_t : !tile.ptr<f32> -> i64
    %sum = llvm.inttoptr %sum_n : i64 to !llvm.ptr<1>
    %c5 = arith.constant 5 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %one = arith.constant 1.0 : f32
    %tx = gpu.thread_id x
    %t = arith.index_cast %tx : index to i32
    %w, %valid = gpu.shuffle xor %t, %c5, %c32 : i32
    %o = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    tilegpu.thread_store %o, %w align 4 : !llvm.ptr<1>, i32
    %m = arith.cmpi slt, %t, %c64 : i32
    %old = tilegpu.thread_atomic_rmw fadd relaxed device %sum, %one mask %m : !llvm.ptr<1>, f32
    return
  }
}
