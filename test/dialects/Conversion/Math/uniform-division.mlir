// RUN: tegula-opt --no-plugins %s -expand-thread-math | FileCheck %s

// One reciprocal, a test of all dividends at once, and the division itself for the rest.
// CHECK-LABEL: func.func @one
// CHECK: %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[RECIPROCAL:.+]] = arith.divf %[[ONE]], %arg1 : f32
// CHECK: math.absf %arg0
// CHECK-COUNT-7: arith.addf %{{.*}} : f32
// CHECK: %[[BITS:.+]] = arith.bitcast %arg0 : vector<8xf32> to vector<8xi32>
// CHECK: %[[TWICE:.+]] = arith.addi %[[BITS]], %[[BITS]]
// CHECK: %[[LEAST:.+]] = arith.constant dense<-452984832> : vector<8xi32>
// CHECK: arith.addi %[[TWICE]], %[[LEAST]]
// CHECK-COUNT-7: arith.maxui %{{.*}} : i32
// CHECK: scf.if
// CHECK: %[[R:.+]] = vector.broadcast %[[RECIPROCAL]]
// CHECK: %[[Q:.+]] = arith.mulf %arg0, %[[R]]
// CHECK: %[[X:.+]] = arith.negf %arg0
// CHECK: %[[E:.+]] = math.fma %[[Q]], %{{.+}}, %[[X]]
// CHECK: %[[N:.+]] = arith.negf %[[R]]
// CHECK: math.fma %[[E]], %[[N]], %[[Q]]
// CHECK: } else {
// CHECK: arith.divf %arg0, %{{.+}} : vector<8xf32>
func.func @one(%x: vector<8xf32>, %s: f32) -> vector<8xf32> {
  %0 = vector.broadcast %s : f32 to vector<8xf32>
  %1 = arith.divf %x, %0 : vector<8xf32>
  return %1 : vector<8xf32>
}

// Divisors of several rows are told apart through what arranges them.
// CHECK-LABEL: func.func @rows
// CHECK: arith.divf %{{.+}}, %arg1 : f32
// CHECK: arith.divf %{{.+}}, %arg2 : f32
// CHECK-NOT: arith.divf %{{.+}} : f32
// CHECK: scf.if
// CHECK: arith.divf %arg0, %{{.+}} : vector<8xf32>
func.func @rows(%x: vector<8xf32>, %s: f32, %t: f32) -> vector<8xf32> {
  %0 = vector.from_elements %s, %t : vector<2xf32>
  %1 = vector.shuffle %0, %0 [0, 0, 0, 0, 1, 1, 1, 1] : vector<2xf32>, vector<2xf32>
  %2 = arith.divf %x, %1 : vector<8xf32>
  return %2 : vector<8xf32>
}

// Powers are large enough where their exponents are; only else they are looked at.
// CHECK-LABEL: func.func @powers
// CHECK: %[[BITS:.+]] = arith.bitcast %arg0 : vector<8xf32> to vector<8xi32>
// CHECK-COUNT-7: arith.maxui
// CHECK: %[[LOWEST:.+]] = arith.constant -1031143424 : i32
// CHECK: %[[LARGE:.+]] = arith.cmpi ule, %{{.+}}, %[[LOWEST]] : i32
// CHECK: %[[ALLOWED:.+]] = scf.if %[[LARGE]] -> (i1)
// CHECK: } else {
// CHECK: arith.cmpi ule
// CHECK: scf.if %[[ALLOWED]] -> (vector<8xf32>)
// CHECK: math.fma
// CHECK: } else {
// CHECK: arith.divf %{{.+}} : vector<8xf32>
func.func @powers(%y: vector<8xf32>, %s: f32) -> vector<8xf32> {
  %x = math.exp %y : vector<8xf32>
  %0 = vector.broadcast %s : f32 to vector<8xf32>
  %1 = arith.divf %x, %0 : vector<8xf32>
  return %1 : vector<8xf32>
}

// A division each: few registers for a divisor, divisors of their own, known ones, other types.
// CHECK-LABEL: func.func @others
// CHECK-NOT: scf.if
// CHECK-COUNT-5: arith.divf
func.func @others(%x: vector<8xf32>, %y: vector<8xf32>, %s: f32, %t: f32, %u: f32,
                  %d: vector<8xf64>, %e: f64)
    -> (vector<4xf32>, vector<8xf32>, vector<8xf32>, vector<8xf64>, f32) {
  %a = vector.shuffle %x, %x [0, 1, 2, 3] : vector<8xf32>, vector<8xf32>
  %0 = vector.from_elements %s, %t, %u, %s : vector<4xf32>
  %1 = arith.divf %a, %0 : vector<4xf32>
  %2 = arith.divf %x, %y : vector<8xf32>
  %c = arith.constant dense<3.0> : vector<8xf32>
  %3 = arith.divf %x, %c : vector<8xf32>
  %4 = vector.broadcast %e : f64 to vector<8xf64>
  %5 = arith.divf %d, %4 : vector<8xf64>
  %6 = arith.divf %s, %t : f32
  return %1, %2, %3, %5, %6 : vector<4xf32>, vector<8xf32>, vector<8xf32>, vector<8xf64>, f32
}
