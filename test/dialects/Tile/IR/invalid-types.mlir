// RUN: tegula-opt --no-plugins %s -split-input-file -verify-diagnostics

// tile_ptr_c1
// expected-error @below {{expected i1, i8, i16, i32, i64, f16, bf16, f32, f64 or a pointer as pointee type, got 'index' [tile_ptr_c1]}}
func.func private @pointee(!tile.ptr<index>)

// -----

// tile_view_c1
// expected-error @below {{expected a view of rank 1 to 5, got rank 6 [tile_view_c1]}}
func.func private @view_rank(!tile.view<1x1x1x1x1x1xf32>)

// -----

// tile_view_c2
// expected-error @below {{expected constant tile dimensions in a view, got ? [tile_view_c2]}}
func.func private @view_dynamic(!tile.view<?x4xf32>)

// -----

// tile_view_c2
// expected-error @below {{expected positive tile dimensions in a view, got 0 [tile_view_c2]}}
func.func private @view_empty(!tile.view<4x0xf32>)

// -----

// tile_view_c3
// expected-error @below {{expected an element type that can be pointed to in a view, got 'i3' [tile_view_c3]}}
func.func private @view_element(!tile.view<4xi3>)

// -----

// tile_view_c1
// expected-error @below {{expected a view of rank 1 to 5, got rank 0 [tile_view_c1]}}
func.func private @view_rank_0(!tile.view<f32>)

// -----

// tile_view_c4
// expected-error @below {{expected a view of tiles of at most 1048576 elements, got shape [1024, 1025] [tile_view_c4]}}
func.func private @view_size(!tile.view<1024x1025xf32>)

// -----

// The product does not fit 64 bits.
// tile_view_c4
// expected-error @below {{expected a view of tiles of at most 1048576 elements, got shape [4294967296, 4294967296] [tile_view_c4]}}
func.func private @view_overflow(!tile.view<4294967296x4294967296xf32>)

// -----

// expected-error @below {{expected non-function type}}
// expected-error @below {{failed to parse Tile_PtrType parameter 'pointeeType' which is to be a `::mlir::Type`}}
func.func private @ptr_empty(!tile.ptr<>)

// -----

// expected-error @below {{expected integer value}}
// expected-error @below {{failed to parse Tile_PtrType parameter 'addressSpace' which is to be a `unsigned`}}
func.func private @ptr_space(!tile.ptr<f32, global>)

// -----

// expected-error @below {{unbalanced '<' character in pretty dialect name}}
func.func private @view_open(!tile.view<4xf32)

// -----

// expected-error @below {{unknown  type `tile` in dialect `tile`}}
func.func private @unknown_type(!tile.tile<4xf32>)

// -----

func.func @unknown_kind(%x: i8) {
  // expected-error @below {{custom op 'tile.from_fp8' expected ::tegula::tile::Fp8Kind to be one of: e4m3fn, e5m2, e4m3fnuz, e5m2fnuz, e4m3b15}}
  // expected-error @below {{custom op 'tile.from_fp8' failed to parse Tile_Fp8KindAttr parameter 'value' which is to be a `::tegula::tile::Fp8Kind`}}
  %0 = tile.from_fp8 e3m4 %x : i8 -> f32
  return
}

// -----

func.func @unknown_attribute() {
  // expected-error @below {{unknown attribute `big` in dialect `tile`}}
  %0 = arith.constant {a = #tile.big} 0 : i32
  return
}

// -----

func.func @dynamic_tile(%x: f32) {
  // expected-error @below {{'tile.splat' op result #0 must be statically shaped tensor of signless integer or floating-point or pointer values, but got 'tensor<?xf32>'}}
  %0 = tile.splat %x : f32 -> tensor<?xf32>
  return
}
