// RUN: tegula-opt %s -tilegpu-plan-shared | FileCheck %s

#a = #tilegpu.linear<64x32, register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#b = #tilegpu.linear<64x32, register = [[1, 0], [2, 0], [4, 0], [32, 0]], lane = [[8, 0], [16, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]]>
#memory = #tilegpu.linear<64x32, register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]>
!ring = !tilegpu.channel<3, tensor<64x32xf16, #memory>>
// CHECK: tilegpu.shared_bytes = 28672 : i32
module attributes {tile.num_warps = 4 : i32, tilegpu.capabilities = #tilegpu.capabilities<async_copy = true, warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = false>} {
// Channels that live together lie apart, scratch meanwhile behind them, before and after
// where it likes.
// CHECK-LABEL: @lives(
func.func @lives(%x: tensor<64x32xf16, #a>, %w: !tilegpu.token) -> (tensor<64x32xf16, #b>, tensor<64x32xf16, #b>, tensor<64x32xf16, #b>) {
  // CHECK: tilegpu.convert_layout %{{.*}} {tilegpu.scratch = 0 : i32}
  %0 = tilegpu.convert_layout %x : tensor<64x32xf16, #a> -> tensor<64x32xf16, #b>
  // CHECK: tilegpu.channel {tilegpu.scratch = 0 : i32}
  %c = tilegpu.channel : !ring
  // CHECK: tilegpu.channel {tilegpu.scratch = 12288 : i32}
  %d = tilegpu.channel : !ring
  // CHECK: tilegpu.convert_layout %{{.*}} {tilegpu.scratch = 24576 : i32}
  %1 = tilegpu.convert_layout %x : tensor<64x32xf16, #a> -> tensor<64x32xf16, #b>
  tilegpu.channel_release %c after %w : !ring
  tilegpu.channel_release %d after %w : !ring
  // CHECK: tilegpu.convert_layout %{{.*}} {tilegpu.scratch = 4096 : i32}
  %2 = tilegpu.convert_layout %x : tensor<64x32xf16, #a> -> tensor<64x32xf16, #b>
  // CHECK: tilegpu.channel {tilegpu.scratch = 0 : i32}
  %e = tilegpu.channel : !ring
  tilegpu.channel_release %e after %w : !ring
  return %0, %1, %2 : tensor<64x32xf16, #b>, tensor<64x32xf16, #b>, tensor<64x32xf16, #b>
}
}
