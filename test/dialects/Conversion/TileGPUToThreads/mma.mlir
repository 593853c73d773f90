// RUN: tegula-opt %s -split-input-file -tilegpu-lower | FileCheck %s

// Two steps of K, two instructions of N: K outermost, registers of A shared.
// CHECK-LABEL: @steps(
// CHECK-NOT: gpu.barrier
// CHECK-DAG: %[[A0:.*]] = vector.extract_strided_slice %arg0 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
// CHECK-DAG: %[[A1:.*]] = vector.extract_strided_slice %arg0 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
// CHECK-DAG: %[[B00:.*]] = vector.extract_strided_slice %arg1 {offsets = [0], sizes = [4], strides = [1]} : vector<16xf16> to vector<4xf16>
// CHECK-DAG: %[[B10:.*]] = vector.extract_strided_slice %arg1 {offsets = [4], sizes = [4], strides = [1]} : vector<16xf16> to vector<4xf16>
// CHECK-DAG: %[[B01:.*]] = vector.extract_strided_slice %arg1 {offsets = [8], sizes = [4], strides = [1]} : vector<16xf16> to vector<4xf16>
// CHECK-DAG: %[[B11:.*]] = vector.extract_strided_slice %arg1 {offsets = [12], sizes = [4], strides = [1]} : vector<16xf16> to vector<4xf16>
// CHECK: %[[C0:.*]] = tilegpu.mma <mma_sync, 16, 8, 16, f16, f16, f32> %[[A0]], %[[B00]], %{{.*}} : vector<8xf16>, vector<4xf16>, vector<4xf32>
// CHECK: %[[C1:.*]] = tilegpu.mma <mma_sync, 16, 8, 16, f16, f16, f32> %[[A0]], %[[B01]], %{{.*}}
// CHECK: tilegpu.mma <mma_sync, 16, 8, 16, f16, f16, f32> %[[A1]], %[[B10]], %[[C0]]
// CHECK: tilegpu.mma <mma_sync, 16, 8, 16, f16, f16, f32> %[[A1]], %[[B11]], %[[C1]]
#a = #tilegpu.linear<16x32, register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b = #tilegpu.linear<32x16, register = [[1, 0], [8, 0], [16, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#c = #tilegpu.linear<16x16, register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 1 : i32} {
  func.func @steps(%x: tensor<16x32xf16, #a>, %y: tensor<32x16xf16, #b>, %z: tensor<16x16xf32, #c>) -> tensor<16x16xf32, #c> {
    %d = tile.dot %x, %y, %z precision ieee {tilegpu.mma = #tilegpu.mma<mma_sync, 16, 8, 16, f16, f16, f32>} : tensor<16x32xf16, #a>, tensor<32x16xf16, #b>, tensor<16x16xf32, #c>
    return %d : tensor<16x16xf32, #c>
  }
}

// -----

// Three instructions side by side, which no linear map counts.
// CHECK-LABEL: @three(
// CHECK-COUNT-3: tilegpu.mma
// CHECK-NOT: tilegpu.mma
#a = #tilegpu.linear<16x16, register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b = #tilegpu.linear<16x8, register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], repeat = [[register, 1, 3]]>
#c = #tilegpu.linear<16x8, register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], repeat = [[register, 1, 3]]>
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 1 : i32} {
  func.func @three(%x: tensor<16x16xf16, #a>, %y: tensor<16x24xf16, #b>, %z: tensor<16x24xf32, #c>) -> tensor<16x24xf32, #c> {
    %d = tile.dot %x, %y, %z precision ieee {tilegpu.mma = #tilegpu.mma<mma_sync, 16, 8, 16, f16, f16, f32>} : tensor<16x16xf16, #a>, tensor<16x24xf16, #b>, tensor<16x24xf32, #c>
    return %d : tensor<16x24xf32, #c>
  }
}
