// RUN: tegula-opt %s -split-input-file -tilegpu-plan-accesses | FileCheck %s

#rows = #tilegpu.linear<16x64, register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#columns = #tilegpu.linear<16x64, register = [[1, 0], [2, 0], [0, 32]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]]>
#line = #tilegpu.linear<1024, register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512]]>

module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 65536, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 4 : i32} {

// Rows with a stride of the run time: apart if the stride reaches over a row, or if 16 of
// them fit between columns, which they never do.
// CHECK-LABEL: @run_time_stride
// CHECK: %[[APART:.*]] = arith.ori
// CHECK: scf.if %[[APART]] {
// CHECK: tile.store {{.*}} {tilegpu.access = array<i64: 1, 8, 16>, tilegpu.distinct}
// CHECK: } else {
// CHECK: tile.store {{.*}} {tilegpu.access = array<i64: 1, 8, 16>, tilegpu.in_order}
func.func @run_time_stride(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %s: i32 {tile.divisibility = 16 : i32}, %v: tensor<16x64xf16, #rows>) {
  %i = tile.range 0 to 16 : tensor<16xi32>
  %i2 = tile.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %ss = tile.splat %s : i32 -> tensor<16x1xi32>
  %is = arith.muli %i2, %ss : tensor<16x1xi32>
  %ib = tile.broadcast %is : tensor<16x1xi32> -> tensor<16x64xi32, #rows>
  %j = tile.range 0 to 64 : tensor<64xi32>
  %j2 = tile.expand_dims %j axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %jb = tile.broadcast %j2 : tensor<1x64xi32> -> tensor<16x64xi32, #rows>
  %o = arith.addi %ib, %jb : tensor<16x64xi32, #rows>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<16x64x!tile.ptr<f16>, #rows>
  %p = tile.addptr %xs, %o : tensor<16x64x!tile.ptr<f16>, #rows>, tensor<16x64xi32, #rows>
  tile.store %p, %v : tensor<16x64x!tile.ptr<f16>, #rows>
  return
}

// Of a mask against a bound that 8 divides, 8 elements are equal; against others none.
// CHECK-LABEL: @masks
// CHECK: arith.cmpi slt, {{.*}} {tilegpu.access = array<i64: 1, 8, 1>}
// CHECK: arith.cmpi slt, %{{[^{]*}} : tensor
func.func @masks(%n: i32 {tile.divisibility = 16 : i32}, %m: i32)
    -> (tensor<16x64xi1, #rows>, tensor<16x64xi1, #rows>) {
  %j = tile.range 0 to 64 : tensor<64xi32>
  %j2 = tile.expand_dims %j axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %jb = tile.broadcast %j2 : tensor<1x64xi32> -> tensor<16x64xi32, #rows>
  %ns = tile.splat %n : i32 -> tensor<16x64xi32, #rows>
  %ms = tile.splat %m : i32 -> tensor<16x64xi32, #rows>
  %0 = arith.cmpi slt, %jb, %ns : tensor<16x64xi32, #rows>
  %1 = arith.cmpi slt, %jb, %ms : tensor<16x64xi32, #rows>
  return %0, %1 : tensor<16x64xi1, #rows>, tensor<16x64xi1, #rows>
}

// Known strides, carried through a loop that moves the tile; columns follow each other.
// CHECK-LABEL: @known_stride
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: tile.store {{.*}} {tilegpu.access = array<i64: 0, 4, 16>, tilegpu.distinct}
func.func @known_stride(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %v: tensor<16x64xf32, #columns>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant dense<16> : tensor<1x64xi32>
  %step = arith.constant dense<1024> : tensor<16x64xi32, #columns>
  %i = tile.range 0 to 16 : tensor<16xi32>
  %i2 = tile.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %ib = tile.broadcast %i2 : tensor<16x1xi32> -> tensor<16x64xi32, #columns>
  %j = tile.range 0 to 64 : tensor<64xi32>
  %j2 = tile.expand_dims %j axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %js = arith.muli %j2, %c16 : tensor<1x64xi32>
  %jb = tile.broadcast %js : tensor<1x64xi32> -> tensor<16x64xi32, #columns>
  %o = arith.addi %ib, %jb : tensor<16x64xi32, #columns>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16x64x!tile.ptr<f32>, #columns>
  %first = tile.addptr %xs, %o : tensor<16x64x!tile.ptr<f32>, #columns>, tensor<16x64xi32, #columns>
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%p = %first) -> (tensor<16x64x!tile.ptr<f32>, #columns>) : i32 {
    tile.store %p, %v : tensor<16x64x!tile.ptr<f32>, #columns>
    %q = tile.addptr %p, %step : tensor<16x64x!tile.ptr<f32>, #columns>, tensor<16x64xi32, #columns>
    scf.yield %q : tensor<16x64x!tile.ptr<f32>, #columns>
  }
  return
}

