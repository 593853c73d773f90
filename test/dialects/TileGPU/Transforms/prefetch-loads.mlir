// RUN: tegula-opt %s -split-input-file -tilegpu-prefetch-loads -cse | FileCheck %s
// RUN: tegula-opt %s -split-input-file -tilegpu-prefetch-loads -cse | FileCheck %s --check-prefix=STAY

#a = #tilegpu.linear<64x32, register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#b = #tilegpu.linear<32x64, register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#fa = #tilegpu.linear<64x32, register = [[0, 1], [8, 0], [0, 8], [0, 16], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 0]]>
#fb = #tilegpu.linear<32x64, register = [[1, 0], [8, 0], [16, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0], [0, 8]]>
#acc = #tilegpu.linear<64x64, register = [[0, 1], [8, 0], [0, 16], [0, 32], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 8]]>
module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
// One mask of the program's own, one load without any; a tile that is widened on its way.
// CHECK-LABEL: @product(
// CHECK-SAME: %[[PA:[^ ]*]]: tensor<64x32x!tile.ptr<f16>, #[[$A:[a-z0-9]+]]>, %[[PB:[^ ]*]]: tensor<32x64x!tile.ptr<i8>, #[[$B:[a-z0-9]+]]>
// CHECK-SAME: %[[LOWER:[^ ]*]]: i32, %[[UPPER:[^ ]*]]: i32, %[[STEP:[^ ]*]]: i32
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[LOWER]], %[[UPPER]] : i32
// CHECK: %[[ALL:.*]] = tile.splat %[[ANY]] : i1 -> tensor<64x32xi1, #[[$A]]>
// CHECK: %[[AT:.*]] = tile.splat %[[LOWER]] : i32 -> tensor<64x32xi32
// CHECK: %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %[[AT]]
// CHECK: %[[M0:.*]] = arith.andi %[[IN]], %[[ALL]]
// CHECK: %[[A0:.*]] = tile.load %[[PA]] mask %[[M0]] other
// CHECK: %[[MB:.*]] = tile.splat %[[ANY]] : i1 -> tensor<32x64xi1, #[[$B]]>
// CHECK: %[[B0:.*]] = tile.load %[[PB]] mask %[[MB]]
// CHECK: scf.for %[[I:.*]] = %[[LOWER]] to %[[UPPER]] step %[[STEP]] iter_args({{.*}}, %[[P:.*]] = %[[PA]], %[[A:.*]] = %[[A0]], %[[B:.*]] = %[[B0]])
// CHECK-NOT: tile.load
// CHECK: %[[FA:.*]] = tilegpu.convert_layout %[[A]]
// CHECK: %[[W:.*]] = arith.sitofp %[[B]]
// CHECK: %[[FB:.*]] = tilegpu.convert_layout %[[W]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[UPPER]], %[[I]]
// CHECK: %[[MORE:.*]] = arith.cmpi ult, %[[STEP]], %[[LEFT]]
// CHECK: %[[J:.*]] = arith.addi %[[I]], %[[STEP]]
// CHECK: %[[Q:.*]] = tile.addptr %[[P]]
// CHECK: %[[MA:.*]] = tile.splat %[[MORE]]
// CHECK: tile.splat %[[J]]
// CHECK: %[[M1:.*]] = arith.andi %{{.*}}, %[[MA]]
// CHECK: %[[A1:.*]] = tile.load %[[Q]] mask %[[M1]] other
// CHECK: %[[MB:.*]] = tile.splat %[[MORE]]
// CHECK: %[[B1:.*]] = tile.load %[[PB]] mask %[[MB]]
// CHECK-NOT: tile.load
// CHECK: %[[D:.*]] = tile.dot %[[FA]], %[[FB]]
// CHECK: scf.yield %[[D]], %[[Q]], %[[A1]], %[[B1]]
// CHECK-NEXT: } {tile.note}
func.func @product(%pa: tensor<64x32x!tile.ptr<f16>, #a>, %pb: tensor<32x64x!tile.ptr<i8>, #b>, %lower: i32, %upper: i32, %step: i32, %zero: tensor<64x64xf32, #acc>, %k: tensor<64x32xi32, #a>, %none: tensor<64x32xf16, #a>) -> tensor<64x64xf32, #acc> {
  %r:2 = scf.for %i = %lower to %upper step %step iter_args(%sum = %zero, %p = %pa) -> (tensor<64x64xf32, #acc>, tensor<64x32x!tile.ptr<f16>, #a>) : i32 {
    %at = tile.splat %i : i32 -> tensor<64x32xi32, #a>
    %in = arith.cmpi slt, %k, %at : tensor<64x32xi32, #a>
    %x = tile.load %p mask %in other %none : tensor<64x32x!tile.ptr<f16>, #a>
    %fx = tilegpu.convert_layout %x : tensor<64x32xf16, #a> -> tensor<64x32xf16, #fa>
    %y = tile.load %pb : tensor<32x64x!tile.ptr<i8>, #b>
    %w = arith.sitofp %y : tensor<32x64xi8, #b> to tensor<32x64xf16, #b>
    %fy = tilegpu.convert_layout %w : tensor<32x64xf16, #b> -> tensor<32x64xf16, #fb>
    %d = tile.dot %fx, %fy, %sum precision ieee : tensor<64x32xf16, #fa>, tensor<32x64xf16, #fb>, tensor<64x64xf32, #acc>
    %q = tile.addptr %p, %k : tensor<64x32x!tile.ptr<f16>, #a>, tensor<64x32xi32, #a>
    scf.yield %d, %q : tensor<64x64xf32, #acc>, tensor<64x32x!tile.ptr<f16>, #a>
  } {tile.note}
  return %r#0 : tensor<64x64xf32, #acc>
}
// What the loop stores might be what it loads.
// STAY-LABEL: @stores(
// STAY: scf.for {{.*}} iter_args(%{{[^,]*}})
// STAY: tile.load
// STAY: tile.dot
func.func @stores(%pa: tensor<64x32x!tile.ptr<f16>, #a>, %fy: tensor<32x64xf16, #fb>, %n: index, %zero: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32, #acc>) {
    %x = tile.load %pa : tensor<64x32x!tile.ptr<f16>, #a>
    %fx = tilegpu.convert_layout %x : tensor<64x32xf16, #a> -> tensor<64x32xf16, #fa>
    %d = tile.dot %fx, %fy, %sum precision ieee : tensor<64x32xf16, #fa>, tensor<32x64xf16, #fb>, tensor<64x64xf32, #acc>
    tile.store %pa, %x : tensor<64x32x!tile.ptr<f16>, #a>
    scf.yield %d : tensor<64x64xf32, #acc>
  }
  return %r : tensor<64x64xf32, #acc>
}
// Volatile loads happen when the program says.
// STAY-LABEL: @volatile(
// STAY: scf.for {{.*}} iter_args(%{{[^,]*}})
func.func @volatile(%pa: tensor<64x32x!tile.ptr<f16>, #a>, %fy: tensor<32x64xf16, #fb>, %n: index, %zero: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32, #acc>) {
    %x = tile.load %pa {is_volatile} : tensor<64x32x!tile.ptr<f16>, #a>
    %fx = tilegpu.convert_layout %x : tensor<64x32xf16, #a> -> tensor<64x32xf16, #fa>
    %d = tile.dot %fx, %fy, %sum precision ieee : tensor<64x32xf16, #fa>, tensor<32x64xf16, #fb>, tensor<64x64xf32, #acc>
    scf.yield %d : tensor<64x64xf32, #acc>
  }
  return %r : tensor<64x64xf32, #acc>
}
// The next address is in memory; and a load in a branch may not happen.
// STAY-LABEL: @chained(
// STAY: scf.for {{.*}} iter_args(%{{[^,]*}}, %{{[^,]*}})
// STAY: tile.load
// STAY-LABEL: @branch(
// STAY: scf.for {{.*}} iter_args(%{{[^,]*}})
// STAY: scf.if
// STAY: tile.load
func.func @chained(%pa: tensor<64x32x!tile.ptr<f16>, #a>, %list: !tile.ptr<i32>, %fy: tensor<32x64xf16, #fb>, %n: index, %zero: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %p = %pa) -> (tensor<64x64xf32, #acc>, tensor<64x32x!tile.ptr<f16>, #a>) {
    %x = tile.load %p : tensor<64x32x!tile.ptr<f16>, #a>
    %fx = tilegpu.convert_layout %x : tensor<64x32xf16, #a> -> tensor<64x32xf16, #fa>
    %d = tile.dot %fx, %fy, %sum precision ieee : tensor<64x32xf16, #fa>, tensor<32x64xf16, #fb>, tensor<64x64xf32, #acc>
    %far = tile.load %list : !tile.ptr<i32>
    %by = tile.splat %far : i32 -> tensor<64x32xi32, #a>
    %q = tile.addptr %p, %by : tensor<64x32x!tile.ptr<f16>, #a>, tensor<64x32xi32, #a>
    scf.yield %d, %q : tensor<64x64xf32, #acc>, tensor<64x32x!tile.ptr<f16>, #a>
  }
  return %r#0 : tensor<64x64xf32, #acc>
}
func.func @branch(%pa: tensor<64x32x!tile.ptr<f16>, #a>, %c: i1, %fy: tensor<32x64xf16, #fb>, %n: index, %zero: tensor<64x64xf32, #acc>, %none: tensor<64x32xf16, #a>) -> tensor<64x64xf32, #acc> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32, #acc>) {
    %x = scf.if %c -> tensor<64x32xf16, #a> {
      %l = tile.load %pa : tensor<64x32x!tile.ptr<f16>, #a>
      scf.yield %l : tensor<64x32xf16, #a>
    } else {
      scf.yield %none : tensor<64x32xf16, #a>
    }
    %fx = tilegpu.convert_layout %x : tensor<64x32xf16, #a> -> tensor<64x32xf16, #fa>
    %d = tile.dot %fx, %fy, %sum precision ieee : tensor<64x32xf16, #fa>, tensor<32x64xf16, #fb>, tensor<64x64xf32, #acc>
    scf.yield %d : tensor<64x64xf32, #acc>
  }
  return %r : tensor<64x64xf32, #acc>
}
}

