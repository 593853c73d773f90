// REQUIRES: plugin-nvidia
// RUN: tegula-opt %s -split-input-file -remarks-filter=.* -nvidia-predict-limiter -o /dev/null 2>&1 | FileCheck %s
// Without listeners, or a target, nothing is said.
// RUN: tegula-opt %s -split-input-file -nvidia-predict-limiter 2>&1 | FileCheck %s --check-prefix=SILENT
// SILENT-NOT: remark

#wide = #tilegpu.linear<1024, register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>
#target = #tile_nvidia.target<arch = "sm_80", triple = "nvptx64-nvidia-cuda", features = "+ptx78", ptx = 78, contract = true, ptxas = "", emit = "ptx">

module attributes {tile.num_warps = 4 : i32, tile.target = #target} {
// A loop, and what is around it: 4096 bytes at 10 a cycle, 2048 functions at 16.
// CHECK: remark: {{.*}}nvidia-limiter{{.*}}a trip of the loop: 1024 operations take 16 cycles, 2048 mathematical functions and divisions take 128 cycles of a multiprocessor at its best; predicted limiter: mathematical functions and divisions
// CHECK: remark: {{.*}}nvidia-limiter{{.*}}a program, outside of its loops: 4096 bytes of memory take 410 cycles of a multiprocessor at its best; predicted limiter: memory, unless caches have what is read
func.func @functions(%p: tensor<1024x!tile.ptr<f32>, #wide>, %v: tensor<1024xf32, #wide>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %v) -> (tensor<1024xf32, #wide>) : i32 {
    %a = math.exp %x : tensor<1024xf32, #wide>
    %b = arith.addf %a, %x : tensor<1024xf32, #wide>
    %c = arith.divf %b, %v : tensor<1024xf32, #wide>
    scf.yield %c : tensor<1024xf32, #wide>
  }
  tile.store %p, %r : tensor<1024x!tile.ptr<f32>, #wide>
  return
}

// f64 has half as many units.
// CHECK: a program: 8192 bytes of memory take 819 cycles, 1024 operations take 32 cycles
// CHECK-NOT: nvidia-limiter
func.func @doubles(%p: tensor<1024x!tile.ptr<f64>, #wide>, %v: tensor<1024xf64, #wide>, %n: i32) {
  %a = arith.addf %v, %v : tensor<1024xf64, #wide>
  tile.store %p, %a : tensor<1024x!tile.ptr<f64>, #wide>
  return
}
}

// -----

// No target: nothing to compare with.
#wide = #tilegpu.linear<1024, register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>
func.func @nowhere(%p: tensor<1024x!tile.ptr<f32>, #wide>, %v: tensor<1024xf32, #wide>) {
  tile.store %p, %v : tensor<1024x!tile.ptr<f32>, #wide>
  return
}
