// RUN: tegula-opt %s -cpu-plan-scratch -split-input-file -verify-diagnostics

// cpu-scratch-limit: what does not live at the same time shares memory, so that this is right.
func.func @limit(%v: f32) {
  %a = tile_cpu.alloc 268435456 : !llvm.ptr
  llvm.store %v, %a : f32, !llvm.ptr
  %b = tile_cpu.alloc 268435456 : !llvm.ptr
  llvm.store %v, %b : f32, !llvm.ptr
  return
}

// -----

// cpu-scratch-limit
func.func @beyond(%v: f32) {
  // expected-note @below {{x}}
  %a = tile_cpu.alloc 100000000 : !llvm.ptr
  // expected-error @below {{x}}
  // expected-note @below {{x}}
  %b = tile_cpu.alloc 200000000 : !llvm.ptr
  // expected-note @below {{x}}
  %c = tile_cpu.alloc 64 : !llvm.ptr
  llvm.store %v, %c : f32, !llvm.ptr
  llvm.store %v, %b : f32, !llvm.ptr
  llvm.store %v, %a : f32, !llvm.ptr
  return
}

// -----

// cpu-function
// expected-error @below {{x}}
func.func @blocks(%c: i1) {
  %a = tile_cpu.alloc 64 : !llvm.ptr
  cf.br ^bb1
^bb1:
  return
}

// -----

func.func @alloc_size() {
  // expected-error @below {{x}}
  %a = tile_cpu.alloc 2147483648 : !llvm.ptr
  return
}

// -----

func.func @alloc_sign() {
  // expected-error @below {{x}}
  %a = tile_cpu.alloc -1 : !llvm.ptr
  return
}

// -----

func.func @scratch_offset() {
  // expected-error @below {{x}}
  %a = tile_cpu.scratch 4294967296 : !llvm.ptr
  return
}

// -----

// expected-error @below {{x}}
module attributes {tile.target = #tile_cpu.target<arch = "native">} {}

// -----

// expected-error @below {{x}}
module attributes {tile.target = #tile_cpu.goal<arch = "native">} {}
