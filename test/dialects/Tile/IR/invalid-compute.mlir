// RUN: tegula-opt --no-plugins %s -split-input-file -verify-diagnostics

// tile_dot_c1
func.func @dot_rank(%a: tensor<4xf32>) {
  // expected-error @below {{'tile.dot' op expected operands of rank 2 or 3, got rank 1 [tile_dot_c1]}}
  %0 = tile.dot %a, %a, %a precision ieee : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

// tile_dot_c1
func.func @dot_ranks(%a: tensor<4x4xf32>, %c: tensor<1x4x4xf32>) {
  // expected-error @below {{'tile.dot' op expected operands of equal rank, got 2, 2 and 3 [tile_dot_c1]}}
  %0 = tile.dot %a, %a, %c precision ieee : tensor<4x4xf32>, tensor<4x4xf32>, tensor<1x4x4xf32>
  return
}

// -----

// tile_dot_c2
func.func @dot_inner(%a: tensor<4x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error @below {{'tile.dot' op expected b of shape [8, 8], got [4, 8] [tile_dot_c2]}}
  %0 = tile.dot %a, %a, %c precision ieee : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// tile_dot_c2
func.func @dot_accumulator_shape(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x8xf32>) {
  // expected-error @below {{'tile.dot' op expected an accumulator of shape [4, 2], got [4, 8] [tile_dot_c2]}}
  %0 = tile.dot %a, %b, %c precision ieee : tensor<4x8xf32>, tensor<8x2xf32>, tensor<4x8xf32>
  return
}

// -----

// tile_dot_c3
func.func @dot_elements(%a: tensor<4x4xf16>, %b: tensor<4x4xbf16>, %c: tensor<4x4xf32>) {
  // expected-error @below {{'tile.dot' op expected operands of equal element type, got 'f16' and 'bf16' [tile_dot_c3]}}
  %0 = tile.dot %a, %b, %c precision ieee : tensor<4x4xf16>, tensor<4x4xbf16>, tensor<4x4xf32>
  return
}

// -----

// tile_dot_c3
func.func @dot_one_fp8(%a: tensor<4x4xi8>, %c: tensor<4x4xf32>) {
  // expected-error @below {{'tile.dot' op expected both of 'a_fp8' and 'b_fp8' or neither, got one [tile_dot_c3]}}
  %0 = tile.dot %a, %a, %c precision ieee {a_fp8 = #tile<fp8 e5m2>} : tensor<4x4xi8>, tensor<4x4xi8>, tensor<4x4xf32>
  return
}

// -----

// tile_dot_c3
func.func @dot_fp8_storage(%a: tensor<4x4xf16>, %c: tensor<4x4xf32>) {
  // expected-error @below {{'tile.dot' op expected i8 operands for 8-bit floats, got 'f16' [tile_dot_c3]}}
  %0 = tile.dot %a, %a, %c precision ieee {a_fp8 = #tile<fp8 e5m2>, b_fp8 = #tile<fp8 e5m2>} : tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xf32>
  return
}

// -----

// tile_dot_c4
// expected-note @below {{accumulator made here}}
func.func @dot_accumulator(%a: tensor<4x4xbf16>, %c: tensor<4x4xf16>) {
  // expected-error @below {{'tile.dot' op expected an accumulator of f32 for these operands, got 'f16' [tile_dot_c4]}}
  %0 = tile.dot %a, %a, %c precision ieee : tensor<4x4xbf16>, tensor<4x4xbf16>, tensor<4x4xf16>
  return
}

// -----

// tile_dot_c4
// expected-note @below {{accumulator made here}}
func.func @dot_fp8_accumulator(%a: tensor<4x4xi8>, %c: tensor<4x4xi32>) {
  // expected-error @below {{'tile.dot' op expected an accumulator of f32 or f16 for 8-bit float operands, got 'i32' [tile_dot_c4]}}
  %0 = tile.dot %a, %a, %c precision ieee {a_fp8 = #tile<fp8 e5m2>, b_fp8 = #tile<fp8 e5m2>} : tensor<4x4xi8>, tensor<4x4xi8>, tensor<4x4xi32>
  return
}

// -----

// tile_dot_c4
func.func @dot_operands(%a: tensor<4x4xf8E5M2>, %c: tensor<4x4xf32>) {
  // expected-error @below {{'tile.dot' op expected operands of integers, f16, bf16, f32 or f64, got 'f8E5M2' [tile_dot_c4]}}
  %0 = tile.dot %a, %a, %c precision ieee : tensor<4x4xf8E5M2>, tensor<4x4xf8E5M2>, tensor<4x4xf32>
  return
}

// -----

// tile_reduce_c1
func.func @reduce_nothing() {
  // expected-error @below {{'tile.reduce' op expected at least one operand, got none [tile_reduce_c1]}}
  "tile.reduce"() <{axis = 0 : i32}> ({
  ^bb0:
    "tile.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// tile_reduce_c1
// expected-note @below {{operand made here}}
func.func @reduce_shapes(%x: tensor<4xf32>, %y: tensor<8xf32>) {
  // expected-error @below {{'tile.reduce' op expected operands of shape [4], got [8] [tile_reduce_c1]}}
  %0:2 = tile.reduce (%x, %y) axis 0 : (tensor<4xf32>, tensor<8xf32>) -> (f32, f32) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

// tile_reduce_c2
func.func @reduce_axis(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.reduce' op expected an axis from 0 to 0, got 1 [tile_reduce_c2]}}
  %0 = tile.reduce (%x) axis 1 : (tensor<4xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

// tile_reduce_c2
func.func @reduce_rank(%x: tensor<f32>) {
  // expected-error @below {{'tile.reduce' op expected operands of rank 1 or more, got rank 0 [tile_reduce_c2]}}
  %0 = tile.reduce (%x) axis 0 : (tensor<f32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

// tile_reduce_c3
func.func @reduce_results(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.reduce' op expected 1 results, got 2 [tile_reduce_c3]}}
  %0:2 = tile.reduce (%x) axis 0 : (tensor<4xf32>) -> (f32, f32) {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

// tile_reduce_c3
func.func @reduce_result_type(%x: tensor<4x8xf32>) {
  // expected-error @below {{'tile.reduce' op expected result 'tensor<8xf32>', got 'tensor<4xf32>' [tile_reduce_c3]}}
  %0 = tile.reduce (%x) axis 0 : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

// tile_reduce_c4
func.func @reduce_arguments(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.reduce' op expected a region with arguments ('f32', 'f32'), got ('f32') [tile_reduce_c4]}}
  %0 = tile.reduce (%x) axis 0 : (tensor<4xf32>) -> f32 {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return
}

// -----

// tile_reduce_c4
func.func @reduce_terminator(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.reduce' op expected a region that ends in tile.yield, got another [tile_reduce_c4]}}
  %0 = tile.reduce (%x) axis 0 : (tensor<4xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    llvm.unreachable
  }
  return
}

// -----

// tile_reduce_c4
func.func @reduce_yield(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.reduce' op expected a region that yields ('f32'), got ('f32', 'f32') [tile_reduce_c4]}}
  %0 = tile.reduce (%x) axis 0 : (tensor<4xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    // expected-note @below {{yielded here}}
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @div_width(%a: i65) {
  // expected-error @below {{'tile.div' op operand #0 must be integer of up to 64 bits or tile of such, but got 'i65'}}
  %0 = tile.div signed %a, %a : i65
  return
}

// -----

func.func @fp_to_int_float(%a: f8E8M0FNU) {
  // expected-error @below {{'tile.fp_to_int' op operand #0 must be f16, bf16, f32, f64 or tile of such, but got 'f8E8M0FNU'}}
  %0 = tile.fp_to_int signed %a : f8E8M0FNU -> i32
  return
}

// -----

func.func @fp_to_int_shape(%a: tensor<4xf32>) {
  // expected-error @below {{'tile.fp_to_int' op requires the same shape for all operands and results}}
  %0 = tile.fp_to_int signed %a : tensor<4xf32> -> tensor<8xi32>
  return
}

// -----

func.func @yield_outside(%a: f32) {
  // expected-error @below {{'tile.yield' op expects parent op to be one of 'tile.map, tile.reduce, tile.scan'}}
  tile.yield %a : f32
}

// -----

func.func @div_empty(%a: i0) -> i0 {
  // expected-error @below {{'tile.div' op operand #0 must be integer of up to 64 bits or tile of such, but got 'i0'}}
  %0 = tile.div signed %a, %a : i0
  return %0 : i0
}
