// RUN: tegula-opt --no-plugins %s -tilegpu-to-threads -split-input-file -verify-diagnostics

#caps = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 65536,
                              max_access_bytes = 16, load_matrix = false>
module attributes {tilegpu.capabilities = #caps, tile.num_warps = 1 : i32} {
  // expected-error@+1 {{expected tiles with a layout, got 'tensor<128xf32>' [tilegpu-not-spread]}}
  func.func @no_layout(%x: tensor<128xf32>) {
    return
  }
}

// -----

#caps = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 65536,
                              max_access_bytes = 16, load_matrix = false>
#layout = #tilegpu.linear<128, register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]>
module attributes {tilegpu.capabilities = #caps, tile.num_warps = 2 : i32} {
  // expected-error@+1 {{expected a layout of 2 warps of 32 lanes, repeated by registers alone, got}}
  func.func @other_warps(%x: tensor<128xf32, #layout>) {
    return
  }
}

// -----

#caps = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 65536,
                              max_access_bytes = 16, load_matrix = false>
#layout = #tilegpu.linear<32, lane = [[1], [2], [4], [8], [16]], repeat = [[warp, 0, 3]]>
module attributes {tilegpu.capabilities = #caps, tile.num_warps = 1 : i32} {
  func.func @repeated_by_warps(%x: f32) {
    // expected-error@+1 {{expected a layout of 1 warps of 32 lanes, repeated by registers alone}}
    %0 = tile.splat %x : f32 -> tensor<96xf32, #layout>
    return
  }
}

// -----

#caps = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 65536,
                              max_access_bytes = 16, load_matrix = false>
module attributes {tilegpu.capabilities = #caps, tile.num_warps = 1 : i32} {
  func.func @no_pattern(%x: !tile.ptr<f32>, %n: i64) {
    // expected-error@+1 {{expected ops that threads can do, got 'tile.make_view' [tilegpu-not-spread]}}
    %0 = tile.make_view %x shape [%n] strides [%n] pad zero : !tile.view<64xf32>
    return
  }
}

// -----

// expected-error@+1 {{expected a module with the attribute 'tilegpu.capabilities', got none}}
module {
}
