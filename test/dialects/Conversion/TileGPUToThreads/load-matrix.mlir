// RUN: tegula-opt %s -tilegpu-lower | FileCheck %s

#a = #tilegpu.linear<16x32, register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b = #tilegpu.linear<32x16, register = [[1, 0], [8, 0], [16, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#b8 = #tilegpu.linear<32x16, register = [[1, 0], [2, 0], [16, 0], [0, 8]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]]>
#rows = #tilegpu.linear<16x32, register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]]>
#columns = #tilegpu.linear<32x16, register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#depth = #tilegpu.linear<32x16, register = [[1, 0], [2, 0], [4, 0], [0, 8]], lane = [[8, 0], [16, 0], [0, 1], [0, 2], [0, 4]]>
#deep = #tilegpu.linear<32x16, register = [[1, 0], [2, 0], [4, 0], [8, 0]], lane = [[16, 0], [0, 1], [0, 2], [0, 4], [0, 8]]>
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 1 : i32} {
  // Wide stores, a barrier, two loads of four matrices.
  // CHECK-LABEL: @first_operand(
  // CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
  // CHECK: gpu.barrier
  // CHECK-COUNT-2: tilegpu.load_matrix %{{.*}} count 4 : <3> -> vector<8xf16>
  func.func @first_operand(%x: tensor<16x32xf16, #rows>) -> tensor<16x32xf16, #a> {
    %y = tilegpu.convert_layout %x : tensor<16x32xf16, #rows> -> tensor<16x32xf16, #a>
    return %y : tensor<16x32xf16, #a>
  }
  // The second operand with its columns together in memory is read transposed.
  // CHECK-LABEL: @second_operand(
  // CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
  // CHECK: gpu.barrier
  // CHECK-COUNT-2: tilegpu.load_matrix %{{.*}} count 4 trans : <3> -> vector<8xf16>
  func.func @second_operand(%x: tensor<32x16xf16, #columns>) -> tensor<32x16xf16, #b> {
    %y = tilegpu.convert_layout %x : tensor<32x16xf16, #columns> -> tensor<32x16xf16, #b>
    return %y : tensor<32x16xf16, #b>
  }
  // With its rows together it is read straight.
  // CHECK-LABEL: @second_operand_by_k(
  // CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
  // CHECK: gpu.barrier
  // CHECK-COUNT-2: tilegpu.load_matrix %{{.*}} count 4 : <3> -> vector<8xf16>
  func.func @second_operand_by_k(%x: tensor<32x16xf16, #depth>) -> tensor<32x16xf16, #b> {
    %y = tilegpu.convert_layout %x : tensor<32x16xf16, #depth> -> tensor<32x16xf16, #b>
    return %y : tensor<32x16xf16, #b>
  }
  // Bytes travel by pairs.
  // CHECK-LABEL: @bytes(
  // CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<16xi8>, !llvm.ptr<3>
  // CHECK: gpu.barrier
  // CHECK: tilegpu.load_matrix %{{.*}} count 4 : <3> -> vector<16xi8>
  func.func @bytes(%x: tensor<32x16xi8, #deep>) -> tensor<32x16xi8, #b8> {
    %y = tilegpu.convert_layout %x : tensor<32x16xi8, #deep> -> tensor<32x16xi8, #b8>
    return %y : tensor<32x16xi8, #b8>
  }
  // Elements of 64 bits are read one by one or two at once.
  // CHECK-LABEL: @wide(
  // CHECK-NOT: load_matrix
  func.func @wide(%x: tensor<16x32xf64, #rows>) -> tensor<16x32xf64, #a> {
    %y = tilegpu.convert_layout %x : tensor<16x32xf64, #rows> -> tensor<16x32xf64, #a>
    return %y : tensor<16x32xf64, #a>
  }
}
