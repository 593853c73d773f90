// Loops whose number could wrap past its last trip count in another way.
// RUN: tegula-opt --no-plugins %s -tile-expand-defined | FileCheck %s

// One more step than a non-negative signed number allows fits an unsigned one.
// CHECK-LABEL: func.func @from_zero
// CHECK-SAME: %[[N:.*]]: i32
// CHECK: %[[END:.*]] = arith.maxsi %[[N]], %[[ZERO:.*]] : i32
// CHECK: scf.for unsigned %{{.*}} = %[[ZERO]] to %[[END]] step %{{.*}} : i32
func.func @from_zero(%n: i32, %p: !tile.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 1024 : i32
  scf.for %i = %zero to %n step %step : i32 {
    tile.store %p, %i : !tile.ptr<i32>
  }
  return
}

// CHECK-LABEL: func.func @from_anywhere
// CHECK-SAME: %[[FROM:.*]]: i32, %[[TO:.*]]: i32, %[[BY:.*]]: i32, %[[P:.*]]:
// CHECK-DAG: %[[LESS:.*]] = arith.cmpi slt, %[[FROM]], %[[TO]]
// CHECK-DAG: %[[RISES:.*]] = arith.cmpi sgt, %[[BY]]
// CHECK: %[[ANY:.*]] = arith.andi %[[LESS]], %[[RISES]]
// CHECK: %[[SAFE:.*]] = arith.select %[[ANY]], %[[BY]], %[[ONE:.*]] : i32
// CHECK: arith.divui %{{.*}}, %[[SAFE]]
// CHECK: %[[TRIPS:.*]] = arith.select %[[ANY]], %{{.*}}, %{{.*}} : i32
// CHECK: scf.for unsigned %[[K:.*]] = %{{.*}} to %[[TRIPS]] step %[[ONE]] : i32
// CHECK: %[[FAR:.*]] = arith.muli %[[K]], %[[BY]]
// CHECK: %[[I:.*]] = arith.addi %[[FROM]], %[[FAR]]
// CHECK: tile.store %[[P]], %[[I]]
func.func @from_anywhere(%from: i32, %to: i32, %by: i32, %p: !tile.ptr<i32>) {
  scf.for %i = %from to %to step %by : i32 {
    tile.store %p, %i : !tile.ptr<i32>
  }
  return
}

// Steps of one, constant bounds with room, and loops of other passes stay.
// CHECK-LABEL: func.func @untouched
// CHECK-NOT: unsigned
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i32
// CHECK-NOT: unsigned
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i32
// CHECK-NOT: unsigned
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NOT: unsigned
// CHECK: return
func.func @untouched(%from: i32, %to: i32, %n: index, %p: !tile.ptr<i32>) {
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %limit = arith.constant 2147483640 : i32
  %two = arith.constant 2 : index
  scf.for %i = %from to %to step %one : i32 {
    tile.store %p, %i : !tile.ptr<i32>
  }
  scf.for %i = %from to %limit step %three : i32 {
    tile.store %p, %i : !tile.ptr<i32>
  }
  scf.for %i = %two to %n step %two {
    tile.store %p, %three : !tile.ptr<i32>
  }
  return
}
