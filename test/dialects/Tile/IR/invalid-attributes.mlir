// RUN: tegula-opt --no-plugins %s -split-input-file -verify-diagnostics

// tile_attr_c1
// expected-error @below {{'tile.kernel' on a function, got it on 'builtin.module'}}
module attributes {tile.kernel} {}

// -----

// tile_attr_c1
// expected-error @below {{expected 'tile.kernel' to be a unit attribute, got 1 : i32}}
func.func private @kernel_value() attributes {tile.kernel = 1 : i32}

// -----

// tile_attr_c2
// expected-error @below {{expected 'tile.target' to be a backend's target, got "cpu"}}
module attributes {tile.target = "cpu"} {}

// -----

// tile_attr_c3
// expected-error @below {{expected 'tile.num_warps' to be a positive i32, got 0 : i32}}
module attributes {tile.num_warps = 0 : i32} {}

// -----

// tile_attr_c3
// expected-error @below {{x}}
module attributes {tile.num_stages = 2 : i64} {}

// -----

// tile_attr_c3
// expected-error @below {{x}}
module attributes {tile.num_ctas = -1 : i32} {}

// -----

// tile_attr_c4
// expected-error @below {{expected 'tile.divisibility' on a function argument, got it on 'builtin.module'}}
module attributes {tile.divisibility = 16 : i32} {}

// -----

// tile_attr_c4
// expected-error @below {{x}}
module attributes {tile.noalias} {}

// -----

// tile_attr_c4
// expected-error @below {{x}}
module attributes {tile.name = "x"} {}

// -----

// tile_attr_c5
// expected-error @below {{expected 'tile.divisibility' of argument 1 to be a positive i32, got 16 : i64}}
func.func private @divisibility_type(i32, i32 {tile.divisibility = 16 : i64})

// -----

// tile_attr_c5
// expected-error @below {{expected 'tile.divisibility' of argument 0 to be a positive i32, got -2 : i32}}
func.func private @divisibility_sign(i32 {tile.divisibility = -2 : i32})

// -----

// tile_attr_c6
// expected-error @below {{expected 'tile.divisibility' on an integer or pointer, got 'f32' for argument 0}}
func.func private @divisibility_float(f32 {tile.divisibility = 2 : i32})

// -----

// tile_attr_c7
// expected-error @below {{expected 'tile.noalias' of argument 0 to be a unit attribute, got 1 : i32}}
func.func private @noalias_value(!tile.ptr<f32> {tile.noalias = 1 : i32})

// -----

// tile_attr_c8
// expected-error @below {{expected 'tile.noalias' on a pointer, got 'i32' for argument 0}}
func.func private @noalias_integer(i32 {tile.noalias})

// -----

// tile_attr_c9
// expected-error @below {{expected 'tile.name' of argument 0 to be a string, got 1 : i32}}
func.func private @name_value(i32 {tile.name = 1 : i32})
