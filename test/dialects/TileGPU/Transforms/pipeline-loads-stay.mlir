// RUN: tegula-opt %s -split-input-file -tilegpu-layout -tilegpu-pipeline-loads | FileCheck %s

// What stays as it is, and what does not in spite of everything.
// No copies beside the program here.
#caps = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true, mma = [<mma_sync, 16, 8, 16, f16, f16, f32>]>
module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tilegpu.capabilities = #caps} {
// CHECK-LABEL: @target(
// CHECK-NOT: tilegpu.channel
// CHECK: tile.dot
func.func @target(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32, %m: tensor<32x32xi1>, %zero: tensor<32x32xf32>) -> tensor<32x32xf32> attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<32x32xf16>
  %r = tile.range 0 to 32 : tensor<32xi32>
  %row = tile.expand_dims %r axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %off = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
  %two = arith.constant dense<2> : tensor<32x32xi32>
  %wide = arith.muli %off, %two : tensor<32x32xi32>
  %sa = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %sb = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %so = tile.splat %o : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %pa = tile.addptr %sa, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pb = tile.addptr %sb, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %po = tile.addptr %so, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pw = tile.addptr %sb, %wide : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc precision ieee : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  return %sum : tensor<32x32xf32>
}
}

// -----

// One stage.
#caps = #tilegpu.capabilities<async_copy = true, warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true, mma = [<mma_sync, 16, 8, 16, f16, f16, f32>]>
module attributes {tile.num_stages = 1 : i32, tile.num_warps = 4 : i32, tilegpu.capabilities = #caps} {
// CHECK-LABEL: @one_stage(
// CHECK-NOT: tilegpu.channel
// CHECK: tile.dot
func.func @one_stage(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32, %m: tensor<32x32xi1>, %zero: tensor<32x32xf32>) -> tensor<32x32xf32> attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<32x32xf16>
  %r = tile.range 0 to 32 : tensor<32xi32>
  %row = tile.expand_dims %r axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %off = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
  %two = arith.constant dense<2> : tensor<32x32xi32>
  %wide = arith.muli %off, %two : tensor<32x32xi32>
  %sa = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %sb = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %so = tile.splat %o : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %pa = tile.addptr %sa, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pb = tile.addptr %sb, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %po = tile.addptr %so, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pw = tile.addptr %sb, %wide : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc precision ieee : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  return %sum : tensor<32x32xf32>
}
}

// -----

// Four stages of 4096 bytes and nothing more.
#caps = #tilegpu.capabilities<async_copy = true, warp_size = 32, max_threads = 1024, shared_bytes = 16384, max_access_bytes = 16, load_matrix = true, mma = [<mma_sync, 16, 8, 16, f16, f16, f32>]>
module attributes {tile.num_stages = 5 : i32, tile.num_warps = 4 : i32, tilegpu.capabilities = #caps} {
// CHECK-LABEL: @short(
// CHECK-COUNT-2: tilegpu.channel : <4,
func.func @short(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32, %m: tensor<32x32xi1>, %zero: tensor<32x32xf32>) -> tensor<32x32xf32> attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<32x32xf16>
  %r = tile.range 0 to 32 : tensor<32xi32>
  %row = tile.expand_dims %r axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %off = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
  %two = arith.constant dense<2> : tensor<32x32xi32>
  %wide = arith.muli %off, %two : tensor<32x32xi32>
  %sa = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %sb = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %so = tile.splat %o : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %pa = tile.addptr %sa, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pb = tile.addptr %sb, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %po = tile.addptr %so, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pw = tile.addptr %sb, %wide : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc precision ieee : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  return %sum : tensor<32x32xf32>
}
}

// -----

// Not even two.
#caps = #tilegpu.capabilities<async_copy = true, warp_size = 32, max_threads = 1024, shared_bytes = 8000, max_access_bytes = 16, load_matrix = true, mma = [<mma_sync, 16, 8, 16, f16, f16, f32>]>
module attributes {tile.num_stages = 5 : i32, tile.num_warps = 4 : i32, tilegpu.capabilities = #caps} {
// CHECK-LABEL: @too_short(
// CHECK-NOT: tilegpu.channel
// CHECK: tile.dot
func.func @too_short(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32, %m: tensor<32x32xi1>, %zero: tensor<32x32xf32>) -> tensor<32x32xf32> attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<32x32xf16>
  %r = tile.range 0 to 32 : tensor<32xi32>
  %row = tile.expand_dims %r axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %off = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
  %two = arith.constant dense<2> : tensor<32x32xi32>
  %wide = arith.muli %off, %two : tensor<32x32xi32>
  %sa = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %sb = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %so = tile.splat %o : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %pa = tile.addptr %sa, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pb = tile.addptr %sb, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %po = tile.addptr %so, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pw = tile.addptr %sb, %wide : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc precision ieee : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  return %sum : tensor<32x32xf32>
}
}

