// RUN: tegula-opt %s -split-input-file -verify-diagnostics -nvidia-llvm

func.func @unknown(%x: vector<4xf32>) {
  // expected-error@+1 {{'gpu.printf' op has no instruction on NVIDIA's chips [nvidia-no-lowering]}}
  gpu.printf "text"
  return
}

// -----

func.func @library(%x: f32, %p: !llvm.ptr<1>) attributes {tile.kernel} {
  // expected-error@+1 {{expected an operation that is instructions on the target, got 'llvm.intr.log', which would call a library [math-library-call]}}
  %y = math.log %x : f32
  llvm.store %y, %p : f32, !llvm.ptr<1>
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
