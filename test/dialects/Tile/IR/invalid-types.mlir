// RUN: tegula-opt --no-plugins %s -split-input-file -verify-diagnostics

// tile_ptr_c1
// expected-error @below {{expected i1, i8, i16, i32, i64, f16, bf16, f32, f64 or a pointer as pointee type, got 'index'}}
func.func private @pointee(!tile.ptr<index>)

// -----

// tile_view_c1
// expected-error @below {{expected a view of rank 1 to 5, got rank 6}}
func.func private @view_rank(!tile.view<1x1x1x1x1x1xf32>)

// -----

// tile_view_c2
// expected-error @below {{expected constant tile dimensions in a view, got ?}}
func.func private @view_dynamic(!tile.view<?x4xf32>)

// -----

// tile_view_c2
// expected-error @below {{expected positive tile dimensions in a view, got 0}}
func.func private @view_empty(!tile.view<4x0xf32>)

// -----

// tile_view_c3
// expected-error @below {{expected an element type that can be pointed to in a view, got 'i3'}}
func.func private @view_element(!tile.view<4xi3>)

// -----

func.func @dynamic_tile(%x: f32) {
  // expected-error @below {{'tile.splat' op result #0 must be statically shaped tensor}}
  %0 = tile.splat %x : f32 -> tensor<?xf32>
  return
}

// -----

// expected-error @below {{'tile.kernel' on a function, got it on 'builtin.module'}}
module attributes {tile.kernel} {}

// -----

// expected-error @below {{expected 'tile.kernel' to be a unit attribute, got 1 : i32}}
func.func private @kernel_value() attributes {tile.kernel = 1 : i32}

// -----

// expected-error @below {{expected 'tile.target' to be a backend's target, got "cpu"}}
module attributes {tile.target = "cpu"} {}

// -----

// expected-error @below {{expected 'tile.num_warps' to be a positive i32, got 0 : i32}}
module attributes {tile.num_warps = 0 : i32} {}

// -----

// expected-error @below {{expected 'tile.divisibility' on a function argument, got it on 'builtin.module'}}
module attributes {tile.divisibility = 16 : i32} {}

// -----

// expected-error @below {{expected 'tile.divisibility' of argument 1 to be a positive i32, got 16 : i64}}
func.func private @divisibility_type(i32, i32 {tile.divisibility = 16 : i64})

// -----

// expected-error @below {{expected 'tile.divisibility' of argument 0 to be a positive i32, got -2 : i32}}
func.func private @divisibility_sign(i32 {tile.divisibility = -2 : i32})

// -----

// expected-error @below {{expected 'tile.divisibility' on an integer or pointer, got 'f32' for argument 0}}
func.func private @divisibility_float(f32 {tile.divisibility = 2 : i32})

// -----

// expected-error @below {{expected 'tile.noalias' of argument 0 to be a unit attribute, got 1 : i32}}
func.func private @noalias_value(!tile.ptr<f32> {tile.noalias = 1 : i32})

// -----

// expected-error @below {{expected 'tile.noalias' on a pointer, got 'i32' for argument 0}}
func.func private @noalias_integer(i32 {tile.noalias})

// -----

// expected-error @below {{expected 'tile.name' of argument 0 to be a string, got 1 : i32}}
func.func private @name_value(i32 {tile.name = 1 : i32})
