// RUN: tegula-opt %s -tilegpu-plan-shared -tilegpu-to-threads -canonicalize -cse | FileCheck %s

#line = #tilegpu.linear<1024, register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128], [256], [512]]>
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 16 : i32} {

// The partial results of many warps: each lane reads one, and shuffles bring them together.
// CHECK-LABEL: func.func @line(
// CHECK-DAG: %[[LAST:.+]] = arith.constant 15 : i32
// CHECK-COUNT-5: gpu.shuffle
// CHECK: gpu.barrier
// CHECK: arith.andi %{{.+}}, %[[LAST]] : i32
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK-COUNT-4: gpu.shuffle
// CHECK-NOT: gpu.shuffle
// CHECK: return {{.*}} : f32
func.func @line(%x: tensor<1024xf32, #line>) -> f32 {
  %s = tile.reduce (%x) axis 0 : (tensor<1024xf32, #line>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %s : f32
}

// In order: the lane with the bit set has the right operand.
// CHECK-LABEL: func.func @ordered(
// CHECK: gpu.barrier
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK-COUNT-4: arith.select
// CHECK: return {{.*}} : f32
func.func @ordered(%x: tensor<1024xf32, #line>) -> f32 {
  %s = tile.reduce (%x) axis 0 : (tensor<1024xf32, #line>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %h = arith.constant 0.5 : f32
    %l = arith.mulf %a, %h : f32
    %c = arith.addf %l, %b : f32
    tile.yield %c : f32
  }
  return %s : f32
}
}
