// RUN: tegula-opt %s -tilegpu-plan-accesses -tilegpu-plan-shared -tilegpu-insert-barriers | FileCheck %s

#a = #tilegpu.linear<128, lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
#copies = #tilegpu.linear<32, lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]]>
!ptrs = tensor<128x!tile.ptr<f32>, #a>
!vals = tensor<128xf32, #a>

module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 65536, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 4 : i32} {

// Arguments that may share memory: one barrier between all loads and the store.
// CHECK-LABEL: @add
// CHECK-COUNT-2: tile.load
// CHECK-NOT: gpu.barrier
// CHECK: arith.addf
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.store
func.func @add(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %z: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 128 : tensor<128xi32, #a>
  %xs = tile.splat %x : !tile.ptr<f32> -> !ptrs
  %ys = tile.splat %y : !tile.ptr<f32> -> !ptrs
  %zs = tile.splat %z : !tile.ptr<f32> -> !ptrs
  %xp = tile.addptr %xs, %r : !ptrs, tensor<128xi32, #a>
  %yp = tile.addptr %ys, %r : !ptrs, tensor<128xi32, #a>
  %zp = tile.addptr %zs, %r : !ptrs, tensor<128xi32, #a>
  %a = tile.load %xp : !ptrs
  %b = tile.load %yp : !ptrs
  %c = arith.addf %a, %b : !vals
  tile.store %zp, %c : !ptrs
  return
}

// One promise is enough, and the same pointers are accessed by the same threads.
// CHECK-LABEL: @promised
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @promised(%x: !tile.ptr<f32>, %y: !tile.ptr<f32> {tile.noalias}) attributes {tile.kernel} {
  %r = tile.range 0 to 128 : tensor<128xi32, #a>
  %xs = tile.splat %x : !tile.ptr<f32> -> !ptrs
  %ys = tile.splat %y : !tile.ptr<f32> -> !ptrs
  %xp = tile.addptr %xs, %r : !ptrs, tensor<128xi32, #a>
  %yp = tile.addptr %ys, %r : !ptrs, tensor<128xi32, #a>
  %a = tile.load %xp : !ptrs
  tile.store %yp, %a : !ptrs
  %b = tile.load %yp : !ptrs
  tile.store %xp, %b : !ptrs
  %c = tile.load %xp : !ptrs
  tile.store %xp, %c : !ptrs
  return
}

// Copies read what the first copies may have overwritten.
// CHECK-LABEL: @copies
// CHECK: tile.load
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.load
func.func @copies(%x: !tile.ptr<f32>) -> tensor<32xf32, #copies> attributes {tile.kernel} {
  %r = tile.range 0 to 32 : tensor<32xi32, #copies>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #copies>
  %xp = tile.addptr %xs, %r : tensor<32x!tile.ptr<f32>, #copies>, tensor<32xi32, #copies>
  %a = tile.load %xp : tensor<32x!tile.ptr<f32>, #copies>
  tile.store %xp, %a : tensor<32x!tile.ptr<f32>, #copies>
  tile.store %xp, %a : tensor<32x!tile.ptr<f32>, #copies>
  %b = tile.load %xp : tensor<32x!tile.ptr<f32>, #copies>
  return %b : tensor<32xf32, #copies>
}

// Scalars: one thread stores them all; whoever reads them waits.
// CHECK-LABEL: @scalars
// CHECK: tile.store
// CHECK-NEXT: tile.store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.load
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.store
func.func @scalars(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %v: f32) attributes {tile.kernel} {
  tile.store %x, %v : !tile.ptr<f32>
  tile.store %y, %v : !tile.ptr<f32>
  %a = tile.load %x : !tile.ptr<f32>
  %b = tile.load %y : !tile.ptr<f32>
  tile.store %x, %b : !tile.ptr<f32>
  return
}

// What one iteration stores the next one may load; the pointers have moved.
// CHECK-LABEL: @loop
// CHECK: scf.for
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.addptr
func.func @loop(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %step = arith.constant dense<64> : tensor<128xi32, #a>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tile.range 0 to 128 : tensor<128xi32, #a>
  %xs = tile.splat %x : !tile.ptr<f32> -> !ptrs
  %xp = tile.addptr %xs, %r : !ptrs, tensor<128xi32, #a>
  %e = scf.for %i = %c0 to %n step %c1 iter_args(%p = %xp) -> (!ptrs) : i32 {
    %a = tile.load %p : !ptrs
    tile.store %p, %a : !ptrs
    %q = tile.addptr %p, %step : !ptrs, tensor<128xi32, #a>
    scf.yield %q : !ptrs
  }
  return
}

