// RUN: tegula-opt --no-plugins %s -tile-uniform-advance | FileCheck %s

// Nothing in this file names the tile dialect: the pass brings it along.
// CHECK-LABEL: func.func @integers(
// CHECK:       scf.for
// CHECK:         tile.splat
func.func @integers(%n: index) -> tensor<16xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1> : tensor<16xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %one) -> (tensor<16xi32>) {
    %b = arith.addi %a, %one : tensor<16xi32>
    scf.yield %b : tensor<16xi32>
  }
  return %r : tensor<16xi32>
}
