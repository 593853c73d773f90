// REQUIRES: plugin-amd
// RUN: env TEGULA_PLUGIN_PATH=%build/lib/tegula/amd tegula-opt %s -amd-to-llvm | FileCheck %s

// Registers are shared out among the threads of a program; flags are bytes.
// CHECK: llvm.func @add(%{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64}, %{{.*}}: i8)
// CHECK-SAME: rocdl.flat_work_group_size = "128,128"
// CHECK-SAME: rocdl.kernel
// CHECK-SAME: rocdl.reqd_work_group_size = array<i32: 128, 1, 1>
// CHECK: llvm.icmp "ne" %{{.*}} : i8
// Private functions are none of the chip's business.
// CHECK: llvm.func @helper(%{{.*}}: f32) -> f32
// CHECK-NOT: rocdl
module attributes {tile.num_warps = 2 : i32} {
  func.func @add(%p: !llvm.ptr<1> {tile.divisibility = 16 : i32}, %flag: i1) attributes {tile.kernel} {
    %0 = arith.constant 0.0 : f32
    %1 = arith.constant 1.0 : f32
    %x = arith.select %flag, %1, %0 : f32
    %y = func.call @helper(%x) : (f32) -> f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    return
  }
  func.func private @helper(%x: f32) -> f32 {
    %0 = math.exp2 %x : f32
    return %0 : f32
  }
}
