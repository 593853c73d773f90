// RUN: tegula-opt %s -cpu-form-loops -split-input-file -verify-diagnostics

// cpu-tile-type
func.func @tile_rank(%x: f32) {
  // expected-error @below {{x}}
  %0 = tile.splat %x : f32 -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
  return
}

// -----

// cpu-tile-type
func.func @tile_too_many() {
  %x = arith.constant 0.0 : f32
  // expected-error @below {{x}}
  %0 = tile.splat %x : f32 -> tensor<1024x1025xf32>
  return
}

// -----

// cpu-tile-type
func.func @tile_overflow() {
  %x = arith.constant 0.0 : f32
  // expected-error @below {{x}}
  %0 = tile.splat %x : f32 -> tensor<4294967296x4294967296xf32>
  return
}

// -----

// cpu-tile-type
func.func @tile_empty() {
  %x = arith.constant 0.0 : f32
  // expected-error @below {{x}}
  %0 = tile.splat %x : f32 -> tensor<4x0xf32>
  return
}

// -----

// cpu-tile-type
func.func @tile_i4() {
  %x = arith.constant 0 : i4
  // expected-error @below {{x}}
  %0 = tile.splat %x : i4 -> tensor<16xi4>
  return
}

// -----

// cpu-tile-type
func.func @tile_i128() {
  %x = arith.constant 0 : i128
  // expected-error @below {{x}}
  %0 = tile.splat %x : i128 -> tensor<16xi128>
  return
}

// -----

// cpu-tile-type
func.func @tile_f80() {
  %x = arith.constant 0.0 : f80
  // expected-error @below {{x}}
  %0 = tile.splat %x : f80 -> tensor<16xf80>
  return
}

// -----

// cpu-tile-type
func.func @tile_f8() {
  %x = arith.constant 0.0 : f8E5M2
  // expected-error @below {{x}}
  %0 = tile.splat %x : f8E5M2 -> tensor<16xf8E5M2>
  return
}

// -----

// cpu-tile-type
func.func @tile_encoding() {
  %x = arith.constant 0.0 : f32
  // expected-error @below {{x}}
  %0 = tile.splat %x : f32 -> tensor<16xf32, "swizzled">
  return
}

// -----

// cpu-tile-type
func.func @tile_dynamic(%c: i1) {
  // expected-error @below {{x}}
  %0 = ub.poison : tensor<?xf32>
  return
}

// -----

// cpu-tile-type
func.func @tile_index() {
  // expected-error @below {{x}}
  %0 = arith.constant dense<0> : tensor<16xindex>
  return
}

// -----

// cpu-tile-type
func.func @tile_complex() {
  // expected-error @below {{x}}
  %0 = arith.constant dense<(0.0, 1.0)> : tensor<16xcomplex<f32>>
  return
}

// -----

// cpu-tile-type
func.func @carried_tile(%n: i32) {
  %c0 = arith.constant 0 : i32
  // expected-error @below {{x}}
  %z = arith.constant dense<0.0> : tensor<0xf32>
  %r = scf.for %i = %c0 to %n step %n iter_args(%a = %z) -> (tensor<0xf32>) : i32 {
    scf.yield %a : tensor<0xf32>
  }
  return
}

// -----

// cpu-value-type
func.func @value_vector() {
  // expected-error @below {{x}}
  %0 = ub.poison : vector<4xf32>
  return
}

// -----

// cpu-value-type
func.func @value_i128() {
  // expected-error @below {{x}}
  %0 = ub.poison : i128
  return
}

// -----

// cpu-value-type
func.func @value_f80() {
  // expected-error @below {{x}}
  %0 = ub.poison : f80
  return
}

// -----

// cpu-value-type
func.func @value_f128() {
  // expected-error @below {{x}}
  %0 = ub.poison : f128
  return
}

// -----

// cpu-value-type
func.func @value_complex() {
  // expected-error @below {{x}}
  %0 = ub.poison : complex<f32>
  return
}

// -----

// cpu-value-type
func.func @value_memref() {
  // expected-error @below {{x}}
  %0 = ub.poison : memref<4xf32>
  return
}

// -----

// cpu-value-type
func.func @value_unsigned() {
  // expected-error @below {{x}}
  %0 = ub.poison : ui8
  return
}

// -----

// cpu-value-type
func.func @value_unranked() {
  // expected-error @below {{x}}
  %0 = ub.poison : tensor<*xf32>
  return
}

// -----

// cpu-value-type
func.func @value_view() {
  // expected-error @below {{x}}
  %0 = ub.poison : !tile.view<4xf32>
  return
}
