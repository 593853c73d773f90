// RUN: tegula-opt %s -cpu-expand-math | FileCheck %s
// RUN: tegula-opt %s -cpu-expand-math="f16c fma sse41" | FileCheck %s --check-prefix=NATIVE

// CHECK-LABEL:  func.func @exp(
// CHECK-NOT:    math.exp
// NATIVE-LABEL: func.func @exp(
// NATIVE:       math.fma
// NATIVE-NOT:   math.exp
func.func @exp(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// Half precision is computed in single and rounded back, by integers without F16C.
// CHECK-LABEL:  func.func @half(
// CHECK-NOT:    arith.truncf
// CHECK:        arith.addf {{.*}} : vector<16xf32>
// CHECK-NOT:    arith.truncf
// CHECK:        return
// NATIVE-LABEL: func.func @half(
// NATIVE:       arith.addf {{.*}} : vector<16xf32>
// NATIVE:       arith.truncf {{.*}} : vector<16xf32> to vector<16xf16>
func.func @half(%x: vector<16xf16>) -> vector<16xf16> {
  %0 = arith.addf %x, %x : vector<16xf16>
  return %0 : vector<16xf16>
}

// Rounding needs SSE4.1; without it, arithmetic.
// CHECK-LABEL:  func.func @floor(
// CHECK-NOT:    math.floor
// CHECK:        return
// NATIVE-LABEL: func.func @floor(
// NATIVE:       math.floor
func.func @floor(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.floor %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// What is an instruction everywhere stays.
// CHECK-LABEL: func.func @stays(
// CHECK:       math.sqrt
// CHECK-NEXT:  math.absf
func.func @stays(%x: f32) -> f32 {
  %0 = math.sqrt %x : f32
  %1 = math.absf %0 : f32
  return %1 : f32
}
