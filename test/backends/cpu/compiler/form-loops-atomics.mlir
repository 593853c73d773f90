// RUN: tegula-opt %s -cpu-form-loops="vector-bits=128" -split-input-file | FileCheck %s

// Integers use instructions; a result that nobody uses is not kept.
// CHECK-LABEL: func.func @add
// CHECK-NOT:   tile_cpu.alloc
// CHECK:       scf.for
// CHECK:         llvm.atomicrmw add %{{.*}}, %{{.*}} monotonic : !llvm.ptr, i32
// CHECK-NOT:   llvm.store
func.func @add(%p: !tile.ptr<i32>, %x: i32) {
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<48x!tile.ptr<i32>>
  %xs = tile.splat %x : i32 -> tensor<48xi32>
  %old = tile.atomic_rmw add relaxed device %ps, %xs : tensor<48x!tile.ptr<i32>>, tensor<48xi32>
  return
}

// -----

// Where the mask is false nothing is accessed, and the result is 0.
// CHECK-LABEL: func.func @masked
// CHECK:       %[[OUT:.*]] = tile_cpu.alloc 192
// CHECK:       scf.for
// CHECK:         %[[OLD:.*]] = scf.if
// CHECK:           llvm.atomicrmw umax %{{.*}}, %{{.*}} acq_rel
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %c0_i32
// CHECK:         llvm.store %[[OLD]]
func.func @masked(%p: !tile.ptr<i32>, %x: i32, %n: i32, %q: !tile.ptr<i32>) {
  %r = tile.range 0 to 48 : tensor<48xi32>
  %ns = tile.splat %n : i32 -> tensor<48xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<48xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<48x!tile.ptr<i32>>
  %xs = tile.splat %x : i32 -> tensor<48xi32>
  %old = tile.atomic_rmw umax acq_rel device %ps, %xs mask %m
      : tensor<48x!tile.ptr<i32>>, tensor<48xi32>, tensor<48xi1>
  %qs = tile.splat %q : !tile.ptr<i32> -> tensor<48x!tile.ptr<i32>>
  %qp = tile.addptr %qs, %r : tensor<48x!tile.ptr<i32>>, tensor<48xi32>
  tile.store %qp, %old : tensor<48x!tile.ptr<i32>>
  return
}

// -----

// Floats compare and swap their bits.
// CHECK-LABEL: func.func @fadd
// CHECK:       %[[FIRST:.*]] = llvm.load %arg0 atomic monotonic {alignment = 2 : i64} : !llvm.ptr -> i16
// CHECK:       scf.while (%[[SEEN:.*]] = %[[FIRST]])
// CHECK:         %[[OLD:.*]] = arith.bitcast %[[SEEN]] : i16 to f16
// CHECK:         arith.addf %[[OLD]], %arg1 : f16
// CHECK:         llvm.cmpxchg %arg0, %[[SEEN]], %{{.*}} release monotonic : !llvm.ptr, i16
func.func @fadd(%p: !tile.ptr<f16>, %x: f16) {
  %old = tile.atomic_rmw fadd release system %p, %x : !tile.ptr<f16>, f16
  return
}

// -----

// CHECK-LABEL: func.func @fmax
// CHECK:       arith.maximumf
// CHECK-COUNT-2: arith.cmpf uno
// CHECK:       llvm.cmpxchg {{.*}} acquire acquire : !llvm.ptr, i32
func.func @fmax(%p: !tile.ptr<f32>, %x: f32) {
  %old = tile.atomic_rmw fmax acquire device %p, %x : !tile.ptr<f32>, f32
  return
}

// -----

// CHECK-LABEL: func.func @cas
// CHECK:       arith.bitcast %arg1 : f32 to i32
// CHECK:       llvm.cmpxchg {{.*}} acq_rel acquire : !llvm.ptr, i32
func.func @cas(%p: !tile.ptr<f32>, %e: f32, %x: f32) -> f32 {
  %old = tile.atomic_cas acq_rel device %p, %e, %x : !tile.ptr<f32>, f32
  return %old : f32
}

// -----

// CHECK-LABEL: func.func @pointers
// CHECK:       llvm.atomicrmw xchg %arg0, %arg1 acq_rel : !llvm.ptr, !llvm.ptr
func.func @pointers(%p: !tile.ptr<!tile.ptr<f32>>, %q: !tile.ptr<f32>) {
  %old = tile.atomic_rmw xchg acq_rel device %p, %q : !tile.ptr<!tile.ptr<f32>>, !tile.ptr<f32>
  return
}

// -----

// A load before an access that orders others is read before it, whatever its
// memory; one before a relaxed access only where the two may meet.
// CHECK-LABEL: func.func @release
// CHECK:       scf.for
// CHECK:         llvm.load
// CHECK:       llvm.atomicrmw
// CHECK:       scf.for
// CHECK-LABEL: func.func @relaxed
// CHECK-NOT:   scf.for
// CHECK:       llvm.atomicrmw
// CHECK:       scf.for
// CHECK:         llvm.load
func.func @release(%p: !tile.ptr<i32> {tile.noalias}, %q: !tile.ptr<i32> {tile.noalias}, %lock: !tile.ptr<i32> {tile.noalias}) {
  %zero = arith.constant 0 : i32
  %r = tile.range 0 to 64 : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %pp = tile.addptr %ps, %r : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %x = tile.load %pp : tensor<64x!tile.ptr<i32>>
  %old = tile.atomic_rmw xchg release device %lock, %zero : !tile.ptr<i32>, i32
  %qs = tile.splat %q : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %qp = tile.addptr %qs, %r : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  tile.store %qp, %x : tensor<64x!tile.ptr<i32>>
  return
}
func.func @relaxed(%p: !tile.ptr<i32> {tile.noalias}, %q: !tile.ptr<i32> {tile.noalias}, %lock: !tile.ptr<i32> {tile.noalias}) {
  %zero = arith.constant 0 : i32
  %r = tile.range 0 to 64 : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %pp = tile.addptr %ps, %r : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %x = tile.load %pp : tensor<64x!tile.ptr<i32>>
  %old = tile.atomic_rmw xchg relaxed device %lock, %zero : !tile.ptr<i32>, i32
  %qs = tile.splat %q : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %qp = tile.addptr %qs, %r : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  tile.store %qp, %x : tensor<64x!tile.ptr<i32>>
  return
}

// -----

// A loop that may wait for other programs marks its kernel and lets others run.
// CHECK-LABEL: func.func @spins
// CHECK-SAME:  tile_cpu.waits
// CHECK:       llvm.cmpxchg
// CHECK:       } do {
// CHECK:         llvm.call
// CHECK-LABEL: func.func @counts
// CHECK-NOT:   tile_cpu.waits
func.func @spins(%lock: !tile.ptr<i32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.while : () -> () {
    %o = tile.atomic_cas acquire device %lock, %zero, %one : !tile.ptr<i32>, i32
    %b = arith.cmpi ne, %o, %zero : i32
    scf.condition(%b)
  } do {
    scf.yield
  }
  return
}
func.func @counts(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %one = arith.constant 1 : i32
  %old = tile.atomic_rmw add relaxed device %p, %one : !tile.ptr<i32>, i32
  return
}
