// REQUIRES: plugin-simt
// RUN: split-file %s %t
// RUN: export TEGULA_PLUGIN_PATH=%build/lib/tegula/simt
// RUN: export TEGULA_SIMT_RACES=1
// RUN: tegula-run %t/right.mlir -k right -t simt -o num_warps=1 -g 1 -a x=arange:i32[128] -a out=zeros:i32[128] --out out=%t/right.npy
// RUN: %python -c "import numpy as n; a = n.load('%t/right.npy').reshape(32, 4); x = n.arange(128).reshape(32, 4) * (n.arange(32) < 16)[:, None]; assert (a == x[::-1]).all(), a"
// RUN: env TEGULA_SIMT_RACES=0 tegula-run %t/early.mlir -k early -t simt -o num_warps=1 -g 1 -a x=arange:i32[128] -a out=zeros:i32[128] --out out=%t/early.npy
// RUN: %python -c "import numpy as n; a = n.load('%t/early.npy'); assert (a == n.uint32(0xfbfbfbfb).astype(n.int32)).any(), a"
// RUN: not tegula-run %t/race.mlir -k race -t simt -o num_warps=1 -g 1 -a x=arange:i32[128] -a out=zeros:i32[128] 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not tegula-run %t/refill.mlir -k refill -t simt -o num_warps=1 -g 1 -a x=arange:i32[128] -a out=zeros:i32[128] 2>&1 | FileCheck %s --check-prefix=REFILL
// RUN: not tegula-run %t/end.mlir -k end -t simt -o num_warps=1 -g 1 -a x=arange:i32[128] -a out=zeros:i32[128] 2>&1 | FileCheck %s --check-prefix=END

// A copy is there for its thread behind a wait, for others behind a barrier after that.
// RACE: writes byte {{.*}} of shared memory at 'tilegpu.thread_async_copy' {{.*}} has read at 'llvm.load' {{.*}} since the last barrier
// What others may still read must not be filled.
// REFILL: reads byte {{.*}} of shared memory at 'llvm.load' {{.*}} has written at 'tilegpu.thread_async_copy' {{.*}} since the last barrier
// END: expected a wait for each copy, got an end before one for 'tilegpu.thread_async_copy'

