// RUN: tegula-opt %s -cpu-plan-scratch -split-input-file | FileCheck %s

// Lives that do not meet share memory.
// CHECK-LABEL: func.func @disjoint
// CHECK-SAME:  tile_cpu.scratch_bytes = 128
// CHECK:       tile_cpu.scratch 0
// CHECK:       tile_cpu.scratch 0
func.func @disjoint(%v: f32) {
  %a = tile_cpu.alloc 100 : !llvm.ptr
  llvm.store %v, %a : f32, !llvm.ptr
  %b = tile_cpu.alloc 100 : !llvm.ptr
  llvm.store %v, %b : f32, !llvm.ptr
  return
}

// -----

// A use through a derived pointer, inside a loop, keeps the buffer alive.
// CHECK-LABEL: func.func @overlapping
// CHECK-SAME:  tile_cpu.scratch_bytes = 192
// CHECK-DAG:   tile_cpu.scratch 0
// CHECK-DAG:   tile_cpu.scratch 128
func.func @overlapping(%v: f32, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %a = tile_cpu.alloc 64 : !llvm.ptr
  %e = llvm.getelementptr %a[4] : (!llvm.ptr) -> !llvm.ptr, f32
  %b = tile_cpu.alloc 128 : !llvm.ptr
  llvm.store %v, %b : f32, !llvm.ptr
  scf.for %i = %c0 to %n step %c1 : i64 {
    llvm.store %v, %e : f32, !llvm.ptr
  }
  return
}

// -----

// A life begins with the first use, not with the allocation.
// CHECK-LABEL: func.func @nested
// CHECK-SAME:  tile_cpu.scratch_bytes = 64
func.func @nested(%v: f32) {
  %a = tile_cpu.alloc 64 : !llvm.ptr
  %b = tile_cpu.alloc 64 : !llvm.ptr
  llvm.store %v, %b : f32, !llvm.ptr
  llvm.store %v, %a : f32, !llvm.ptr
  return
}

// -----

// Both are used by one loop.
// CHECK-LABEL: func.func @same_loop
// CHECK-SAME:  tile_cpu.scratch_bytes = 128
func.func @same_loop(%v: f32, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %a = tile_cpu.alloc 64 : !llvm.ptr
  %b = tile_cpu.alloc 64 : !llvm.ptr
  scf.for %i = %c0 to %n step %c1 : i64 {
    llvm.store %v, %b : f32, !llvm.ptr
    llvm.store %v, %a : f32, !llvm.ptr
  }
  return
}

// -----

// Control flow passes the address on: it may be used anywhere.
// CHECK-LABEL: func.func @escapes
// CHECK-SAME:  tile_cpu.scratch_bytes = 128
func.func @escapes(%v: f32, %c: i1, %p: !llvm.ptr) {
  %r = scf.if %c -> !llvm.ptr {
    scf.yield %p : !llvm.ptr
  } else {
    %a = tile_cpu.alloc 64 : !llvm.ptr
    llvm.store %v, %a : f32, !llvm.ptr
    scf.yield %a : !llvm.ptr
  }
  %b = tile_cpu.alloc 64 : !llvm.ptr
  llvm.store %v, %b : f32, !llvm.ptr
  llvm.store %v, %r : f32, !llvm.ptr
  return
}

// -----

// CHECK-LABEL: func.func @none
// CHECK-SAME:  tile_cpu.scratch_bytes = 0
func.func @none() {
  return
}
