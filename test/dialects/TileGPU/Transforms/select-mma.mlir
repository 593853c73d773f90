// RUN: tegula-opt %s -tilegpu-select-mma | FileCheck %s

// The accumulator's fragment, four warps as two by two; operands have copies in the warps
// that share their rows or columns.
// CHECK-DAG: #[[$ACC:.*]] = #tilegpu.linear<64x64, register = {{\[\[}}0, 1], [8, 0], [0, 16], [0, 32], [32, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [0, 8]]>
// CHECK-DAG: #[[$A:.*]] = #tilegpu.linear<64x32, register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [32, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [0, 0]]>
// CHECK-DAG: #[[$B:.*]] = #tilegpu.linear<32x64, register = {{\[\[}}1, 0], [8, 0], [16, 0], [0, 16], [0, 32]], lane = {{\[\[}}2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = {{\[\[}}0, 0], [0, 8]]>
// Along rows where a product feeds another.
// CHECK-DAG: #[[$ROWS:.*]] = #tilegpu.linear<64x64, register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0]]>

#acc = #tilegpu.linear<64x64, register = [[0, 1], [0, 2], [2, 0], [4, 0], [8, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[16, 0], [32, 0]]>
#op = #tilegpu.linear<64x32, register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#opb = #tilegpu.linear<32x64, register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#few = #tilegpu.linear<4x16, register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[0, 0], [0, 0]]>
#square = #tilegpu.linear<16x16, register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true, mma = [<mma_sync, 16, 8, 16, f16, f16, f32>, <mma_sync, 16, 8, 8, tf32, tf32, f32>, <mma_sync, 16, 8, 32, si8, si8, i32>]>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: @half(
// CHECK: %[[C:.*]] = tilegpu.convert_layout %arg2 : {{.*}} -> tensor<64x64xf32, #[[$ACC]]>
// CHECK: %[[A:.*]] = tilegpu.convert_layout %arg0 : {{.*}} -> tensor<64x32xf16, #[[$A]]>
// CHECK: %[[B:.*]] = tilegpu.convert_layout %arg1 : {{.*}} -> tensor<32x64xf16, #[[$B]]>
// CHECK: %[[D:.*]] = tile.dot %[[A]], %[[B]], %[[C]] {{.*}}tilegpu.mma = #tilegpu.mma<mma_sync, 16, 8, 16, f16, f16, f32>
// CHECK: tilegpu.convert_layout %[[D]] : tensor<64x64xf32, #[[$ACC]]> ->
func.func @half(%a: tensor<64x32xf16, #op>, %b: tensor<32x64xf16, #opb>, %c: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
  %d = tile.dot %a, %b, %c precision ieee : tensor<64x32xf16, #op>, tensor<32x64xf16, #opb>, tensor<64x64xf32, #acc>
  return %d : tensor<64x64xf32, #acc>
}
// Sums of f16 are formed in f32.
// CHECK-LABEL: @half16(
// CHECK: arith.extf %arg2
// CHECK: tile.dot {{.*}}tilegpu.mma = #tilegpu.mma<mma_sync, 16, 8, 16, f16, f16, f32>
// CHECK: arith.truncf
func.func @half16(%a: tensor<64x32xf16, #op>, %b: tensor<32x64xf16, #opb>, %c: tensor<64x64xf16, #acc>) -> tensor<64x64xf16, #acc> {
  %d = tile.dot %a, %b, %c precision ieee : tensor<64x32xf16, #op>, tensor<32x64xf16, #opb>, tensor<64x64xf16, #acc>
  return %d : tensor<64x64xf16, #acc>
}
// CHECK-LABEL: @tf32(
// CHECK: arith.addi %{{.*}}, %{{.*}} : tensor<64x32xi32
// CHECK: arith.cmpf uno, %arg0, %arg0
// CHECK: arith.cmpf uno, %arg1, %arg1
// CHECK: tile.dot {{.*}}tilegpu.mma = #tilegpu.mma<mma_sync, 16, 8, 8, tf32, tf32, f32>
// CHECK-NOT: tile.dot
func.func @tf32(%a: tensor<64x32xf32, #op>, %b: tensor<32x64xf32, #opb>, %c: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
  %d = tile.dot %a, %b, %c precision tf32 : tensor<64x32xf32, #op>, tensor<32x64xf32, #opb>, tensor<64x64xf32, #acc>
  return %d : tensor<64x64xf32, #acc>
}
// Three products; the small ones do not count where they are not finite.
// CHECK-LABEL: @tf32x3(
// CHECK: tile.dot {{.*}}tilegpu.mma
// CHECK: %[[SMALL:.*]] = tile.dot {{.*}}tilegpu.mma
// CHECK: math.absf %[[SMALL]]
// CHECK: %[[FINITE:.*]] = arith.select
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %[[FINITE]]
// CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} {{.*}}tilegpu.mma
func.func @tf32x3(%a: tensor<64x32xf32, #op>, %b: tensor<32x64xf32, #opb>, %c: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
  %d = tile.dot %a, %b, %c precision tf32x3 : tensor<64x32xf32, #op>, tensor<32x64xf32, #opb>, tensor<64x64xf32, #acc>
  return %d : tensor<64x64xf32, #acc>
}
// No instruction is as exact.
// CHECK-LABEL: @ieee(
// CHECK-NOT: tilegpu.mma
// CHECK: return
func.func @ieee(%a: tensor<64x32xf32, #op>, %b: tensor<32x64xf32, #opb>, %c: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
  %d = tile.dot %a, %b, %c precision ieee : tensor<64x32xf32, #op>, tensor<32x64xf32, #opb>, tensor<64x64xf32, #acc>
  return %d : tensor<64x64xf32, #acc>
}
// Every 8-bit float is an f16.
// CHECK-LABEL: @fp8(
// CHECK: tile.from_fp8 {{ ?}}e4m3fn %arg0 {{.*}} -> tensor<64x32xf16
// CHECK: tile.from_fp8 {{ ?}}e5m2 %arg1 {{.*}} -> tensor<32x64xf16
// CHECK: tile.dot {{.*}}tilegpu.mma = #tilegpu.mma<mma_sync, 16, 8, 16, f16, f16, f32>
func.func @fp8(%a: tensor<64x32xi8, #op>, %b: tensor<32x64xi8, #opb>, %c: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
  %d = tile.dot %a, %b, %c precision ieee {a_fp8 = #tile<fp8 e4m3fn>, b_fp8 = #tile<fp8 e5m2>} : tensor<64x32xi8, #op>, tensor<32x64xi8, #opb>, tensor<64x64xf32, #acc>
  return %d : tensor<64x64xf32, #acc>
}
// CHECK-LABEL: @int(
// CHECK: tile.dot {{.*}}tilegpu.mma = #tilegpu.mma<mma_sync, 16, 8, 32, si8, si8, i32>
func.func @int(%a: tensor<64x32xi8, #op>, %b: tensor<32x64xi8, #opb>, %c: tensor<64x64xi32, #acc>) -> tensor<64x64xi32, #acc> {
  %d = tile.dot %a, %b, %c precision ieee : tensor<64x32xi8, #op>, tensor<32x64xi8, #opb>, tensor<64x64xi32, #acc>
  return %d : tensor<64x64xi32, #acc>
}
// The list has none for unsigned operands.
// CHECK-LABEL: @uint(
// CHECK-NOT: tilegpu.mma
// CHECK: return
func.func @uint(%a: tensor<64x32xi8, #op>, %b: tensor<32x64xi8, #opb>, %c: tensor<64x64xi32, #acc>) -> tensor<64x64xi32, #acc> {
  %d = tile.dot %a, %b, %c precision ieee {signedness = #tile<signedness unsigned>} : tensor<64x32xi8, #op>, tensor<32x64xi8, #opb>, tensor<64x64xi32, #acc>
  return %d : tensor<64x64xi32, #acc>
}
// CHECK-LABEL: @chained(
// CHECK: tile.dot {{.*}} : {{.*}} tensor<64x64xf32, #[[$ROWS]]>
// CHECK: tile.dot {{.*}} : {{.*}} tensor<64x64xf32, #[[$ROWS]]>
func.func @chained(%a: tensor<64x32xf16, #op>, %b: tensor<32x64xf16, #opb>, %v: tensor<64x64xf16, #acc>, %c: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
  %s = tile.dot %a, %b, %c precision ieee : tensor<64x32xf16, #op>, tensor<32x64xf16, #opb>, tensor<64x64xf32, #acc>
  %p = math.exp2 %s : tensor<64x64xf32, #acc>
  %h = arith.truncf %p : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
  %d = tile.dot %h, %v, %c precision ieee : tensor<64x64xf16, #acc>, tensor<64x64xf16, #acc>, tensor<64x64xf32, #acc>
  return %d : tensor<64x64xf32, #acc>
}
// Too few rows for any instruction.
// CHECK-LABEL: @small(
// CHECK-NOT: tilegpu.mma
// CHECK: return
func.func @small(%a: tensor<4x16xf16, #few>, %b: tensor<16x16xf16, #square>, %c: tensor<4x16xf32, #few>) -> tensor<4x16xf32, #few> {
  %d = tile.dot %a, %b, %c precision ieee : tensor<4x16xf16, #few>, tensor<16x16xf16, #square>, tensor<4x16xf32, #few>
  return %d : tensor<4x16xf32, #few>
}
}
