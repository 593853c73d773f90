// The canonicalizer of our pipelines keeps both roundings of an integer that goes
// by way of a wider float, and still does what MLIR's does otherwise.
// RUN: tegula-opt --no-plugins %s --tile-prepare | FileCheck %s
// RUN: tegula-opt %s --cpu-tile | FileCheck %s

// CHECK-LABEL: func.func @signed_by_way_of_f32
// CHECK: %[[WIDE:.*]] = arith.sitofp %{{.*}} : i64 to f32
// CHECK: arith.truncf %[[WIDE]] : f32 to bf16
func.func @signed_by_way_of_f32(%x: i64) -> bf16 {
  %0 = arith.sitofp %x : i64 to f32
  %1 = arith.truncf %0 : f32 to bf16
  return %1 : bf16
}

// CHECK-LABEL: func.func @unsigned_by_way_of_f64
// CHECK: %[[WIDE:.*]] = arith.uitofp %{{.*}} : tensor<4xi64> to tensor<4xf64>
// CHECK: arith.truncf %[[WIDE]] : tensor<4xf64> to tensor<4xf32>
func.func @unsigned_by_way_of_f64(%x: tensor<4xi64>) -> tensor<4xf32> {
  %0 = arith.uitofp %x : tensor<4xi64> to tensor<4xf64>
  %1 = arith.truncf %0 : tensor<4xf64> to tensor<4xf32>
  return %1 : tensor<4xf32>
}

func.func private @narrow(%x: i64) -> f32 {
  %0 = arith.sitofp %x : i64 to f64
  %1 = arith.truncf %0 : f64 to f32
  return %1 : f32
}

// CHECK-LABEL: func.func @after_inlining
// CHECK-NOT: call
// CHECK: %[[WIDE:.*]] = arith.sitofp %{{.*}} : i64 to f64
// CHECK: arith.truncf %[[WIDE]] : f64 to f32
func.func @after_inlining(%x: i64) -> f32 {
  %0 = func.call @narrow(%x) : (i64) -> f32
  return %0 : f32
}

// CHECK-LABEL: func.func @still_simplifies
// CHECK-SAME: %[[X:.*]]: f16
// CHECK-NEXT: return %[[X]]
func.func @still_simplifies(%x: f16) -> f16 {
  %0 = arith.extf %x : f16 to f32
  %1 = arith.truncf %0 : f32 to f16
  return %1 : f16
}
