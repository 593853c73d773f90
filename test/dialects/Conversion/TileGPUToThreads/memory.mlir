// RUN: tegula-opt %s -tilegpu-plan-accesses -tilegpu-plan-shared -tilegpu-to-threads -canonicalize -cse | FileCheck %s

#four = #tilegpu.linear<512, register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>
#copies = #tilegpu.linear<32, lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]]>

module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 65536, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 4 : i32} {

// Four neighbours in each thread, aligned: one access.
// CHECK-LABEL: @wide
// CHECK: tilegpu.thread_load %{{.*}} align 16 : {{.*}}<1> -> vector<4xf32>
// CHECK-NOT: thread_load
// CHECK: tilegpu.thread_store %{{.*}}, %{{.*}} align 16 : {{.*}}<1>, vector<4xf32>
// CHECK-NOT: thread_store
func.func @wide(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.range 0 to 512 : tensor<512xi32, #four>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #four>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #four>
  %xp = tile.addptr %xs, %r : tensor<512x!tile.ptr<f32>, #four>, tensor<512xi32, #four>
  %yp = tile.addptr %ys, %r : tensor<512x!tile.ptr<f32>, #four>, tensor<512xi32, #four>
  %v = tile.load %xp : tensor<512x!tile.ptr<f32>, #four>
  tile.store %yp, %v : tensor<512x!tile.ptr<f32>, #four>
  return
}

// A pointer of which nothing is known: four accesses of one element each.
// CHECK-LABEL: @unaligned
// CHECK-COUNT-4: tilegpu.thread_load %{{.*}} align 4 : {{.*}}<1> -> f32
// CHECK-NOT: thread_load
// CHECK-COUNT-4: tilegpu.thread_store %{{.*}}, %{{.*}} align 4 : {{.*}}<1>, f32
func.func @unaligned(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 512 : tensor<512xi32, #four>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #four>
  %xp = tile.addptr %xs, %r : tensor<512x!tile.ptr<f32>, #four>, tensor<512xi32, #four>
  %v = tile.load %xp : tensor<512x!tile.ptr<f32>, #four>
  tile.store %xp, %v : tensor<512x!tile.ptr<f32>, #four>
  return
}

// The mask is the same for pairs: two accesses of two elements, `other` in pairs.
// CHECK-LABEL: @masked
// CHECK-COUNT-2: tilegpu.thread_load %{{.*}} mask %{{.*}} other %{{.*}} align 8 : {{.*}}<1>, vector<2xf32> -> vector<2xf32>
// CHECK-COUNT-2: tilegpu.thread_store %{{.*}}, %{{.*}} mask %{{.*}} align 8 {cache = #tile<cache cs>} : {{.*}}<1>, vector<2xf32>
func.func @masked(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 2 : i32}, %o: f32) attributes {tile.kernel} {
  %r = tile.range 0 to 512 : tensor<512xi32, #four>
  %ns = tile.splat %n : i32 -> tensor<512xi32, #four>
  %m = arith.cmpi slt, %r, %ns : tensor<512xi32, #four>
  %os = tile.splat %o : f32 -> tensor<512xf32, #four>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #four>
  %xp = tile.addptr %xs, %r : tensor<512x!tile.ptr<f32>, #four>, tensor<512xi32, #four>
  %v = tile.load %xp mask %m other %os : tensor<512x!tile.ptr<f32>, #four>
  tile.store %xp, %v mask %m {cache = #tile<cache cs>} : tensor<512x!tile.ptr<f32>, #four>
  return
}

// i1 lies in memory as bytes: 0 is false.
// CHECK-LABEL: @bools
// CHECK: %[[BYTES:.*]] = tilegpu.thread_load %{{.*}} align 4 : {{.*}}<1> -> vector<4xi8>
// CHECK: %[[BITS:.*]] = arith.cmpi ne, %[[BYTES]]
// CHECK: %[[OUT:.*]] = arith.extui %{{.*}} : vector<4xi1> to vector<4xi8>
// CHECK: tilegpu.thread_store %{{.*}} align 4 : {{.*}}<1>, vector<4xi8>
func.func @bools(%x: !tile.ptr<i1> {tile.divisibility = 4 : i32}) attributes {tile.kernel} {
  %r = tile.range 0 to 512 : tensor<512xi32, #four>
  %xs = tile.splat %x : !tile.ptr<i1> -> tensor<512x!tile.ptr<i1>, #four>
  %xp = tile.addptr %xs, %r : tensor<512x!tile.ptr<i1>, #four>, tensor<512xi32, #four>
  %v = tile.load %xp : tensor<512x!tile.ptr<i1>, #four>
  tile.store %xp, %v : tensor<512x!tile.ptr<i1>, #four>
  return
}

// All threads load a scalar, one stores it; one loads it if it is volatile, and hands it on.
// CHECK-LABEL: @scalars
// CHECK: %[[A:.*]] = tilegpu.thread_load %{{.*}} align 4 : {{.*}}<1> -> i32
// CHECK: %[[B:.*]] = tilegpu.thread_load %{{.*}} mask %{{.*}} align 4 {is_volatile} : {{.*}}<1> -> i32
// CHECK: scf.if
// CHECK: llvm.store %[[B]]
// CHECK: gpu.barrier
// CHECK: %[[C:.*]] = llvm.load
// CHECK: %[[SUM:.*]] = arith.addi %[[A]], %[[C]]
// CHECK: tilegpu.thread_store %{{.*}}, %[[SUM]] mask %{{.*}} align 4 : {{.*}}<1>, i32
func.func @scalars(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %a = tile.load %x : !tile.ptr<i32>
  %b = tile.load %x {is_volatile} : !tile.ptr<i32>
  %c = arith.addi %a, %b : i32
  tile.store %x, %c : !tile.ptr<i32>
  return
}

// All warps hold the same: the first one writes.
// CHECK-LABEL: @copies
// CHECK: tilegpu.thread_load %{{.*}} align 4 : {{.*}}<1> -> f32
// CHECK: tilegpu.thread_store %{{.*}} mask %{{.*}} align 4 : {{.*}}<1>, f32
func.func @copies(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 32 : tensor<32xi32, #copies>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #copies>
  %xp = tile.addptr %xs, %r : tensor<32x!tile.ptr<f32>, #copies>, tensor<32xi32, #copies>
  %v = tile.load %xp : tensor<32x!tile.ptr<f32>, #copies>
  tile.store %xp, %v : tensor<32x!tile.ptr<f32>, #copies>
  return
}

// Offsets are sign-extended and counted in elements; pointers behind pointers have 8 bytes.
// CHECK-LABEL: @addresses
// CHECK-SAME: (%[[X:.*]]: !llvm.ptr<1>, %[[N:.*]]: i32)
// CHECK: %[[W:.*]] = arith.extsi %[[N]] : i32 to i64
// CHECK: %[[P:.*]] = llvm.getelementptr %[[X]][%[[W]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
// CHECK: %[[Q:.*]] = tilegpu.thread_load %[[P]] align 8 : {{.*}}<1> -> {{.*}}<1>
// CHECK: %[[I:.*]] = llvm.ptrtoint %[[Q]] : !llvm.ptr<1> to i64
// CHECK: tilegpu.thread_store %[[Q]], %[[I]]
func.func @addresses(%x: !tile.ptr<!tile.ptr<i64>>, %n: i32) attributes {tile.kernel} {
  %p = tile.addptr %x, %n : !tile.ptr<!tile.ptr<i64>>, i32
  %q = tile.load %p : !tile.ptr<!tile.ptr<i64>>
  %i = tile.ptr_to_int %q : !tile.ptr<i64> -> i64
  tile.store %q, %i : !tile.ptr<i64>
  return
}

// Addresses that were loaded may be equal: look whether another element won, then store
// in row-major order.
// CHECK-LABEL: @scatter
// CHECK-COUNT-4: tilegpu.thread_store
// CHECK: gpu.barrier
// CHECK-COUNT-4: tilegpu.thread_load
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: scf.for %[[I:.*]] =
// CHECK: arith.cmpi eq, %{{.*}}, %[[I]]
// CHECK-COUNT-4: tilegpu.thread_store
// CHECK: gpu.barrier
func.func @scatter(%x: !tile.ptr<f32>, %at: tensor<512xi32, #four>, %v: tensor<512xf32, #four>) {
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #four>
  %xp = tile.addptr %xs, %at : tensor<512x!tile.ptr<f32>, #four>, tensor<512xi32, #four>
  tile.store %xp, %v : tensor<512x!tile.ptr<f32>, #four>
  return
}
}
