// RUN: tegula-opt %s -cpu-form-loops -split-input-file -verify-diagnostics

func.func private @other(tensor<16xf32>) -> tensor<16xf32>

func.func @call(%p: !tile.ptr<f32>) {
  %c = arith.constant dense<1.0> : tensor<16xf32>
  // expected-error @below {{'func.call' op is not supported by the CPU backend: no lowering for tiles}}
  %r = func.call @other(%c) : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// expected-error @below {{'func.func' op expected scalar arguments, got 'tensor<16xf32>'}}
func.func @tile_argument(%x: tensor<16xf32>) {
  return
}

// -----

func.func @index_switch(%i: index) {
  // expected-error @below {{'scf.index_switch' op is not supported by the CPU backend: unknown operation with regions}}
  scf.index_switch %i
  default {
    scf.yield
  }
  return
}
