// RUN: tegula-opt --no-plugins %s -split-input-file -verify-diagnostics

// tile_make_view_c5
func.func @make_view_kind(%p: !tile.ptr<f32>, %n: i64) {
  // expected-error @below {{'tile.make_view' op expected elements of 'i8' for 'e5m2', got 'f32' [tile_make_view_c5]}}
  %0 = tile.make_view %p shape [%n] strides [%n] pad nan e5m2 : !tile.view<4xf32>
  return
}

// -----

// tile_make_view_c5
func.func @make_view_kind_name(%p: !tile.ptr<i8>, %n: i64) {
  // expected-error @below {{custom op 'tile.make_view' expected a kind of 8-bit float, got 'e5m3' [tile_make_view_c5]}}
  %0 = tile.make_view %p shape [%n] strides [%n] pad nan e5m3 : !tile.view<4xi8>
  return
}

// -----

// tile_view_gather_c1
func.func @gather_rank(%v: !tile.view<4xf32>, %i: i64, %r: tensor<8xi32>) {
  // expected-error @below {{'tile.view_gather' op expected a view with tiles of one row, got '!tile.view<4xf32>' [tile_view_gather_c1]}}
  %0 = tile.view_gather %v[%r, %i] : !tile.view<4xf32>, tensor<8xi32> -> tensor<8x4xf32>
  return
}

// -----

// tile_view_gather_c2
func.func @gather_result(%v: !tile.view<1x4xf32>, %i: i64, %r: tensor<8xi32>) {
  // expected-error @below {{'tile.view_gather' op expected a result of type 'tensor<8x4xf32>', got 'tensor<4x4xf32>' [tile_view_gather_c2]}}
  %0 = tile.view_gather %v[%r, %i] : !tile.view<1x4xf32>, tensor<8xi32> -> tensor<4x4xf32>
  return
}

// -----

func.func @gather_rows(%v: !tile.view<1x4xf32>, %i: i64, %r: tensor<8xf32>) {
  // expected-error @below {{'tile.view_gather' op operand #1 must be 1D tensor of 16-bit signless integer or 32-bit signless integer or 64-bit signless integer values, but got 'tensor<8xf32>'}}
  %0 = tile.view_gather %v[%r, %i] : !tile.view<1x4xf32>, tensor<8xf32> -> tensor<8x4xf32>
  return
}

// -----

// tile_view_scatter_c1
func.func @scatter_rows(%v: !tile.view<2x4xf32>, %i: i64, %r: tensor<8xi32>, %t: tensor<8x4xf32>) {
  // expected-error @below {{'tile.view_scatter' op expected a view with tiles of one row, got '!tile.view<2x4xf32>' [tile_view_scatter_c1]}}
  tile.view_scatter %v[%r, %i], %t : !tile.view<2x4xf32>, tensor<8xi32>, tensor<8x4xf32>
  return
}

// -----

// tile_view_scatter_c2
func.func @scatter_value(%v: !tile.view<1x4xf32>, %i: i64, %r: tensor<8xi32>, %t: tensor<8x4xf16>) {
  // expected-error @below {{'tile.view_scatter' op expected a value of type 'tensor<8x4xf32>', got 'tensor<8x4xf16>' [tile_view_scatter_c2]}}
  tile.view_scatter %v[%r, %i], %t : !tile.view<1x4xf32>, tensor<8xi32>, tensor<8x4xf16>
  return
}

// -----

// tile_view_atomic_c1
// expected-note @below {{view made here}}
func.func @atomic_offsets(%v: !tile.view<4xf32>, %i: i64, %t: tensor<4xf32>) {
  // expected-error @below {{'tile.view_atomic' op expected 1 offsets, got 2 [tile_view_atomic_c1]}}
  tile.view_atomic fadd %v[%i, %i], %t checked [] : !tile.view<4xf32>, tensor<4xf32>
  return
}

// -----

// tile_view_atomic_c2
// expected-note @below {{view made here}}
func.func @atomic_value(%v: !tile.view<4xf32>, %i: i64, %t: tensor<8xf32>) {
  // expected-error @below {{'tile.view_atomic' op expected a value of type 'tensor<4xf32>', got 'tensor<8xf32>' [tile_view_atomic_c2]}}
  tile.view_atomic fadd %v[%i], %t checked [] : !tile.view<4xf32>, tensor<8xf32>
  return
}

// -----

// tile_view_atomic_c3
func.func @atomic_checked(%v: !tile.view<4xf32>, %i: i64, %t: tensor<4xf32>) {
  // expected-error @below {{'tile.view_atomic' op expected ascending dimensions below 1 in 'checked', got [0, 0] [tile_view_atomic_c3]}}
  tile.view_atomic fadd %v[%i], %t checked [0, 0] : !tile.view<4xf32>, tensor<4xf32>
  return
}

// -----

// tile_view_atomic_c4
func.func @atomic_kind(%v: !tile.view<4xf32>, %i: i64, %t: tensor<4xf32>) {
  // expected-error @below {{'tile.view_atomic' op expected elements that 'add' works on, got 'f32' [tile_view_atomic_c4]}}
  tile.view_atomic add %v[%i], %t checked [] : !tile.view<4xf32>, tensor<4xf32>
  return
}
