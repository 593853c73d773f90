// RUN: tegula-opt %s -cpu-form-loops -split-input-file -verify-diagnostics

// cpu-tile-type
func.func @tile_rank(%x: f32) {
  // expected-error @below {{'tile.splat' op expected tiles of at most 32 dimensions, got 33 [cpu-tile-type]}}
  %0 = tile.splat %x : f32 -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
  return
}

// -----

// cpu-tile-type
func.func @tile_too_many() {
  %x = arith.constant 0.0 : f32
  // expected-error @below {{'tile.splat' op expected tiles of 1 to 1048576 elements, got 'tensor<1024x1025xf32>' [cpu-tile-type]}}
  %0 = tile.splat %x : f32 -> tensor<1024x1025xf32>
  return
}

// -----

// cpu-tile-type
func.func @tile_overflow() {
  %x = arith.constant 0.0 : f32
  // expected-error @below {{'tile.splat' op expected tiles of 1 to 1048576 elements, got 'tensor<4294967296x4294967296xf32>' [cpu-tile-type]}}
  %0 = tile.splat %x : f32 -> tensor<4294967296x4294967296xf32>
  return
}

// -----

// cpu-tile-type
func.func @tile_empty() {
  %x = arith.constant 0.0 : f32
  // expected-error @below {{'tile.splat' op expected tiles of 1 to 1048576 elements, got 'tensor<4x0xf32>' [cpu-tile-type]}}
  %0 = tile.splat %x : f32 -> tensor<4x0xf32>
  return
}

// -----

// cpu-tile-type
func.func @tile_i4() {
  %x = arith.constant 0 : i4
  // expected-error @below {{'tile.splat' op expected tiles of i1, i8, i16, i32, i64, f16, bf16, f32, f64 or pointers, got 'tensor<16xi4>' [cpu-tile-type]}}
  %0 = tile.splat %x : i4 -> tensor<16xi4>
  return
}

// -----

// cpu-tile-type
func.func @tile_i128() {
  // expected-error @below {{'arith.constant' op expected tiles of i1, i8, i16, i32, i64, f16, bf16, f32, f64 or pointers, got 'tensor<16xi128>' [cpu-tile-type]}}
  %0 = arith.constant dense<0> : tensor<16xi128>
  return
}

// -----

// cpu-tile-type
func.func @tile_f80() {
  // expected-error @below {{'arith.constant' op expected tiles of i1, i8, i16, i32, i64, f16, bf16, f32, f64 or pointers, got 'tensor<16xf80>' [cpu-tile-type]}}
  %0 = arith.constant dense<0.0> : tensor<16xf80>
  return
}

// -----

// cpu-tile-type
func.func @tile_f8() {
  // expected-error @below {{'arith.constant' op expected tiles of i1, i8, i16, i32, i64, f16, bf16, f32, f64 or pointers, got 'tensor<16xf8E5M2>' [cpu-tile-type]}}
  %0 = arith.constant dense<0.0> : tensor<16xf8E5M2>
  return
}

// -----

// cpu-tile-type
func.func @tile_encoding() {
  %x = arith.constant 0.0 : f32
  // expected-error @below {{'tile.splat' op expected tiles without an encoding, got 'tensor<16xf32, "swizzled">' [cpu-tile-type]}}
  %0 = tile.splat %x : f32 -> tensor<16xf32, "swizzled">
  return
}

// -----

// cpu-tile-type
func.func @tile_dynamic(%c: i1) {
  // expected-error @below {{'ub.poison' op expected tiles of 1 to 1048576 elements, got 'tensor<?xf32>' [cpu-tile-type]}}
  %0 = ub.poison : tensor<?xf32>
  return
}

// -----

// cpu-tile-type
func.func @tile_index() {
  // expected-error @below {{'arith.constant' op expected tiles of i1, i8, i16, i32, i64, f16, bf16, f32, f64 or pointers, got 'tensor<16xindex>' [cpu-tile-type]}}
  %0 = arith.constant dense<0> : tensor<16xindex>
  return
}

// -----

