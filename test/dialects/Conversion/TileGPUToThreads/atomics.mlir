// RUN: tegula-opt %s -tilegpu-plan-accesses -tilegpu-plan-shared -tilegpu-insert-barriers -tilegpu-to-threads -canonicalize -cse | FileCheck %s

#two = #tilegpu.linear<256, register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]]>
#copies = #tilegpu.linear<32, lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]]>
#half = #tilegpu.linear<64, lane = [[1], [2], [4], [8], [0]], warp = [[16], [32]]>

module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 65536, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 4 : i32} {

// Each register one access, masks too.
// CHECK-LABEL: @tile
// CHECK: %[[A:.*]] = tilegpu.thread_atomic_rmw fadd relaxed device %{{.*}}, %{{.*}} mask %{{.*}} : {{.*}}<1>, f32
// CHECK: %[[B:.*]] = tilegpu.thread_atomic_rmw fadd relaxed device %{{.*}}, %{{.*}} mask %{{.*}} : {{.*}}<1>, f32
// CHECK-NOT: gpu.barrier
// CHECK: vector.from_elements %[[A]], %[[B]]
func.func @tile(%p: tensor<256x!tile.ptr<f32>, #two>, %v: tensor<256xf32, #two>, %m: tensor<256xi1, #two>) -> tensor<256xf32, #two> {
  %0 = tile.atomic_rmw fadd relaxed device %p, %v mask %m : tensor<256x!tile.ptr<f32>, #two>, tensor<256xf32, #two>, tensor<256xi1, #two>
  return %0 : tensor<256xf32, #two>
}

// One lane of two acts; the other gets the result by a shuffle.
// CHECK-LABEL: @lane_copies
// CHECK: tilegpu.thread_atomic_cas acq_rel device %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} : {{.*}}<1>, i32
// CHECK: gpu.shuffle idx
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @lane_copies(%p: tensor<64x!tile.ptr<i32>, #half>, %e: tensor<64xi32, #half>, %v: tensor<64xi32, #half>) -> tensor<64xi32, #half> {
  %0 = tile.atomic_cas acq_rel device %p, %e, %v : tensor<64x!tile.ptr<i32>, #half>, tensor<64xi32, #half>
  return %0 : tensor<64xi32, #half>
}

// One warp of four acts; the others get the result through shared memory.
// CHECK-LABEL: @warp_copies
// CHECK: tilegpu.thread_atomic_rmw xchg relaxed device %{{.*}} mask
// CHECK: llvm.store
// CHECK: gpu.barrier
// CHECK: llvm.load
func.func @warp_copies(%p: tensor<32x!tile.ptr<i32>, #copies>, %v: tensor<32xi32, #copies>) -> tensor<32xi32, #copies> {
  %0 = tile.atomic_rmw xchg relaxed device %p, %v : tensor<32x!tile.ptr<i32>, #copies>, tensor<32xi32, #copies>
  return %0 : tensor<32xi32, #copies>
}

// Nobody asks for the result: nothing is handed on.
// CHECK-LABEL: @unused
// CHECK: tilegpu.thread_atomic_rmw umax relaxed system %{{.*}} mask
// CHECK-NEXT: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: tilegpu.thread_atomic_rmw add relaxed program %{{.*}} mask
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @unused(%p: tensor<32x!tile.ptr<i32>, #copies>, %v: tensor<32xi32, #copies>, %q: !tile.ptr<i64> , %w: i64) {
  %0 = tile.atomic_rmw umax relaxed system %p, %v : tensor<32x!tile.ptr<i32>, #copies>, tensor<32xi32, #copies>
  tile.barrier
  %1 = tile.atomic_rmw add relaxed program %q, %w : !tile.ptr<i64>, i64
  return
}

// A scalar: one thread acts, all learn what it found.
// CHECK-LABEL: @scalar
// CHECK: %[[OLD:.*]] = tilegpu.thread_atomic_rmw xchg acq_rel device %{{.*}} mask %[[FIRST:.*]] : {{.*}}<1>, i64
// CHECK: scf.if %[[FIRST]]
// CHECK: llvm.store %[[OLD]]
// CHECK: gpu.barrier
// CHECK: %[[ALL:.*]] = llvm.load
// CHECK: return %[[ALL]]
func.func @scalar(%q: !tile.ptr<i64> , %w: i64) -> i64 {
  %1 = tile.atomic_rmw xchg acq_rel device %q, %w : !tile.ptr<i64>, i64
  return %1 : i64
}
}
