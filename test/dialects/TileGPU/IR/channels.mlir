// RUN: tegula-opt %s | tegula-opt | FileCheck %s

#rows = #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [0, 0], [0, 0], [0, 0]]>
#part = #tilegpu.linear<4x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [0, 0], [0, 0], [0, 0]]>
// CHECK-DAG: #[[$MEMORY:.*]] = #tilegpu.linear<4x8, register = {{\[\[}}0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]>
#memory = #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]>
// CHECK: async_copy = true,{{ ?}}warp_size = 32
module attributes {tilegpu.capabilities = #tilegpu.capabilities<async_copy = true, warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>} {
// CHECK-LABEL: @ring(
func.func @ring(%p: tensor<4x8x!tile.ptr<f16>, #rows>, %m: tensor<4x8xi1, #rows>, %at: i32) -> tensor<4x4xf16, #part> {
  // CHECK: %[[C:.*]] = tilegpu.channel : <3, tensor<4x8xf16, #[[$MEMORY]]>>
  %c = tilegpu.channel : !tilegpu.channel<3, tensor<4x8xf16, #memory>>
  // CHECK: %[[T:.*]] = tilegpu.async_copy %{{.*}} mask %{{.*}} : tensor<4x8xi1, #{{.*}}> : into %[[C]][%[[AT:.*]]] ahead 2 : tensor<4x8x!tile.ptr<f16>, #{{.*}}>, <3, tensor<4x8xf16, #[[$MEMORY]]>>
  %t = tilegpu.async_copy %p mask %m : tensor<4x8xi1, #rows> : into %c[%at] ahead 2 : tensor<4x8x!tile.ptr<f16>, #rows>, !tilegpu.channel<3, tensor<4x8xf16, #memory>>
  // CHECK: %[[U:.*]] = tilegpu.async_copy %{{.*}} into %[[C]][%[[AT]]] ahead 0 :
  %u = tilegpu.async_copy %p into %c[%at] ahead 0 : tensor<4x8x!tile.ptr<f16>, #rows>, !tilegpu.channel<3, tensor<4x8xf16, #memory>>
  // CHECK: %[[G:.*]] = tilegpu.async_commit(%[[T]], %[[U]])
  %g = tilegpu.async_commit(%t, %u)
  // CHECK: tilegpu.async_commit(){{$}}
  %h = tilegpu.async_commit()
  // CHECK: %[[W:.*]] = tilegpu.async_wait %[[G]] pending 1
  %w = tilegpu.async_wait %g pending 1
  // CHECK: %[[N:.*]] = tilegpu.next_slot %[[AT]] of 3
  %n = tilegpu.next_slot %at of 3
  // CHECK: tilegpu.channel_read %[[C]][%[[N]]] at [0, 4] after %[[W]] : <3, tensor<4x8xf16, #[[$MEMORY]]>> -> tensor<4x4xf16, #{{.*}}>
  %x = tilegpu.channel_read %c[%n] at [0, 4] after %w : !tilegpu.channel<3, tensor<4x8xf16, #memory>> -> tensor<4x4xf16, #part>
  // CHECK: %[[L:.*]] = tilegpu.async_wait %{{.*}}, %{{.*}} pending 0
  %l = tilegpu.async_wait %g, %h pending 0
  // CHECK: tilegpu.channel_release %[[C]] after %[[L]] : <3, tensor<4x8xf16, #[[$MEMORY]]>>
  tilegpu.channel_release %c after %l : !tilegpu.channel<3, tensor<4x8xf16, #memory>>
  return %x : tensor<4x4xf16, #part>
}
// CHECK-LABEL: @threads(
func.func @threads(%s: !llvm.ptr<3>, %p: !llvm.ptr<1>, %m: i1) {
  // CHECK: tilegpu.thread_async_copy %{{.*}}, %{{.*}} mask %{{.*}} bytes 16 : <1>
  tilegpu.thread_async_copy %s, %p mask %m bytes 16 : !llvm.ptr<1>
  // CHECK: tilegpu.thread_async_copy %{{.*}}, %{{.*}} bytes 4 : <1>
  tilegpu.thread_async_copy %s, %p bytes 4 : !llvm.ptr<1>
  // CHECK: tilegpu.thread_async_commit
  tilegpu.thread_async_commit
  // CHECK: tilegpu.thread_async_wait 1
  tilegpu.thread_async_wait 1
  return
}
}
