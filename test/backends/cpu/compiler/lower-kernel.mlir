// RUN: tegula-opt %s -cpu-lower-kernel | FileCheck %s

// Arguments sit at natural alignment: i8 at 0, i32 at 4, the pointer at 8.
// CHECK-LABEL: func.func @kernel(
// CHECK-SAME:  %[[ARGS:.*]]: !llvm.ptr, %[[PID:.*]]: !llvm.ptr, %[[GRID:.*]]: !llvm.ptr, %[[CTX:.*]]: !llvm.ptr)
// CHECK:       llvm.load %[[ARGS]] invariant {alignment = 1 : i64} : !llvm.ptr -> i8
// CHECK:       %[[AT4:.*]] = llvm.getelementptr %[[ARGS]][4]
// CHECK:       llvm.load %[[AT4]] invariant {alignment = 4 : i64} : !llvm.ptr -> i32
// CHECK:       %[[AT8:.*]] = llvm.getelementptr %[[ARGS]][8]
// CHECK:       llvm.load %[[AT8]] invariant {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
// CHECK:       %[[Y:.*]] = llvm.getelementptr %[[PID]][4]
// CHECK:       llvm.load %[[Y]]
// CHECK:       llvm.load %[[CTX]] invariant {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
func.func @kernel(%flag: i1, %n: i32, %p: !llvm.ptr) attributes {tile.kernel, tile_cpu.scratch_bytes = 64 : i64} {
  %y = tile.program_id 1 : i32
  %s = tile_cpu.scratch 0 : !llvm.ptr
  llvm.store %y, %s : i32, !llvm.ptr
  llvm.store %n, %p : i32, !llvm.ptr
  %e = arith.extui %flag : i1 to i32
  llvm.store %e, %p : i32, !llvm.ptr
  return
}