// -----

// What the loop stores might be what it loads.
#caps = #tilegpu.capabilities<async_copy = true, warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true, mma = [<mma_sync, 16, 8, 16, f16, f16, f32>]>
module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tilegpu.capabilities = #caps} {
// CHECK-LABEL: @stores(
// CHECK-NOT: tilegpu.channel
// CHECK: tile.dot
func.func @stores(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32, %m: tensor<32x32xi1>, %zero: tensor<32x32xf32>) -> tensor<32x32xf32> attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<32x32xf16>
  %r = tile.range 0 to 32 : tensor<32xi32>
  %row = tile.expand_dims %r axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %off = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
  %two = arith.constant dense<2> : tensor<32x32xi32>
  %wide = arith.muli %off, %two : tensor<32x32xi32>
  %sa = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %sb = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %so = tile.splat %o : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %pa = tile.addptr %sa, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pb = tile.addptr %sb, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %po = tile.addptr %so, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pw = tile.addptr %sb, %wide : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<32x32x!tile.ptr<f16>>
    tile.store %po, %one : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc precision ieee : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  return %sum : tensor<32x32xf32>
}
}

// -----

// It cannot be: nothing else leads to what is stored.
#caps = #tilegpu.capabilities<async_copy = true, warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true, mma = [<mma_sync, 16, 8, 16, f16, f16, f32>]>
module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tilegpu.capabilities = #caps} {
// CHECK-LABEL: @stores_apart(
// CHECK: tilegpu.channel
// CHECK: scf.for
// CHECK: tile.store
// CHECK: tile.dot
func.func @stores_apart(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.noalias}, %n: i32, %m: tensor<32x32xi1>, %zero: tensor<32x32xf32>) -> tensor<32x32xf32> attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<32x32xf16>
  %r = tile.range 0 to 32 : tensor<32xi32>
  %row = tile.expand_dims %r axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %off = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
  %two = arith.constant dense<2> : tensor<32x32xi32>
  %wide = arith.muli %off, %two : tensor<32x32xi32>
  %sa = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %sb = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %so = tile.splat %o : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %pa = tile.addptr %sa, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pb = tile.addptr %sb, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %po = tile.addptr %so, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pw = tile.addptr %sb, %wide : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<32x32x!tile.ptr<f16>>
    tile.store %po, %one : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc precision ieee : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  return %sum : tensor<32x32xf32>
}
}

// -----

// The program may end here.
#caps = #tilegpu.capabilities<async_copy = true, warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true, mma = [<mma_sync, 16, 8, 16, f16, f16, f32>]>
module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tilegpu.capabilities = #caps} {
// CHECK-LABEL: @asserts(
// CHECK-NOT: tilegpu.channel
// CHECK: tile.dot
func.func @asserts(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32, %m: tensor<32x32xi1>, %zero: tensor<32x32xf32>) -> tensor<32x32xf32> attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<32x32xf16>
  %r = tile.range 0 to 32 : tensor<32xi32>
  %row = tile.expand_dims %r axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %off = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
  %two = arith.constant dense<2> : tensor<32x32xi32>
  %wide = arith.muli %off, %two : tensor<32x32xi32>
  %sa = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %sb = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %so = tile.splat %o : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %pa = tile.addptr %sa, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pb = tile.addptr %sb, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %po = tile.addptr %so, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pw = tile.addptr %sb, %wide : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<32x32x!tile.ptr<f16>>
    %ok = arith.cmpi slt, %i, %n : i32
    tile.assert %ok, "no" : i1
    %d = tile.dot %x, %y, %acc precision ieee : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  return %sum : tensor<32x32xf32>
}
}

// -----