// Strides that are too small, zeros, remainders and loaded numbers: checked.
// CHECK-LABEL: @may_meet
// CHECK-NOT: tilegpu.distinct
// CHECK: return
func.func @may_meet(%x: !tile.ptr<f32>, %n: i32, %at: tensor<16x64xi32, #rows>, %v: tensor<16x64xf32, #rows>) {
  %i = tile.range 0 to 16 : tensor<16xi32>
  %i2 = tile.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %ib = tile.broadcast %i2 : tensor<16x1xi32> -> tensor<16x64xi32, #rows>
  %j = tile.range 0 to 64 : tensor<64xi32>
  %j2 = tile.expand_dims %j axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %jb = tile.broadcast %j2 : tensor<1x64xi32> -> tensor<16x64xi32, #rows>
  %o = arith.addi %ib, %jb : tensor<16x64xi32, #rows>
  %ns = tile.splat %n : i32 -> tensor<16x64xi32, #rows>
  %m = tile.rem signed %jb, %ns : tensor<16x64xi32, #rows>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16x64x!tile.ptr<f32>, #rows>
  %p = tile.addptr %xs, %o : tensor<16x64x!tile.ptr<f32>, #rows>, tensor<16x64xi32, #rows>
  tile.store %p, %v : tensor<16x64x!tile.ptr<f32>, #rows>
  %q = tile.addptr %xs, %jb : tensor<16x64x!tile.ptr<f32>, #rows>, tensor<16x64xi32, #rows>
  tile.store %q, %v : tensor<16x64x!tile.ptr<f32>, #rows>
  %r = tile.addptr %xs, %m : tensor<16x64x!tile.ptr<f32>, #rows>, tensor<16x64xi32, #rows>
  tile.store %r, %v : tensor<16x64x!tile.ptr<f32>, #rows>
  %s = tile.addptr %xs, %at : tensor<16x64x!tile.ptr<f32>, #rows>, tensor<16x64xi32, #rows>
  tile.store %s, %v : tensor<16x64x!tile.ptr<f32>, #rows>
  return
}

// Offsets of 8 bits: numbers of different elements meet, so the store is checked. Those of
// 32 bits, made of wider ones, do not.
// CHECK-LABEL: @narrow_offsets
// CHECK: arith.trunci
// CHECK: tile.store {{.*}} {tilegpu.access = array<i64: 0, 4, 16>} :
// CHECK: arith.trunci
// CHECK: tile.store {{.*}} {tilegpu.access = array<i64: 0, 4, 16>, tilegpu.distinct} :
func.func @narrow_offsets(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %v: tensor<1024xf32, #line>) {
  %i = tile.range 0 to 1024 : tensor<1024xi32, #line>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #line>
  %n = arith.trunci %i : tensor<1024xi32, #line> to tensor<1024xi8, #line>
  %w = arith.extsi %n : tensor<1024xi8, #line> to tensor<1024xi32, #line>
  %p = tile.addptr %xs, %w : tensor<1024x!tile.ptr<f32>, #line>, tensor<1024xi32, #line>
  tile.store %p, %v : tensor<1024x!tile.ptr<f32>, #line>
  %l = arith.extsi %i : tensor<1024xi32, #line> to tensor<1024xi64, #line>
  %s = arith.trunci %l : tensor<1024xi64, #line> to tensor<1024xi32, #line>
  %q = tile.addptr %xs, %s : tensor<1024x!tile.ptr<f32>, #line>, tensor<1024xi32, #line>
  tile.store %q, %v : tensor<1024x!tile.ptr<f32>, #line>
  return
}
}
