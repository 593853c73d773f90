// RUN: tegula-opt --no-plugins %s -split-input-file -tilegpu-distribute -tilegpu-coalesce | FileCheck %s

// Aligned and unmasked: 16 bytes for each lane, whatever the element.
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32,
    max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>,
    tile.num_warps = 1 : i32} {
// CHECK-DAG: #[[$EIGHT:.*]] = #tilegpu.linear<1024, register = {{\[\[}}1], [2], [4], [256], [512]], lane = {{\[\[}}8], [16], [32], [64], [128]]>
// CHECK-DAG: #[[$FOUR:.*]] = #tilegpu.linear<1024, register = {{\[\[}}1], [2], [128], [256], [512]], lane = {{\[\[}}4], [8], [16], [32], [64]]>
// CHECK-DAG: #[[$ONE:.*]] = #tilegpu.linear<1024, register = {{\[\[}}32], [64], [128], [256], [512]], lane = {{\[\[}}1], [2], [4], [8], [16]]>
// CHECK-LABEL: func @halves
func.func @halves(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}) {
  %r = tile.range 0 to 1024 : tensor<1024xi32>
  %s = tile.splat %p : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  // CHECK: %[[A:.*]] = tile.addptr {{.*}} : tensor<1024x!tile.ptr<f16>, #[[$FOUR]]>
  %a = tile.addptr %s, %r : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  // CHECK: %[[W:.*]] = tilegpu.convert_layout %[[A]] : {{.*}} -> tensor<1024x!tile.ptr<f16>, #[[$EIGHT]]>
  // CHECK: %[[X:.*]] = tile.load %[[W]] : tensor<1024x!tile.ptr<f16>, #[[$EIGHT]]>
  // CHECK: tilegpu.convert_layout %[[X]] : tensor<1024xf16, #[[$EIGHT]]> -> tensor<1024xf16, #[[$FOUR]]>
  %x = tile.load %a : tensor<1024x!tile.ptr<f16>>
  %y = arith.negf %x : tensor<1024xf16>
  // CHECK: tile.store %{{.*}}, %{{.*}} : tensor<1024x!tile.ptr<f16>, #[[$EIGHT]]>
  tile.store %a, %y : tensor<1024x!tile.ptr<f16>>
  return
}

// The layout that it has is the best one: nothing changes.
// CHECK-LABEL: func @words
// CHECK-NOT: convert_layout
// CHECK: return
func.func @words(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  %r = tile.range 0 to 1024 : tensor<1024xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %a = tile.addptr %s, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %a : tensor<1024x!tile.ptr<f32>>
  tile.store %a, %x : tensor<1024x!tile.ptr<f32>>
  return
}

// Nothing is known of the address, or the mask may change anywhere: one element each.
// CHECK-LABEL: func @narrow
func.func @narrow(%p: !tile.ptr<f32>, %q: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %n: i32) {
  %r = tile.range 0 to 1024 : tensor<1024xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %a = tile.addptr %s, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  // CHECK: tile.load %{{.*}} : tensor<1024x!tile.ptr<f32>, #[[$ONE]]>
  %x = tile.load %a : tensor<1024x!tile.ptr<f32>>
  %m = tile.splat %n : i32 -> tensor<1024xi32>
  %c = arith.cmpi slt, %r, %m : tensor<1024xi32>
  %t = tile.splat %q : !tile.ptr<i8> -> tensor<1024x!tile.ptr<i8>>
  %b = tile.addptr %t, %r : tensor<1024x!tile.ptr<i8>>, tensor<1024xi32>
  // CHECK: tile.load %{{.*}} mask %{{.*}} : tensor<1024x!tile.ptr<i8>, #[[$ONE]]>
  %y = tile.load %b mask %c : tensor<1024x!tile.ptr<i8>>
  // CHECK: tile.atomic_rmw fadd relaxed device {{.*}} : tensor<1024x!tile.ptr<f32>, #[[$ONE]]>
  %z = tile.atomic_rmw fadd relaxed device %a, %x
      : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}

// A mask that is constant over 16 elements allows wide accesses, and narrow accesses of the
// shape go with wide ones.
// CHECK-LABEL: func @agree
func.func @agree(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f16>,
                 %n: i32 {tile.divisibility = 16 : i32}) {
  %r = tile.range 0 to 1024 : tensor<1024xi32>
  %m = tile.splat %n : i32 -> tensor<1024xi32>
  %c = arith.cmpi slt, %r, %m : tensor<1024xi32>
  %s = tile.splat %p : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %a = tile.addptr %s, %r : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  // CHECK: tile.load %{{.*}} mask %{{.*}} : tensor<1024x!tile.ptr<f16>, #[[$EIGHT]]>
  %x = tile.load %a mask %c : tensor<1024x!tile.ptr<f16>>
  %t = tile.splat %q : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %b = tile.addptr %t, %r : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  // CHECK: tile.store %{{.*}}, %{{.*}} mask %{{.*}} : tensor<1024x!tile.ptr<f16>, #[[$EIGHT]]>
  tile.store %b, %x mask %c : tensor<1024x!tile.ptr<f16>>
  return
}
}

