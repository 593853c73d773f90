// RUN: tegula-opt %s -tilegpu-plan-shared -tilegpu-to-threads -canonicalize -cse | FileCheck %s

#two = #tilegpu.linear<256, register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]]>
#eight = #tilegpu.linear<1024, register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512]]>

module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 65536, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 4 : i32} {

// One run for each register.
// CHECK-LABEL: @each
// CHECK-COUNT-2: llvm.inline_asm "mov.b32 $0, $1;", "=r,r" %{{.*}} : (i32) -> i32
// CHECK-NOT: llvm.inline_asm
func.func @each(%x: tensor<256xi32, #two>) -> tensor<256xi32, #two> {
  %y = tile.inline_asm "mov.b32 $0, $1;" constraints "=r,r" pack 1 (%x) pure : (tensor<256xi32, #two>) -> tensor<256xi32, #two>
  return %y : tensor<256xi32, #two>
}

// Four bytes share a register; of halves two.
// CHECK-LABEL: @packed
// CHECK: arith.shli
// CHECK: llvm.inline_asm has_side_effects "text", "=r,=r,r" %{{.*}} : (i32) -> !llvm.struct<(i32, i32)>
// CHECK: llvm.extractvalue %{{.*}}[0]
// CHECK: llvm.extractvalue %{{.*}}[1]
// CHECK: llvm.inline_asm
// CHECK-NOT: llvm.inline_asm
func.func @packed(%x: tensor<1024xi8, #eight>) -> tensor<1024xf16, #eight> {
  %y = tile.inline_asm "text" constraints "=r,=r,r" pack 4 (%x) : (tensor<1024xi8, #eight>) -> tensor<1024xf16, #eight>
  return %y : tensor<1024xf16, #eight>
}

// A half alone in a register of 16 bits, a byte widened to 32; two results.
// CHECK-LABEL: @alone
// CHECK: arith.extui %{{.*}} : i8 to i32
// CHECK: llvm.inline_asm "text", "=h,=l,h,r" %{{.*}}, %{{.*}} : (i16, i32) -> !llvm.struct<(i16, i64)>
func.func @alone(%x: f16, %b: i8) -> (f16, i64) {
  %y:2 = tile.inline_asm "text" constraints "=h,=l,h,r" pack 1 (%x, %b) pure : (f16, i8) -> (f16, i64)
  return %y#0, %y#1 : f16, i64
}

// Fewer registers than one run takes: the last is given again.
// CHECK-LABEL: @few
// CHECK: llvm.inline_asm "text", "=r,=r,=r,=r,r,r,r,r" %[[A:.*]], %[[B:[^,]*]], %[[B]], %[[B]] : (i32, i32, i32, i32)
// CHECK-NOT: llvm.inline_asm
func.func @few(%x: tensor<256xi32, #two>) -> tensor<256xi32, #two> {
  %y = tile.inline_asm "text" constraints "=r,=r,=r,=r,r,r,r,r" pack 4 (%x) pure : (tensor<256xi32, #two>) -> tensor<256xi32, #two>
  return %y : tensor<256xi32, #two>
}

// A clock: every thread runs it, all use what the first one saw.
// CHECK-LABEL: @clock
// CHECK: %[[T:.*]] = llvm.inline_asm has_side_effects "mov.u64 $0, %globaltimer;", "=l" : () -> i64
// CHECK: scf.if
// CHECK: llvm.store %[[T]]
// CHECK: gpu.barrier
// CHECK: %[[ALL:.*]] = llvm.load
// CHECK: return %[[ALL]]
func.func @clock() -> i64 {
  %y = tile.inline_asm "mov.u64 $0, %globaltimer;" constraints "=l" pack 1 () : () -> i64
  return %y : i64
}
}