//--- right.mlir
module attributes {tile.num_warps = 1 : i32, tile_simt.shared_bytes = 512 : i32} {
  func.func @right(%x_t: !tile.ptr<i32> {tile.name = "x"}, %out_t: !tile.ptr<i32> {tile.name = "out"}) attributes {tile.kernel} {
    %x_n = tile.ptr_to_int %x_t : !tile.ptr<i32> -> i64
    %x = llvm.inttoptr %x_n : i64 to !llvm.ptr<1>
    %out_n = tile.ptr_to_int %out_t : !tile.ptr<i32> -> i64
    %out = llvm.inttoptr %out_n : i64 to !llvm.ptr<1>
    %c4 = arith.constant 4 : i32
    %c31 = arith.constant 31 : i32
    %c16 = arith.constant 16 : i32
    %tx = gpu.thread_id x
    %t = arith.index_cast %tx : index to i32
    %i = arith.muli %t, %c4 : i32
    %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %base = tilegpu.shared_base : !llvm.ptr<3>
    %s = llvm.getelementptr %base[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %u = arith.subi %c31, %t : i32
    %j = arith.muli %u, %c4 : i32
    %r = llvm.getelementptr %base[%j] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %m = arith.cmpi slt, %t, %c16 : i32
    %q = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    tilegpu.thread_async_copy %s, %p mask %m bytes 16 : !llvm.ptr<1>
    tilegpu.thread_async_commit
    tilegpu.thread_async_wait 0
    gpu.barrier
    %v = llvm.load %r : !llvm.ptr<3> -> vector<4xi32>
    tilegpu.thread_store %q, %v align 16 : !llvm.ptr<1>, vector<4xi32>
    return
  }
}

//--- early.mlir
// Without the wait it has not come to all.
module attributes {tile.num_warps = 1 : i32, tile_simt.shared_bytes = 512 : i32} {
  func.func @early(%x_t: !tile.ptr<i32> {tile.name = "x"}, %out_t: !tile.ptr<i32> {tile.name = "out"}) attributes {tile.kernel} {
    %x_n = tile.ptr_to_int %x_t : !tile.ptr<i32> -> i64
    %x = llvm.inttoptr %x_n : i64 to !llvm.ptr<1>
    %out_n = tile.ptr_to_int %out_t : !tile.ptr<i32> -> i64
    %out = llvm.inttoptr %out_n : i64 to !llvm.ptr<1>
    %c4 = arith.constant 4 : i32
    %c31 = arith.constant 31 : i32
    %c16 = arith.constant 16 : i32
    %tx = gpu.thread_id x
    %t = arith.index_cast %tx : index to i32
    %i = arith.muli %t, %c4 : i32
    %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %base = tilegpu.shared_base : !llvm.ptr<3>
    %s = llvm.getelementptr %base[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %u = arith.subi %c31, %t : i32
    %j = arith.muli %u, %c4 : i32
    %r = llvm.getelementptr %base[%j] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %m = arith.cmpi slt, %t, %c16 : i32
    %q = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    tilegpu.thread_async_copy %s, %p mask %m bytes 16 : !llvm.ptr<1>
    tilegpu.thread_async_commit
    gpu.barrier
    %v = llvm.load %r : !llvm.ptr<3> -> vector<4xi32>
    tilegpu.thread_async_wait 0
    tilegpu.thread_store %q, %v align 16 : !llvm.ptr<1>, vector<4xi32>
    return
  }
}

//--- race.mlir
module attributes {tile.num_warps = 1 : i32, tile_simt.shared_bytes = 512 : i32} {
  func.func @race(%x_t: !tile.ptr<i32> {tile.name = "x"}, %out_t: !tile.ptr<i32> {tile.name = "out"}) attributes {tile.kernel} {
    %x_n = tile.ptr_to_int %x_t : !tile.ptr<i32> -> i64
    %x = llvm.inttoptr %x_n : i64 to !llvm.ptr<1>
    %out_n = tile.ptr_to_int %out_t : !tile.ptr<i32> -> i64
    %out = llvm.inttoptr %out_n : i64 to !llvm.ptr<1>
    %c4 = arith.constant 4 : i32
    %c31 = arith.constant 31 : i32
    %c16 = arith.constant 16 : i32
    %tx = gpu.thread_id x
    %t = arith.index_cast %tx : index to i32
    %i = arith.muli %t, %c4 : i32
    %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %base = tilegpu.shared_base : !llvm.ptr<3>
    %s = llvm.getelementptr %base[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %u = arith.subi %c31, %t : i32
    %j = arith.muli %u, %c4 : i32
    %r = llvm.getelementptr %base[%j] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %m = arith.cmpi slt, %t, %c16 : i32
    %q = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    tilegpu.thread_async_copy %s, %p mask %m bytes 16 : !llvm.ptr<1>
    tilegpu.thread_async_commit
    tilegpu.thread_async_wait 0
    %v = llvm.load %r : !llvm.ptr<3> -> vector<4xi32>
    tilegpu.thread_store %q, %v align 16 : !llvm.ptr<1>, vector<4xi32>
    return
  }
}

//--- refill.mlir
module attributes {tile.num_warps = 1 : i32, tile_simt.shared_bytes = 512 : i32} {
  func.func @refill(%x_t: !tile.ptr<i32> {tile.name = "x"}, %out_t: !tile.ptr<i32> {tile.name = "out"}) attributes {tile.kernel} {
    %x_n = tile.ptr_to_int %x_t : !tile.ptr<i32> -> i64
    %x = llvm.inttoptr %x_n : i64 to !llvm.ptr<1>
    %out_n = tile.ptr_to_int %out_t : !tile.ptr<i32> -> i64
    %out = llvm.inttoptr %out_n : i64 to !llvm.ptr<1>
    %c4 = arith.constant 4 : i32
    %c31 = arith.constant 31 : i32
    %c16 = arith.constant 16 : i32
    %tx = gpu.thread_id x
    %t = arith.index_cast %tx : index to i32
    %i = arith.muli %t, %c4 : i32
    %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %base = tilegpu.shared_base : !llvm.ptr<3>
    %s = llvm.getelementptr %base[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %u = arith.subi %c31, %t : i32
    %j = arith.muli %u, %c4 : i32
    %r = llvm.getelementptr %base[%j] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %m = arith.cmpi slt, %t, %c16 : i32
    %q = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    tilegpu.thread_async_copy %s, %p mask %m bytes 16 : !llvm.ptr<1>
    tilegpu.thread_async_commit
    tilegpu.thread_async_wait 0
    gpu.barrier
    %v = llvm.load %r : !llvm.ptr<3> -> vector<4xi32>
    tilegpu.thread_async_copy %s, %p mask %m bytes 16 : !llvm.ptr<1>
    tilegpu.thread_async_commit
    tilegpu.thread_async_wait 0
    tilegpu.thread_store %q, %v align 16 : !llvm.ptr<1>, vector<4xi32>
    return
  }
}

//--- end.mlir
module attributes {tile.num_warps = 1 : i32, tile_simt.shared_bytes = 512 : i32} {
  func.func @end(%x_t: !tile.ptr<i32> {tile.name = "x"}, %out_t: !tile.ptr<i32> {tile.name = "out"}) attributes {tile.kernel} {
    %x_n = tile.ptr_to_int %x_t : !tile.ptr<i32> -> i64
    %x = llvm.inttoptr %x_n : i64 to !llvm.ptr<1>
    %out_n = tile.ptr_to_int %out_t : !tile.ptr<i32> -> i64
    %out = llvm.inttoptr %out_n : i64 to !llvm.ptr<1>
    %c4 = arith.constant 4 : i32
    %c31 = arith.constant 31 : i32
    %c16 = arith.constant 16 : i32
    %tx = gpu.thread_id x
    %t = arith.index_cast %tx : index to i32
    %i = arith.muli %t, %c4 : i32
    %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %base = tilegpu.shared_base : !llvm.ptr<3>
    %s = llvm.getelementptr %base[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %u = arith.subi %c31, %t : i32
    %j = arith.muli %u, %c4 : i32
    %r = llvm.getelementptr %base[%j] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %m = arith.cmpi slt, %t, %c16 : i32
    %q = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    tilegpu.thread_async_copy %s, %p mask %m bytes 16 : !llvm.ptr<1>
    tilegpu.thread_async_commit
    gpu.barrier
    %v = llvm.load %r : !llvm.ptr<3> -> vector<4xi32>
    tilegpu.thread_store %q, %v align 16 : !llvm.ptr<1>, vector<4xi32>
    return
  }
}
