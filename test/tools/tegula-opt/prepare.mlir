// RUN: tegula-opt --no-plugins %s -split-input-file -verify-diagnostics -tile-prepare | FileCheck %s

// CHECK-LABEL: func.func @kernel
// CHECK-NOT: call
// CHECK: %[[Z:.*]] = arith.constant 6 : i32
// CHECK: return %[[Z]]
func.func private @twice(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  return %0 : i32
}
func.func @kernel() -> i32 {
  %c = arith.constant 3 : i32
  %0 = call @twice(%c) : (i32) -> i32
  return %0 : i32
}

// -----

func.func @bare(%a: i32) -> i32 {
  // expected-error @below {{expected tile.div, got arith.divsi}}
  %0 = arith.divsi %a, %a : i32
  return %0 : i32
}
