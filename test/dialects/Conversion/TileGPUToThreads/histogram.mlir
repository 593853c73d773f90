// RUN: tegula-opt %s -tilegpu-plan-shared -tilegpu-to-threads -canonicalize -cse | FileCheck %s

#line = #tilegpu.linear<512, register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>
#copies = #tilegpu.linear<16, lane = [[1], [2], [4], [8], [0]], warp = [[0], [0]]>
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 4 : i32} {

// CHECK-LABEL: func.func @masked(
// CHECK: scf.for
// CHECK: llvm.store %c0_i32
// CHECK: gpu.barrier
// CHECK: %[[WIDE:.*]] = arith.extsi %arg0 : vector<4xi8> to vector<4xi32>
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[WIDE]]
// CHECK: arith.andi %arg1, %[[IN]] : vector<4xi1>
// CHECK-COUNT-4: llvm.atomicrmw add
// CHECK: gpu.barrier
// CHECK: llvm.load
func.func @masked(%x: tensor<512xi8, #line>, %m: tensor<512xi1, #line>) -> tensor<16xi32, #copies> {
  %h = tile.histogram %x mask %m : tensor<512xi8, #line>, tensor<512xi1, #line> -> tensor<16xi32, #copies>
  return %h : tensor<16xi32, #copies>
}

// Copies count once.
// CHECK-LABEL: func.func @copies(
// CHECK: gpu.barrier
// CHECK: %[[FIRST:.*]] = arith.cmpi eq
// CHECK: %[[COUNTS:.*]] = arith.andi %[[FIRST]]
// CHECK: scf.if %[[COUNTS]]
// CHECK: llvm.atomicrmw add
// CHECK-NOT: llvm.atomicrmw
// CHECK: return
func.func @copies(%x: tensor<16xi64, #copies>) -> tensor<16xi32, #copies> {
  %h = tile.histogram %x : tensor<16xi64, #copies> -> tensor<16xi32, #copies>
  return %h : tensor<16xi32, #copies>
}
}
