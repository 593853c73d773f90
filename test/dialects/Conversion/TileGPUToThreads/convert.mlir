// RUN: tegula-opt --no-plugins %s -tilegpu-plan-shared -tilegpu-to-threads | FileCheck %s

#caps = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 2048,
                              max_access_bytes = 16, load_matrix = false>
#a = #tilegpu.linear<64, register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[0]]>
#swapped = #tilegpu.linear<64, register = [[2]], lane = [[1], [4], [8], [16], [32]], warp = [[0]]>
#moved = #tilegpu.linear<64, register = [[1]], lane = [[4], [2], [8], [16], [32]], warp = [[0]]>
#twice = #tilegpu.linear<64, register = [[0], [1]], lane = [[2], [4], [8], [16], [32]], warp = [[0]]>
#half = #tilegpu.linear<64, lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#wide = #tilegpu.linear<1024, register = [[1], [2], [4], [8]], lane = [[16], [32], [64], [128], [256]], warp = [[512]]>
#far = #tilegpu.linear<1024, register = [[1], [2], [4], [512]], lane = [[8], [16], [32], [64], [128]], warp = [[256]]>
#odd = #tilegpu.linear<16, lane = [[1], [2], [4], [8], [0]], warp = [[0]], repeat = [[register, 0, 3]]>
#odd2 = #tilegpu.linear<16, register = [[1]], lane = [[2], [4], [8], [0], [0]], warp = [[0]], repeat = [[register, 0, 3]]>

// CHECK: tilegpu.shared_bytes = 1024
module attributes {tilegpu.capabilities = #caps, tile.num_warps = 2 : i32} {
  // CHECK-LABEL: func.func @registers
  // CHECK-NEXT: vector.shuffle %{{.*}} [0, 0, 1, 1]
  // CHECK-NEXT: return
  func.func @registers(%x: tensor<64xf32, #a>) -> tensor<64xf32, #twice> {
    %0 = tilegpu.convert_layout %x : tensor<64xf32, #a> -> tensor<64xf32, #twice>
    return %0 : tensor<64xf32, #twice>
  }

  // Every lane sends what the other lacks: selects, shuffles, selects.
  // CHECK-LABEL: func.func @lanes
  // CHECK: arith.select
  // CHECK: gpu.shuffle
  // CHECK-NOT: gpu.barrier
  // CHECK: return
  func.func @lanes(%x: tensor<64xf32, #a>) -> tensor<64xf32, #swapped> {
    %0 = tilegpu.convert_layout %x : tensor<64xf32, #a> -> tensor<64xf32, #swapped>
    return %0 : tensor<64xf32, #swapped>
  }

  // Whole lanes: no selects. Pointers and narrow types travel as 32 bits.
  // CHECK-LABEL: func.func @permuted_lanes
  // CHECK-NOT: arith.select
  // CHECK: llvm.ptrtoint %{{.*}} : !llvm.ptr<1> to i64
  // CHECK-COUNT-4: gpu.shuffle idx %{{.*}} : i32
  // CHECK: return
  func.func @permuted_lanes(%x: tensor<64x!tile.ptr<f32>, #a>)
      -> tensor<64x!tile.ptr<f32>, #moved> {
    %0 = tilegpu.convert_layout %x : tensor<64x!tile.ptr<f32>, #a> -> tensor<64x!tile.ptr<f32>, #moved>
    return %0 : tensor<64x!tile.ptr<f32>, #moved>
  }

  // Among warps: only the first copies write. Booleans lie there as bytes.
  // CHECK-LABEL: func.func @warps
  // CHECK: scf.if
  // CHECK: llvm.store %{{.*}} : vector<2xi8>, !llvm.ptr<3>
  // CHECK: gpu.barrier
  // CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i8
  // CHECK: arith.trunci %{{.*}} : i8 to i1
  func.func @warps(%x: tensor<64xi1, #a>) -> tensor<64xi1, #half> {
    %0 = tilegpu.convert_layout %x : tensor<64xi1, #a> -> tensor<64xi1, #half>
    return %0 : tensor<64xi1, #half>
  }

  // 4096 bytes where 1024 may be used: four rounds of store, barrier, load.
  // CHECK-LABEL: func.func @rounds
  // CHECK-COUNT-7: gpu.barrier
  // CHECK-NOT: gpu.barrier
  // CHECK: return
  func.func @rounds(%x: tensor<1024xf32, #wide>) -> tensor<1024xf32, #far> {
    %0 = tilegpu.convert_layout %x : tensor<1024xf32, #wide> -> tensor<1024xf32, #far>
    return %0 : tensor<1024xf32, #far>
  }

  // Sizes that are no powers of two.
  // CHECK-LABEL: func.func @repeated
  // CHECK: llvm.store %{{.*}} : f16, !llvm.ptr<3>
  // CHECK: gpu.barrier
  // CHECK-COUNT-3: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<2xf16>
  func.func @repeated(%x: tensor<48xf16, #odd>) -> tensor<48xf16, #odd2> {
    %0 = tilegpu.convert_layout %x : tensor<48xf16, #odd> -> tensor<48xf16, #odd2>
    return %0 : tensor<48xf16, #odd2>
  }
}
