// RUN: tegula-opt %s -nvidia-lower-threads | FileCheck %s

// Whole pieces of 16 bytes pass by the first cache; a mask is a size of 0 to read.
// CHECK-LABEL: func.func @copies
// CHECK: %[[S:.+]] = llvm.ptrtoint %arg0 : !llvm.ptr<3> to i32
// CHECK: llvm.inline_asm has_side_effects {{.*}}"cp.async.cg.shared.global [$0], [$1], 16;", "r,l,~{memory}" %[[S]], %arg1
// CHECK: %[[BYTES:.+]] = llvm.select %arg2
// CHECK: "cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,r,~{memory}" %{{.+}}, %arg1, %[[BYTES]]
// CHECK: "cp.async.ca.shared.global [$0], [$1], 8, $2;"
// CHECK: "cp.async.ca.shared.global [$0], [$1], 4;"
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 2
func.func @copies(%s: !llvm.ptr<3>, %p: !llvm.ptr<1>, %m: i1) {
  tilegpu.thread_async_copy %s, %p bytes 16 : !llvm.ptr<1>
  tilegpu.thread_async_copy %s, %p mask %m bytes 16 : !llvm.ptr<1>
  tilegpu.thread_async_copy %s, %p mask %m bytes 8 : !llvm.ptr<1>
  tilegpu.thread_async_copy %s, %p bytes 4 : !llvm.ptr<1>
  tilegpu.thread_async_commit
  tilegpu.thread_async_wait 2
  return
}
