// RUN: tegula-opt --no-plugins %s -tile-lower-views -canonicalize -cse -tile-test-axis-info 2>&1 | FileCheck %s

// Pointers: rows are contiguous, and as aligned as base, strides and offsets.
// CHECK: remark: contiguity = [1, 32], divisibility = [2, 16], constancy = [1, 1]
// Masks: change where a multiple of what divides size and offset lies.
// CHECK: remark: contiguity = [1, 1], divisibility = [1, 1], constancy = [8, 16]
// CHECK: remark: contiguity = [1, 1], divisibility = [1, 1], constancy = [1, 16]
func.func @rows(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i64,
                %n: i64 {tile.divisibility = 16 : i32}, %s: i64 {tile.divisibility = 16 : i32},
                %i: i64, %j: i64 {tile.divisibility = 16 : i32}) -> tensor<8x32xf16> {
  %one = arith.constant 1 : i64
  %v = tile.make_view %p shape [%m, %n] strides [%s, %one] pad zero : !tile.view<8x32xf16>
  %x = tile.view_load %v[%i, %j] checked [0, 1] : !tile.view<8x32xf16> -> tensor<8x32xf16>
  return %x : tensor<8x32xf16>
}
