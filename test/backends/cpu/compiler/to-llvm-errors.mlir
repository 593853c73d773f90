// RUN: tegula-opt %s -cpu-to-llvm -split-input-file -verify-diagnostics

// math-library-call
func.func @library_call(%x: f32) -> f32 {
  // expected-error @below {{expected an operation that is instructions on the target, got 'llvm.intr.exp', which would call a library [math-library-call]}}
  %0 = math.exp %x : f32
  return %0 : f32
}

// -----

// math-library-call
func.func @remainder(%x: f64) -> f64 {
  // expected-error @below {{expected an operation that is instructions on the target, got 'llvm.frem', which would call a library [math-library-call]}}
  %0 = arith.remf %x, %x : f64
  return %0 : f64
}

// -----

// A tile that no pass took apart.
func.func @tile(%x: f32) {
  // expected-error @below {{failed to legalize operation 'tile.splat'}}
  %0 = tile.splat %x : f32 -> tensor<4xf32>
  return
}

// -----

func.func @scratch() -> !llvm.ptr {
  // expected-error @below {{failed to legalize operation 'tile_cpu.scratch'}}
  %0 = tile_cpu.scratch 0 : !llvm.ptr
  return %0 : !llvm.ptr
}

// -----

// cpu-no-lowering
%c0 = arith.constant 0 : index
// expected-error @-1 {{'arith.constant' op is not supported by the CPU backend outside of functions [cpu-no-lowering]}}
scf.for %i = %c0 to %c0 step %c0 {
}

// -----

// cpu-value-type
func.func @empty_integers(%x: i0) -> i0 {
  // expected-error @below {{'arith.mului_extended' op expected integers of 1 bit or more, got i0 [cpu-value-type]}}
  %low, %high = arith.mului_extended %x, %x : i0
  return %high : i0
}
