// RUN: tegula-opt %s -cpu-form-loops -split-input-file -verify-diagnostics

// cpu-no-lowering
func.func private @other(tensor<16xf32>) -> tensor<16xf32>
func.func @call_tile() {
  %c = arith.constant dense<1.0> : tensor<16xf32>
  // expected-error @below {{x}}
  %r = func.call @other(%c) : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// cpu-no-lowering
func.func private @other(f32)
func.func @call_scalar(%x: f32) {
  // expected-error @below {{x}}
  func.call @other(%x) : (f32) -> ()
  return
}

// -----

// cpu-no-lowering
func.func @index_switch(%i: index) {
  // expected-error @below {{x}}
  scf.index_switch %i
  default {
    scf.yield
  }
  return
}

// -----

// cpu-no-lowering
func.func @undefined_corner(%a: i32) -> i32 {
  // expected-error @below {{x}}
  %0 = tile.div signed %a, %a : i32
  return %0 : i32
}

// -----

// cpu-no-lowering
func.func @two_results(%a: i32) {
  %t = tile.splat %a : i32 -> tensor<16xi32>
  // expected-error @below {{x}}
  %0, %1 = arith.addui_extended %t, %t : tensor<16xi32>, tensor<16xi1>
  return
}

// -----

// cpu-no-lowering
func.func @sparse_constant() {
  // expected-error @below {{x}}
  %0 = arith.constant sparse<[[0]], 1.0> : tensor<16xf32>
  return
}

// -----

// cpu-combiner
func.func @combiner_call(%p: !tile.ptr<f32>, %x: f32) {
  %t = tile.splat %x : f32 -> tensor<16xf32>
  %0 = tile.reduce (%t) axis 0 : (tensor<16xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{x}}
    %c = tile.load %p : !tile.ptr<f32>
    tile.yield %c : f32
  }
  return
}

// -----

// cpu-combiner
func.func @combiner_tile(%x: f32) {
  %t = tile.splat %x : f32 -> tensor<16xf32>
  %0 = tile.reduce (%t) axis 0 : (tensor<16xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{x}}
    %c = arith.addf %t, %t : tensor<16xf32>
    tile.yield %a : f32
  }
  return
}

// -----

// cpu-combiner
func.func @combiner_pointer(%p: !tile.ptr<f32>, %c: i1) {
  %t = tile.splat %p : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %0 = tile.reduce (%t) axis 0 : (tensor<16x!tile.ptr<f32>>) -> !tile.ptr<f32> {
  ^bb0(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>):
    // expected-error @below {{x}}
    %r = scf.if %c -> !tile.ptr<f32> {
      scf.yield %a : !tile.ptr<f32>
    } else {
      scf.yield %b : !tile.ptr<f32>
    }
    tile.yield %r : !tile.ptr<f32>
  }
  return
}

// -----

// cpu-function
// expected-error @below {{x}}
func.func @tile_argument(%x: tensor<16xf32>) {
  return
}

// -----

// cpu-function
// expected-error @below {{x}}
func.func @tile_result() -> tensor<16xf32> {
  %0 = arith.constant dense<1.0> : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// cpu-function
// expected-error @below {{x}}
func.func @blocks(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  return
^bb2:
  return
}
