// RUN: tegula-opt %s -nvidia-lower-threads | FileCheck %s

// Small sums of f32 go through a loop: the instruction takes them for zero.
// CHECK-LABEL: func.func @sums
// CHECK: arith.cmpi uge, %{{.+}}, %{{.+}} : i32
// CHECK: scf.if
// CHECK: "atom.global.gpu.relaxed.add.f32
// CHECK: } else {
// CHECK: "atom.global.gpu.relaxed.cas.b32
func.func @sums(%p: !llvm.ptr<1>, %x: f32) -> f32 {
  %0 = tilegpu.thread_atomic_rmw fadd relaxed device %p, %x : !llvm.ptr<1>, f32
  return %0 : f32
}

// Amounts of 64-bit shifts are bounded, or their upper half would be lost.
// CHECK-LABEL: func.func @shifts
// CHECK: %[[LAST:.+]] = arith.constant dense<63> : vector<2xi64>
// CHECK: %[[AMOUNT:.+]] = arith.minui %arg1, %[[LAST]]
// CHECK: arith.shli %arg0, %[[AMOUNT]]
// CHECK: arith.shli %arg2, %arg2 : i32
func.func @shifts(%x: vector<2xi64>, %n: vector<2xi64>, %i: i32) -> (vector<2xi64>, i32) {
  %0 = arith.shli %x, %n : vector<2xi64>
  %1 = arith.shli %i, %i : i32
  return %0, %1 : vector<2xi64>, i32
}

// Powers that are normal numbers need one instruction; others stay.
// CHECK-LABEL: func.func @powers
// CHECK-COUNT-2: "ex2.approx.ftz.f32
// CHECK: vector.from_elements
// CHECK: math.exp2 %arg0 : vector<2xf32>
func.func @powers(%x: vector<2xf32>) -> (vector<2xf32>, vector<2xf32>) {
  %0 = math.exp2 %x {tegula.normal} : vector<2xf32>
  %1 = math.exp2 %x : vector<2xf32>
  return %0, %1 : vector<2xf32>, vector<2xf32>
}
