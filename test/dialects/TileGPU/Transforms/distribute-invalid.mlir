// RUN: tegula-opt --no-plugins %s -split-input-file -verify-diagnostics -tilegpu-distribute

// expected-error @below {{expected a module with the attribute 'tilegpu.capabilities', got none [tilegpu-no-capabilities]}}
module {
}

// -----

module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32,
    max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>,
    tile.num_warps = 4 : i32} {
func.func @unknown(%n: index) {
  // expected-error @below {{expected a tile of known sizes without an encoding, got 'tensor<?xf32>' [tilegpu-not-spread]}}
  %0 = builtin.unrealized_conversion_cast %n : index to tensor<?xf32>
  return
}
}

// -----

module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32,
    max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>,
    tile.num_warps = 4 : i32} {
// expected-error @below {{expected a tile of known sizes without an encoding, got 'tensor<8xf32, "mine">' [tilegpu-not-spread]}}
func.func @encoded(%x: tensor<8xf32, "mine">) {
  return
}
}

// -----

module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32,
    max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>,
    tile.num_warps = 4 : i32} {
// expected-error @below {{expected a tile of known sizes without an encoding, got '(tensor<*xf32>) -> ()' [tilegpu-not-spread]}}
func.func private @unranked(tensor<*xf32>)
}
