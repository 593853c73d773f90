// REQUIRES: plugin-amd
// RUN: env TEGULA_PLUGIN_PATH=%build/lib/tegula/amd tegula-opt %s -split-input-file -verify-diagnostics -amd-llvm

func.func @unknown(%x: vector<4xf32>) {
  // expected-error@+1 {{'gpu.printf' op has no instruction on AMD's chips [amd-no-lowering]}}
  gpu.printf "text"
  return
}

// -----

func.func @product(%a: vector<8xf16>, %b: vector<4xf16>, %c: vector<4xf32>) {
  // expected-error@+1 {{'tilegpu.mma' op has no instruction on AMD's chips [amd-no-lowering]}}
  %d = tilegpu.mma #tilegpu.mma<mma_sync, 16, 8, 16, f16, f16, f32> %a, %b, %c : vector<8xf16>, vector<4xf16>, vector<4xf32>
  return
}

// -----

func.func @print(%x: f32, %m: i1) {
  // expected-error@+1 {{expected a kernel without prints and assertions, which kernels of the AMD backend cannot do yet [amd-debugging]}}
  tilegpu.thread_print "x: " operand 0 [] %x mask %m : f32
  return
}

// -----

func.func @library(%x: f32, %p: !llvm.ptr<1>) attributes {tile.kernel} {
  // expected-error@+1 {{expected an operation that is instructions on the target, got 'llvm.intr.sin', which would call a library [math-library-call]}}
  %y = math.sin %x : f32
  llvm.store %y, %p : f32, !llvm.ptr<1>
  return
}

// -----

// Only f32 has this one.
func.func @wide(%x: f64, %p: !llvm.ptr<1>) attributes {tile.kernel} {
  // expected-error@+1 {{got 'llvm.intr.exp2', which would call a library [math-library-call]}}
  %y = math.exp2 %x : f64
  llvm.store %y, %p : f64, !llvm.ptr<1>
  return
}

// -----

// expected-error@+1 {{expected a kernel without results, got 1 [kernel-signature]}}
func.func @result(%x: f32) -> f32 attributes {tile.kernel} {
  return %x : f32
}

// -----

// expected-error@+1 {{expected arguments of 8 to 64 bits, i1 or pointers, got 'i128' as argument 0 [kernel-signature]}}
func.func @argument(%x: i128) attributes {tile.kernel} {
  return
}