// -----

#a = #tilegpu.linear<64x32, register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#fa = #tilegpu.linear<64x32, register = [[0, 1], [8, 0], [0, 8], [0, 16], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 0]]>
#fb = #tilegpu.linear<32x64, register = [[1, 0], [8, 0], [16, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0], [0, 8]]>
#acc = #tilegpu.linear<64x64, register = [[0, 1], [8, 0], [0, 16], [0, 32], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 8]]>
// One stage: nothing comes ahead.
// STAY-LABEL: @one_stage(
// STAY: scf.for {{.*}} iter_args(%{{[^,]*}})
// STAY: tile.load
module attributes {tile.num_stages = 1 : i32, tile.num_warps = 4 : i32} {
func.func @one_stage(%pa: tensor<64x32x!tile.ptr<f16>, #a>, %fy: tensor<32x64xf16, #fb>, %n: index, %zero: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32, #acc>) {
    %x = tile.load %pa : tensor<64x32x!tile.ptr<f16>, #a>
    %fx = tilegpu.convert_layout %x : tensor<64x32xf16, #a> -> tensor<64x32xf16, #fa>
    %d = tile.dot %fx, %fy, %sum precision ieee : tensor<64x32xf16, #fa>, tensor<32x64xf16, #fb>, tensor<64x64xf32, #acc>
    scf.yield %d : tensor<64x64xf32, #acc>
  }
  return %r : tensor<64x64xf32, #acc>
}
}

// -----

// 128 registers of doubles are too many to carry.
#a = #tilegpu.linear<128x64, register = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0], [64, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [32, 0]]>
#b = #tilegpu.linear<64x32, register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#acc = #tilegpu.linear<128x32, register = [[0, 1], [0, 2], [32, 0], [64, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
// STAY-LABEL: @large(
// STAY: scf.for {{.*}} iter_args(%{{[^,]*}})
// STAY: tile.load
module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
func.func @large(%pa: tensor<128x64x!tile.ptr<f64>, #a>, %y: tensor<64x32xf64, #b>, %n: index, %zero: tensor<128x32xf64, #acc>) -> tensor<128x32xf64, #acc> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<128x32xf64, #acc>) {
    %x = tile.load %pa : tensor<128x64x!tile.ptr<f64>, #a>
    %d = tile.dot %x, %y, %sum precision ieee : tensor<128x64xf64, #a>, tensor<64x32xf64, #b>, tensor<128x32xf64, #acc>
    scf.yield %d : tensor<128x32xf64, #acc>
  }
  return %r : tensor<128x32xf64, #acc>
}
}
