// RUN: tegula-opt %s -cpu-lower-kernel -split-input-file -verify-diagnostics

// cpu-kernel-signature
// expected-error @below {{'func.func' op expected arguments of 8 to 64 bits, i1 or pointers, got 'i7' as argument 0 [cpu-kernel-signature]}}
func.func @width(%n: i7) attributes {tile.kernel} {
  return
}

// -----

// cpu-kernel-signature
// expected-error @below {{'func.func' op expected arguments of 8 to 64 bits, i1 or pointers, got 'tensor<4xf32>' as argument 1 [cpu-kernel-signature]}}
func.func @tile(%p: !llvm.ptr, %t: tensor<4xf32>) attributes {tile.kernel} {
  return
}

// -----

// cpu-kernel-signature
// expected-error @below {{'func.func' op expected a kernel without results, got 1 [cpu-kernel-signature]}}
func.func @result(%n: i32) -> i32 attributes {tile.kernel} {
  return %n : i32
}

// -----

// cpu-helper-function
func.func @place() -> i32 {
  // expected-error @below {{'tile.program_id' op expected a function with 'tile.kernel' around it, got 'place' [cpu-helper-function]}}
  %0 = tile.program_id 0 : i32
  return %0 : i32
}

// -----

// cpu-helper-function
func.func @memory() {
  // expected-error @below {{'tile_cpu.scratch' op expected a function with 'tile.kernel' around it, got 'memory' [cpu-helper-function]}}
  %0 = tile_cpu.scratch 0 : !llvm.ptr
  return
}
