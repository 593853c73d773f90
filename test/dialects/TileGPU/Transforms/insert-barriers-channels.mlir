// RUN: tegula-opt %s -tilegpu-insert-barriers | FileCheck %s

#rows = #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [0, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]]>
#memory = #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]>
!ring = !tilegpu.channel<3, tensor<4x8xf16, #memory>>
module attributes {tile.num_warps = 4 : i32, tilegpu.shared_bytes = 2048 : i32, tilegpu.capabilities = #tilegpu.capabilities<async_copy = true, warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>} {
// One barrier a trip: what has come can be read, and what was read can be filled.
// CHECK-LABEL: @ring(
// CHECK-NOT: gpu.barrier
// CHECK: scf.for
// CHECK: tilegpu.async_wait
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tilegpu.channel_read
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @ring(%p: tensor<4x8x!tile.ptr<f16>, #rows>, %n: index, %zero: tensor<4x8xf16, #rows>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %at = arith.constant 0 : i32
  %c = tilegpu.channel {tilegpu.scratch = 0 : i32} : !ring
  %t0 = tilegpu.async_copy %p into %c[%at] ahead 0 : tensor<4x8x!tile.ptr<f16>, #rows>, !ring
  %g0 = tilegpu.async_commit(%t0)
  %t1 = tilegpu.async_copy %p into %c[%at] ahead 1 : tensor<4x8x!tile.ptr<f16>, #rows>, !ring
  %g1 = tilegpu.async_commit(%t1)
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %at, %old = %g0, %new = %g1, %sum = %zero) -> (i32, !tilegpu.token, !tilegpu.token, tensor<4x8xf16, #rows>) {
    %w = tilegpu.async_wait %old pending 1
    %x = tilegpu.channel_read %c[%s] at [0, 0] after %w : !ring -> tensor<4x8xf16, #rows>
    %t = tilegpu.async_copy %p into %c[%s] ahead 2 : tensor<4x8x!tile.ptr<f16>, #rows>, !ring
    %g = tilegpu.async_commit(%t)
    %next = tilegpu.next_slot %s of 3
    %y = arith.addf %sum, %x : tensor<4x8xf16, #rows>
    scf.yield %next, %new, %g, %y : i32, !tilegpu.token, !tilegpu.token, tensor<4x8xf16, #rows>
  }
  %w = tilegpu.async_wait %r#1, %r#2 pending 0
  tilegpu.channel_release %c after %w : !ring
  return
}

// Filled where it was just read: a second barrier.
// CHECK-LABEL: @same_slot(
// CHECK: scf.for
// CHECK: tilegpu.async_wait
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tilegpu.channel_read
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tilegpu.async_copy
func.func @same_slot(%p: tensor<4x8x!tile.ptr<f16>, #rows>, %n: index, %g0: !tilegpu.token) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %at = arith.constant 0 : i32
  %c = tilegpu.channel {tilegpu.scratch = 0 : i32} : !ring
  %t0 = tilegpu.async_copy %p into %c[%at] ahead 0 : tensor<4x8x!tile.ptr<f16>, #rows>, !ring
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %at, %old = %g0) -> (i32, !tilegpu.token) {
    %w = tilegpu.async_wait %old pending 0
    %x = tilegpu.channel_read %c[%s] at [0, 0] after %w : !ring -> tensor<4x8xf16, #rows>
    %t = tilegpu.async_copy %p into %c[%s] ahead 0 : tensor<4x8x!tile.ptr<f16>, #rows>, !ring
    %g = tilegpu.async_commit(%t)
    %next = tilegpu.next_slot %s of 3
    scf.yield %next, %g : i32, !tilegpu.token
  }
  return
}

// A position that is not carried on by one may be any: the next trip's copy waits.
// CHECK-LABEL: @any_slot(
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK-NEXT: tilegpu.async_copy
// CHECK: tilegpu.async_wait
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tilegpu.channel_read
func.func @any_slot(%p: tensor<4x8x!tile.ptr<f16>, #rows>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = tilegpu.channel {tilegpu.scratch = 0 : i32} : !ring
  scf.for %i = %c0 to %n step %c1 {
    %s = arith.index_cast %i : index to i32
    %t = tilegpu.async_copy %p into %c[%s] ahead 1 : tensor<4x8x!tile.ptr<f16>, #rows>, !ring
    %g = tilegpu.async_commit(%t)
    %w = tilegpu.async_wait %g pending 0
    %x = tilegpu.channel_read %c[%s] at [0, 0] after %w : !ring -> tensor<4x8xf16, #rows>
  }
  return
}
}
