// What a GPU would do silently is an error here.
// REQUIRES: plugin-simt
// RUN: split-file %s %t
// RUN: export TEGULA_PLUGIN_PATH=%build/lib/tegula/simt
// RUN: env TEGULA_SIMT_RACES=1 not tegula-run %t/race.mlir -k race -t simt -g 1 -a out=zeros:i32[128] 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not tegula-run %t/barrier.mlir -k barrier -t simt -g 1 -a out=zeros:i32[128] 2>&1 | FileCheck %s --check-prefix=BARRIER
// RUN: not tegula-run %t/shuffle.mlir -k shuffle -t simt -g 1 -a out=zeros:i32[128] 2>&1 | FileCheck %s --check-prefix=SHUFFLE
// RUN: not tegula-run %t/bounds.mlir -k bounds -t simt -g 1 -a out=zeros:i32[128] 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: not tegula-run %t/aligned.mlir -k aligned -t simt -g 1 -a out=zeros:i32[129] 2>&1 | FileCheck %s --check-prefix=ALIGNED
// RUN: not tegula-run %t/assert.mlir -k assert -t simt -g 1 -a out=zeros:i32[128] 2>&1 | FileCheck %s --check-prefix=ASSERT
// RUN: not tegula-run %t/overrun.mlir -k overrun -t simt -g 1 -a out=zeros:i32[100] 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: not tegulac %t/race.mlir -k race -t simt/simt-16 2>&1 | FileCheck %s --check-prefix=ARCH
// ARCH: expected arch simt-32, simt-64 or native, got 'simt-16' [simt-arch]

