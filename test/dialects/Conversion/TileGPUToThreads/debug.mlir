// RUN: tegula-opt %s -tilegpu-plan-shared -tilegpu-to-threads -canonicalize -cse | FileCheck %s

#two = #tilegpu.linear<2x64, register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32], [0, 0]]>

module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 65536, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 4 : i32} {

// A scalar by the first thread, a tile by the first copies, with the places of elements.
// CHECK-LABEL: @print
// CHECK: tilegpu.thread_print "x: " hex operand 0 signed[] %{{.*}} mask %[[FIRST:.*]] : i32
// CHECK: tilegpu.thread_print "x: " hex operand 1[%[[R0:.*]], %[[COLUMN:.*]]] %{{.*}} mask %[[COPY:.*]] : f32
// CHECK: tilegpu.thread_print "x: " hex operand 1[%[[R1:.*]], %[[COLUMN]]] %{{.*}} mask %[[COPY]] : f32
func.func @print(%a: i32, %b: tensor<2x64xf32, #two>) {
  tile.print "x: " hex (%a, %b) signs [true, false] : i32, tensor<2x64xf32, #two>
  return
}

// All registers at once; the number is the smallest of those that fail.
// CHECK-LABEL: @assert
// CHECK: %[[A:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
// CHECK: %[[B:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
// CHECK: %[[FIRST:.*]] = arith.minsi %[[A]], %[[B]] : i32
// CHECK: %[[ALL:.*]] = arith.andi
// CHECK: tilegpu.thread_assert %[[ALL]], %[[FIRST]], "too large"
// CHECK: tilegpu.thread_assert %{{.*}}, %{{.*}}, "scalar"
// CHECK-NOT: thread_assert
func.func @assert(%c: tensor<2x64xi1, #two>, %d: i1) {
  tile.assert %c, "too large" : tensor<2x64xi1, #two>
  tile.assert %d, "scalar" : i1
  return
}
}
