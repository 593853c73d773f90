// RUN: tegula-opt --no-plugins %s -split-input-file -verify-diagnostics

// tile_program_id_c1
func.func @program_id_axis() {
  // expected-error @below {{'tile.program_id' op expected an axis from 0 to 2, got 3 [tile_program_id_c1]}}
  %0 = tile.program_id 3 : i32
  return
}

// -----

// tile_num_programs_c1
func.func @num_programs_axis() {
  // expected-error @below {{'tile.num_programs' op expected an axis from 0 to 2, got -1 [tile_num_programs_c1]}}
  %0 = tile.num_programs -1 : i32
  return
}

// -----

// tile_range_c1
func.func @range_size() {
  // expected-error @below {{'tile.range' op expected a tile of 8 elements, got 4 [tile_range_c1]}}
  %0 = tile.range 0 to 8 : tensor<4xi32>
  return
}

// -----

// tile_hint_c1
func.func @hint_entries(%t: tensor<4x4xi32>) {
  // expected-error @below {{'tile.hint' op expected 2 entries in 'contiguity', got 1 [tile_hint_c1]}}
  %0 = tile.hint %t {contiguity = array<i64: 4>} : tensor<4x4xi32>
  return
}

// -----

// tile_hint_c2
func.func @hint_positive(%x: i32) {
  // expected-error @below {{'tile.hint' op expected positive entries in 'divisibility', got 0 [tile_hint_c2]}}
  %0 = tile.hint %x {divisibility = array<i64: 0>} : i32
  return
}

// -----

// tile_splat_c1
func.func @splat_element(%x: f32) {
  // expected-error @below {{'tile.splat' op expected a tile of 'f32', got 'tensor<4xf16>' [tile_splat_c1]}}
  %0 = tile.splat %x : f32 -> tensor<4xf16>
  return
}

// -----

// tile_broadcast_c1
func.func @broadcast_rank(%t: tensor<4xf32>) {
  // expected-error @below {{'tile.broadcast' op expected a result of rank 1, got 2 [tile_broadcast_c1]}}
  %0 = tile.broadcast %t : tensor<4xf32> -> tensor<4x4xf32>
  return
}

// -----

// tile_broadcast_c1
func.func @broadcast_element(%t: tensor<1xf32>) {
  // expected-error @below {{'tile.broadcast' op expected a result of 'f32' elements, got 'i32' [tile_broadcast_c1]}}
  %0 = tile.broadcast %t : tensor<1xf32> -> tensor<4xi32>
  return
}

// -----

// tile_broadcast_c2
func.func @broadcast_size(%t: tensor<4x2xf32>) {
  // expected-error @below {{'tile.broadcast' op expected size 1 or 8 in dimension 1 of the source, got 2 [tile_broadcast_c2]}}
  %0 = tile.broadcast %t : tensor<4x2xf32> -> tensor<4x8xf32>
  return
}

// -----

// tile_expand_dims_c1
func.func @expand_dims_axis(%t: tensor<4xf32>) {
  // expected-error @below {{'tile.expand_dims' op expected an axis from 0 to 1, got 2 [tile_expand_dims_c1]}}
  %0 = tile.expand_dims %t axis 2 : tensor<4xf32> -> tensor<4x1xf32>
  return
}

// -----

// tile_expand_dims_c2
func.func @expand_dims_shape(%t: tensor<4xf32>) {
  // expected-error @below {{'tile.expand_dims' op expected result 'tensor<1x4xf32>', got 'tensor<4x1xf32>' [tile_expand_dims_c2]}}
  %0 = tile.expand_dims %t axis 0 : tensor<4xf32> -> tensor<4x1xf32>
  return
}

// -----

// tile_reshape_c1
func.func @reshape_count(%t: tensor<4x4xf32>) {
  // expected-error @below {{'tile.reshape' op expected a result of 16 elements in all, got 8 [tile_reshape_c1]}}
  %0 = tile.reshape %t : tensor<4x4xf32> -> tensor<8xf32>
  return
}

// -----

// tile_reshape_c1
func.func @reshape_element(%t: tensor<4x4xf32>) {
  // expected-error @below {{'tile.reshape' op expected a result of 'f32' elements, got 'i32' [tile_reshape_c1]}}
  %0 = tile.reshape %t : tensor<4x4xf32> -> tensor<16xi32>
  return
}

// -----

// tile_transpose_c1
func.func @transpose_order(%t: tensor<4x8xf32>) {
  // expected-error @below {{'tile.transpose' op expected a permutation of 2 dimensions, got [0, 0] [tile_transpose_c1]}}
  %0 = tile.transpose %t order [0, 0] : tensor<4x8xf32> -> tensor<4x4xf32>
  return
}

// -----

// tile_transpose_c2
func.func @transpose_shape(%t: tensor<4x8xf32>) {
  // expected-error @below {{'tile.transpose' op expected result 'tensor<8x4xf32>', got 'tensor<4x8xf32>' [tile_transpose_c2]}}
  %0 = tile.transpose %t order [1, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}