//--- race.mlir
// RACE: race.mlir:{{[0-9]+}}:{{[0-9]+}}: kernel 'race', program (0, 0, 0), thread {{[0-9]+}}:
// RACE-SAME: writes byte 256 of shared memory at 'llvm.store' ({{.*}}race.mlir:{{.*}}), which thread 63 has read at 'llvm.load' ({{.*}}) since the last barrier
module attributes {tile.num_warps = 4 : i32, tile_simt.shared_bytes = 512 : i32} {
  func.func @race(%out_t: !tile.ptr<i32> {tile.name = "out"}) attributes {tile.kernel} {
    %out_n = tile.ptr_to_int %out_t : !tile.ptr<i32> -> i64
    %out = llvm.inttoptr %out_n : i64 to !llvm.ptr<1>
    %c127 = arith.constant 127 : i32
    %tx = gpu.thread_id x
    %t = arith.index_cast %tx : index to i32
    %base = tilegpu.shared_base : !llvm.ptr<3>
    %p = llvm.getelementptr %base[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %t, %p : i32, !llvm.ptr<3>
    %other = arith.subi %c127, %t : i32
    %q = llvm.getelementptr %base[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %w = llvm.load %q : !llvm.ptr<3> -> i32
    %o = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    tilegpu.thread_store %o, %w align 4 : !llvm.ptr<1>, i32
    return
  }
}

//--- barrier.mlir
// BARRIER: kernel 'barrier', program (0, 0, 0): threads of one program have gone different ways: thread 0 waits at 'gpu.barrier' ({{.*}}), thread 64 has ended
module attributes {tile.num_warps = 4 : i32} {
  func.func @barrier(%out_t: !tile.ptr<i32> {tile.name = "out"}) attributes {tile.kernel} {
    %out_n = tile.ptr_to_int %out_t : !tile.ptr<i32> -> i64
    %out = llvm.inttoptr %out_n : i64 to !llvm.ptr<1>
    %c64 = arith.constant 64 : i32
    %tx = gpu.thread_id x
    %t = arith.index_cast %tx : index to i32
    %m = arith.cmpi slt, %t, %c64 : i32
    scf.if %m {
      gpu.barrier
    }
    tilegpu.thread_store %out, %t mask %m align 4 : !llvm.ptr<1>, i32
    return
  }
}

//--- shuffle.mlir
// SHUFFLE: kernel 'shuffle', program (0, 0, 0): threads of one warp have gone different ways: thread 0 waits at 'gpu.shuffle' ({{.*}}), thread 7 has ended
module attributes {tile.num_warps = 4 : i32} {
  func.func @shuffle(%out_t: !tile.ptr<i32> {tile.name = "out"}) attributes {tile.kernel} {
    %out_n = tile.ptr_to_int %out_t : !tile.ptr<i32> -> i64
    %out = llvm.inttoptr %out_n : i64 to !llvm.ptr<1>
    %c7 = arith.constant 7 : i32
    %c32 = arith.constant 32 : i32
    %tx = gpu.thread_id x
    %t = arith.index_cast %tx : index to i32
    %m = arith.cmpi slt, %t, %c7 : i32
    scf.if %m {
      %w, %valid = gpu.shuffle up %t, %c7, %c32 : i32
      tilegpu.thread_store %out, %w align 4 : !llvm.ptr<1>, i32
    }
    return
  }
}

//--- bounds.mlir
// BOUNDS: thread 125: expected an access within 500 bytes of shared memory, got 4 at 500
module attributes {tile.num_warps = 4 : i32, tile_simt.shared_bytes = 500 : i32} {
  func.func @bounds(%out_t: !tile.ptr<i32> {tile.name = "out"}) attributes {tile.kernel} {
    %out_n = tile.ptr_to_int %out_t : !tile.ptr<i32> -> i64
    %out = llvm.inttoptr %out_n : i64 to !llvm.ptr<1>
    %tx = gpu.thread_id x
    %t = arith.index_cast %tx : index to i32
    %base = tilegpu.shared_base : !llvm.ptr<3>
    %p = llvm.getelementptr %base[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %t, %p : i32, !llvm.ptr<3>
    return
  }
}

//--- aligned.mlir
// ALIGNED: thread 0: expected 8 bytes at a multiple of 8, got a remainder of 4
module attributes {tile.num_warps = 4 : i32} {
  func.func @aligned(%out_t: !tile.ptr<i32> {tile.name = "out"}) attributes {tile.kernel} {
    %out_n = tile.ptr_to_int %out_t : !tile.ptr<i32> -> i64
    %out = llvm.inttoptr %out_n : i64 to !llvm.ptr<1>
    %zero = arith.constant dense<0> : vector<2xi32>
    %p = llvm.getelementptr %out[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    tilegpu.thread_store %p, %zero align 8 : !llvm.ptr<1>, vector<2xi32>
    return
  }
}

//--- assert.mlir
// ASSERT: assert.mlir:{{[0-9]+}}:{{[0-9]+}}: assertion failed in program (0, 0, 0) at element (100): too many
module attributes {tile.num_warps = 4 : i32} {
  func.func @assert(%out_t: !tile.ptr<i32> {tile.name = "out"}) attributes {tile.kernel} {
    %out_n = tile.ptr_to_int %out_t : !tile.ptr<i32> -> i64
    %out = llvm.inttoptr %out_n : i64 to !llvm.ptr<1>
    %c100 = arith.constant 100 : i32
    %tx = gpu.thread_id x
    %t = arith.index_cast %tx : index to i32
    %m = arith.cmpi slt, %t, %c100 : i32
    tilegpu.thread_assert %m, %t, "too many" {tilegpu.shape = array<i64: 128>}
    return
  }
}

//--- overrun.mlir
// BEYOND: thread 100: expected an access within the 400 bytes of a piece of global memory, got 4 at 400
module attributes {tile.num_warps = 4 : i32} {
  func.func @overrun(%out_t: !tile.ptr<i32> {tile.name = "out"}) attributes {tile.kernel} {
    %out_n = tile.ptr_to_int %out_t : !tile.ptr<i32> -> i64
    %out = llvm.inttoptr %out_n : i64 to !llvm.ptr<1>
    %tx = gpu.thread_id x
    %t = arith.index_cast %tx : index to i32
    %p = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    tilegpu.thread_store %p, %t align 4 : !llvm.ptr<1>, i32
    return
  }
}
