// RUN: tegula-opt %s -split-input-file -tilegpu-pipeline-loads -canonicalize -cse | FileCheck %s

#a = #tilegpu.linear<64x32, register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#b = #tilegpu.linear<32x64, register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#fa = #tilegpu.linear<64x32, register = [[0, 1], [8, 0], [0, 8], [0, 16], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 0]]>
#fb = #tilegpu.linear<32x64, register = [[1, 0], [8, 0], [16, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0], [0, 8]]>
#acc = #tilegpu.linear<64x64, register = [[0, 1], [8, 0], [0, 16], [0, 32], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 8]]>
#caps = #tilegpu.capabilities<async_copy = true, warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>
module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tilegpu.capabilities = #caps} {
// Three slots, two trips ahead; a mask of the program's own; A's pointers are carried.
// CHECK-LABEL: @product(
// CHECK-SAME: %[[A:[^ ]*]]: !tile.ptr<f16> {{.*}}, %[[B:[^ ]*]]: !tile.ptr<f16> {{.*}}, %[[LOWER:[^ ]*]]: i32, %[[UPPER:[^ ]*]]: i32, %[[STEP:[^ ]*]]: i32
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: %[[CA:.*]] = tilegpu.channel : <3, tensor<64x32xf16, #{{.*}}>>
// CHECK: %[[CB:.*]] = tilegpu.channel : <3, tensor<32x64xf16, #{{.*}}>>
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[LOWER]], %[[UPPER]] : i32
// CHECK: tile.splat %[[ANY]] : i1 -> tensor<64x32xi1
// CHECK: %[[T0:.*]] = tilegpu.async_copy %{{.*}} mask %{{.*}} : into %[[CA]][%[[ZERO]]] ahead 0 :
// CHECK: %[[U0:.*]] = tilegpu.async_copy %{{.*}} mask %{{.*}} : into %[[CB]][%[[ZERO]]] ahead 0 :
// CHECK: %[[G0:.*]] = tilegpu.async_commit(%[[T0]], %[[U0]])
// CHECK: %[[LEFT:.*]] = arith.subi %[[UPPER]], %[[LOWER]]
// CHECK: %[[MORE:.*]] = arith.cmpi ult, %[[STEP]], %[[LEFT]]
// CHECK: %[[TWO:.*]] = arith.andi %[[ANY]], %[[MORE]]
// CHECK: tile.splat %[[TWO]]
// CHECK: tilegpu.async_copy %{{.*}} into %[[CA]][%[[ZERO]]] ahead 1 :
// CHECK: tilegpu.async_copy %{{.*}} into %[[CB]][%[[ZERO]]] ahead 1 :
// CHECK: %[[G1:.*]] = tilegpu.async_commit
// CHECK: scf.for {{.*}} iter_args(%[[ACC:[^ ]*]] = {{.*}}, %[[AT:[^ ]*]] = %[[ZERO]], %[[OLD:[^ ]*]] = %[[G0]], %[[NEW:[^ ]*]] = %[[G1]])
// CHECK: %[[W:.*]] = tilegpu.async_wait %[[OLD]] pending 1
// CHECK-NOT: tile.load
// CHECK: %[[A0:.*]] = tilegpu.channel_read %[[CA]][%[[AT]]] at [0, 0] after %[[W]] : {{.*}} -> tensor<64x16xf16
// CHECK: %[[B0:.*]] = tilegpu.channel_read %[[CB]][%[[AT]]] at [0, 0] after %[[W]] : {{.*}} -> tensor<16x64xf16
// CHECK: tilegpu.async_copy %{{.*}} mask %{{.*}} into %[[CA]][%[[AT]]] ahead 2 :
// CHECK: tilegpu.async_copy %{{.*}} mask %{{.*}} into %[[CB]][%[[AT]]] ahead 2 :
// CHECK: %[[G:.*]] = tilegpu.async_commit
// The second part is read before the first is multiplied.
// CHECK: %[[A1:.*]] = tilegpu.channel_read %[[CA]][%[[AT]]] at [0, 16] after %[[W]]
// CHECK: %[[B1:.*]] = tilegpu.channel_read %[[CB]][%[[AT]]] at [16, 0] after %[[W]]
// CHECK: %[[D0:.*]] = tile.dot %[[A0]], %[[B0]], %[[ACC]]
// CHECK: %[[D1:.*]] = tile.dot %[[A1]], %[[B1]], %[[D0]]
// CHECK: %[[NEXT:.*]] = tilegpu.next_slot %[[AT]] of 3
// CHECK: scf.yield %[[D1]], {{.*}}, %[[NEXT]], %[[NEW]], %[[G]]
// CHECK-NEXT: } {tile.note}
// CHECK: %[[END:.*]] = tilegpu.async_wait %{{.*}}, %{{.*}} pending 0
// CHECK: tilegpu.channel_release %[[CA]] after %[[END]]
// CHECK: tilegpu.channel_release %[[CB]] after %[[END]]
func.func @product(%base: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %baseb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %lower: i32, %upper: i32, %step: i32, %zero: tensor<64x64xf32, #acc>, %limit: tensor<64x32xi32, #a>, %rows: tensor<64x32xi32, #a>) -> tensor<64x64xf32, #acc> {
  %c16 = arith.constant dense<128> : tensor<64x32xi32, #a>
  %other = arith.constant dense<0.0> : tensor<64x32xf16, #a>
  %pa0 = tile.splat %base : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>, #a>
  %offa = tile.range 0 to 32 : tensor<32xi32, #tilegpu.linear<32, register = [[1], [2], [4], [0]], lane = [[8], [16], [0], [0], [0]], warp = [[0], [0]]>>
  %offa2 = tile.expand_dims %offa axis 0 : tensor<32xi32, #tilegpu.linear<32, register = [[1], [2], [4], [0]], lane = [[8], [16], [0], [0], [0]], warp = [[0], [0]]>> -> tensor<1x32xi32, #tilegpu.linear<1x32, register = [[0, 1], [0, 2], [0, 4], [0, 0]], lane = [[0, 8], [0, 16], [0, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]]>>
  %offa3 = tile.broadcast %offa2 : tensor<1x32xi32, #tilegpu.linear<1x32, register = [[0, 1], [0, 2], [0, 4], [0, 0]], lane = [[0, 8], [0, 16], [0, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]]>> -> tensor<64x32xi32, #a>
  %pa = tile.addptr %pa0, %offa3 : tensor<64x32x!tile.ptr<f16>, #a>, tensor<64x32xi32, #a>
  %pb0 = tile.splat %baseb : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>, #b>
  %offb = tile.range 0 to 64 : tensor<64xi32, #tilegpu.linear<64, register = [[1], [2], [4], [0]], lane = [[8], [16], [32], [0], [0]], warp = [[0], [0]]>>
  %offb2 = tile.expand_dims %offb axis 0 : tensor<64xi32, #tilegpu.linear<64, register = [[1], [2], [4], [0]], lane = [[8], [16], [32], [0], [0]], warp = [[0], [0]]>> -> tensor<1x64xi32, #tilegpu.linear<1x64, register = [[0, 1], [0, 2], [0, 4], [0, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]]>>
  %offb3 = tile.broadcast %offb2 : tensor<1x64xi32, #tilegpu.linear<1x64, register = [[0, 1], [0, 2], [0, 4], [0, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]]>> -> tensor<32x64xi32, #b>
  %pb = tile.addptr %pb0, %offb3 : tensor<32x64x!tile.ptr<f16>, #b>, tensor<32x64xi32, #b>
  %r:2 = scf.for %i = %lower to %upper step %step iter_args(%sum = %zero, %p = %pa) -> (tensor<64x64xf32, #acc>, tensor<64x32x!tile.ptr<f16>, #a>) : i32 {
    %in = arith.cmpi slt, %i, %upper : i32
    %mask = tile.splat %in : i1 -> tensor<64x32xi1, #a>
    %x = tile.load %p mask %mask other %other : tensor<64x32x!tile.ptr<f16>, #a>
    %fx = tilegpu.convert_layout %x : tensor<64x32xf16, #a> -> tensor<64x32xf16, #fa>
    %y = tile.load %pb : tensor<32x64x!tile.ptr<f16>, #b>
    %fy = tilegpu.convert_layout %y : tensor<32x64xf16, #b> -> tensor<32x64xf16, #fb>
    %d = tile.dot %fx, %fy, %sum precision ieee {tilegpu.mma = #tilegpu.mma<mma_sync, 16, 8, 16, f16, f16, f32>} : tensor<64x32xf16, #fa>, tensor<32x64xf16, #fb>, tensor<64x64xf32, #acc>
    %q = tile.addptr %p, %c16 : tensor<64x32x!tile.ptr<f16>, #a>, tensor<64x32xi32, #a>
    scf.yield %d, %q : tensor<64x64xf32, #acc>, tensor<64x32x!tile.ptr<f16>, #a>
  } {tile.note}
  return %r#0 : tensor<64x64xf32, #acc>
}
}
