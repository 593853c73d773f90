// RUN: tegula-opt --no-plugins %s -split-input-file -tilegpu-distribute | FileCheck %s

// Neighbouring threads hold neighbours of the last dimension; small tiles lie in copies.
// CHECK-DAG: #[[$BIG:.*]] = #tilegpu.linear<4x1024, register = {{\[\[}}0, 1], [0, 2], [0, 512], [1, 0], [2, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = {{\[\[}}0, 128], [0, 256]]>
// CHECK-DAG: #[[$SMALL:.*]] = #tilegpu.linear<8, lane = {{\[\[}}1], [2], [4], [0], [0]], warp = {{\[\[}}0], [0]]>
// CHECK-DAG: #[[$ODD:.*]] = #tilegpu.linear<16x16, register = {{\[\[}}0, 1]], lane = {{\[\[}}0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = {{\[\[}}4, 0], [8, 0]], repeat = {{\[\[}}register, 0, 3]]>
// CHECK-DAG: #[[$ONE:.*]] = #tilegpu.linear<1x1x1, lane = {{\[\[}}0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]], warp = {{\[\[}}0, 0, 0], [0, 0, 0]]>
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32,
    max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>,
    tile.num_warps = 4 : i32} {
// CHECK-LABEL: func @constants
func.func @constants() {
  // CHECK: arith.constant dense<0.000000e+00> : tensor<4x1024xf32, #[[$BIG]]>
  %0 = arith.constant dense<0.0> : tensor<4x1024xf32>
  // CHECK: arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi8, #[[$SMALL]]>
  %1 = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi8>
  // CHECK: arith.constant dense<[true, false, true, false, true, true, true, false]> : tensor<8xi1, #[[$SMALL]]>
  %2 = arith.constant dense<[true, false, true, false, true, true, true, false]> : tensor<8xi1>
  // CHECK: arith.constant dense<1.000000e+00> : tensor<48x16xbf16, #[[$ODD]]>
  %3 = arith.constant dense<1.0> : tensor<48x16xbf16>
  // CHECK: arith.constant dense<7> : tensor<1x1x1xi64, #[[$ONE]]>
  %4 = arith.constant dense<7> : tensor<1x1x1xi64>
  // CHECK: arith.constant 1 : i32
  %5 = arith.constant 1 : i32
  return
}

// Functions and control flow.
// CHECK-LABEL: func @control
// CHECK-SAME: %{{.*}}: tensor<8xf32, #[[$SMALL]]>, {{.*}}-> tensor<8xf32, #[[$SMALL]]>
func.func @control(%x: tensor<8xf32>, %n: index, %c: i1) -> tensor<8xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: scf.for {{.*}} -> (tensor<8xf32, #[[$SMALL]]>)
  %y = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> tensor<8xf32> {
    // CHECK: scf.if {{.*}} -> (tensor<8xf32, #[[$SMALL]]>)
    %b = scf.if %c -> tensor<8xf32> {
      // CHECK: arith.addf {{.*}} : tensor<8xf32, #[[$SMALL]]>
      %s = arith.addf %a, %x : tensor<8xf32>
      scf.yield %s : tensor<8xf32>
    } else {
      scf.yield %a : tensor<8xf32>
    }
    scf.yield %b : tensor<8xf32>
  }
  // CHECK: scf.while {{.*}} : (tensor<8xf32, #[[$SMALL]]>) -> tensor<8xf32, #[[$SMALL]]>
  %z = scf.while (%a = %y) : (tensor<8xf32>) -> tensor<8xf32> {
    scf.condition(%c) %a : tensor<8xf32>
  } do {
  // CHECK: ^bb0(%{{.*}}: tensor<8xf32, #[[$SMALL]]>)
  ^bb0(%b: tensor<8xf32>):
    scf.yield %b : tensor<8xf32>
  }
  // CHECK: scf.index_switch {{.*}} -> tensor<8xf32, #[[$SMALL]]>
  %w = scf.index_switch %n -> tensor<8xf32>
  case 0 {
    scf.yield %z : tensor<8xf32>
  }
  default {
    scf.yield %x : tensor<8xf32>
  }
  // CHECK: call @callee({{.*}}) : (tensor<8xf32, #[[$SMALL]]>) -> tensor<8xf32, #[[$SMALL]]>
  %v = func.call @callee(%w) : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: arith.select {{.*}} : tensor<8xf32, #[[$SMALL]]>
  %u = arith.select %c, %v, %w : tensor<8xf32>
  return %u : tensor<8xf32>
}
// CHECK: func private @callee(tensor<8xf32, #[[$SMALL]]>) -> tensor<8xf32, #[[$SMALL]]>
func.func private @callee(tensor<8xf32>) -> tensor<8xf32>
}

