// RUN: tegula-opt %s -cpu-to-llvm | FileCheck %s

// CHECK-LABEL: llvm.func @loop(
// CHECK:       llvm.cond_br
// CHECK:       llvm.fadd {{.*}} : vector<16xf32>
// CHECK-NOT:   scf.for
// CHECK-NOT:   func.func
func.func @loop(%x: vector<16xf32>, %n: index) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> vector<16xf32> {
    %b = arith.addf %a, %x : vector<16xf32>
    scf.yield %b : vector<16xf32>
  }
  return %r : vector<16xf32>
}