// A loop that only reads needs no barrier; what was stored before it needs one, outside.
// CHECK-LABEL: @before_loop
// CHECK: tile.store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: scf.for
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @before_loop(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32, %v: !vals) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tile.range 0 to 128 : tensor<128xi32, #a>
  %xs = tile.splat %x : !tile.ptr<f32> -> !ptrs
  %ys = tile.splat %y : !tile.ptr<f32> -> !ptrs
  %xp = tile.addptr %xs, %r : !ptrs, tensor<128xi32, #a>
  %yp = tile.addptr %ys, %r : !ptrs, tensor<128xi32, #a>
  tile.store %yp, %v : !ptrs
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %v) -> (!vals) : i32 {
    %a = tile.load %xp : !ptrs
    %t = arith.addf %sum, %a : !vals
    scf.yield %t : !vals
  }
  return
}

// Either way through a branch counts, and a barrier on one way alone does not.
// CHECK-LABEL: @branch
// CHECK: scf.if
// CHECK-NEXT: tile.store
// CHECK-NEXT: } else {
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.load
func.func @branch(%x: !tile.ptr<f32>, %c: i1, %v: f32) -> f32 attributes {tile.kernel} {
  scf.if %c {
    tile.store %x, %v : !tile.ptr<f32>
  } else {
    tile.barrier
  }
  %a = tile.load %x : !tile.ptr<f32>
  return %a : f32
}

// Sums whose results nobody sees may come in any order; others may not.
// CHECK-LABEL: @atomics
// CHECK: tile.atomic_rmw fadd
// CHECK-NEXT: tile.atomic_rmw fadd
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.atomic_rmw fmax
func.func @atomics(%x: !tile.ptr<f32>, %at: tensor<128xi32, #a>, %v: !vals) attributes {tile.kernel} {
  %xs = tile.splat %x : !tile.ptr<f32> -> !ptrs
  %p = tile.addptr %xs, %at : !ptrs, tensor<128xi32, #a>
  %0 = tile.atomic_rmw fadd relaxed device %p, %v : !ptrs, !vals
  %1 = tile.atomic_rmw fadd relaxed device %xs, %v : !ptrs, !vals
  %2 = tile.atomic_rmw fmax relaxed device %p, %v : !ptrs, !vals
  return
}

// A release waits for all threads, after an acquire all threads wait.
// CHECK-LABEL: @order
// CHECK: tile.store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.atomic_rmw xchg release
// CHECK-NEXT: tile.atomic_rmw xchg acquire
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.load
func.func @order(%x: !tile.ptr<f32> {tile.noalias}, %lock: !tile.ptr<i32>, %v: f32, %one: i32) -> f32 attributes {tile.kernel} {
  tile.store %x, %v : !tile.ptr<f32>
  %0 = tile.atomic_rmw xchg release device %lock, %one : !tile.ptr<i32>, i32
  %1 = tile.atomic_rmw xchg acquire device %lock, %one : !tile.ptr<i32>, i32
  %a = tile.load %x : !tile.ptr<f32>
  return %a : f32
}

// A result that is handed on has passed a barrier already; the next one that works in the
// same place has not.
// CHECK-LABEL: @scratch
// CHECK: tile.atomic_rmw {{.*}}tilegpu.scratch = 0
// CHECK-NEXT: tile.load %{{.*}} : !tile.ptr<f32>
func.func @scratch(%x: !tile.ptr<f32>, %lock: !tile.ptr<i32>, %one: i32) -> (i32, f32) attributes {tile.kernel} {
  %0 = tile.atomic_rmw xchg acquire device %lock, %one : !tile.ptr<i32>, i32
  %a = tile.load %x : !tile.ptr<f32>
  return %0, %a : i32, f32
}

// In a loop the same place is used again: a barrier in each iteration.
// CHECK-LABEL: @scratch_loop
// CHECK: scf.while
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.atomic_cas
// CHECK-NEXT: arith.cmpi
// CHECK-NEXT: scf.condition
func.func @scratch_loop(%lock: !tile.ptr<i32>, %zero: i32, %one: i32) attributes {tile.kernel} {
  scf.while : () -> () {
    %0 = tile.atomic_cas acquire device %lock, %zero, %one : !tile.ptr<i32>, i32
    %c = arith.cmpi ne, %0, %zero : i32
    scf.condition(%c)
  } do {
    scf.yield
  }
  return
}
}