// -----

// Ops that change shapes: conversions where layouts must fit.
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32,
    max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>,
    tile.num_warps = 4 : i32} {
// CHECK-DAG: #[[$COLUMN:.*]] = #tilegpu.linear<64x1, register = {{\[\[}}8, 0], [16, 0], [32, 0]], lane = {{\[\[}}0, 0], [0, 0], [0, 0], [0, 0], [1, 0]], warp = {{\[\[}}2, 0], [4, 0]]>
// CHECK-DAG: #[[$LEFT:.*]] = #tilegpu.linear<64, register = {{\[\[}}8], [16], [32]], lane = {{\[\[}}0], [0], [0], [0], [1]], warp = {{\[\[}}2], [4]]>
// CHECK-DAG: #[[$LINE:.*]] = #tilegpu.linear<64, lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [0]]>
// CHECK-DAG: #[[$SQUARE:.*]] = #tilegpu.linear<64x64, register = {{\[\[}}0, 1], [0, 2], [8, 0], [16, 0], [32, 0]]
// CHECK-LABEL: func @shapes
func.func @shapes(%x: tensor<64x64xf32>, %y: tensor<64xf32>, %q: tensor<64x64xi16>) {
  // CHECK: %[[R:.*]] = tile.reduce(%{{.*}}) axis 1 : (tensor<64x64xf32, #[[$SQUARE]]>) -> tensor<64xf32, #[[$LEFT]]>
  // CHECK: tilegpu.convert_layout %[[R]] : tensor<64xf32, #[[$LEFT]]> -> tensor<64xf32, #[[$LINE]]>
  %r = tile.reduce (%x) axis 1 : (tensor<64x64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  // CHECK: %[[E:.*]] = tile.expand_dims
  %e = tile.expand_dims %r axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  // CHECK: %[[C:.*]] = tilegpu.convert_layout %[[E]] : {{.*}} -> tensor<64x1xf32, #[[$COLUMN]]>
  // CHECK: tile.broadcast %[[C]] : tensor<64x1xf32, #[[$COLUMN]]> -> tensor<64x64xf32, #[[$SQUARE]]>
  %b = tile.broadcast %e : tensor<64x1xf32> -> tensor<64x64xf32>
  %s = arith.addf %b, %x : tensor<64x64xf32>
  // CHECK: %[[T:.*]] = tilegpu.convert_layout %arg0
  // CHECK: tile.transpose %[[T]]
  %t = tile.transpose %x order [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  // CHECK: tile.map(%{{.*}}) pack 8 : (tensor<64x64xi16, #[[WIDE:.*]]>) -> tensor<64x64xi16, #[[WIDE]]>
  %m = tile.map (%q) pack 8 : (tensor<64x64xi16>) -> tensor<64x64xi16> {
  ^bb0(%0: i16, %1: i16, %2: i16, %3: i16, %4: i16, %5: i16, %6: i16, %7: i16):
    tile.yield %7, %6, %5, %4, %3, %2, %1, %0 : i16, i16, i16, i16, i16, i16, i16, i16
  }
  // CHECK: tile.join %{{.*}}, %{{.*}} : tensor<64xf32, #[[HALF:.*]]> -> tensor<64x2xf32
  %j = tile.join %y, %r : tensor<64xf32> -> tensor<64x2xf32>
  // CHECK: tile.split %{{.*}} : tensor<64x2xf32, #{{.*}}> -> tensor<64xf32, #[[$LINE]]>
  %k, %l = tile.split %j : tensor<64x2xf32> -> tensor<64xf32>
  return
}
}

// -----

// A tile that has a layout keeps it.
// CHECK: #[[$OWN:.*]] = #tilegpu.linear<32, register = {{\[\[}}1]], lane = {{\[\[}}2], [4], [8], [16], [0]], warp = {{\[\[}}0]]>
#own = #tilegpu.linear<32, register = [[1]], lane = [[2], [4], [8], [16], [0]], warp = [[0]]>
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32,
    max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>,
    tile.num_warps = 2 : i32} {
// CHECK: func @own(%{{.*}}: tensor<32xf32, #[[$OWN]]>)
func.func @own(%x: tensor<32xf32, #own>) {
  return
}
}
