// RUN: tegula-opt %s -nvidia-llvm -mlir-print-debuginfo | FileCheck %s

// The text of a print that stood in a function called by the kernel: places of calls have
// no meaning outside of functions, LLVM's debug information fails on them.
// CHECK: llvm.mlir.global internal constant @tegula_text_0{{.*}} loc(#[[MODULE:.*]])
// CHECK: #[[MODULE]] = loc("{{.*}}inlined-print.mlir":{{[0-9:]+}})
module attributes {tile.num_warps = 4 : i32} {
  func.func @kernel(%c: i1, %i: i32) attributes {tile.kernel} {
    tilegpu.thread_print "x: " operand 0 signed [] %i mask %c : i32 loc(callsite("callee.py":3:1 at "kernel.py":9:1))
    return
  }
}
