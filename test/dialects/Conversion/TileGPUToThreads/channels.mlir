// RUN: tegula-opt %s -tilegpu-to-threads -canonicalize -cse | FileCheck %s

#rows = #tilegpu.linear<64x32, register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#part = #tilegpu.linear<64x16, register = [[0, 1], [8, 0], [0, 8], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 0]]>
#few = #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [0, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]]>
#memory = #tilegpu.linear<64x32, register = [[0, 1], [0, 2], [0, 4], [1, 8], [2, 16], [0, 8], [0, 16], [4, 0], [8, 0], [16, 0], [32, 0]]>
#small = #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]>
module attributes {tile.num_warps = 4 : i32, tilegpu.shared_bytes = 16384 : i32, tilegpu.capabilities = #tilegpu.capabilities<async_copy = true, warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>} {
// 16 bytes of two rows each; the slot two ahead, round the ring.
// CHECK-LABEL: @copy(
// CHECK-SAME: %[[P:.*]]: vector<16x!llvm.ptr<1>>, %[[M:.*]]: vector<16xi1>, %[[AT:.*]]: i32
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : i32
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 4096 : i32
// CHECK: %[[SUM:.*]] = arith.addi %[[AT]], %[[TWO]]
// CHECK: %[[LESS:.*]] = arith.addi %[[AT]], %c-1_i32
// CHECK: %[[OVER:.*]] = arith.cmpi uge, %[[SUM]], %[[THREE]]
// CHECK: %[[SLOT:.*]] = arith.select %[[OVER]], %[[LESS]], %[[SUM]]
// CHECK: arith.muli %[[SLOT]], %[[BYTES]]
// CHECK: tilegpu.thread_async_copy %{{.*}}, %{{.*}} mask %{{.*}} bytes 16 : <1>
// CHECK: tilegpu.thread_async_copy %{{.*}}, %{{.*}} mask %{{.*}} bytes 16 : <1>
// CHECK-NOT: tilegpu.thread_async_copy
// CHECK: tilegpu.thread_async_commit
// CHECK: tilegpu.thread_async_wait 1
func.func @copy(%p: tensor<64x32x!tile.ptr<f16>, #rows>, %m: tensor<64x32xi1, #rows>, %at: i32) {
  %c = tilegpu.channel {tilegpu.scratch = 1024 : i32} : !tilegpu.channel<3, tensor<64x32xf16, #memory>>
  %t = tilegpu.async_copy %p mask %m : tensor<64x32xi1, #rows> : into %c[%at] ahead 2 {tilegpu.access = array<i64: 1, 8, 16>} : tensor<64x32x!tile.ptr<f16>, #rows>, !tilegpu.channel<3, tensor<64x32xf16, #memory>>
  %g = tilegpu.async_commit(%t)
  %w = tilegpu.async_wait %g pending 1
  tilegpu.channel_release %c after %w : !tilegpu.channel<3, tensor<64x32xf16, #memory>>
  return
}

// Accesses of two bytes are none of a copy's: through registers.
// CHECK-LABEL: @narrow(
// CHECK-NOT: tilegpu.thread_async_copy
// CHECK-COUNT-16: tilegpu.thread_load %{{.*}} align 2 : <1> -> f16
// CHECK-NOT: tilegpu.thread_async_copy
// CHECK: tilegpu.thread_async_commit
func.func @narrow(%p: tensor<64x32x!tile.ptr<f16>, #rows>, %at: i32) {
  %c = tilegpu.channel {tilegpu.scratch = 0 : i32} : !tilegpu.channel<3, tensor<64x32xf16, #memory>>
  %t = tilegpu.async_copy %p into %c[%at] ahead 0 : tensor<64x32x!tile.ptr<f16>, #rows>, !tilegpu.channel<3, tensor<64x32xf16, #memory>>
  %g = tilegpu.async_commit(%t)
  return
}

// What many threads hold is copied by one.
// CHECK-LABEL: @copies(
// CHECK: scf.if
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: tilegpu.thread_async_copy %{{.*}}, %{{.*}} bytes 16
// CHECK-NEXT: }
func.func @copies(%p: tensor<4x8x!tile.ptr<f16>, #few>, %at: i32) {
  %c = tilegpu.channel {tilegpu.scratch = 0 : i32} : !tilegpu.channel<2, tensor<4x8xf16, #small>>
  %t = tilegpu.async_copy %p into %c[%at] ahead 0 {tilegpu.access = array<i64: 1, 8, 16>} : tensor<4x8x!tile.ptr<f16>, #few>, !tilegpu.channel<2, tensor<4x8xf16, #small>>
  %g = tilegpu.async_commit(%t)
  return
}

// Half of K of 64 rows: two loads of four matrices.
// CHECK-LABEL: @read(
// CHECK-COUNT-2: tilegpu.load_matrix %{{.*}} count 4 : <3> -> vector<8xf16>
// CHECK-NOT: tilegpu.load_matrix
func.func @read(%at: i32, %w: !tilegpu.token) -> tensor<64x16xf16, #part> {
  %c = tilegpu.channel {tilegpu.scratch = 0 : i32} : !tilegpu.channel<3, tensor<64x32xf16, #memory>>
  %x = tilegpu.channel_read %c[%at] at [0, 16] after %w : !tilegpu.channel<3, tensor<64x32xf16, #memory>> -> tensor<64x16xf16, #part>
  return %x : tensor<64x16xf16, #part>
}

// As it was loaded: pieces of 16 bytes.
// CHECK-LABEL: @read_plain(
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<8xf16>
// CHECK-NOT: llvm.load
func.func @read_plain(%at: i32, %w: !tilegpu.token) -> tensor<64x32xf16, #rows> {
  %c = tilegpu.channel {tilegpu.scratch = 0 : i32} : !tilegpu.channel<3, tensor<64x32xf16, #memory>>
  %x = tilegpu.channel_read %c[%at] at [0, 0] after %w : !tilegpu.channel<3, tensor<64x32xf16, #memory>> -> tensor<64x32xf16, #rows>
  return %x : tensor<64x32xf16, #rows>
}

// CHECK-LABEL: @next(
// CHECK-SAME: %[[AT:.*]]: i32
// CHECK: %[[N:.*]] = arith.addi %[[AT]]
// CHECK: %[[END:.*]] = arith.cmpi eq, %[[N]]
// CHECK: arith.select %[[END]]
func.func @next(%at: i32) -> i32 {
  %n = tilegpu.next_slot %at of 3
  return %n : i32
}
}
