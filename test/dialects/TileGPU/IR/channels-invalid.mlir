// RUN: tegula-opt %s -split-input-file -verify-diagnostics

#memory = #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]>
// expected-error @below {{expected 1 to 64 slots, got 0 [tilegpu_channel_c1]}}
func.func @no_slots(%c: !tilegpu.channel<0, tensor<4x8xf16, #memory>>) {
  return
}

// -----

#memory = #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]>
// expected-error @below {{expected a tile of numbers of 8 to 64 bits, each in one register, got 'tensor<4x8xi1, #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]>>' [tilegpu_channel_c2]}}
func.func @bits(%c: !tilegpu.channel<2, tensor<4x8xi1, #memory>>) {
  return
}

// -----

#rows = #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0]]>
// expected-error @below {{expected a tile of numbers of 8 to 64 bits, each in one register, got 'tensor<4x8xf16, #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0]]>>' [tilegpu_channel_c2]}}
func.func @lanes(%c: !tilegpu.channel<2, tensor<4x8xf16, #rows>>) {
  return
}

// -----

func.func @next(%p: i32) -> i32 {
  // expected-error @below {{'tilegpu.next_slot' op expected 1 to 64 slots, got 0 [tilegpu_next_slot_c1]}}
  %q = tilegpu.next_slot %p of 0
  return %q : i32
}

// -----

#rows = #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0]]>
#memory = #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]>
func.func @element(%p: tensor<4x8x!tile.ptr<f32>, #rows>, %c: !tilegpu.channel<2, tensor<4x8xf16, #memory>>, %at: i32) {
  // expected-error @below {{'tilegpu.async_copy' op expected pointers to a tile of 'tensor<4x8xf16, #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]>>', got 'tensor<4x8x!tile.ptr<f32>, #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0]]>>' [tilegpu_async_copy_c1]}}
  %t = tilegpu.async_copy %p into %c[%at] ahead 0 : tensor<4x8x!tile.ptr<f32>, #rows>, !tilegpu.channel<2, tensor<4x8xf16, #memory>>
  return
}

// -----

#rows = #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0]]>
#cols = #tilegpu.linear<4x8, register = [[0, 4], [0, 2], [0, 1]], lane = [[1, 0], [2, 0]]>
#memory = #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]>
func.func @mask(%p: tensor<4x8x!tile.ptr<f16>, #rows>, %m: tensor<4x8xi1, #cols>, %c: !tilegpu.channel<2, tensor<4x8xf16, #memory>>, %at: i32) {
  // expected-error @below {{'tilegpu.async_copy' op expected a mask of 'tensor<4x8xi1, #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0]]>>', got 'tensor<4x8xi1, #tilegpu.linear<4x8, register = [[0, 4], [0, 2], [0, 1]], lane = [[1, 0], [2, 0]]>>' [tilegpu_async_copy_c2]}}
  %t = tilegpu.async_copy %p mask %m : tensor<4x8xi1, #cols> : into %c[%at] ahead 0 : tensor<4x8x!tile.ptr<f16>, #rows>, !tilegpu.channel<2, tensor<4x8xf16, #memory>>
  return
}

// -----

#rows = #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0]]>
#memory = #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]>
func.func @ahead(%p: tensor<4x8x!tile.ptr<f16>, #rows>, %c: !tilegpu.channel<2, tensor<4x8xf16, #memory>>, %at: i32) {
  // expected-error @below {{'tilegpu.async_copy' op expected a slot less than 2 ahead, got 2 [tilegpu_async_copy_c3]}}
  %t = tilegpu.async_copy %p into %c[%at] ahead 2 : tensor<4x8x!tile.ptr<f16>, #rows>, !tilegpu.channel<2, tensor<4x8xf16, #memory>>
  return
}

// -----

#rows = #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0]]>
#memory = #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]>
func.func @read_type(%c: !tilegpu.channel<2, tensor<4x8xf16, #memory>>, %at: i32, %w: !tilegpu.token) {
  // expected-error @below {{'tilegpu.channel_read' op expected a tile of 'f16' with a layout, got 'tensor<4x8xf32, #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0]]>>' [tilegpu_channel_read_c1]}}
  %x = tilegpu.channel_read %c[%at] at [0, 0] after %w : !tilegpu.channel<2, tensor<4x8xf16, #memory>> -> tensor<4x8xf32, #rows>
  return
}

// -----

#half = #tilegpu.linear<4x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]]>
#memory = #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]>
func.func @read_offset(%c: !tilegpu.channel<2, tensor<4x8xf16, #memory>>, %at: i32, %w: !tilegpu.token) {
  // expected-error @below {{'tilegpu.channel_read' op expected a part of 'tensor<4x8xf16, #tilegpu.linear<4x8, register = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]>>' at multiples of its sizes, got 'tensor<4x4xf16, #tilegpu.linear<4x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]]>>' at [0, 2] [tilegpu_channel_read_c2]}}
  %x = tilegpu.channel_read %c[%at] at [0, 2] after %w : !tilegpu.channel<2, tensor<4x8xf16, #memory>> -> tensor<4x4xf16, #half>
  return
}

// -----

func.func @bytes(%s: !llvm.ptr<3>, %p: !llvm.ptr<1>) {
  // expected-error @below {{'tilegpu.thread_async_copy' op expected 4, 8 or 16 bytes, got 2 [tilegpu_thread_async_copy_c1]}}
  tilegpu.thread_async_copy %s, %p bytes 2 : !llvm.ptr<1>
  return
}
