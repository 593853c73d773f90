// RUN: tegula-opt %s -tilegpu-plan-shared | FileCheck %s

#line = #tilegpu.linear<128, lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
#big = #tilegpu.linear<2048, register = [[1], [2], [4], [8]], lane = [[16], [32], [64], [128], [256]], warp = [[512], [1024]]>

// CHECK: module attributes {{.*}}tilegpu.shared_bytes = 24576 : i32
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 4 : i32} {

// Small ones take turns: 16 bytes each of the first 2.
// CHECK-LABEL: func.func @turns(
// CHECK: tile.reduce{{.*}}tilegpu.scratch = 0 : i32
// CHECK: tile.reduce{{.*}}tilegpu.scratch = 16 : i32
func.func @turns(%x: tensor<128xf32, #line>) -> f32 {
  %s = tile.reduce (%x) axis 0 : (tensor<128xf32, #line>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %m = tile.reduce (%x) axis 0 : (tensor<128xf32, #line>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    tile.yield %c : f32
  }
  %r = arith.addf %s, %m : f32
  return %r : f32
}

// Large ones stand behind them, one after the other. Ops that need none lose an old attribute.
// CHECK-LABEL: func.func @share(
// CHECK: tile.gather{{.*}}tilegpu.scratch = 16 : i32
// CHECK: scf.for
// CHECK: tile.reduce{{.*}}tilegpu.scratch = 0 : i32
// CHECK: tile.sort{{.*}}tilegpu.scratch = 4112 : i32
// CHECK: arith.addi
// CHECK-NOT: tilegpu.scratch
func.func @share(%x: tensor<2048xf16, #big>, %i: tensor<2048xi32, #big>, %y: tensor<128xf32, #line>, %n: i32) -> tensor<2048xf16, #big> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %g = tile.gather %x[%i] axis 0 : tensor<2048xf16, #big>, tensor<2048xi32, #big> -> tensor<2048xf16, #big>
  %r = scf.for %k = %zero to %n step %one iter_args(%v = %g) -> tensor<2048xf16, #big> : i32 {
    %s = tile.reduce (%y) axis 0 : (tensor<128xf32, #line>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %w = tile.sort (%v) axis 0 ascending signed : (tensor<2048xf16, #big>) -> tensor<2048xf16, #big>
    scf.yield %w : tensor<2048xf16, #big>
  }
  %k = arith.addi %n, %one {tilegpu.scratch = 0 : i32} : i32
  return %r : tensor<2048xf16, #big>
}

// Where there are too many for that, from the front again.
// CHECK-LABEL: func.func @again(
// CHECK: tile.sort{{.*}}tilegpu.scratch = 0 : i32
// CHECK: tile.sort{{.*}}tilegpu.scratch = 12288 : i32
// CHECK: tile.sort{{.*}}tilegpu.scratch = 0 : i32
func.func @again(%x: tensor<2048xf16, #big>) -> tensor<2048xf16, #big> {
  %u = tile.sort (%x) axis 0 ascending signed : (tensor<2048xf16, #big>) -> tensor<2048xf16, #big>
  %v = tile.sort (%u) axis 0 descending signed : (tensor<2048xf16, #big>) -> tensor<2048xf16, #big>
  %w = tile.sort (%v) axis 0 ascending signed : (tensor<2048xf16, #big>) -> tensor<2048xf16, #big>
  return %w : tensor<2048xf16, #big>
}
}
