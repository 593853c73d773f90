// RUN: tegula-opt %s -split-input-file -nvidia-pack-programs | FileCheck %s

// Programs of one warp: their numbers come from the size of the block.
// CHECK: module attributes {{{.*}}tile_nvidia.most_programs = 8 : i32
// CHECK-LABEL: func.func @packed
// CHECK: %[[T:.+]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[LANE:.+]] = arith.andi %[[T]], %c31_i32
// CHECK: %[[THREAD:.+]] = arith.index_castui %[[LANE]]
// CHECK: %[[U:.+]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[WARP:.+]] = arith.shrui %[[U]], %c5_i32
// CHECK: %[[B:.+]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK: %[[N:.+]] = nvvm.read.ptx.sreg.ntid.x
// CHECK: %[[COUNT:.+]] = arith.shrui %[[N]], %c5_i32
// CHECK: %[[FIRST:.+]] = arith.muli %[[B]], %[[COUNT]]
// CHECK: %[[P:.+]] = arith.addi %[[FIRST]], %[[WARP]]
// CHECK: %[[PROGRAM:.+]] = arith.index_castui %[[P]]
// CHECK: gpu.block_id y
// CHECK: %[[G:.+]] = nvvm.read.ptx.sreg.nctaid.x
// CHECK: arith.muli %[[G]]
// CHECK: nvvm.bar.warp.sync
// CHECK-NOT: gpu.barrier
// CHECK: return %[[THREAD]], %[[PROGRAM]]
module attributes {tile.num_warps = 1 : i32} {
  func.func @packed() -> (index, index, index, index) {
    %c31_i32 = arith.constant 31 : i32
    %c5_i32 = arith.constant 5 : i32
    %0 = gpu.thread_id x
    %1 = gpu.block_id x
    %2 = gpu.block_id y
    %3 = gpu.grid_dim x
    gpu.barrier
    return %0, %1, %2, %3 : index, index, index, index
  }
}

// -----

// More warps share what a block has.
// CHECK-NOT: most_programs
// CHECK-LABEL: func.func @two_warps
// CHECK: gpu.block_id x
module attributes {tile.num_warps = 2 : i32} {
  func.func @two_warps() -> index {
    %0 = gpu.block_id x
    return %0 : index
  }
}

// -----

// CHECK-NOT: most_programs
// CHECK-LABEL: func.func @shared
// CHECK: gpu.block_id x
module attributes {tile.num_warps = 1 : i32, tilegpu.shared_bytes = 64 : i64} {
  func.func @shared() -> index {
    %0 = gpu.block_id x
    return %0 : index
  }
}

// -----

// The kernel's own PTX may ask for the block.
// CHECK-NOT: most_programs
// CHECK-LABEL: func.func @own_code
// CHECK: gpu.block_id x
module attributes {tile.num_warps = 1 : i32} {
  func.func @own_code() -> (index, i32) {
    %0 = gpu.block_id x
    %1 = llvm.inline_asm "mov.u32 $0, %tid.x;", "=r" : () -> i32
    return %0, %1 : index, i32
  }
}
