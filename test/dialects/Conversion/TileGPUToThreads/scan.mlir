// RUN: tegula-opt %s -tilegpu-plan-shared -tilegpu-to-threads -canonicalize -cse | FileCheck %s

#inside = #tilegpu.linear<4x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [0, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]]>
#line = #tilegpu.linear<512, register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>
#three = #tilegpu.linear<16, lane = [[1], [2], [4], [8], [0]], warp = [[0], [0]], repeat = [[register, 0, 3]]>
#mixed = #tilegpu.linear<4x32, register = [[1, 1], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 0], [0, 0]]>
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 4 : i32} {

// In registers alone: 1 + 2 additions to pairs, 2 to the upper half and the totals.
// CHECK-LABEL: func.func @inside(
// CHECK-NOT: gpu.
// CHECK: arith.addi {{.*}} : vector<2xi32>
// CHECK-NOT: gpu.
// CHECK: return
func.func @inside(%x: tensor<4x4xi32, #inside>) -> tensor<4x4xi32, #inside> {
  %s = tile.scan (%x) axis 1 : (tensor<4x4xi32, #inside>) -> tensor<4x4xi32, #inside> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  return %s : tensor<4x4xi32, #inside>
}

// One shuffle of totals for each bit of lanes, one barrier for all warps.
// CHECK-LABEL: func.func @line(
// CHECK-COUNT-5: gpu.shuffle
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.barrier
// CHECK: llvm.load {{.*}} -> vector<4xf32>
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @line(%x: tensor<512xf32, #line>) -> tensor<512xf32, #line> {
  %s = tile.scan (%x) axis 0 : (tensor<512xf32, #line>) -> tensor<512xf32, #line> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %s : tensor<512xf32, #line>
}

// Reversed, the warp counts from the other end.
// CHECK-LABEL: func.func @reverse(
// CHECK: gpu.barrier
// CHECK: %[[RANK:.*]] = arith.subi %c3_i32, %{{.*}} : i32
// CHECK: return
func.func @reverse(%x: tensor<512xf32, #line>) -> tensor<512xf32, #line> {
  %s = tile.scan (%x) axis 0 reverse : (tensor<512xf32, #line>) -> tensor<512xf32, #line> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %s : tensor<512xf32, #line>
}

// Three sixteens: registers come after the lanes.
// CHECK-LABEL: func.func @three(
// CHECK-COUNT-12: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @three(%x: tensor<48xi32, #three>) -> tensor<48xi32, #three> {
  %s = tile.scan (%x) axis 0 : (tensor<48xi32, #three>) -> tensor<48xi32, #three> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tile.yield %c : i32
  }
  return %s : tensor<48xi32, #three>
}

// Lines one by one, in shared memory.
// CHECK-LABEL: func.func @mixed(
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: scf.for
// CHECK: llvm.store
// CHECK: gpu.barrier
// CHECK: return
func.func @mixed(%x: tensor<4x32xf32, #mixed>) -> tensor<4x32xf32, #mixed> {
  %s = tile.scan (%x) axis 1 : (tensor<4x32xf32, #mixed>) -> tensor<4x32xf32, #mixed> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %s : tensor<4x32xf32, #mixed>
}
}
