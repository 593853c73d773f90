// RUN: tegula-opt %s -tilegpu-plan-shared -split-input-file -verify-diagnostics

#big = #tilegpu.linear<2048, register = [[1], [2], [4], [8]], lane = [[16], [32], [64], [128], [256]], warp = [[512], [1024]]>
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 12000, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 4 : i32} {
func.func @sort(%x: tensor<2048xf16, #big>) -> tensor<2048xf16, #big> {
  // expected-error @below {{expected at most 12000 bytes of shared memory, got 12288; smaller tiles need less [tilegpu-shared-memory]}}
  %w = tile.sort (%x) axis 0 ascending signed : (tensor<2048xf16, #big>) -> tensor<2048xf16, #big>
  return %w : tensor<2048xf16, #big>
}
}

// -----

// Too short for a place of its own: the small one shares with the large one.
#line = #tilegpu.linear<128, lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
#big = #tilegpu.linear<2048, register = [[1], [2], [4], [8]], lane = [[16], [32], [64], [128], [256]], warp = [[512], [1024]]>
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 12288, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 4 : i32} {
func.func @fits(%x: tensor<2048xf16, #big>, %y: tensor<128xf32, #line>) -> (tensor<2048xf16, #big>, f32) {
  %w = tile.sort (%x) axis 0 ascending signed : (tensor<2048xf16, #big>) -> tensor<2048xf16, #big>
  %s = tile.reduce (%y) axis 0 : (tensor<128xf32, #line>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %w, %s : tensor<2048xf16, #big>, f32
}
}

// -----

// expected-error @below {{expected a module with the attribute 'tilegpu.capabilities', got none [tilegpu-no-capabilities]}}
module {}
