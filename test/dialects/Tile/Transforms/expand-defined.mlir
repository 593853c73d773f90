// RUN: tegula-opt --no-plugins %s -tile-expand-defined | FileCheck %s

// CHECK-LABEL: func.func @div_signed
// CHECK-SAME: %[[A:.*]]: tensor<4xi32>, %[[B:.*]]: tensor<4xi32>
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[B]], %{{.*}} : tensor<4xi32>
// CHECK: %[[OVER:.*]] = arith.andi
// CHECK: %[[BAD:.*]] = arith.ori %[[ZERO]], %[[OVER]]
// CHECK: %[[SAFE:.*]] = arith.select %[[BAD]], %{{.*}}, %[[B]]
// CHECK: %[[Q:.*]] = arith.divsi %[[A]], %[[SAFE]] : tensor<4xi32>
// CHECK: %[[R:.*]] = arith.select %[[ZERO]], %{{.*}}, %[[Q]]
// CHECK: return %[[R]]
func.func @div_signed(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %0 = tile.div signed %a, %b : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func.func @rem_unsigned
// CHECK-SAME: %[[A:.*]]: i32, %[[B:.*]]: i32
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[B]]
// CHECK: %[[SAFE:.*]] = arith.select %[[ZERO]], %{{.*}}, %[[B]]
// CHECK: %[[M:.*]] = arith.remui %[[A]], %[[SAFE]] : i32
// CHECK: %[[R:.*]] = arith.select %[[ZERO]], %[[A]], %[[M]]
// CHECK: return %[[R]]
func.func @rem_unsigned(%a: i32, %b: i32) -> i32 {
  %0 = tile.rem unsigned %a, %b : i32
  return %0 : i32
}

// CHECK-LABEL: func.func @shifts
// CHECK: arith.cmpi uge
// CHECK: arith.shli
// CHECK: arith.select
// CHECK: arith.minui
// CHECK: arith.shrsi
// CHECK: arith.cmpi uge
// CHECK: arith.shrui
func.func @shifts(%a: i32, %b: i32) -> (i32, i32, i32) {
  %0 = tile.shl %a, %b : i32
  %1 = tile.shr signed %a, %b : i32
  %2 = tile.shr unsigned %a, %b : i32
  return %0, %1, %2 : i32, i32, i32
}

// Constants that cannot reach a corner need no guard.
// CHECK-LABEL: func.func @unguarded
// CHECK-NOT: arith.cmpi
// CHECK-NOT: arith.select
// CHECK: arith.divsi
// CHECK: arith.remui
// CHECK: arith.shli
// CHECK: arith.shrsi
// CHECK-NOT: arith.select
func.func @unguarded(%a: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %c = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %0 = tile.div signed %a, %c : tensor<4xi32>
  %1 = tile.rem unsigned %a, %c : tensor<4xi32>
  %2 = tile.shl %a, %c : tensor<4xi32>
  %3 = tile.shr signed %a, %c : tensor<4xi32>
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// Only the corner that is left is guarded.
// CHECK-LABEL: func.func @half_guarded
// CHECK: %[[LEAST:.*]] = arith.constant -2147483648 : i32
// CHECK: arith.cmpi eq, %{{.*}}, %[[LEAST]]
// CHECK: arith.select
// CHECK: arith.divsi
// CHECK-NOT: arith.select
// CHECK: return
func.func @half_guarded(%a: i32) -> i32 {
  %c = arith.constant -1 : i32
  %0 = tile.div signed %a, %c : i32
  return %0 : i32
}

// 2^31 - 1 has no f32; the limit is the float below it.
// CHECK-LABEL: func.func @fp_to_int
// CHECK-DAG: %[[LOW:.*]] = arith.constant -2.14748365E+9 : f32
// CHECK-DAG: %[[HIGH:.*]] = arith.constant 2.14748352E+9 : f32
// CHECK-DAG: arith.cmpf oge, %{{.*}}, %[[LOW]]
// CHECK-DAG: arith.cmpf ole, %{{.*}}, %[[HIGH]]
// CHECK: arith.fptosi %{{.*}} : f32 to i32
// CHECK: arith.cmpf ogt
// CHECK: arith.constant 2147483647 : i32
// CHECK: arith.cmpf olt
// CHECK: arith.constant -2147483648 : i32
func.func @fp_to_int(%x: f32) -> i32 {
  %0 = tile.fp_to_int signed %x : f32 -> i32
  return %0 : i32
}

// f16 has less range than i32: only infinities are out of it.
// CHECK-LABEL: func.func @f16_to_u32
// CHECK-DAG: arith.constant dense<0.000000e+00> : tensor<4xf16>
// CHECK-DAG: arith.constant dense<6.550400e+04> : tensor<4xf16>
// CHECK: arith.fptoui %{{.*}} : tensor<4xf16> to tensor<4xi32>
func.func @f16_to_u32(%x: tensor<4xf16>) -> tensor<4xi32> {
  %0 = tile.fp_to_int unsigned %x : tensor<4xf16> -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func.func @bits
// CHECK-SAME: %[[A:.*]]: i1, %[[B:.*]]: i1
// CHECK: arith.andi %[[A]], %[[B]] : i1
// CHECK: %[[N:.*]] = arith.xori %[[B]]
// CHECK: arith.andi %[[A]], %[[N]] : i1
// CHECK-NOT: arith.div
func.func @bits(%a: i1, %b: i1) -> (i1, i1) {
  %0 = tile.div signed %a, %b : i1
  %1 = tile.rem signed %a, %b : i1
  return %0, %1 : i1, i1
}

// CHECK-LABEL: func.func @untouched
// CHECK-NEXT: arith.addi
// CHECK-NEXT: return
func.func @untouched(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
}
