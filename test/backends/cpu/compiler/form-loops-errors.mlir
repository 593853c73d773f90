// RUN: tegula-opt %s -cpu-form-loops -split-input-file -verify-diagnostics

// cpu-no-lowering
func.func private @other(tensor<16xf32>) -> tensor<16xf32>
func.func @call_tile() {
  %c = arith.constant dense<1.0> : tensor<16xf32>
  // expected-error @below {{'func.call' op is not supported by the CPU backend: no lowering for tiles [cpu-no-lowering]}}
  %r = func.call @other(%c) : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// cpu-no-lowering
func.func private @other(f32)
func.func @call_scalar(%x: f32) {
  // expected-error @below {{'func.call' op is not supported by the CPU backend: no lowering [cpu-no-lowering]}}
  func.call @other(%x) : (f32) -> ()
  return
}

// -----

// cpu-no-lowering
func.func @index_switch(%i: index) {
  // expected-error @below {{'scf.index_switch' op is not supported by the CPU backend: unknown operation with regions [cpu-no-lowering]}}
  scf.index_switch %i
  default {
    scf.yield
  }
  return
}

// -----

// cpu-no-lowering
func.func @undefined_corner(%a: i32) -> i32 {
  // expected-error @below {{'tile.div' op is not supported by the CPU backend: no lowering [cpu-no-lowering]}}
  %0 = tile.div signed %a, %a : i32
  return %0 : i32
}

// -----

// cpu-no-lowering
func.func @two_results(%a: i32) {
  %t = tile.splat %a : i32 -> tensor<16xi32>
  // expected-error @below {{'arith.addui_extended' op is not supported by the CPU backend: no lowering for tiles [cpu-no-lowering]}}
  %0, %1 = arith.addui_extended %t, %t : tensor<16xi32>, tensor<16xi1>
  return
}

// -----

// cpu-no-lowering
func.func @sparse_constant() {
  // expected-error @below {{'arith.constant' op is not supported by the CPU backend: expected dense elements [cpu-no-lowering]}}
  %0 = arith.constant sparse<[[0]], 1.0> : tensor<16xf32>
  return
}

// -----

// cpu-combiner
func.func @combiner_call(%p: !tile.ptr<f32>, %x: f32) {
  %t = tile.splat %x : f32 -> tensor<16xf32>
  %0 = tile.reduce (%t) axis 0 : (tensor<16xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{'tile.load' op expected arith, math or scf in a combiner, got 'tile.load' [cpu-combiner]}}
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
    // expected-error @below {{'arith.addf' op expected scalars in a combiner, got a tile [cpu-combiner]}}
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
    %r = scf.if %c -> !tile.ptr<f32> {
      // expected-error @below {{'scf.yield' op expected no pointers under control flow in a combiner, got one [cpu-combiner]}}
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
// expected-error @below {{'func.func' op expected scalar arguments, got 'tensor<16xf32>' [cpu-function]}}
func.func @tile_argument(%x: tensor<16xf32>) {
  return
}

// -----

// cpu-function
// expected-error @below {{'func.func' op expected scalar results, got 'tensor<16xf32>' [cpu-function]}}
func.func @tile_result() -> tensor<16xf32> {
  %0 = arith.constant dense<1.0> : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// cpu-function
// expected-error @below {{'func.func' op expected structured control flow, got several blocks [cpu-function]}}
func.func @blocks(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  return
^bb2:
  return
}

// -----

// cpu-inline-assembly
func.func @assembly(%x: i32) {
  // expected-error @below {{'tile.inline_asm' op expected a target with instructions that this text is of, got a CPU [cpu-inline-assembly]}}
  %y = tile.inline_asm "mov.b32 $0, $1;" constraints "=r,r" pack 1 (%x) pure : (i32) -> i32
  return
}

// -----

// cpu-extern-library
func.func @library(%x: f32) {
  // expected-error @below {{'tile.extern' op expected a target with the library 'libdevice', got a CPU [cpu-extern-library]}}
  %y = tile.extern "__nv_erff" library "libdevice" (%x) pure : (f32) -> f32
  return
}

// -----

// cpu-combiner
func.func @scan_combiner(%p: !tile.ptr<f32>) {
  %c = arith.constant dense<1.0> : tensor<16xf32>
  %s = tile.scan (%c) axis 0 : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{'tile.load' op expected arith, math or scf in a combiner, got 'tile.load' [cpu-combiner]}}
    %x = tile.load %p : !tile.ptr<f32>
    tile.yield %x : f32
  }
  return
}
