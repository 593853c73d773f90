// RUN: tegula-opt %s -tile-inline -split-input-file | FileCheck %s

// A callee is put into its caller and gone.
// CHECK-LABEL: func.func @kernel
// CHECK-NOT: call
// CHECK: arith.addi
// CHECK: tile.store
// CHECK-NOT: func.func
func.func private @twice(%x: i32) -> i32 {
  %y = arith.addi %x, %x : i32
  return %y : i32
}
func.func @kernel(%p: !tile.ptr<i32>, %x: i32) attributes {tile.kernel} {
  %y = func.call @twice(%x) : (i32) -> i32
  tile.store %p, %y : !tile.ptr<i32>
  return
}

// -----

// Without calls nothing happens, cleaning up included.
// CHECK-LABEL: func.func @alone
// CHECK: arith.muli
// CHECK: tile.store
func.func @alone(%p: !tile.ptr<i32>, %x: i32) attributes {tile.kernel} {
  %unused = arith.muli %x, %x : i32
  tile.store %p, %x : !tile.ptr<i32>
  return
}

// -----

// A function that calls itself stays as it is.
// CHECK-LABEL: func.func @again
// CHECK: call @again
func.func @again(%x: i32) -> i32 {
  %y = func.call @again(%x) : (i32) -> i32
  return %y : i32
}
