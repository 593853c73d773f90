// RUN: tegula-opt --no-plugins %s -tilegpu-to-threads | FileCheck %s

#caps = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 65536,
                              max_access_bytes = 16, load_matrix = false>
#layout = #tilegpu.linear<128, register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]>
#all = #tilegpu.linear<4, register = [[2], [1]], lane = [[0], [0], [0], [0], [0]]>
#four = #tilegpu.linear<4, lane = [[1], [2], [0], [0], [0]]>

// A table of constants lies in memory, booleans as bytes.
// CHECK: llvm.mlir.global internal constant @tegula_table_1(dense<[1, 0, 0, 1]>
// CHECK-SAME: addr_space = 1
// CHECK: llvm.mlir.global internal constant @tegula_table_0(dense<[5, 6, 7, 9]>
module attributes {tilegpu.capabilities = #caps, tile.num_warps = 1 : i32} {
  // CHECK-LABEL: func.func @arith
  // CHECK: arith.addi %{{.*}}, %{{.*}} overflow<nsw> : vector<4xi32>
  // CHECK: arith.cmpi slt, %{{.*}} : vector<4xi32>
  // CHECK: arith.select %{{.*}} : vector<4xi1>, vector<4xi32>
  // CHECK: arith.sitofp %{{.*}} : vector<4xi32> to vector<4xf32>
  // CHECK: math.exp %{{.*}} fastmath<contract> : vector<4xf32>
  // CHECK: arith.extf %{{.*}} : vector<4xf32> to vector<4xf64>
  func.func @arith(%a: tensor<128xi32, #layout>, %b: tensor<128xi32, #layout>)
      -> tensor<128xf64, #layout> {
    %0 = arith.addi %a, %b overflow<nsw> : tensor<128xi32, #layout>
    %1 = arith.cmpi slt, %0, %b : tensor<128xi32, #layout>
    %2 = arith.select %1, %0, %a : tensor<128xi1, #layout>, tensor<128xi32, #layout>
    %3 = arith.sitofp %2 : tensor<128xi32, #layout> to tensor<128xf32, #layout>
    %4 = math.exp %3 fastmath<contract> : tensor<128xf32, #layout>
    %5 = arith.extf %4 : tensor<128xf32, #layout> to tensor<128xf64, #layout>
    return %5 : tensor<128xf64, #layout>
  }

  // Runs of registers with one result are compared once.
  // CHECK-LABEL: func.func @runs
  // CHECK: %[[A:.+]] = vector.shuffle %arg0, %arg0 [0, 2] : vector<4xi32>
  // CHECK: %[[B:.+]] = vector.shuffle %arg1, %arg1 [0, 2] : vector<4xi32>
  // CHECK: %[[FEW:.+]] = arith.cmpi slt, %[[A]], %[[B]] : vector<2xi32>
  // CHECK: vector.shuffle %[[FEW]], %[[FEW]] [0, 0, 1, 1] : vector<2xi1>
  func.func @runs(%a: tensor<128xi32, #layout>, %b: tensor<128xi32, #layout>)
      -> tensor<128xi1, #layout> {
    %0 = arith.cmpi slt, %a, %b {tilegpu.access = array<i64: 0, 2, 1>} : tensor<128xi32, #layout>
    return %0 : tensor<128xi1, #layout>
  }

  // CHECK-LABEL: func.func @pointers
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<4x!llvm.ptr<1>>
  func.func @pointers(%c: i1, %a: tensor<128x!tile.ptr<f32>, #layout>,
                      %b: tensor<128x!tile.ptr<f32>, #layout>)
      -> tensor<128x!tile.ptr<f32>, #layout> {
    %0 = arith.select %c, %a, %b : tensor<128x!tile.ptr<f32>, #layout>
    return %0 : tensor<128x!tile.ptr<f32>, #layout>
  }

  // CHECK-LABEL: func.func @constants
  // CHECK: arith.constant dense<2> : vector<4xi32>
  // Every thread has all, in the order of its registers.
  // CHECK: arith.constant dense<[5, 7, 6, 9]> : vector<4xi32>
  // CHECK: llvm.mlir.addressof @tegula_table_0 : !llvm.ptr<1>
  // CHECK: llvm.load %{{.*}} : !llvm.ptr<1> -> i32
  // CHECK: llvm.mlir.addressof @tegula_table_1
  // CHECK: llvm.load %{{.*}} : !llvm.ptr<1> -> i8
  // CHECK: arith.trunci %{{.*}} : i8 to i1
  func.func @constants() -> (tensor<128xi32, #layout>, tensor<4xi32, #all>, tensor<4xi32, #four>,
                             tensor<4xi1, #four>) {
    %0 = arith.constant dense<2> : tensor<128xi32, #layout>
    %1 = arith.constant dense<[5, 6, 7, 9]> : tensor<4xi32, #all>
    %2 = arith.constant dense<[5, 6, 7, 9]> : tensor<4xi32, #four>
    %3 = arith.constant dense<[true, false, false, true]> : tensor<4xi1, #four>
    return %0, %1, %2, %3 : tensor<128xi32, #layout>, tensor<4xi32, #all>, tensor<4xi32, #four>,
        tensor<4xi1, #four>
  }

  // CHECK-LABEL: func.func @fp8
  // CHECK-NOT: tile.
  // CHECK: return %{{.*}} : vector<4xf16>, vector<4xi8>, i8
  func.func @fp8(%x: tensor<128xi8, #layout>, %y: tensor<128xf64, #layout>, %z: f32)
      -> (tensor<128xf16, #layout>, tensor<128xi8, #layout>, i8) {
    %0 = tile.from_fp8 e4m3fn %x : tensor<128xi8, #layout> -> tensor<128xf16, #layout>
    %1 = tile.to_fp8 e5m2 %y round rtz : tensor<128xf64, #layout> -> tensor<128xi8, #layout>
    %2 = tile.to_fp8 e4m3fn %z round rtne : f32 -> i8
    return %0, %1, %2 : tensor<128xf16, #layout>, tensor<128xi8, #layout>, i8
  }
}
