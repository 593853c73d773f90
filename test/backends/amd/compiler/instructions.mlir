// REQUIRES: plugin-amd
// RUN: env TEGULA_PLUGIN_PATH=%build/lib/tegula/amd tegula-opt %s -split-input-file -amd-lower-threads | FileCheck %s

// Where a thread is.
// CHECK-LABEL: func.func @places
// CHECK: rocdl.workitem.id.x : i32
// CHECK: rocdl.workgroup.id.y : i32
// CHECK: %[[MORE:.+]] = llvm.call_intrinsic "llvm.amdgcn.implicitarg.ptr"() : () -> !llvm.ptr<4>
// CHECK: %[[PLACE:.+]] = llvm.getelementptr %[[MORE]][2] : (!llvm.ptr<4>) -> !llvm.ptr<4>, i32
// CHECK: llvm.load %[[PLACE]] invariant {alignment = 4 : i64} : !llvm.ptr<4> -> i32
func.func @places() -> (index, index, index) {
  %0 = gpu.thread_id x
  %1 = gpu.block_id y
  %2 = gpu.grid_dim z
  return %0, %1, %2 : index, index, index
}

// -----

// Shared memory has no value at first; threads wait for each other's accesses.
// CHECK: llvm.mlir.global internal @tegula_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<4096 x i8>
// CHECK-LABEL: func.func @shared
// CHECK: llvm.mlir.addressof @tegula_shared : !llvm.ptr<3>
// CHECK: llvm.fence syncscope("workgroup") release
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: llvm.fence syncscope("workgroup") acquire
module attributes {tilegpu.shared_bytes = 4096 : i32} {
  func.func @shared() -> !llvm.ptr<3> {
    %0 = tilegpu.shared_base : !llvm.ptr<3>
    gpu.barrier
    return %0 : !llvm.ptr<3>
  }
}

// -----

// Among 32 lanes the pattern is part of the instruction; 32 lanes away and to lanes that are
// computed it is an address in bytes.
// CHECK-LABEL: func.func @lanes
// CHECK-SAME: %[[X:.+]]: i32, %[[F:.+]]: f32, %[[LANE:.+]]: i32)
// CHECK: %[[PATTERN:.+]] = llvm.mlir.constant(4127 : i32)
// CHECK: rocdl.ds_swizzle %[[X]], %[[PATTERN]]
// CHECK: rocdl.mbcnt.lo
// CHECK: %[[SELF:.+]] = rocdl.mbcnt.hi
// CHECK: %[[OTHER:.+]] = arith.xori %[[SELF]], %{{.+}} : i32
// CHECK: %[[TWO:.+]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[AT:.+]] = arith.shli %[[OTHER]], %[[TWO]]
// CHECK: rocdl.ds_bpermute %[[AT]], %[[X]]
// CHECK: %[[BITS:.+]] = llvm.bitcast %[[F]] : f32 to i32
// CHECK: %[[TO:.+]] = arith.shli %[[LANE]],
// CHECK: %[[GOT:.+]] = rocdl.ds_bpermute %[[TO]], %[[BITS]]
// CHECK: llvm.bitcast %[[GOT]] : i32 to f32
// CHECK: arith.subi
// CHECK: arith.addi
func.func @lanes(%x: i32, %f: f32, %lane: i32) -> (i32, i32, f32, i32, i32) {
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c32 = arith.constant 32 : i32
  %w = arith.constant 64 : i32
  %0, %v0 = gpu.shuffle xor %x, %c4, %w : i32
  %1, %v1 = gpu.shuffle xor %x, %c32, %w : i32
  %2, %v2 = gpu.shuffle idx %f, %lane, %w : f32
  %3, %v3 = gpu.shuffle up %x, %c1, %w : i32
  %4, %v4 = gpu.shuffle down %x, %c1, %w : i32
  return %0, %1, %2, %3, %4 : i32, i32, f32, i32, i32
}

// -----

// Masks are branches; hints say what the caches have not.
// CHECK-LABEL: func.func @memory
// CHECK: %[[OTHER:.+]] = llvm.mlir.zero : vector<4xf32>
// CHECK: scf.if %[[M:.+]] -> (vector<4xf32>) {
// CHECK: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: } else {
// CHECK: scf.yield %[[OTHER]]
// CHECK: llvm.load volatile %{{.+}} {alignment = 4 : i64}
// CHECK: llvm.load %{{.+}} {alignment = 4 : i64, nontemporal}
// CHECK: scf.if
// CHECK-NEXT: llvm.store %{{.+}} {alignment = 16 : i64}
// CHECK: llvm.store %{{.+}} {alignment = 4 : i64, nontemporal}
func.func @memory(%p: !llvm.ptr<1>, %m: i1) {
  %a = tilegpu.thread_load %p mask %m align 16 : !llvm.ptr<1> -> vector<4xf32>
  %b = tilegpu.thread_load %p align 4 {is_volatile} : !llvm.ptr<1> -> i32
  %c = tilegpu.thread_load %p align 4 {cache = #tile<cache cs>} : !llvm.ptr<1> -> i32
  tilegpu.thread_store %p, %a mask %m align 16 : !llvm.ptr<1>, vector<4xf32>
  tilegpu.thread_store %p, %b align 4 {evict = #tile<evict evict_first>} : !llvm.ptr<1>, i32
  tilegpu.thread_store %p, %c align 4 : !llvm.ptr<1>, i32
  return
}

// -----

// CHECK-LABEL: func.func @atomics
// CHECK: llvm.atomicrmw fadd %{{.+}}, %{{.+}} syncscope("agent") monotonic
// CHECK: llvm.atomicrmw umax %{{.+}}, %{{.+}} syncscope("workgroup") acq_rel
// CHECK: llvm.atomicrmw xchg %{{.+}}, %{{.+}} release : !llvm.ptr<1>, i32
// CHECK: scf.if
// CHECK: llvm.cmpxchg %{{.+}}, %{{.+}}, %{{.+}} syncscope("agent") acquire acquire
// A NaN loses, which no instruction does.
// CHECK: llvm.load %{{.+}} atomic syncscope("agent") monotonic
// CHECK: scf.while
// CHECK: arith.maximumf
// CHECK: llvm.cmpxchg %{{.+}}, %{{.+}}, %{{.+}} syncscope("agent") acq_rel acquire
func.func @atomics(%p: !llvm.ptr<1>, %x: f32, %i: i32, %m: i1) -> (f32, i32, f32, i32, f32) {
  %0 = tilegpu.thread_atomic_rmw fadd relaxed device %p, %x : !llvm.ptr<1>, f32
  %1 = tilegpu.thread_atomic_rmw umax acq_rel program %p, %i : !llvm.ptr<1>, i32
  %2 = tilegpu.thread_atomic_rmw xchg release system %p, %x : !llvm.ptr<1>, f32
  %3 = tilegpu.thread_atomic_cas acquire device %p, %i, %i mask %m : !llvm.ptr<1>, i32
  %4 = tilegpu.thread_atomic_rmw fmax acq_rel device %p, %x : !llvm.ptr<1>, f32
  return %0, %1, %2, %3, %4 : f32, i32, f32, i32, f32
}
