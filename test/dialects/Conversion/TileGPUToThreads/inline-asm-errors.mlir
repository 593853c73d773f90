// RUN: tegula-opt %s -split-input-file -verify-diagnostics -tilegpu-to-threads

#two = #tilegpu.linear<256, register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]]>
#caps = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 65536, max_access_bytes = 16, load_matrix = true>

module attributes {tilegpu.capabilities = #caps, tile.num_warps = 4 : i32} {
func.func @outputs(%x: tensor<256xi32, #two>) -> tensor<256xi32, #two> {
  // expected-error@+1 {{'tile.inline_asm' op expected 2 constraints of outputs, got 1 [tilegpu-inline-asm]}}
  %y = tile.inline_asm "text" constraints "=r,r,r" pack 2 (%x) pure : (tensor<256xi32, #two>) -> tensor<256xi32, #two>
  return %y : tensor<256xi32, #two>
}
}

// -----

#two = #tilegpu.linear<256, register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]]>
#caps = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 65536, max_access_bytes = 16, load_matrix = true>

module attributes {tilegpu.capabilities = #caps, tile.num_warps = 4 : i32} {
func.func @inputs(%x: tensor<256xi8, #two>) -> tensor<256xi8, #two> {
  // expected-error@+1 {{'tile.inline_asm' op expected 1 constraints of inputs, got 4 [tilegpu-inline-asm]}}
  %y = tile.inline_asm "text" constraints "=r,r,r,r,r,~{memory}" pack 4 (%x) pure : (tensor<256xi8, #two>) -> tensor<256xi8, #two>
  return %y : tensor<256xi8, #two>
}
}

// -----

#caps = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 65536, max_access_bytes = 16, load_matrix = true>

module attributes {tilegpu.capabilities = #caps, tile.num_warps = 4 : i32} {
func.func @narrow(%x: f64) -> f32 {
  // expected-error@+1 {{'tile.inline_asm' op expected a constraint for 64 bits as input 0, got 'r' [tilegpu-inline-asm]}}
  %y = tile.inline_asm "text" constraints "=f,r" pack 1 (%x) pure : (f64) -> f32
  return %y : f32
}
}

// -----

#caps = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 65536, max_access_bytes = 16, load_matrix = true>

module attributes {tilegpu.capabilities = #caps, tile.num_warps = 4 : i32} {
func.func @extern(%x: f32) -> f32 {
  // expected-error@+1 {{'tile.extern' op expected a function that the target has, got '__nv_erff' of 'libdevice' [tilegpu-extern]}}
  %y = tile.extern "__nv_erff" library "libdevice" (%x) pure : (f32) -> f32
  return %y : f32
}
}
