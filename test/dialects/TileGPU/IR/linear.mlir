// RUN: tegula-opt %s | tegula-opt | FileCheck %s
// RUN: tegula-opt -mlir-print-op-generic %s | tegula-opt | FileCheck %s

#mma = #tilegpu.linear<16x8, register = [[0, 1], [8, 0]],
                       lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
// Copies, in lanes and in warps.
#row = #tilegpu.linear<8, lane = [[1], [2], [4], [0], [0]], warp = [[0]]>
#wide = #tilegpu.linear<64x8, register = [[0, 1], [8, 0]],
                        lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                        warp = [[16, 0], [32, 0]], repeat = [[warp, 0, 3], [register, 1, 22]]>
#pair = #tilegpu.linear<2, block = [[1]]>
#one = #tilegpu.linear<1>

// CHECK-DAG: #[[$MMA:.+]] = #tilegpu.linear<16x8, register = {{\[\[}}0, 1], [8, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
// CHECK-DAG: #[[$ROW:.+]] = #tilegpu.linear<8, lane = {{\[\[}}1], [2], [4], [0], [0]], warp = {{\[\[}}0]]>
// CHECK-DAG: #[[$WIDE:.+]] = #tilegpu.linear<64x8, register = {{.+}}, warp = {{\[\[}}16, 0], [32, 0]], repeat = {{\[\[}}warp, 0, 3], [register, 1, 22]]>
// CHECK-DAG: #[[$PAIR:.+]] = #tilegpu.linear<2, block = {{\[\[}}1]]>
// CHECK-DAG: #[[$ONE:.+]] = #tilegpu.linear<1>

// CHECK-LABEL: func.func @layouts
// CHECK-SAME: tensor<16x8xf32, #[[$MMA]]>
// CHECK-SAME: tensor<8x!tile.ptr<f32>, #[[$ROW]]>
// CHECK-SAME: tensor<192x176xf32, #[[$WIDE]]>
// CHECK-SAME: tensor<2xi1, #[[$PAIR]]>
// CHECK-SAME: tensor<1xf16, #[[$ONE]]>
func.func @layouts(%a: tensor<16x8xf32, #mma>, %b: tensor<8x!tile.ptr<f32>, #row>,
                   %c: tensor<192x176xf32, #wide>, %d: tensor<2xi1, #pair>,
                   %e: tensor<1xf16, #one>) {
  return
}

// Elementwise work keeps the layout.
// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%a: tensor<16x8xf32, #mma>) -> tensor<16x8xf32, #mma> {
  // CHECK: arith.addf %{{.+}} : tensor<16x8xf32, #[[$MMA]]>
  %sum = arith.addf %a, %a : tensor<16x8xf32, #mma>
  return %sum : tensor<16x8xf32, #mma>
}
