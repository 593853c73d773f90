// RUN: tegula-opt --no-plugins %s -split-input-file -verify-diagnostics

// tile_attr_c1
// expected-error @below {{'builtin.module' op expected 'tile.kernel' on a function, got it on 'builtin.module' [tile_attr_c1]}}
module attributes {tile.kernel} {}

// -----

// tile_attr_c1
// expected-error @below {{'func.func' op expected 'tile.kernel' to be a unit attribute, got 1 : i32 [tile_attr_c1]}}
func.func private @kernel_value() attributes {tile.kernel = 1 : i32}

// -----

// tile_attr_c2
// expected-error @below {{'builtin.module' op expected 'tile.target' to be a backend's target, got "cpu" [tile_attr_c2]}}
module attributes {tile.target = "cpu"} {}

// -----

// tile_attr_c3
// expected-error @below {{'builtin.module' op expected 'tile.num_warps' to be a positive i32, got 0 : i32 [tile_attr_c3]}}
module attributes {tile.num_warps = 0 : i32} {}

// -----

// tile_attr_c3
// expected-error @below {{'builtin.module' op expected 'tile.num_stages' to be a positive i32, got 2 : i64 [tile_attr_c3]}}
module attributes {tile.num_stages = 2 : i64} {}

// -----

// tile_attr_c3
// expected-error @below {{'builtin.module' op expected 'tile.num_ctas' to be a positive i32, got -1 : i32 [tile_attr_c3]}}
module attributes {tile.num_ctas = -1 : i32} {}

// -----

// tile_attr_c4
// expected-error @below {{'builtin.module' op expected 'tile.divisibility' on a function argument, got it on 'builtin.module' [tile_attr_c4]}}
module attributes {tile.divisibility = 16 : i32} {}

// -----

// tile_attr_c4
// expected-error @below {{'builtin.module' op expected 'tile.noalias' on a function argument, got it on 'builtin.module' [tile_attr_c4]}}
module attributes {tile.noalias} {}

// -----

// tile_attr_c4
// expected-error @below {{'builtin.module' op expected 'tile.name' on a function argument, got it on 'builtin.module' [tile_attr_c4]}}
module attributes {tile.name = "x"} {}

// -----

// tile_attr_c5
// expected-error @below {{'func.func' op expected 'tile.divisibility' of argument 1 to be a positive i32, got 16 : i64 [tile_attr_c5]}}
func.func private @divisibility_type(i32, i32 {tile.divisibility = 16 : i64})

// -----

// tile_attr_c5
// expected-error @below {{'func.func' op expected 'tile.divisibility' of argument 0 to be a positive i32, got -2 : i32 [tile_attr_c5]}}
func.func private @divisibility_sign(i32 {tile.divisibility = -2 : i32})

// -----

// tile_attr_c6
// expected-error @below {{'func.func' op expected 'tile.divisibility' on an integer or pointer, got 'f32' for argument 0 [tile_attr_c6]}}
func.func private @divisibility_float(f32 {tile.divisibility = 2 : i32})

// -----

// tile_attr_c7
// expected-error @below {{'func.func' op expected 'tile.noalias' of argument 0 to be a unit attribute, got 1 : i32 [tile_attr_c7]}}
func.func private @noalias_value(!tile.ptr<f32> {tile.noalias = 1 : i32})

// -----

// tile_attr_c8
// expected-error @below {{'func.func' op expected 'tile.noalias' on a pointer, got 'i32' for argument 0 [tile_attr_c8]}}
func.func private @noalias_integer(i32 {tile.noalias})

// -----

// tile_attr_c8
// expected-error @below {{'func.func' op expected 'tile.noalias' on a pointer, got 'index' for argument 0 [tile_attr_c8]}}
func.func private @noalias_index(index {tile.noalias})

// -----

// tile_attr_c9
// expected-error @below {{'func.func' op expected 'tile.name' of argument 0 to be a string, got 1 : i32 [tile_attr_c9]}}
func.func private @name_value(i32 {tile.name = 1 : i32})
