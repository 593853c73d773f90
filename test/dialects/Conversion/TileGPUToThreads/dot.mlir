// RUN: tegula-opt %s -split-input-file -tilegpu-lower | FileCheck %s

// Operands go to shared memory as f32, by one of the warps that hold a copy; after the barrier
// four elements of a row of A and two of a row of B are read at once.
// CHECK-LABEL: @halves(
// CHECK-SAME: -> vector<2xf16>
// CHECK: %[[ACC:.*]] = arith.extf %arg2 : vector<2xf16> to vector<2xf32>
// CHECK: scf.if
// CHECK-COUNT-2: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK: }
// CHECK-COUNT-4: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: gpu.barrier
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} iter_args(%[[IN:.*]] = %[[ACC]]) -> (vector<2xf32>)
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: %[[B:.*]] = llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
// CHECK: math.fma %{{.*}}, %[[B]], %[[IN]] : vector<2xf32>
// CHECK-COUNT-3: math.fma
// CHECK-NOT: math.fma
// CHECK: arith.truncf %[[SUM]] : vector<2xf32> to vector<2xf16>
#few = #tilegpu.linear<4x16, register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[0, 0]]>
#square = #tilegpu.linear<16x16, register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0]]>
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 2 : i32} {
  func.func @halves(%a: tensor<4x16xf16, #few>, %b: tensor<16x16xf16, #square>, %c: tensor<4x16xf16, #few>) -> tensor<4x16xf16, #few> {
    %d = tile.dot %a, %b, %c precision ieee : tensor<4x16xf16, #few>, tensor<16x16xf16, #square>, tensor<4x16xf16, #few>
    return %d : tensor<4x16xf16, #few>
  }
}

// -----

// Integers as their signedness says; K of 3 is no loop.
// CHECK-LABEL: @bytes(
// CHECK: arith.extui %{{.*}} : vector<3xi8> to vector<3xi32>
// CHECK: gpu.barrier
// CHECK-NOT: scf.for
// CHECK-COUNT-3: arith.muli %{{.*}} : vector<1xi32>
#k = #tilegpu.linear<4x1, lane = [[1, 0], [2, 0], [0, 0], [0, 0], [0, 0]], repeat = [[register, 1, 3]]>
#n = #tilegpu.linear<1x8, lane = [[0, 1], [0, 2], [0, 4], [0, 0], [0, 0]], repeat = [[register, 0, 3]]>
#c = #tilegpu.linear<4x8, lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]>
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 1 : i32} {
  func.func @bytes(%a: tensor<4x3xi8, #k>, %b: tensor<3x8xi8, #n>, %c: tensor<4x8xi32, #c>) -> tensor<4x8xi32, #c> {
    %d = tile.dot %a, %b, %c precision ieee {signedness = #tile<signedness unsigned>} : tensor<4x3xi8, #k>, tensor<3x8xi8, #n>, tensor<4x8xi32, #c>
    return %d : tensor<4x8xi32, #c>
  }
}

// -----

// What does not fit at once comes in two halves of K, with a barrier between them; the half
// that an element lies in stores it.
// CHECK-LABEL: @halves_of_k(
// CHECK-COUNT-2: llvm.store %{{.*}} : f64
// CHECK: scf.if
// CHECK-COUNT-2: llvm.store %{{.*}} : f64
// CHECK-NOT: llvm.store
// CHECK: gpu.barrier
// CHECK-COUNT-2: math.fma
// CHECK-NOT: math.fma
// CHECK: gpu.barrier
// CHECK-COUNT-2: llvm.store %{{.*}} : f64
// CHECK: scf.if
// CHECK-COUNT-2: llvm.store %{{.*}} : f64
// CHECK-NOT: llvm.store
// CHECK: gpu.barrier
// CHECK-COUNT-2: math.fma
// CHECK-NOT: math.fma
#ka = #tilegpu.linear<32x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]>
#kb = #tilegpu.linear<4x1, register = [[1, 0], [2, 0]], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]]>
#kc = #tilegpu.linear<32x1, lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]>
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 2560, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 1 : i32} {
  func.func @halves_of_k(%a: tensor<32x4xf64, #ka>, %b: tensor<4x1xf64, #kb>, %c: tensor<32x1xf64, #kc>) -> tensor<32x1xf64, #kc> {
    %d = tile.dot %a, %b, %c precision ieee : tensor<32x4xf64, #ka>, tensor<4x1xf64, #kb>, tensor<32x1xf64, #kc>
    return %d : tensor<32x1xf64, #kc>
  }
}
