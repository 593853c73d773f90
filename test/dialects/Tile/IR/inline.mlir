// RUN: tegula-opt --no-plugins %s -inline | FileCheck %s

// CHECK-LABEL: func.func @caller
// CHECK-NOT: call
// CHECK: %[[P:.*]] = tile.program_id 0 : i32
// CHECK: tile.reduce
// CHECK: return %[[P]]
func.func private @callee(%x: tensor<4xf32>) -> (i32, f32) {
  %0 = tile.program_id 0 : i32
  %1 = tile.reduce (%x) axis 0 : (tensor<4xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %0, %1 : i32, f32
}
func.func @caller(%x: tensor<4xf32>) -> (i32, f32) {
  %0:2 = call @callee(%x) : (tensor<4xf32>) -> (i32, f32)
  return %0#0, %0#1 : i32, f32
}
