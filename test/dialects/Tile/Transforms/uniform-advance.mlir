// RUN: tegula-opt --no-plugins %s -tile-uniform-advance | FileCheck %s

// A chain of a splat of an invariant scalar and a constant.
// CHECK-LABEL: func.func @pointers
// CHECK-SAME: %[[P:.*]]: tensor<8x!tile.ptr<f32>>, %[[S:.*]]: i32
// CHECK-DAG: %[[E:.*]] = arith.extsi %[[S]] : i32 to i64
// CHECK-DAG: %[[F:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: %[[STEP:.*]] = arith.addi %[[F]], %[[E]] : i64
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[O:.*]] = %{{.*}}) -> (tensor<8xf32>, i64)
// CHECK: %[[T:.*]] = tile.splat %[[O]] : i64 -> tensor<8xi64>
// CHECK: %[[Q:.*]] = tile.addptr %[[P]], %[[T]] : tensor<8x!tile.ptr<f32>>, tensor<8xi64>
// CHECK: tile.load %[[Q]]
// CHECK-NOT: tile.addptr
// CHECK: %[[N:.*]] = arith.addi %[[O]], %[[STEP]] : i64
// CHECK: scf.yield %{{.*}}, %[[N]] : tensor<8xf32>, i64
// CHECK: %[[FT:.*]] = tile.splat %[[R]]#1 : i64 -> tensor<8xi64>
// CHECK: %[[FP:.*]] = tile.addptr %[[P]], %[[FT]]
// CHECK: return %[[R]]#0, %[[FP]]
func.func @pointers(%p: tensor<8x!tile.ptr<f32>>, %s: i32, %n: index, %z: tensor<8xf32>) -> (tensor<8xf32>, tensor<8x!tile.ptr<f32>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant dense<4> : tensor<8xi32>
  %r:2 = scf.for %iv = %c0 to %n step %c1 iter_args(%acc = %z, %q = %p) -> (tensor<8xf32>, tensor<8x!tile.ptr<f32>>) {
    %x = tile.load %q : tensor<8x!tile.ptr<f32>>
    %a = arith.addf %acc, %x : tensor<8xf32>
    %st = tile.splat %s : i32 -> tensor<8xi32>
    %q1 = tile.addptr %q, %st : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    %q2 = tile.addptr %q1, %k : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    scf.yield %a, %q2 : tensor<8xf32>, tensor<8x!tile.ptr<f32>>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8x!tile.ptr<f32>>
}

// Integers carry a scalar of their own width; differences count backwards.
// CHECK-LABEL: func.func @integers
// CHECK-SAME: %[[I:[a-z0-9]*]]: tensor<8xi32>, %[[S:[a-z0-9]*]]: i32
// CHECK: %[[B:.*]] = arith.subi %{{.*}}, %[[S]] : i32
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[O:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}}) -> (i32, i32)
// CHECK-NEXT: arith.addi %[[O]], %{{.*}} : i32
// CHECK-NEXT: arith.addi %[[Q]], %[[B]] : i32
// CHECK: %[[T:.*]] = tile.splat %[[R]]#0 : i32 -> tensor<8xi32>
// CHECK: arith.addi %[[I]], %[[T]] : tensor<8xi32>
func.func @integers(%i: tensor<8xi32>, %s: i32, %n: index, %p: !tile.ptr<i32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant dense<4> : tensor<8xi32>
  %t = tile.splat %s : i32 -> tensor<8xi32>
  %r:2 = scf.for %iv = %c0 to %n step %c1 iter_args(%j = %i, %l = %i) -> (tensor<8xi32>, tensor<8xi32>) {
    %j1 = arith.addi %k, %j : tensor<8xi32>
    %l1 = arith.subi %l, %t : tensor<8xi32>
    scf.yield %j1, %l1 : tensor<8xi32>, tensor<8xi32>
  }
  return %r#0, %r#1 : tensor<8xi32>, tensor<8xi32>
}

// A tile that is the same on every trip, but not uniform, is multiplied by the
// number of the trip.
// CHECK-LABEL: func.func @invariant_tile
// CHECK-SAME: %[[P:[a-z0-9]*]]: tensor<8x!tile.ptr<f32>>, %[[D:[a-z0-9]*]]: tensor<8xi32>
// CHECK: %[[W:.*]] = arith.extsi %[[D]] : tensor<8xi32> to tensor<8xi64>
// CHECK: scf.for {{.*}} iter_args(%[[TRIP:.*]] = %{{.*}}) -> (i64)
// CHECK: %[[C:.*]] = tile.splat %[[TRIP]] : i64 -> tensor<8xi64>
// CHECK: %[[O:.*]] = arith.muli %[[C]], %[[W]] : tensor<8xi64>
// CHECK: tile.addptr %[[P]], %[[O]]
// CHECK: arith.addi %[[TRIP]], %{{.*}} : i64
func.func @invariant_tile(%p: tensor<8x!tile.ptr<f32>>, %d: tensor<8xi32>, %n: index, %x: tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %iv = %c0 to %n step %c1 iter_args(%q = %p) -> (tensor<8x!tile.ptr<f32>>) {
    tile.store %q, %x : tensor<8x!tile.ptr<f32>>
    %q1 = tile.addptr %q, %d : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    scf.yield %q1 : tensor<8x!tile.ptr<f32>>
  }
  return
}

// Both loops of a nest; the attribute stays on its loop.
// CHECK-LABEL: func.func @nest
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (i64) {
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (i64) {
// CHECK: } {kept = 1 : i32}
func.func @nest(%p: tensor<8x!tile.ptr<f32>>, %s: i32, %n: index, %x: tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant dense<4> : tensor<8xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%q = %p) -> (tensor<8x!tile.ptr<f32>>) {
    %u = scf.for %j = %c0 to %n step %c1 iter_args(%v = %q) -> (tensor<8x!tile.ptr<f32>>) {
      tile.store %v, %x : tensor<8x!tile.ptr<f32>>
      %v1 = tile.addptr %v, %k : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
      scf.yield %v1 : tensor<8x!tile.ptr<f32>>
    } {kept = 1 : i32}
    %q1 = tile.addptr %q, %k : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    scf.yield %q1 : tensor<8x!tile.ptr<f32>>
  }
  return
}

// Steps that depend on the loop stay.
// CHECK-LABEL: func.func @dependent
// CHECK: iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<8x!tile.ptr<f32>>, tensor<8xi32>)
func.func @dependent(%p: tensor<8x!tile.ptr<f32>>, %t: tensor<8xi32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%q = %p, %u = %t) -> (tensor<8x!tile.ptr<f32>>, tensor<8xi32>) : i32 {
    %s = tile.splat %i : i32 -> tensor<8xi32>
    %q1 = tile.addptr %q, %s : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    %u1 = arith.muli %u, %t : tensor<8xi32>
    scf.yield %q1, %u1 : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  }
  return
}
