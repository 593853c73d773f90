// RUN: tegula-opt %s -tilegpu-plan-shared -tilegpu-to-threads -canonicalize -cse | FileCheck %s

#x = #tilegpu.linear<4x32, register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 0], [0, 0]]>
#i = #tilegpu.linear<2x32, register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 0], [0, 0]]>
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 4 : i32} {

// An index outside, seen in its own width, reads the first element and yields zero.
// CHECK-LABEL: func.func @wide(
// CHECK-DAG: %[[SIZE:.*]] = arith.constant dense<4> : vector<2xi64>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<2xf32>
// CHECK: gpu.barrier
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %arg1, %[[SIZE]] : vector<2xi64>
// CHECK: arith.select %[[INSIDE]], %arg1
// CHECK-COUNT-2: llvm.load {{.*}} -> f32
// CHECK: arith.select %[[INSIDE]], %{{.*}}, %[[ZERO]]
func.func @wide(%x: tensor<4x32xf32, #x>, %i: tensor<2x32xi64, #i>) -> tensor<2x32xf32, #i> {
  %g = tile.gather %x[%i] axis 0 : tensor<4x32xf32, #x>, tensor<2x32xi64, #i> -> tensor<2x32xf32, #i>
  return %g : tensor<2x32xf32, #i>
}

// CHECK-LABEL: func.func @narrow(
// CHECK: arith.extsi %arg1 : vector<4xi8> to vector<4xi32>
// CHECK-COUNT-4: llvm.load {{.*}} -> i8
// CHECK: arith.trunci
func.func @narrow(%x: tensor<4x32xi1, #x>, %i: tensor<4x32xi8, #x>) -> tensor<4x32xi1, #x> {
  %g = tile.gather %x[%i] axis 1 : tensor<4x32xi1, #x>, tensor<4x32xi8, #x> -> tensor<4x32xi1, #x>
  return %g : tensor<4x32xi1, #x>
}
}