// cpu-tile-type
func.func @tile_complex() {
  // expected-error @below {{'arith.constant' op expected tiles of i1, i8, i16, i32, i64, f16, bf16, f32, f64 or pointers, got 'tensor<16xcomplex<f32>>' [cpu-tile-type]}}
  %0 = arith.constant dense<(0.0, 1.0)> : tensor<16xcomplex<f32>>
  return
}

// -----

// cpu-tile-type
func.func @carried_tile(%n: i32) {
  %c0 = arith.constant 0 : i32
  // expected-error @below {{'arith.constant' op expected tiles of 1 to 1048576 elements, got 'tensor<0xf32>' [cpu-tile-type]}}
  %z = arith.constant dense<0.0> : tensor<0xf32>
  %r = scf.for %i = %c0 to %n step %n iter_args(%a = %z) -> (tensor<0xf32>) : i32 {
    scf.yield %a : tensor<0xf32>
  }
  return
}

// -----

// cpu-value-type
func.func @value_vector() {
  // expected-error @below {{'ub.poison' op expected integers of up to 64 bits, index, f16, bf16, f32, f64, pointers or tiles, got 'vector<4xf32>' [cpu-value-type]}}
  %0 = ub.poison : vector<4xf32>
  return
}

// -----

// cpu-value-type
func.func @value_i128() {
  // expected-error @below {{'ub.poison' op expected integers of up to 64 bits, index, f16, bf16, f32, f64, pointers or tiles, got 'i128' [cpu-value-type]}}
  %0 = ub.poison : i128
  return
}

// -----

// cpu-value-type
func.func @value_f80() {
  // expected-error @below {{'ub.poison' op expected integers of up to 64 bits, index, f16, bf16, f32, f64, pointers or tiles, got 'f80' [cpu-value-type]}}
  %0 = ub.poison : f80
  return
}

// -----

// cpu-value-type
func.func @value_f128() {
  // expected-error @below {{'ub.poison' op expected integers of up to 64 bits, index, f16, bf16, f32, f64, pointers or tiles, got 'f128' [cpu-value-type]}}
  %0 = ub.poison : f128
  return
}

// -----

// cpu-value-type
func.func @value_complex() {
  // expected-error @below {{'ub.poison' op expected integers of up to 64 bits, index, f16, bf16, f32, f64, pointers or tiles, got 'complex<f32>' [cpu-value-type]}}
  %0 = ub.poison : complex<f32>
  return
}

// -----

// cpu-value-type
func.func @value_memref() {
  // expected-error @below {{'ub.poison' op expected integers of up to 64 bits, index, f16, bf16, f32, f64, pointers or tiles, got 'memref<4xf32>' [cpu-value-type]}}
  %0 = ub.poison : memref<4xf32>
  return
}

// -----

// cpu-value-type
func.func @value_unsigned() {
  // expected-error @below {{'ub.poison' op expected integers of up to 64 bits, index, f16, bf16, f32, f64, pointers or tiles, got 'ui8' [cpu-value-type]}}
  %0 = ub.poison : ui8
  return
}

// -----

// cpu-value-type
func.func @value_unranked() {
  // expected-error @below {{'ub.poison' op expected integers of up to 64 bits, index, f16, bf16, f32, f64, pointers or tiles, got 'tensor<*xf32>' [cpu-value-type]}}
  %0 = ub.poison : tensor<*xf32>
  return
}

// -----

// cpu-value-type
func.func @value_view() {
  // expected-error @below {{'ub.poison' op expected integers of up to 64 bits, index, f16, bf16, f32, f64, pointers or tiles, got '!tile.view<4xf32>' [cpu-value-type]}}
  %0 = ub.poison : !tile.view<4xf32>
  return
}

// -----

// The arguments of a body's block are looked at, too: here the condition passes on
// something else than it gets.
// cpu-value-type
func.func @block_argument(%c: i1, %x: i32) {
  // expected-error @below {{'scf.while' op expected integers of up to 64 bits, index, f16, bf16, f32, f64, pointers or tiles, got 'vector<4xf32>' [cpu-value-type]}}
  %0 = scf.while (%a = %x) : (i32) -> vector<4xf32> {
    %v = ub.poison : vector<4xf32>
    scf.condition(%c) %v : vector<4xf32>
  } do {
  ^bb0(%b: vector<4xf32>):
    scf.yield %x : i32
  }
  return
}
