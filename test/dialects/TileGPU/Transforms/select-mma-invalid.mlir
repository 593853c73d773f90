// RUN: tegula-opt %s -split-input-file -verify-diagnostics -tilegpu-select-mma

module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>} {
  func.func @not_spread(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
    // expected-error @below {{expected tiles with a layout, got 'tensor<16x16xf16>' [tilegpu-not-spread]}}
    %d = tile.dot %a, %a, %c precision ieee : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    return %d : tensor<16x16xf32>
  }
}

// -----

// expected-error @below {{expected a module with the attribute 'tilegpu.capabilities', got none [tilegpu-no-capabilities]}}
module {
}
