// RUN: tegula-opt --no-plugins %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @range_of_one
// CHECK: arith.constant dense<5> : tensor<1xi32>
func.func @range_of_one() -> tensor<1xi32> {
  %0 = tile.range 5 to 6 : tensor<1xi32>
  return %0 : tensor<1xi32>
}

// CHECK-LABEL: func.func @range_of_two
// CHECK: tile.range 5 to 7
func.func @range_of_two() -> tensor<2xi32> {
  %0 = tile.range 5 to 7 : tensor<2xi32>
  return %0 : tensor<2xi32>
}

// CHECK-LABEL: func.func @splat_constants
// CHECK-DAG: arith.constant dense<7> : tensor<4x8xi32>
// CHECK-DAG: arith.constant dense<1.500000e+00> : tensor<8x2xf32>
// CHECK-NOT: tile.
func.func @splat_constants() -> (tensor<4x8xi32>, tensor<8x2xf32>) {
  %c = arith.constant 7 : i32
  %f = arith.constant 1.5 : f32
  %s = tile.splat %c : i32 -> tensor<4xi32>
  %e = tile.expand_dims %s axis 1 : tensor<4xi32> -> tensor<4x1xi32>
  %b = tile.broadcast %e : tensor<4x1xi32> -> tensor<4x8xi32>
  %t = tile.splat %f : f32 -> tensor<2x8xf32>
  %u = tile.transpose %t order [1, 0] : tensor<2x8xf32> -> tensor<8x2xf32>
  return %b, %u : tensor<4x8xi32>, tensor<8x2xf32>
}

// CHECK-LABEL: func.func @dense_constants
// CHECK-DAG: arith.constant dense<{{\[}}[1, 2], [3, 4]]> : tensor<2x2xi32>
// CHECK-DAG: arith.constant dense<{{\[}}[1, 2, 3, 4]]> : tensor<1x4xi32>
// CHECK-NOT: tile.
func.func @dense_constants() -> (tensor<2x2xi32>, tensor<1x4xi32>) {
  %c = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %r = tile.reshape %c : tensor<4xi32> -> tensor<2x2xi32>
  %e = tile.expand_dims %c axis 0 : tensor<4xi32> -> tensor<1x4xi32>
  return %r, %e : tensor<2x2xi32>, tensor<1x4xi32>
}

// CHECK-LABEL: func.func @identities
// CHECK-SAME: %[[T:.*]]: tensor<4x8xi32>, %[[P:.*]]: tensor<4x!tile.ptr<f32>>, %[[I:.*]]: i64, %[[S:.*]]: !tile.ptr<f32>
// CHECK-NEXT: return %[[T]], %[[T]], %[[T]], %[[P]], %[[I]], %[[S]], %[[S]], %[[S]]
func.func @identities(%t: tensor<4x8xi32>, %p: tensor<4x!tile.ptr<f32>>, %i: i64, %s: !tile.ptr<f32>) -> (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x!tile.ptr<f32>>, i64, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>) {
  %z = arith.constant dense<0> : tensor<4xi32>
  %b = tile.broadcast %t : tensor<4x8xi32> -> tensor<4x8xi32>
  %r = tile.reshape %t : tensor<4x8xi32> -> tensor<4x8xi32>
  %o = tile.transpose %t order [0, 1] : tensor<4x8xi32> -> tensor<4x8xi32>
  %a = tile.addptr %p, %z : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %ip = tile.int_to_ptr %i : i64 -> !tile.ptr<f32>
  %pi = tile.ptr_to_int %ip : !tile.ptr<f32> -> i64
  %si = tile.ptr_to_int %s : !tile.ptr<f32> -> i64
  %sp = tile.int_to_ptr %si : i64 -> !tile.ptr<f32>
  %c = tile.ptr_cast %s : !tile.ptr<f32> -> !tile.ptr<f32>
  %d = tile.ptr_cast %s : !tile.ptr<f32> -> !tile.ptr<i8>
  %e = tile.ptr_cast %d : !tile.ptr<i8> -> !tile.ptr<f32>
  return %b, %r, %o, %a, %pi, %sp, %c, %e : tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x!tile.ptr<f32>>, i64, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>
}

