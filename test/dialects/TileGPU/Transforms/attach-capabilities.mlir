// RUN: tegula-opt --no-plugins %s -split-input-file -tilegpu-attach-capabilities | FileCheck %s

// What is there stays; four warps unless said otherwise.
// CHECK: module attributes {tile.num_warps = 4 : i32, tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>} {
}

// -----

// Tiles of more than 256 registers in each thread get more warps.
// CHECK: module attributes {tile.num_warps = 32 : i32
module attributes {tile.num_warps = 4 : i32, tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>} {
  func.func @wide(%p: tensor<262144x!tile.ptr<f32>>) {
    %x = tile.load %p : tensor<262144x!tile.ptr<f32>>
    tile.store %p, %x : tensor<262144x!tile.ptr<f32>>
    return
  }
}
