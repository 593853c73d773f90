// RUN: tegula-opt %s -cpu-lower-kernel -split-input-file -verify-diagnostics

// cpu-kernel-signature
// expected-error @below {{x}}
func.func @width(%n: i7) attributes {tile.kernel} {
  return
}

// -----

// cpu-kernel-signature
// expected-error @below {{x}}
func.func @tile(%p: !llvm.ptr, %t: tensor<4xf32>) attributes {tile.kernel} {
  return
}

// -----

// cpu-kernel-signature
// expected-error @below {{x}}
func.func @result(%n: i32) -> i32 attributes {tile.kernel} {
  return %n : i32
}
