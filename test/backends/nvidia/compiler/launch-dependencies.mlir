// RUN: tegula-opt %s '-pass-pipeline=builtin.module(tile-set-target{target=nvidia/sm_90a},nvidia-launch-dependencies)' \
// RUN:   | FileCheck %s
// RUN: tegula-opt %s '-pass-pipeline=builtin.module(tile-set-target{target=nvidia/sm_80},nvidia-launch-dependencies)' \
// RUN:   | FileCheck %s --check-prefix=OLD

// CHECK: tile_nvidia.waits_for_launches
// CHECK-LABEL: func.func @kernel
// CHECK-NEXT: llvm.inline_asm has_side_effects {{.*}}"griddepcontrol.wait;", "~{memory}" : () -> ()
// CHECK-NEXT: tile.load
// CHECK-NEXT: llvm.inline_asm has_side_effects {{.*}}"griddepcontrol.launch_dependents;", "~{memory}"
// CHECK-NEXT: tile.barrier{{$}}
// CHECK-NEXT: tile.store

// Launches follow each other there.
// OLD-NOT: waits_for_launches
// OLD-LABEL: func.func @kernel
// OLD-NEXT: tile.load
// OLD-NEXT: tile.barrier{{$}}
// OLD-NEXT: tile.store
func.func @kernel(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  tile.barrier {tile.launch_dependency = "wait"}
  %v = tile.load %p : !tile.ptr<f32>
  tile.barrier {tile.launch_dependency = "launch"}
  tile.barrier
  tile.store %p, %v : !tile.ptr<f32>
  return
}
