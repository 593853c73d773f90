// REQUIRES: plugin-simt
// RUN: split-file %s %t
// RUN: export TEGULA_PLUGIN_PATH=%build/lib/tegula/simt
// RUN: tegula-run %t/mma.mlir -k mma -t simt -o num_warps=1 -g 1 -a a=randn:fp16[256] -a b=randn:fp16[128] -a out=zeros:fp32[128] --out a=%t/a.npy --out b=%t/b.npy --out out=%t/out.npy
// RUN: %python %S/Inputs/matrices.py mma %t
// RUN: tegula-run %t/load.mlir -k load -t simt -o num_warps=1 -g 1 -a out=zeros:i16[512] --out out=%t/out.npy
// RUN: %python %S/Inputs/matrices.py load %t
// RUN: not tegula-run %t/rows.mlir -k rows -t simt -o num_warps=1 -g 1 -a out=zeros:i16[512] 2>&1 | FileCheck %s
// CHECK: thread 5: expected 16 bytes at a multiple of 16, got a remainder of 2

//--- mma.mlir
module attributes {tile.num_warps = 1 : i32} {
  func.func @mma(%a_t: !tile.ptr<f16> {tile.name = "a"}, %b_t: !tile.ptr<f16> {tile.name = "b"}, %out_t: !tile.ptr<f32> {tile.name = "out"}) attributes {tile.kernel} {
    %a_n = tile.ptr_to_int %a_t : !tile.ptr<f16> -> i64
    %a = llvm.inttoptr %a_n : i64 to !llvm.ptr<1>
    %b_n = tile.ptr_to_int %b_t : !tile.ptr<f16> -> i64
    %b = llvm.inttoptr %b_n : i64 to !llvm.ptr<1>
    %out_n = tile.ptr_to_int %out_t : !tile.ptr<f32> -> i64
    %out = llvm.inttoptr %out_n : i64 to !llvm.ptr<1>
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %c4 = arith.constant 4 : i32
    %c8 = arith.constant 8 : i32
    %tx = gpu.thread_id x
    %t = arith.index_cast %tx : index to i32
    %t4 = arith.muli %t, %c4 : i32
    %t8 = arith.muli %t, %c8 : i32
    %pa = llvm.getelementptr %a[%t8] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %va = tilegpu.thread_load %pa align 16 : !llvm.ptr<1> -> vector<8xf16>
    %pb = llvm.getelementptr %b[%t4] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %vb = tilegpu.thread_load %pb align 8 : !llvm.ptr<1> -> vector<4xf16>
    %d = tilegpu.mma #tilegpu.mma<mma_sync, 16, 8, 16, f16, f16, f32> %va, %vb, %zero : vector<8xf16>, vector<4xf16>, vector<4xf32>
    %po = llvm.getelementptr %out[%t4] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    tilegpu.thread_store %po, %d align 16 : !llvm.ptr<1>, vector<4xf32>
    return
  }
}

//--- load.mlir
// Each lane writes a row of numbers and gives its address.
module attributes {tile.num_warps = 1 : i32, tile_simt.shared_bytes = 512 : i32} {
  func.func @load(%out_t: !tile.ptr<i16> {tile.name = "out"}) attributes {tile.kernel} {
    %out_n = tile.ptr_to_int %out_t : !tile.ptr<i16> -> i64
    %out = llvm.inttoptr %out_n : i64 to !llvm.ptr<1>
    %steps = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi16>
    %c8 = arith.constant 8 : i16
    %tx = gpu.thread_id x
    %t = arith.index_cast %tx : index to i16
    %t8 = arith.muli %t, %c8 : i16
    %first = vector.broadcast %t8 : i16 to vector<8xi16>
    %row = arith.addi %first, %steps : vector<8xi16>
    %base = tilegpu.shared_base : !llvm.ptr<3>
    %p = llvm.getelementptr %base[%t8] : (!llvm.ptr<3>, i16) -> !llvm.ptr<3>, i16
    llvm.store %row, %p : vector<8xi16>, !llvm.ptr<3>
    gpu.barrier
    %x = tilegpu.load_matrix %p count 4 : !llvm.ptr<3> -> vector<8xi16>
    %y = tilegpu.load_matrix %p count 4 trans : !llvm.ptr<3> -> vector<8xi16>
    %q = llvm.getelementptr %out[%t8] : (!llvm.ptr<1>, i16) -> !llvm.ptr<1>, i16
    tilegpu.thread_store %q, %x align 16 : !llvm.ptr<1>, vector<8xi16>
    %r = llvm.getelementptr %q[256] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i16
    tilegpu.thread_store %r, %y align 16 : !llvm.ptr<1>, vector<8xi16>
    return
  }
}

//--- rows.mlir
// The address of one row is not aligned.
module attributes {tile.num_warps = 1 : i32, tile_simt.shared_bytes = 512 : i32} {
  func.func @rows(%out_t: !tile.ptr<i16> {tile.name = "out"}) attributes {tile.kernel} {
    %out_n = tile.ptr_to_int %out_t : !tile.ptr<i16> -> i64
    %out = llvm.inttoptr %out_n : i64 to !llvm.ptr<1>
    %c2 = arith.constant 2 : i32
    %c5 = arith.constant 5 : i32
    %c0 = arith.constant 0 : i32
    %tx = gpu.thread_id x
    %t = arith.index_cast %tx : index to i32
    %is = arith.cmpi eq, %t, %c5 : i32
    %offset = arith.select %is, %c2, %c0 : i32
    %base = tilegpu.shared_base : !llvm.ptr<3>
    %p = llvm.getelementptr %base[%offset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %x = tilegpu.load_matrix %p count 1 : !llvm.ptr<3> -> vector<2xi16>
    tilegpu.thread_store %out, %x align 4 : !llvm.ptr<1>, vector<2xi16>
    return
  }
}
