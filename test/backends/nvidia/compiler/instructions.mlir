// RUN: tegula-opt %s -split-input-file -nvidia-llvm | FileCheck %s

// Matrix instructions take pairs of 16-bit elements in 32-bit registers.
// CHECK-LABEL: llvm.func @matrix
// CHECK: "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {$0, $1, $2, $3}, [$4];"
// CHECK: "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};", "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f"
module {
  func.func @matrix(%b: vector<4xf16>, %c: vector<4xf32>, %p: !llvm.ptr<1>) {
    %s = tilegpu.shared_base : !llvm.ptr<3>
    %a = tilegpu.load_matrix %s count 4 trans : !llvm.ptr<3> -> vector<8xf16>
    %d = tilegpu.mma #tilegpu.mma<mma_sync, 16, 8, 16, f16, f16, f32> %a, %b, %c
        : vector<8xf16>, vector<4xf16>, vector<4xf32>
    llvm.store %d, %p : vector<4xf32>, !llvm.ptr<1>
    return
  }
}

// -----

// CHECK-LABEL: llvm.func @atomics
// CHECK: "atom.global.gpu.relaxed.add.f32 $0, [$1], $2;", "=f,l,f,~{memory}"
// CHECK: llvm.atomicrmw umax %{{.*}} syncscope("block") acq_rel : !llvm.ptr<1>, i8
// CHECK: "atom.global.sys.relaxed.cas.b16 $0, [$1], $2, $3;", "=h,l,h,h,~{memory}"
// CHECK: llvm.intr.maximum
// CHECK: "atom.global.gpu.release.cas.b32 $0, [$1], $2, $3;", "=r,l,r,r,~{memory}"
// CHECK: "atom.global.acquire.sys.cas.b64 $0, [$1], $2, $3;", "=l,l,l,l,~{memory}"
// CHECK: "atom.global.cta.acq_rel.max.s64 $0, [$1], $2;", "=l,l,l,~{memory}"
// CHECK: "atom.global.gpu.relaxed.add.noftz.f16 $0, [$1], $2;", "=h,l,h,~{memory}"
// CHECK: "atom.global.gpu.acq_rel.exch.b32 $0, [$1], $2;", "=r,l,r,~{memory}"
module {
  func.func @atomics(%p: !llvm.ptr<1>, %f: f32, %i: i8, %h: bf16, %d: f64, %m: i1, %l: i64,
      %g: f16) attributes {tile.kernel} {
    %0 = tilegpu.thread_atomic_rmw fadd relaxed device %p, %f mask %m : !llvm.ptr<1>, f32
    %1 = tilegpu.thread_atomic_rmw umax acq_rel program %p, %i : !llvm.ptr<1>, i8
    %2 = tilegpu.thread_atomic_rmw fadd relaxed system %p, %h : !llvm.ptr<1>, bf16
    %3 = tilegpu.thread_atomic_rmw fmax release device %p, %f : !llvm.ptr<1>, f32
    %4 = tilegpu.thread_atomic_cas acquire system %p, %d, %d : !llvm.ptr<1>, f64
    %5 = tilegpu.thread_atomic_rmw max acq_rel program %p, %l : !llvm.ptr<1>, i64
    %6 = tilegpu.thread_atomic_rmw fadd relaxed device %p, %g : !llvm.ptr<1>, f16
    %7 = tilegpu.thread_atomic_rmw xchg acq_rel device %p, %f : !llvm.ptr<1>, f32
    return
  }
}

// -----

// CHECK-LABEL: llvm.func @others
// CHECK: nvvm.read.ptx.sreg.ctaid.y
// CHECK: nvvm.shfl.sync bfly
// CHECK: nvvm.barrier0
module {
  func.func @others(%p: !llvm.ptr<1>, %x: i32) attributes {tile.kernel} {
    %one = arith.constant 1 : i32
    %wide = arith.constant 32 : i32
    %b = gpu.block_id y
    %y = arith.index_cast %b : index to i32
    %z, %valid = gpu.shuffle xor %y, %one, %wide : i32
    gpu.barrier
    llvm.store %z, %p : i32, !llvm.ptr<1>
    return
  }
}

// -----

// A print is a record of its element, an assertion a vote.
// CHECK: llvm.mlir.global internal constant @tegula_text_1({{.*}}too large
// CHECK: llvm.mlir.global internal constant @tegula_text_0({{.*}}x:
// CHECK: llvm.func @debug(%{{.*}}: i1, %{{.*}}: i32, %[[BUFFER:.*]]: !llvm.ptr<1>) attributes {{.*}}tile_nvidia.records
// CHECK: llvm.atomicrmw add %[[BUFFER]]
// CHECK: nvvm.barrier #nvvm.reduction<or>
// CHECK: llvm.atomicrmw umin
// CHECK: "exit;"
module {
  func.func private @debug(%c: i1, %i: i32) {
    tilegpu.thread_print "x: " operand 0 signed [%i] %i mask %c {tilegpu.shape = array<i64: 32>} : i32
    tilegpu.thread_assert %c, %i, "too large" {tilegpu.shape = array<i64: 32>}
    return
  }
}
