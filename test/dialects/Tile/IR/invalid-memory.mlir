// RUN: tegula-opt --no-plugins %s -split-input-file -verify-diagnostics

// tile_ptr_cast_c1
func.func @ptr_cast_space(%p: !tile.ptr<f32>) {
  // expected-error @below {{'tile.ptr_cast' op expected a result in address space 1, got 3 [tile_ptr_cast_c1]}}
  %0 = tile.ptr_cast %p : !tile.ptr<f32> -> !tile.ptr<f32, 3>
  return
}

// -----

// tile_load_c1
// expected-note @below {{pointer made here}}
func.func @load_element(%p: !tile.ptr<f32>) {
  // expected-error @below {{'tile.load' op expected a result of 'f32' elements, got 'i32' [tile_load_c1]}}
  %0 = "tile.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tile.ptr<f32>) -> i32
  return
}

// -----

// tile_load_c2
func.func @load_other_alone(%p: !tile.ptr<f32>, %o: f32) {
  // expected-error @below {{'tile.load' op expected 'mask' beside 'other', got none [tile_load_c2]}}
  %0 = tile.load %p other %o : !tile.ptr<f32>
  return
}

// -----

// tile_load_c3
func.func @load_other_type(%p: !tile.ptr<f32>, %m: i1) {
  // expected-note @below {{'other' made here}}
  %o = arith.constant 0 : i32
  // expected-error @below {{'tile.load' op expected 'other' of type 'f32', got 'i32' [tile_load_c3]}}
  %0 = "tile.load"(%p, %m, %o) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!tile.ptr<f32>, i1, i32) -> f32
  return
}

// -----

// tile_load_c4
func.func @load_pointer_type(%p: tensor<4xf32>) {
  // expected-error @below {{custom op 'tile.load' expected a pointer or tile of pointers, got 'tensor<4xf32>' [tile_load_c4]}}
  %0 = tile.load %p : tensor<4xf32>
  return
}

// -----

// tile_load_c5
func.func @load_cache(%p: !tile.ptr<f32>) {
  // expected-error @below {{custom op 'tile.load' expected a value of 'cache', got 'big' [tile_load_c5]}}
  %0 = tile.load %p cache big : !tile.ptr<f32>
  return
}

// -----

// tile_load_c5
func.func @load_evict(%p: !tile.ptr<f32>) {
  // expected-error @below {{custom op 'tile.load' expected a value of 'evict', got 'never' [tile_load_c5]}}
  %0 = tile.load %p evict never : !tile.ptr<f32>
  return
}

// -----

// tile_store_c1
// expected-note @below {{pointer made here}}
func.func @store_element(%p: !tile.ptr<f32>, %x: i32) {
  // expected-error @below {{'tile.store' op expected a value of 'f32' elements, got 'i32' [tile_store_c1]}}
  "tile.store"(%p, %x) : (!tile.ptr<f32>, i32) -> ()
  return
}

// -----

// tile_store_c2
func.func @store_pointer_type(%p: f32, %x: f32) {
  // expected-error @below {{custom op 'tile.store' expected a pointer or tile of pointers, got 'f32' [tile_store_c2]}}
  tile.store %p, %x : f32
  return
}

// -----

// tile_store_c3
func.func @store_cache(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error @below {{custom op 'tile.store' expected a value of 'cache', got 'l3' [tile_store_c3]}}
  tile.store %p, %x cache l3 : !tile.ptr<f32>
  return
}

// -----

// tile_store_c3
func.func @store_evict(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error @below {{custom op 'tile.store' expected a value of 'evict', got 'never' [tile_store_c3]}}
  tile.store %p, %x evict never : !tile.ptr<f32>
  return
}

// -----

// tile_make_view_c1
func.func @make_view_count(%p: !tile.ptr<f32>, %n: i64) {
  // expected-error @below {{'tile.make_view' op expected 2 shape and stride values, got 2 and 1 [tile_make_view_c1]}}
  %0 = tile.make_view %p shape [%n, %n] strides [%n] pad zero : !tile.view<4x4xf32>
  return
}

// -----

// tile_make_view_c2
// expected-note @below {{base made here}}
func.func @make_view_base(%p: !tile.ptr<f16>, %n: i64) {
  // expected-error @below {{'tile.make_view' op expected a base that points to 'f32', got '!tile.ptr<f16>' [tile_make_view_c2]}}
  %0 = tile.make_view %p shape [%n] strides [%n] pad zero : !tile.ptr<f16> -> !tile.view<4xf32>
  return
}

// -----

// tile_make_view_c4
func.func @make_view_padding(%p: !tile.ptr<f32>, %n: i64) {
  // expected-error @below {{custom op 'tile.make_view' expected 'zero' or 'nan', got 'one' [tile_make_view_c4]}}
  %0 = tile.make_view %p shape [%n] strides [%n] pad one : !tile.view<4xf32>
  return
}

// -----

// tile_make_view_c3
func.func @make_view_type(%p: !tile.ptr<f32>, %n: i64) {
  // expected-error @below {{custom op 'tile.make_view' expected a view type, got 'i32' [tile_make_view_c3]}}
  %0 = tile.make_view %p shape [%n] strides [%n] pad zero : i32
  return
}

// -----

// tile_view_load_c1
// expected-note @below {{view made here}}
func.func @view_load_offsets(%v: !tile.view<4x4xf32>, %i: i64) {
  // expected-error @below {{'tile.view_load' op expected 2 offsets, got 1 [tile_view_load_c1]}}
  %0 = tile.view_load %v[%i] checked [] : !tile.view<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

// tile_view_load_c2
// expected-note @below {{view made here}}
func.func @view_load_result(%v: !tile.view<4xf32>, %i: i64) {
  // expected-error @below {{'tile.view_load' op expected a result of type 'tensor<4xf32>', got 'tensor<8xf32>' [tile_view_load_c2]}}
  %0 = tile.view_load %v[%i] checked [] : !tile.view<4xf32> -> tensor<8xf32>
  return
}

// -----

// tile_view_load_c3
func.func @view_load_checked(%v: !tile.view<4x4xf32>, %i: i64) {
  // expected-error @below {{'tile.view_load' op expected ascending dimensions below 2 in 'checked', got [1, 0] [tile_view_load_c3]}}
  %0 = tile.view_load %v[%i, %i] checked [1, 0] : !tile.view<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

// tile_view_store_c1
// expected-note @below {{view made here}}
func.func @view_store_offsets(%v: !tile.view<4xf32>, %i: i64, %t: tensor<4xf32>) {
  // expected-error @below {{'tile.view_store' op expected 1 offsets, got 2 [tile_view_store_c1]}}
  tile.view_store %v[%i, %i], %t checked [] : !tile.view<4xf32>, tensor<4xf32>
  return
}

// -----

// tile_view_store_c2
// expected-note @below {{view made here}}
func.func @view_store_value(%v: !tile.view<4xf32>, %i: i64, %t: tensor<4xf16>) {
  // expected-error @below {{'tile.view_store' op expected a value of type 'tensor<4xf32>', got 'tensor<4xf16>' [tile_view_store_c2]}}
  tile.view_store %v[%i], %t checked [] : !tile.view<4xf32>, tensor<4xf16>
  return
}

// -----

// tile_view_store_c3
func.func @view_store_checked(%v: !tile.view<4xf32>, %i: i64, %t: tensor<4xf32>) {
  // expected-error @below {{'tile.view_store' op expected ascending dimensions below 1 in 'checked', got [1] [tile_view_store_c3]}}
  tile.view_store %v[%i], %t checked [1] : !tile.view<4xf32>, tensor<4xf32>
  return
}
