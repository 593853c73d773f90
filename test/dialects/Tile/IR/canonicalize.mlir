// RUN: tegula-opt --no-plugins %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @through_splat
// CHECK-SAME: %[[X:.*]]: f32
func.func @through_splat(%x: f32) -> (tensor<4x8xf32>, tensor<1x4xf32>, tensor<2x2xf32>, tensor<8x4xf32>) {
  // CHECK-DAG: %[[B:.*]] = tile.splat %[[X]] : f32 -> tensor<4x8xf32>
  // CHECK-DAG: %[[E:.*]] = tile.splat %[[X]] : f32 -> tensor<1x4xf32>
  // CHECK-DAG: %[[R:.*]] = tile.splat %[[X]] : f32 -> tensor<2x2xf32>
  // CHECK-DAG: %[[T:.*]] = tile.splat %[[X]] : f32 -> tensor<8x4xf32>
  // CHECK: return %[[B]], %[[E]], %[[R]], %[[T]]
  %s = tile.splat %x : f32 -> tensor<4x1xf32>
  %b = tile.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
  %s1 = tile.splat %x : f32 -> tensor<4xf32>
  %e = tile.expand_dims %s1 axis 0 : tensor<4xf32> -> tensor<1x4xf32>
  %r = tile.reshape %s1 : tensor<4xf32> -> tensor<2x2xf32>
  %t = tile.transpose %b order [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return %b, %e, %r, %t : tensor<4x8xf32>, tensor<1x4xf32>, tensor<2x2xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func.func @twice
// CHECK-SAME: %[[X:.*]]: tensor<1x1x8xf32>
func.func @twice(%x: tensor<1x1x8xf32>) -> (tensor<4x2x8xf32>, tensor<8xf32>, tensor<8x1x1xf32>) {
  // CHECK-DAG: %[[B:.*]] = tile.broadcast %[[X]] : tensor<1x1x8xf32> -> tensor<4x2x8xf32>
  // CHECK-DAG: %[[R:.*]] = tile.reshape %[[X]] allow_reorder : tensor<1x1x8xf32> -> tensor<8xf32>
  // CHECK-DAG: %[[T:.*]] = tile.transpose %[[X]] order [2, 0, 1] : tensor<1x1x8xf32> -> tensor<8x1x1xf32>
  // CHECK: return %[[B]], %[[R]], %[[T]]
  %b = tile.broadcast %x : tensor<1x1x8xf32> -> tensor<4x1x8xf32>
  %c = tile.broadcast %b : tensor<4x1x8xf32> -> tensor<4x2x8xf32>
  %r = tile.reshape %x allow_reorder : tensor<1x1x8xf32> -> tensor<2x4xf32>
  %s = tile.reshape %r : tensor<2x4xf32> -> tensor<8xf32>
  %t = tile.transpose %x order [1, 2, 0] : tensor<1x1x8xf32> -> tensor<1x8x1xf32>
  %u = tile.transpose %t order [1, 2, 0] : tensor<1x8x1xf32> -> tensor<8x1x1xf32>
  return %c, %s, %u : tensor<4x2x8xf32>, tensor<8xf32>, tensor<8x1x1xf32>
}

// CHECK-LABEL: func.func @transpose_back
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
// CHECK-NEXT: return %[[X]]
func.func @transpose_back(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %t = tile.transpose %x order [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %u = tile.transpose %t order [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  return %u : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @true_masks
// CHECK-SAME: %[[P:.*]]: tensor<4x!tile.ptr<f32>>
func.func @true_masks(%p: tensor<4x!tile.ptr<f32>>, %o: tensor<4xf32>) {
  // CHECK-NEXT: %[[X:.*]] = tile.load %[[P]] cache cg : tensor<4x!tile.ptr<f32>>
  // CHECK-NEXT: tile.store %[[P]], %[[X]] : tensor<4x!tile.ptr<f32>>
  // CHECK-NEXT: return
  %m = arith.constant dense<true> : tensor<4xi1>
  %x = tile.load %p mask %m other %o cache cg : tensor<4x!tile.ptr<f32>>
  tile.store %p, %x mask %m : tensor<4x!tile.ptr<f32>>
  return
}

// CHECK-LABEL: func.func @false_masks
// CHECK-SAME: %{{.*}}: tensor<4x!tile.ptr<f32>>, %{{.*}}: tensor<4x!tile.ptr<!tile.ptr<f32>>>, %[[O:.*]]: tensor<4xf32>
func.func @false_masks(%p: tensor<4x!tile.ptr<f32>>, %pp: tensor<4x!tile.ptr<!tile.ptr<f32>>>, %o: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x!tile.ptr<f32>>) {
  // CHECK-DAG: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
  // CHECK-DAG: %[[I:.*]] = arith.constant dense<0> : tensor<4xi64>
  // CHECK: %[[N:.*]] = tile.int_to_ptr %[[I]] : tensor<4xi64> -> tensor<4x!tile.ptr<f32>>
  // CHECK-NOT: tile.store
  // CHECK: return %[[O]], %[[Z]], %[[N]]
  %f = arith.constant false
  %m = tile.splat %f : i1 -> tensor<4xi1>
  %x = tile.load %p mask %m other %o : tensor<4x!tile.ptr<f32>>
  %y = tile.load %p mask %m : tensor<4x!tile.ptr<f32>>
  %z = tile.load %pp mask %m : tensor<4x!tile.ptr<!tile.ptr<f32>>>
  tile.store %p, %x mask %m : tensor<4x!tile.ptr<f32>>
  return %x, %y, %z : tensor<4xf32>, tensor<4xf32>, tensor<4x!tile.ptr<f32>>
}

// Masks that are true for some elements only stay.
// CHECK-LABEL: func.func @mixed_mask
// CHECK: tile.load %{{.*}} mask
// CHECK: tile.store %{{.*}}, %{{.*}} mask
func.func @mixed_mask(%p: tensor<2x!tile.ptr<f32>>) {
  %m = arith.constant dense<[true, false]> : tensor<2xi1>
  %x = tile.load %p mask %m : tensor<2x!tile.ptr<f32>>
  tile.store %p, %x mask %m : tensor<2x!tile.ptr<f32>>
  return
}