// CHECK-LABEL: func.func @casts_of_casts
// CHECK-SAME: %[[S:.*]]: !tile.ptr<f32>
// CHECK-NEXT: %[[C:.*]] = tile.ptr_cast %[[S]] : !tile.ptr<f32> -> !tile.ptr<i16>
// CHECK-NEXT: return %[[C]]
func.func @casts_of_casts(%s: !tile.ptr<f32>) -> !tile.ptr<i16> {
  %d = tile.ptr_cast %s : !tile.ptr<f32> -> !tile.ptr<i8>
  %e = tile.ptr_cast %d : !tile.ptr<i8> -> !tile.ptr<i16>
  return %e : !tile.ptr<i16>
}

// CHECK-LABEL: func.func @corners
// CHECK-DAG: %[[D:.*]] = arith.constant dense<[0, -2147483648, 1, -1]> : tensor<4xi32>
// CHECK-DAG: %[[R:.*]] = arith.constant dense<[1, 0, 1, -1]> : tensor<4xi32>
// CHECK-DAG: %[[L:.*]] = arith.constant dense<[1, 0, 12, -32]> : tensor<4xi32>
// CHECK-DAG: %[[S:.*]] = arith.constant dense<[1, -1, 0, -1]> : tensor<4xi32>
// CHECK-DAG: %[[F:.*]] = arith.constant dense<[-128, 127, 0, -1]> : tensor<4xi8>
// CHECK-DAG: %[[U:.*]] = arith.constant dense<[0, -1, 0, 0]> : tensor<4xi8>
// CHECK: return %[[D]], %[[R]], %[[L]], %[[S]], %[[F]], %[[U]]
func.func @corners() -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi8>, tensor<4xi8>) {
  %x = arith.constant dense<[1, -2147483648, 3, -4]> : tensor<4xi32>
  %y = arith.constant dense<[0, -1, 2, 3]> : tensor<4xi32>
  %n = arith.constant dense<[0, 99, 2, 3]> : tensor<4xi32>
  %f = arith.constant dense<[-1.0e9, 0x7F800000, 0x7FC00000, -1.5]> : tensor<4xf32>
  %d = tile.div signed %x, %y : tensor<4xi32>
  %r = tile.rem signed %x, %y : tensor<4xi32>
  %l = tile.shl %x, %n : tensor<4xi32>
  %s = tile.shr signed %x, %n : tensor<4xi32>
  %i = tile.fp_to_int signed %f : tensor<4xf32> -> tensor<4xi8>
  %u = tile.fp_to_int unsigned %f : tensor<4xf32> -> tensor<4xi8>
  return %d, %r, %l, %s, %i, %u : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi8>, tensor<4xi8>
}

// CHECK-LABEL: func.func @neutral
// CHECK-SAME: %[[X:.*]]: tensor<4xi32>
// CHECK: %[[Z:.*]] = arith.constant dense<0> : tensor<4xi32>
// CHECK-NEXT: return %[[X]], %[[Z]], %[[X]], %[[X]]
func.func @neutral(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %one = arith.constant dense<1> : tensor<4xi32>
  %zero = arith.constant dense<0> : tensor<4xi32>
  %d = tile.div signed %x, %one : tensor<4xi32>
  %r = tile.rem unsigned %x, %one : tensor<4xi32>
  %l = tile.shl %x, %zero : tensor<4xi32>
  %s = tile.shr unsigned %x, %zero : tensor<4xi32>
  return %d, %r, %l, %s : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// Division by zero of an unknown stays: checked mode must see it.
// CHECK-LABEL: func.func @by_zero
// CHECK: tile.div
func.func @by_zero(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %d = tile.div signed %x, %zero : i32
  return %d : i32
}
