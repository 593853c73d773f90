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
  // expected-note @below {{a tile of 100000000 bytes is kept here}}
  %a = tile_cpu.alloc 100000000 : !llvm.ptr
  // expected-error @below {{expected at most 268435456 bytes of tiles in one program, got 300000064, of which 200000000 here [cpu-scratch-limit]}}
  // expected-note @below {{hint: use smaller blocks, or hold fewer tiles at the same time}}
  %b = tile_cpu.alloc 200000000 : !llvm.ptr
  // expected-note @below {{a tile of 64 bytes is kept here}}
  %c = tile_cpu.alloc 64 : !llvm.ptr
  llvm.store %v, %a : f32, !llvm.ptr
  llvm.store %v, %b : f32, !llvm.ptr
  llvm.store %v, %c : f32, !llvm.ptr
  llvm.store %v, %b : f32, !llvm.ptr
  llvm.store %v, %a : f32, !llvm.ptr
  return
}

// -----

// cpu-function
// expected-error @below {{'func.func' op expected structured control flow around scratch memory, got several blocks [cpu-function]}}
func.func @blocks(%c: i1) {
  %a = tile_cpu.alloc 64 : !llvm.ptr
  cf.br ^bb1
^bb1:
  return
}

// -----

func.func @alloc_size() {
  // expected-error @below {{'tile_cpu.alloc' op attribute 'bytes' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 0 whose maximum value is 2147483647}}
  %a = tile_cpu.alloc 2147483648 : !llvm.ptr
  return
}

// -----

func.func @alloc_sign() {
  // expected-error @below {{'tile_cpu.alloc' op attribute 'bytes' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 0 whose maximum value is 2147483647}}
  %a = tile_cpu.alloc -1 : !llvm.ptr
  return
}

// -----

func.func @scratch_offset() {
  // expected-error @below {{'tile_cpu.scratch' op attribute 'offset' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 0 whose maximum value is 2147483647}}
  %a = tile_cpu.scratch 4294967296 : !llvm.ptr
  return
}

// -----

// expected-error @below {{struct is missing required parameter: triple}}
module attributes {tile.target = #tile_cpu.target<arch = "native">} {}

// -----

// expected-error @below {{unknown attribute `goal` in dialect `tile_cpu`}}
module attributes {tile.target = #tile_cpu.goal<arch = "native">} {}
