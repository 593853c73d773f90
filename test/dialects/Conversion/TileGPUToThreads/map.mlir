// RUN: tegula-opt %s -tilegpu-plan-shared -tilegpu-to-threads -canonicalize -cse | FileCheck %s

#line = #tilegpu.linear<512, register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>
#three = #tilegpu.linear<16, lane = [[1], [2], [4], [8], [0]], warp = [[0], [0]], repeat = [[register, 0, 3]]>
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 4 : i32} {

// Pairs lie in one thread.
// CHECK-LABEL: func.func @registers(
// CHECK-COUNT-2: arith.subf {{.*}} : f32
// CHECK-NOT: arith.subf
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @registers(%x: tensor<512xf32, #line>) -> tensor<512xf32, #line> {
  %y = tile.map (%x) pack 2 : (tensor<512xf32, #line>) -> tensor<512xf32, #line> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.subf %a, %b : f32
    tile.yield %b, %c : f32, f32
  }
  return %y : tensor<512xf32, #line>
}

// Threes do not: a loop over them in shared memory.
// CHECK-LABEL: func.func @memory(
// CHECK: gpu.barrier
// CHECK: scf.for {{.*}} to %c16_i32 step %c128_i32
// CHECK-COUNT-3: llvm.load {{.*}} -> i32
// CHECK: scf.if
// CHECK-COUNT-3: llvm.store
// CHECK: gpu.barrier
// CHECK: return
func.func @memory(%x: tensor<48xi32, #three>) -> tensor<48xi32, #three> {
  %y = tile.map (%x) pack 3 : (tensor<48xi32, #three>) -> tensor<48xi32, #three> {
  ^bb0(%a: i32, %b: i32, %c: i32):
    %zero = arith.constant 0 : i32
    %isNegative = arith.cmpi slt, %a, %zero : i32
    %d = scf.if %isNegative -> i32 {
      %e = arith.divsi %b, %c : i32
      scf.yield %e : i32
    } else {
      scf.yield %b : i32
    }
    tile.yield %c, %d, %a : i32, i32, i32
  }
  return %y : tensor<48xi32, #three>
}
// Pointers, and accesses by each thread for its own elements: none is masked to the first
// thread, none waits for others.
// CHECK-LABEL: func.func @accesses(
// CHECK-NOT: gpu.barrier
// CHECK-NOT: gpu.thread_id
// CHECK-COUNT-4: tilegpu.thread_atomic_rmw
// CHECK-NOT: unrealized_conversion_cast
// CHECK: return
// CHECK-LABEL: func.func @prints(
// CHECK: tilegpu.thread_load %{{[^ ]*}} align 4 {is_volatile}
// CHECK: tilegpu.thread_store
// CHECK: tilegpu.thread_print
// CHECK: tilegpu.thread_assert {{.*}}tilegpu.each_thread
// CHECK-NOT: gpu.barrier
func.func @accesses(%p: tensor<512x!tile.ptr<i32>, #line>, %x: tensor<512xi32, #line>) -> tensor<512xi32, #line> {
  %y = tile.map (%p, %x) pack 1 : (tensor<512x!tile.ptr<i32>, #line>, tensor<512xi32, #line>) -> tensor<512xi32, #line> {
  ^bb0(%a: !tile.ptr<i32>, %b: i32):
    %at = tile.addptr %a, %b : !tile.ptr<i32>, i32
    %old = tile.atomic_rmw add relaxed device %at, %b : !tile.ptr<i32>, i32
    tile.yield %old : i32
  }
  return %y : tensor<512xi32, #line>
}
func.func @prints(%p: tensor<512x!tile.ptr<i32>, #line>) -> tensor<512xi32, #line> {
  %y = tile.map (%p) pack 1 : (tensor<512x!tile.ptr<i32>, #line>) -> tensor<512xi32, #line> {
  ^bb0(%a: !tile.ptr<i32>):
    %b = tile.load %a {is_volatile} : !tile.ptr<i32>
    tile.store %a, %b : !tile.ptr<i32>
    tile.print "b" (%b) signs [true] : i32
    %c0 = arith.constant 0 : i32
    %c = arith.cmpi ne, %b, %c0 : i32
    tile.assert %c, "zero" : i1
    tile.yield %b : i32
  }
  return %y : tensor<512xi32, #line>
}
}
