// RUN: tegula-opt --no-plugins %s -tilegpu-plan-shared -tilegpu-to-threads | FileCheck %s

#caps = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 65536,
                              max_access_bytes = 16, load_matrix = false>
#line = #tilegpu.linear<128, register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]>
#line2 = #tilegpu.linear<128, register = [[32], [64]], lane = [[1], [2], [4], [8], [16]]>
#odd = #tilegpu.linear<16, lane = [[1], [2], [4], [8], [0]], repeat = [[register, 0, 3]]>
#xor = #tilegpu.linear<64, register = [[32]], lane = [[1], [2], [4], [8], [48]]>
#column = #tilegpu.linear<128x1, register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]>
#plane = #tilegpu.linear<128x2, register = [[0, 1], [1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]>
#turned = #tilegpu.linear<2x128, register = [[1, 0], [0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]]>
#all = #tilegpu.linear<2, register = [[1]], lane = [[0], [0], [0], [0], [0]]>
#two = #tilegpu.linear<2, lane = [[1], [0], [0], [0], [0]]>

module attributes {tilegpu.capabilities = #caps, tile.num_warps = 1 : i32} {
  // Registers are the thread's number and a constant.
  // CHECK-LABEL: func.func @range
  // CHECK: %[[BEHIND:.*]] = arith.constant dense<[10, 11, 12, 13]> : vector<4xi32>
  // CHECK: arith.shli %{{.*}}, %{{.*}} overflow<nsw, nuw> : i32
  // CHECK: vector.broadcast
  // CHECK: arith.addi %{{.*}}, %[[BEHIND]] overflow<nsw> : vector<4xi32>
  // CHECK-LABEL: func.func @odd
  // CHECK: arith.constant dense<[0, 16, 32]> : vector<3xi32>
  func.func @range() -> tensor<128xi32, #line> {
    %0 = tile.range 10 to 138 : tensor<128xi32, #line>
    return %0 : tensor<128xi32, #line>
  }
  func.func @odd() -> tensor<48xi32, #odd> {
    %0 = tile.range 0 to 48 : tensor<48xi32, #odd>
    return %0 : tensor<48xi32, #odd>
  }

  // A bit that a thread may have is no constant behind its number.
  // CHECK-LABEL: func.func @met_bits
  // CHECK: %[[C:.*]] = arith.constant 32 : i32
  // CHECK: arith.xori %{{.*}}, %[[C]] : i32
  // CHECK: vector.from_elements
  func.func @met_bits() -> tensor<64xi32, #xor> {
    %0 = tile.range 0 to 64 : tensor<64xi32, #xor>
    return %0 : tensor<64xi32, #xor>
  }

  // CHECK-LABEL: func.func @in_registers
  // CHECK: vector.broadcast %{{.*}} : f32 to vector<4xf32>
  // CHECK: vector.shuffle %{{.*}} [0, 0, 1, 1, 2, 2, 3, 3]
  // CHECK-NOT: gpu.barrier
  // CHECK: return
  func.func @in_registers(%x: f32) -> (tensor<2x128xf32, #turned>, tensor<128xf32, #line>) {
    %0 = tile.splat %x : f32 -> tensor<128xf32, #line>
    %1 = tile.expand_dims %0 axis 1 : tensor<128xf32, #line> -> tensor<128x1xf32, #column>
    %2 = tile.broadcast %1 : tensor<128x1xf32, #column> -> tensor<128x2xf32, #plane>
    %3 = tile.transpose %2 order [1, 0] : tensor<128x2xf32, #plane> -> tensor<2x128xf32, #turned>
    %4 = tile.reshape %1 : tensor<128x1xf32, #column> -> tensor<128xf32, #line>
    return %3, %4 : tensor<2x128xf32, #turned>, tensor<128xf32, #line>
  }

  // CHECK-LABEL: func.func @join
  // CHECK-NOT: gpu.barrier
  // CHECK: vector.from_elements
  // CHECK-DAG: vector.shuffle %{{.*}} [0, 2, 4, 6]
  // CHECK-DAG: vector.shuffle %{{.*}} [1, 3, 5, 7]
  // CHECK: return
  func.func @join(%x: tensor<128xf32, #line>, %y: tensor<128x2xf32, #plane>)
      -> (tensor<128x2xf32, #plane>, tensor<128xf32, #line>, tensor<128xf32, #line>) {
    %0 = tile.join %x, %x : tensor<128xf32, #line> -> tensor<128x2xf32, #plane>
    %1, %2 = tile.split %y : tensor<128x2xf32, #plane> -> tensor<128xf32, #line>
    return %0, %1, %2 : tensor<128x2xf32, #plane>, tensor<128xf32, #line>, tensor<128xf32, #line>
  }

  // Scalars are known to all threads.
  // CHECK-LABEL: func.func @scalars
  // CHECK-NOT: gpu.barrier
  // CHECK: arith.select
  // CHECK: return
  func.func @scalars(%x: f32, %y: f32) -> (f32, f32, tensor<2xf32, #two>) {
    %0 = tile.join %x, %y : f32 -> tensor<2xf32, #all>
    %1, %2 = tile.split %0 : tensor<2xf32, #all> -> f32
    %3 = tile.join %x, %y : f32 -> tensor<2xf32, #two>
    return %1, %2, %3 : f32, f32, tensor<2xf32, #two>
  }

  // Elements that are elsewhere go through memory in row-major order.
  // CHECK-LABEL: func.func @through_memory
  // CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
  // CHECK: gpu.barrier
  // CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> f32
  // CHECK: gpu.barrier
  // CHECK: return
  func.func @through_memory(%x: tensor<128xf32, #line>, %y: tensor<128xf32, #line2>)
      -> (tensor<128xf32, #line2>, tensor<48xf32, #odd>) {
    %0 = tile.reshape %x : tensor<128xf32, #line> -> tensor<128xf32, #line2>
    %1 = tile.slice %0 at [127] step [-2]
        : tensor<128xf32, #line2> -> tensor<48xf32, #odd>
    return %0, %1 : tensor<128xf32, #line2>, tensor<48xf32, #odd>
  }

  // The owner hands it over; what does not exist is zero.
  // CHECK-LABEL: func.func @extract
  // CHECK: %[[IN:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : i64
  // CHECK: scf.if
  // CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
  // CHECK: gpu.barrier
  // CHECK: %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> f32
  // CHECK: arith.select %{{.*}}, %[[X]], %{{.*}} : f32
  func.func @extract(%x: tensor<128xf32, #line>, %i: i64) -> f32 {
    %0 = tile.extract %x[%i] : tensor<128xf32, #line> -> f32
    return %0 : f32
  }
}
