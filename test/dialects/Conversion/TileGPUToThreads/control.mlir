// RUN: tegula-opt --no-plugins %s -tilegpu-to-threads | FileCheck %s

#caps = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 65536,
                              max_access_bytes = 16, load_matrix = false>
#layout = #tilegpu.linear<128, register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]>

module attributes {tilegpu.capabilities = #caps, tile.num_warps = 1 : i32} {
  // CHECK-LABEL: func.func @programs
  // CHECK: gpu.block_id y
  // CHECK: arith.index_cast %{{.*}} : index to i32
  // CHECK: gpu.grid_dim z
  func.func @programs() -> (i32, i32) {
    %0 = tile.program_id 1 : i32
    %1 = tile.num_programs 2 : i32
    %2 = tile.hint %1 {divisibility = array<i64: 16>} : i32
    return %0, %2 : i32, i32
  }

  // CHECK-LABEL: func.func @arguments(
  // CHECK-SAME: %[[X:.*]]: vector<4xf32>, %[[P:.*]]: !llvm.ptr<1>, %{{.*}}: i1) -> vector<4xf32>
  // CHECK: return %[[X]] : vector<4xf32>
  func.func @arguments(%x: tensor<128xf32, #layout>, %p: !tile.ptr<f32>, %c: i1)
      -> tensor<128xf32, #layout> {
    tile.assume %c : i1
    tile.barrier
    return %x : tensor<128xf32, #layout>
  }

  // CHECK-LABEL: func.func @callee
  // CHECK: %[[R:.*]] = call @arguments(%{{.*}}) : (vector<4xf32>, !llvm.ptr<1>, i1) -> vector<4xf32>
  func.func @callee(%x: tensor<128xf32, #layout>, %p: !tile.ptr<f32>, %c: i1)
      -> tensor<128xf32, #layout> {
    %0 = func.call @arguments(%x, %p, %c)
        : (tensor<128xf32, #layout>, !tile.ptr<f32>, i1) -> tensor<128xf32, #layout>
    return %0 : tensor<128xf32, #layout>
  }

  // CHECK-LABEL: func.func @loops
  // CHECK: scf.for {{.*}} iter_args(%[[I:.*]] = %{{.*}}) -> (vector<4xf32>)
  // CHECK: arith.addf %[[I]], %[[I]] : vector<4xf32>
  // CHECK: scf.yield %{{.*}} : vector<4xf32>
  // CHECK: scf.if %{{.*}} -> (vector<4xf32>)
  // CHECK: scf.while {{.*}} : (vector<4xf32>) -> vector<4xf32>
  // CHECK: scf.condition(%{{.*}}) %{{.*}} : vector<4xf32>
  func.func @loops(%x: tensor<128xf32, #layout>, %n: i32, %c: i1) -> tensor<128xf32, #layout> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<128xf32, #layout>) : i32 {
      %s = arith.addf %a, %a : tensor<128xf32, #layout>
      scf.yield %s : tensor<128xf32, #layout>
    }
    %1 = scf.if %c -> (tensor<128xf32, #layout>) {
      scf.yield %0 : tensor<128xf32, #layout>
    } else {
      scf.yield %x : tensor<128xf32, #layout>
    }
    %2 = scf.while (%a = %1) : (tensor<128xf32, #layout>) -> tensor<128xf32, #layout> {
      scf.condition(%c) %a : tensor<128xf32, #layout>
    } do {
    ^bb0(%a: tensor<128xf32, #layout>):
      %s = arith.mulf %a, %a : tensor<128xf32, #layout>
      scf.yield %s : tensor<128xf32, #layout>
    }
    return %2 : tensor<128xf32, #layout>
  }

  // CHECK-LABEL: func.func @poison
  // CHECK: arith.constant dense<0.000000e+00> : vector<4xf32>
  func.func @poison() -> tensor<128xf32, #layout> {
    %0 = ub.poison : tensor<128xf32, #layout>
    return %0 : tensor<128xf32, #layout>
  }
}
