// RUN: tegula-opt --no-plugins %s -split-input-file -verify-diagnostics -tilegpu-propagate-layouts

// expected-error @below {{expected a module with the attribute 'tilegpu.capabilities', got none [tilegpu-no-capabilities]}}
module {
}

// -----

// expected-error @below {{expected a power of two of at most 32 warps, got 3 [tilegpu-num-warps]}}
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32,
    max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>,
    tile.num_warps = 3 : i32} {
}
