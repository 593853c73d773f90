// RUN: tegula-opt --no-plugins %s -split-input-file | tegula-opt --no-plugins -split-input-file | FileCheck %s

// CHECK-LABEL: func.func private @pointers
// CHECK-SAME: (!tile.ptr<f32>, !tile.ptr<f32, 3>, !tile.ptr<!tile.ptr<i1>>)
func.func private @pointers(!tile.ptr<f32, 1>, !tile.ptr<f32, 3>, !tile.ptr<!tile.ptr<i1>>)

// CHECK-LABEL: func.func private @tiles_and_vectors
// CHECK-SAME: (tensor<8x!tile.ptr<f32>>, vector<16x!tile.ptr<f32>>)
func.func private @tiles_and_vectors(tensor<8x!tile.ptr<f32>>, vector<16x!tile.ptr<f32>>)

// CHECK-LABEL: func.func private @views
// CHECK-SAME: (!tile.view<64x32xf16>, !tile.view<8x!tile.ptr<f32>>, !tile.view<1x1x1x1x2xi8>)
func.func private @views(!tile.view<64x32xf16>, !tile.view<8x!tile.ptr<f32>>, !tile.view<1x1x1x1x2xi8>)

// -----

// CHECK: module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32}
module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {}
