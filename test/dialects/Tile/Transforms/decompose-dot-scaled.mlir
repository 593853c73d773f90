// RUN: tegula-opt --no-plugins %s --tile-decompose-dot-scaled | FileCheck %s

// CHECK-LABEL: func.func @e4m3
func.func @e4m3(%a: tensor<16x64xi8>, %as: tensor<16x2xi8>, %b: tensor<64x16xi8>,
                %bs: tensor<16x2xi8>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // CHECK-NOT: tile.dot_scaled
  // CHECK: %[[A:.*]] = tile.from_fp8 e4m3fn %{{.*}} : tensor<16x64xi8> -> tensor<16x64xf32>
  // CHECK: tile.shl
  // CHECK: %[[POWER:.*]] = arith.bitcast %{{.*}} : tensor<16x2xi32> to tensor<16x2xf32>
  // CHECK: %[[E:.*]] = tile.expand_dims %[[POWER]] axis 2 : tensor<16x2xf32> -> tensor<16x2x1xf32>
  // CHECK: %[[B:.*]] = tile.broadcast %[[E]] : tensor<16x2x1xf32> -> tensor<16x2x32xf32>
  // CHECK: %[[S:.*]] = tile.reshape %[[B]] : tensor<16x2x32xf32> -> tensor<16x64xf32>
  // CHECK: %[[M:.*]] = arith.mulf %[[A]], %[[S]]
  // CHECK: arith.truncf %[[M]] : tensor<16x64xf32> to tensor<16x64xbf16>
  // CHECK: tile.transpose %{{.*}} order [1, 0] : tensor<16x2xf32> -> tensor<2x16xf32>
  // CHECK: tile.broadcast %{{.*}} : tensor<2x1x16xf32> -> tensor<2x32x16xf32>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} precision ieee : tensor<16x64xbf16>, tensor<64x16xbf16>, tensor<16x16xf32>
  %d = tile.dot_scaled %a e4m3 scale %as, %b e4m3 scale %bs, %c
      : tensor<16x64xi8> scale tensor<16x2xi8>, tensor<64x16xi8> scale tensor<16x2xi8>,
        tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// Half an operand of halves: f32 throughout, and both halves of each byte.
// CHECK-LABEL: func.func @e2m1
func.func @e2m1(%a: tensor<16x32xi8>, %as: tensor<16x4xi8>, %b: tensor<64x16xf16>,
                %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // CHECK: tile.join %{{.*}}, %{{.*}} : tensor<16x32xi8> -> tensor<16x32x2xi8>
  // CHECK: tile.reshape %{{.*}} : tensor<16x32x2xi8> -> tensor<16x64xi8>
  // CHECK: tile.from_fp8 e4m3fn %{{.*}} : tensor<16x4xi8> -> tensor<16x4xf32>
  // CHECK: arith.extf %{{.*}} : tensor<64x16xf16> to tensor<64x16xf32>
  // CHECK: tile.dot %{{.*}} : tensor<16x64xf32>, tensor<64x16xf32>, tensor<16x16xf32>
  %d = tile.dot_scaled %a e2m1 scale %as, %b fp16, %c {scale_e4m3}
      : tensor<16x32xi8> scale tensor<16x4xi8>, tensor<64x16xf16>, tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// Packed along N: pairs stand side by side in a row.
// CHECK-LABEL: func.func @n_pack
func.func @n_pack(%a: tensor<16x32xbf16>, %b: tensor<32x8xi8>, %c: tensor<16x16xf32>)
    -> tensor<16x16xf32> {
  // CHECK: tile.join %{{.*}} : tensor<32x8xi8> -> tensor<32x8x2xi8>
  // CHECK-NOT: tile.transpose
  // CHECK: tile.reshape %{{.*}} : tensor<32x8x2xi8> -> tensor<32x16xi8>
  %d = tile.dot_scaled %a bf16, %b e2m1, %c {b_k_pack = false}
      : tensor<16x32xbf16>, tensor<32x8xi8>, tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// CHECK-LABEL: func.func @k_pack
func.func @k_pack(%a: tensor<16x32xbf16>, %b: tensor<16x16xi8>, %c: tensor<16x16xf32>)
    -> tensor<16x16xf32> {
  // CHECK: tile.transpose %{{.*}} order [0, 2, 1] : tensor<16x16x2xi8> -> tensor<16x2x16xi8>
  // CHECK: tile.reshape %{{.*}} : tensor<16x2x16xi8> -> tensor<32x16xi8>
  %d = tile.dot_scaled %a bf16, %b e2m1, %c : tensor<16x32xbf16>, tensor<16x16xi8>, tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// Several products: the first dimension stays where it is.
// CHECK-LABEL: func.func @batch
func.func @batch(%a: tensor<2x16x64xi8>, %b: tensor<2x32x16xi8>, %bs: tensor<2x16x2xi8>,
                 %c: tensor<2x16x16xf32>) -> tensor<2x16x16xf32> {
  // CHECK: tile.join %{{.*}}, %{{.*}} : tensor<2x32x16xi8> -> tensor<2x32x16x2xi8>
  // CHECK: tile.transpose %{{.*}} order [0, 1, 3, 2] : tensor<2x32x16x2xi8> -> tensor<2x32x2x16xi8>
  // CHECK: tile.reshape %{{.*}} : tensor<2x32x2x16xi8> -> tensor<2x64x16xi8>
  // CHECK: tile.transpose %{{.*}} order [0, 2, 1] : tensor<2x16x2xf32> -> tensor<2x2x16xf32>
  // CHECK: tile.broadcast %{{.*}} : tensor<2x2x1x16xf32> -> tensor<2x2x32x16xf32>
  // CHECK: tile.reshape %{{.*}} : tensor<2x2x32x16xf32> -> tensor<2x64x16xf32>
  // CHECK: tile.dot %{{.*}} : tensor<2x16x64xbf16>, tensor<2x64x16xbf16>, tensor<2x16x16xf32>
  %d = tile.dot_scaled %a e4m3, %b e2m1 scale %bs, %c
      : tensor<2x16x64xi8>, tensor<2x32x16xi8> scale tensor<2x16x2xi8>, tensor<2x16x16xf32>
  return %d : tensor<2x16x16xf32>
}