// -----

// Along the dimension that is contiguous in memory.
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32,
    max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>,
    tile.num_warps = 4 : i32} {
// CHECK-DAG: #[[$DOWN:.*]] = #tilegpu.linear<64x64, register = {{\[\[}}1, 0], [2, 0], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}4, 0], [8, 0], [16, 0], [32, 0], [0, 1]], warp = {{\[\[}}0, 2], [0, 4]]>
// CHECK-LABEL: func @columns
func.func @columns(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                   %n: i32 {tile.divisibility = 16 : i32}) {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %i = tile.expand_dims %r axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %j = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %s = tile.splat %n : i32 -> tensor<1x64xi32>
  %k = arith.muli %j, %s : tensor<1x64xi32>
  %a = tile.broadcast %i : tensor<64x1xi32> -> tensor<64x64xi32>
  %b = tile.broadcast %k : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %a, %b : tensor<64x64xi32>
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %t = tile.addptr %q, %o : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  // CHECK: tile.load %{{.*}} : tensor<64x64x!tile.ptr<f32>, #[[$DOWN]]>
  %x = tile.load %t : tensor<64x64x!tile.ptr<f32>>
  // Whose neighbours are unknown goes with those that are known.
  %h = arith.fptosi %x : tensor<64x64xf32> to tensor<64x64xi32>
  %u = tile.addptr %q, %h : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  // CHECK: tile.store %{{.*}}, %{{.*}} : tensor<64x64x!tile.ptr<f32>, #[[$DOWN]]>
  tile.store %u, %x : tensor<64x64x!tile.ptr<f32>>
  // A scalar is left.
  // CHECK: tile.load %arg0 : !tile.ptr<f32>
  %y = tile.load %p : !tile.ptr<f32>
  return
}
}

// -----

// Rows that are reduced lie in one warp each.
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32,
    max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>,
    tile.num_warps = 4 : i32} {
// CHECK-DAG: #[[$ROWS:.*]] = #tilegpu.linear<8x256, register = {{\[\[}}0, 1], [0, 2], [0, 128], [1, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = {{\[\[}}2, 0], [4, 0]]>
// CHECK-DAG: #[[$FEW:.*]] = #tilegpu.linear<1x256, register = {{\[\[}}0, 1]], lane = {{.*}}, warp = {{\[\[}}0, 64], [0, 128]], repeat = {{\[\[}}register, 0, 3]]>
// CHECK-LABEL: func @rows
func.func @rows(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  %c = tile.range 0 to 256 : tensor<256xi32>
  %j = tile.expand_dims %c axis 0 : tensor<256xi32> -> tensor<1x256xi32>
  %a = tile.broadcast %j : tensor<1x256xi32> -> tensor<8x256xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<8x256x!tile.ptr<f32>>
  %q = tile.addptr %s, %a : tensor<8x256x!tile.ptr<f32>>, tensor<8x256xi32>
  // CHECK: tile.load %{{.*}} : tensor<8x256x!tile.ptr<f32>, #[[$ROWS]]>
  %x = tile.load %q : tensor<8x256x!tile.ptr<f32>>
  %r = tile.reduce (%x) axis 1 : (tensor<8x256xf32>) -> tensor<8xf32> {
  ^bb0(%u: f32, %v: f32):
    %w = arith.addf %u, %v : f32
    tile.yield %w : f32
  }
  %b = tile.broadcast %j : tensor<1x256xi32> -> tensor<3x256xi32>
  %t = tile.splat %p : !tile.ptr<f32> -> tensor<3x256x!tile.ptr<f32>>
  %k = tile.addptr %t, %b : tensor<3x256x!tile.ptr<f32>>, tensor<3x256xi32>
  // CHECK: tile.load %{{.*}} : tensor<3x256x!tile.ptr<f32>, #[[$FEW]]>
  %y = tile.load %k : tensor<3x256x!tile.ptr<f32>>
  %z = tile.reduce (%y) axis 1 : (tensor<3x256xf32>) -> tensor<3xf32> {
  ^bb0(%u: f32, %v: f32):
    %w = arith.addf %u, %v : f32
    tile.yield %w : f32
  }
  return
}
}
