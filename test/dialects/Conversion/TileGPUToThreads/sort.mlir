// RUN: tegula-opt %s -tilegpu-plan-shared -tilegpu-to-threads -canonicalize -cse | FileCheck %s

#line = #tilegpu.linear<512, register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>
#three = #tilegpu.linear<16, lane = [[1], [2], [4], [8], [0]], warp = [[0], [0]], repeat = [[register, 0, 3]]>
#one = #tilegpu.linear<4x1, lane = [[1, 0], [2, 0], [0, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]]>
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 4 : i32} {

// Keys and places move; flags are read at the places in the end.
// CHECK-LABEL: func.func @pairs(
// CHECK: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK: llvm.store {{.*}} : vector<4xi8>, !llvm.ptr<3>
// CHECK: llvm.store {{.*}} : vector<4xi32>, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: scf.for {{.*}} to %c9_i32
// CHECK: scf.for
// CHECK: scf.for {{.*}} to %c256_i32 step %c128_i32
// CHECK: arith.cmpf ult
// CHECK: scf.if
// CHECK-COUNT-4: llvm.store
// CHECK: gpu.barrier
// CHECK: llvm.load {{.*}} -> vector<4xf32>
// CHECK: llvm.load {{.*}} -> vector<4xi32>
// CHECK-COUNT-4: llvm.load {{.*}} -> i8
// CHECK: return
func.func @pairs(%x: tensor<512xf32, #line>, %f: tensor<512xi1, #line>) -> (tensor<512xf32, #line>, tensor<512xi1, #line>) {
  %s, %g = tile.sort (%x, %f) axis 0 ascending signed : (tensor<512xf32, #line>, tensor<512xi1, #line>) -> (tensor<512xf32, #line>, tensor<512xi1, #line>)
  return %s, %g : tensor<512xf32, #line>, tensor<512xi1, #line>
}

// Places beyond the end of a line do not take part.
// CHECK-LABEL: func.func @three(
// CHECK: %[[SECOND:.*]] = arith.xori
// CHECK: arith.cmpi ult, %[[SECOND]], %c48_i32
// CHECK: scf.if
// CHECK: arith.cmpi uge
// CHECK: arith.cmpi ult
func.func @three(%x: tensor<48xi32, #three>) -> tensor<48xi32, #three> {
  %s = tile.sort (%x) axis 0 descending unsigned : (tensor<48xi32, #three>) -> tensor<48xi32, #three>
  return %s : tensor<48xi32, #three>
}

// Lines of one element: nothing to compare.
// CHECK-LABEL: func.func @one(
// CHECK-NOT: scf.for
// CHECK: return
func.func @one(%x: tensor<4x1xi16, #one>) -> tensor<4x1xi16, #one> {
  %s = tile.sort (%x) axis 1 ascending signed : (tensor<4x1xi16, #one>) -> tensor<4x1xi16, #one>
  return %s : tensor<4x1xi16, #one>
}
}
