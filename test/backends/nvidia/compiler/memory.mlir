// RUN: tegula-opt %s -split-input-file -nvidia-llvm | FileCheck %s

// CHECK: llvm.func @add(%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: i32, %{{.*}}: i8)
// CHECK-SAME: nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 64>
// CHECK: nvvm.read.ptx.sreg.tid.x
// CHECK: llvm.inline_asm has_side_effects{{.*}}"@$9 ld.global.v4.b32 {$0, $1, $2, $3}, [$8];", "=r,=r,=r,=r,0,1,2,3,l,b,~{memory}"
// CHECK: llvm.fadd {{.*}} : vector<4xf32>
// CHECK: "@$5 st.global.v4.b32 [$4], {$0, $1, $2, $3};", "r,r,r,r,l,b,~{memory}"
module attributes {tile.num_warps = 2 : i32} {
  func.func @add(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %n: i32, %flag: i1) attributes {tile.kernel} {
    %id = gpu.thread_id x
    %i = arith.index_cast %id : index to i32
    %four = arith.constant 4 : i32
    %at = arith.muli %i, %four : i32
    %in = arith.cmpi slt, %at, %n : i32
    %mask = arith.andi %in, %flag : i1
    %p = llvm.getelementptr %x[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %q = llvm.getelementptr %y[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %a = tilegpu.thread_load %p mask %mask align 16 : !llvm.ptr<1> -> vector<4xf32>
    %b = arith.addf %a, %a : vector<4xf32>
    tilegpu.thread_store %q, %b mask %mask align 16 : !llvm.ptr<1>, vector<4xf32>
    return
  }
}

// -----

// Each width; hints; alignment smaller than the bytes.
// CHECK-LABEL: llvm.func @widths
// CHECK: llvm.load volatile %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK: "@$3 ld.global.b8 $0, [$2];", "=h,0,l,b,~{memory}"
// CHECK: "@$3 ld.global.cg.b16 $0, [$2];"
// CHECK: "@$5 ld.global.L1::evict_last.v2.b32 {$0, $1}, [$4];"
// CHECK: "@$9 ld.global.v2.b32 {$0, $1}, [$8];\0A\09@$9 ld.global.v2.b32 {$2, $3}, [$8 + 8];"
// CHECK: "ld.global.cs.b32 $0, [$1];"
// CHECK: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> i32
// CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : f64, !llvm.ptr<1>
// CHECK: "@$2 st.global.wt.b16 [$1], $0;"
module {
  func.func @widths(%p: !llvm.ptr<1>, %m: i1, %o: f16) attributes {tile.kernel} {
    %v = tilegpu.thread_load %p align 4 {is_volatile} : !llvm.ptr<1> -> i32
    %a = tilegpu.thread_load %p mask %m align 1 : !llvm.ptr<1> -> i8
    %b = tilegpu.thread_load %p mask %m other %o align 2 {cache = #tile<cache cg>} : !llvm.ptr<1>, f16 -> f16
    %c = tilegpu.thread_load %p mask %m align 8 {evict = #tile<evict evict_last>} : !llvm.ptr<1> -> f64
    %d = tilegpu.thread_load %p mask %m align 8 : !llvm.ptr<1> -> vector<2xi64>
    %e = tilegpu.thread_load %p align 4 {cache = #tile<cache cs>} : !llvm.ptr<1> -> i32
    %f = tilegpu.thread_load %p mask %m align 2 : !llvm.ptr<1> -> i32
    tilegpu.thread_store %p, %c align 8 : !llvm.ptr<1>, f64
    tilegpu.thread_store %p, %b mask %m align 2 {cache = #tile<cache wt>} : !llvm.ptr<1>, f16
    tilegpu.thread_store %p, %a mask %m align 1 : !llvm.ptr<1>, i8
    tilegpu.thread_store %p, %v align 4 : !llvm.ptr<1>, i32
    tilegpu.thread_store %p, %d align 16 : !llvm.ptr<1>, vector<2xi64>
    tilegpu.thread_store %p, %e align 4 : !llvm.ptr<1>, i32
    tilegpu.thread_store %p, %f align 4 : !llvm.ptr<1>, i32
    return
  }
}