// Others see a volatile load.
#caps = #tilegpu.capabilities<async_copy = true, warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true, mma = [<mma_sync, 16, 8, 16, f16, f16, f32>]>
module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tilegpu.capabilities = #caps} {
// CHECK-LABEL: @volatile_load(
// CHECK-NOT: tilegpu.channel
// CHECK: tile.dot
func.func @volatile_load(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32, %m: tensor<32x32xi1>, %zero: tensor<32x32xf32>) -> tensor<32x32xf32> attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<32x32xf16>
  %r = tile.range 0 to 32 : tensor<32xi32>
  %row = tile.expand_dims %r axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %off = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
  %two = arith.constant dense<2> : tensor<32x32xi32>
  %wide = arith.muli %off, %two : tensor<32x32xi32>
  %sa = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %sb = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %so = tile.splat %o : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %pa = tile.addptr %sa, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pb = tile.addptr %sb, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %po = tile.addptr %so, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pw = tile.addptr %sb, %wide : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %y = tile.load %pb volatile : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc precision ieee : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  return %sum : tensor<32x32xf32>
}
}

// -----

// Elements of two bytes that lie apart.
#caps = #tilegpu.capabilities<async_copy = true, warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true, mma = [<mma_sync, 16, 8, 16, f16, f16, f32>]>
module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tilegpu.capabilities = #caps} {
// CHECK-LABEL: @apart(
// CHECK-NOT: tilegpu.channel
// CHECK: tile.dot
func.func @apart(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32, %m: tensor<32x32xi1>, %zero: tensor<32x32xf32>) -> tensor<32x32xf32> attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<32x32xf16>
  %r = tile.range 0 to 32 : tensor<32xi32>
  %row = tile.expand_dims %r axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %off = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
  %two = arith.constant dense<2> : tensor<32x32xi32>
  %wide = arith.muli %off, %two : tensor<32x32xi32>
  %sa = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %sb = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %so = tile.splat %o : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %pa = tile.addptr %sa, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pb = tile.addptr %sb, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %po = tile.addptr %so, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pw = tile.addptr %sb, %wide : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %y = tile.load %pw : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc precision ieee : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  return %sum : tensor<32x32xf32>
}
}

// -----

// Copies leave zeros where a mask is off.
#caps = #tilegpu.capabilities<async_copy = true, warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true, mma = [<mma_sync, 16, 8, 16, f16, f16, f32>]>
module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tilegpu.capabilities = #caps} {
// CHECK-LABEL: @ones(
// CHECK-NOT: tilegpu.channel
// CHECK: tile.dot
func.func @ones(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32, %m: tensor<32x32xi1>, %zero: tensor<32x32xf32>) -> tensor<32x32xf32> attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<32x32xf16>
  %r = tile.range 0 to 32 : tensor<32xi32>
  %row = tile.expand_dims %r axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %off = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
  %two = arith.constant dense<2> : tensor<32x32xi32>
  %wide = arith.muli %off, %two : tensor<32x32xi32>
  %sa = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %sb = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %so = tile.splat %o : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %pa = tile.addptr %sa, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pb = tile.addptr %sb, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %po = tile.addptr %so, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pw = tile.addptr %sb, %wide : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %y = tile.load %pb mask %m other %one : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc precision ieee : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  return %sum : tensor<32x32xf32>
}
}

// -----

// The address is what the trip before has computed.
#caps = #tilegpu.capabilities<async_copy = true, warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true, mma = [<mma_sync, 16, 8, 16, f16, f16, f32>]>
module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tilegpu.capabilities = #caps} {
// CHECK-LABEL: @computed(
// CHECK-NOT: tilegpu.channel
// CHECK: tile.dot
func.func @computed(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32, %m: tensor<32x32xi1>, %zero: tensor<32x32xf32>) -> tensor<32x32xf32> attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<32x32xf16>
  %r = tile.range 0 to 32 : tensor<32xi32>
  %row = tile.expand_dims %r axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %off = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
  %two = arith.constant dense<2> : tensor<32x32xi32>
  %wide = arith.muli %off, %two : tensor<32x32xi32>
  %sa = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %sb = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %so = tile.splat %o : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %pa = tile.addptr %sa, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pb = tile.addptr %sb, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %po = tile.addptr %so, %off : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %pw = tile.addptr %sb, %wide : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %t = tile.fp_to_int signed %acc : tensor<32x32xf32> -> tensor<32x32xi32>
    %q = tile.addptr %pb, %t : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %y = tile.load %q : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc precision ieee : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  return %sum : tensor<32x32xf32>
}
}
