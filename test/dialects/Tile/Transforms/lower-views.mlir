// RUN: tegula-opt --no-plugins %s -tile-lower-views -canonicalize -cse | FileCheck %s

// CHECK-LABEL: func.func @checked
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f16>, %[[M:.*]]: i64, %[[N:.*]]: i64, %[[S:.*]]: i64, %[[I:.*]]: i64, %[[J:.*]]: i64
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<4x8xf16>
// CHECK: %[[ROW:.*]] = arith.muli %[[I]], %[[S]] : i64
// CHECK: %[[START:.*]] = arith.addi %[[ROW]], %[[J]] : i64
// CHECK: %[[BASE:.*]] = tile.addptr %[[P]], %[[START]] : !tile.ptr<f16>, i64
// CHECK: %[[TILE:.*]] = tile.splat %[[BASE]] : !tile.ptr<f16> -> tensor<4x8x!tile.ptr<f16>>
// CHECK: %[[ROWS:.*]] = tile.addptr %[[TILE]], %{{.*}} : tensor<4x8x!tile.ptr<f16>>, tensor<4x8xi64>
// CHECK: %[[ALL:.*]] = tile.addptr %[[ROWS]], %{{.*}} : tensor<4x8x!tile.ptr<f16>>, tensor<4x8xi64>
// CHECK: arith.cmpi slt, %{{.*}} : tensor<8xi64>
// CHECK: arith.cmpi sge, %{{.*}} : tensor<8xi64>
// CHECK: %[[MASK:.*]] = tile.broadcast %{{.*}} : tensor<1x8xi1> -> tensor<4x8xi1>
// CHECK: %[[X:.*]] = tile.load %[[ALL]] mask %[[MASK]] other %[[ZERO]] : tensor<4x8x!tile.ptr<f16>>
// CHECK: tile.store %[[ALL]], %[[X]] : tensor<4x8x!tile.ptr<f16>>
// CHECK-NOT: view
func.func @checked(%p: !tile.ptr<f16>, %m: i64, %n: i64, %s: i64, %i: i64, %j: i64) {
  %one = arith.constant 1 : i64
  %v = tile.make_view %p shape [%m, %n] strides [%s, %one] pad zero : !tile.view<4x8xf16>
  %x = tile.view_load %v[%i, %j] checked [1] : !tile.view<4x8xf16> -> tensor<4x8xf16>
  tile.view_store %v[%i, %j], %x checked [] : !tile.view<4x8xf16>, tensor<4x8xf16>
  return
}

// CHECK-LABEL: func.func @nan
// CHECK: arith.constant dense<0x7FC00000> : tensor<8xf32>
// CHECK: tile.load %{{.*}} mask %{{.*}} other %{{.*}} : tensor<8x!tile.ptr<f32>>
// CHECK: tile.store %{{.*}}, %{{.*}} mask %{{.*}} : tensor<8x!tile.ptr<f32>>
func.func @nan(%p: !tile.ptr<f32>, %n: i64, %s: i64, %i: i64) {
  %v = tile.make_view %p shape [%n] strides [%s] pad nan : !tile.view<8xf32>
  %x = tile.view_load %v[%i] checked [0] : !tile.view<8xf32> -> tensor<8xf32>
  tile.view_store %v[%i], %x checked [0] : !tile.view<8xf32>, tensor<8xf32>
  return
}

// Pointers outside read as null.
// CHECK-LABEL: func.func @pointers
// CHECK: %[[NULL:.*]] = tile.int_to_ptr %{{.*}} : i64 -> !tile.ptr<f32>
// CHECK: %[[OTHER:.*]] = tile.splat %[[NULL]]
// CHECK: tile.load %{{.*}} mask %{{.*}} other %[[OTHER]]
func.func @pointers(%p: !tile.ptr<!tile.ptr<f32>>, %n: i64, %s: i64) -> tensor<8x!tile.ptr<f32>> {
  %v = tile.make_view %p shape [%n] strides [%s] pad nan : !tile.view<8x!tile.ptr<f32>>
  %x = tile.view_load %v[%n] checked [0] : !tile.view<8x!tile.ptr<f32>> -> tensor<8x!tile.ptr<f32>>
  return %x : tensor<8x!tile.ptr<f32>>
}

// Views travel through scf and select as their parts.
// CHECK-LABEL: func.func @control
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f32>, %[[Q:.*]]: !tile.ptr<f32>
// CHECK: %[[B:.*]] = arith.select %{{.*}}, %[[P]], %[[Q]] : !tile.ptr<f32>
// CHECK: %[[PAD:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK: scf.for
// CHECK: scf.while
// CHECK-NOT: view
func.func @control(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %n: i64, %s: i64, %c: i1, %d: i1, %k: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %v = tile.make_view %p shape [%n] strides [%s] pad zero : !tile.view<8xf32>
  %w = scf.if %c -> !tile.view<8xf32> {
    scf.yield %v : !tile.view<8xf32>
  } else {
    %a = tile.make_view %q shape [%n] strides [%s] pad nan : !tile.view<8xf32>
    scf.yield %a : !tile.view<8xf32>
  }
  %u = arith.select %d, %w, %v : !tile.view<8xf32>
  %r:3 = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero, %x = %u, %y = %v) -> (tensor<8xf32>, !tile.view<8xf32>, !tile.view<8xf32>) {
    %t = tile.view_load %x[%n] checked [0] : !tile.view<8xf32> -> tensor<8xf32>
    %sum = arith.addf %acc, %t : tensor<8xf32>
    scf.yield %sum, %y, %x : tensor<8xf32>, !tile.view<8xf32>, !tile.view<8xf32>
  }
  %e:2 = scf.while (%acc = %r#0, %x = %r#1) : (tensor<8xf32>, !tile.view<8xf32>) -> (tensor<8xf32>, !tile.view<8xf32>) {
    %pid = tile.program_id 0 : i32
    %go = arith.trunci %pid : i32 to i1
    scf.condition(%go) %acc, %x : tensor<8xf32>, !tile.view<8xf32>
  } do {
  ^bb0(%acc: tensor<8xf32>, %x: !tile.view<8xf32>):
    %t = tile.view_load %x[%n] checked [] : !tile.view<8xf32> -> tensor<8xf32>
    scf.yield %t, %x : tensor<8xf32>, !tile.view<8xf32>
  }
  return %e#0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @untouched
// CHECK-NEXT: tile.load
// CHECK-NEXT: return
func.func @untouched(%p: tensor<8x!tile.ptr<f32>>) -> tensor<8xf32> {
  %0 = tile.load %p : tensor<8x!tile.ptr<f32>>
  return %0 : tensor<8xf32>
}
