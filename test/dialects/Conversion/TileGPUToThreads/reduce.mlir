// RUN: tegula-opt %s -tilegpu-plan-shared -tilegpu-to-threads -canonicalize -cse | FileCheck %s

#line = #tilegpu.linear<512, register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>
#copies = #tilegpu.linear<32, lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]]>
#inside = #tilegpu.linear<4x16, register = [[0, 1], [0, 2], [0, 4], [0, 8]], lane = [[1, 0], [2, 0], [0, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]]>
#rows = #tilegpu.linear<4, lane = [[1], [2], [0], [0], [0]], warp = [[0], [0]]>
#three = #tilegpu.linear<16, lane = [[1], [2], [4], [8], [0]], warp = [[0], [0]], repeat = [[register, 0, 3]]>
#high = #tilegpu.linear<256, register = [[128]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
#mixed = #tilegpu.linear<4x32, register = [[1, 1], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 0], [0, 0]]>
#four = #tilegpu.linear<4, register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]]>
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>, tile.num_warps = 4 : i32} {

// Registers, lanes, then one barrier: every thread reads the partial sums of all warps.
// CHECK-LABEL: func.func @line(
// CHECK: vector.shuffle
// CHECK: arith.addf {{.*}} : vector<2xf32>
// CHECK: arith.addf {{.*}} : vector<1xf32>
// CHECK-COUNT-5: gpu.shuffle
// CHECK: scf.if
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: llvm.load {{.*}} -> vector<4xf32>
// CHECK-COUNT-3: arith.addf
// CHECK-NOT: gpu.barrier
// CHECK: return {{.*}} : f32
func.func @line(%x: tensor<512xf32, #line>) -> f32 {
  %s = tile.reduce (%x) axis 0 : (tensor<512xf32, #line>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %s : f32
}

// All warps hold copies: no shared memory, each element counted once.
// CHECK-LABEL: func.func @copies(
// CHECK-COUNT-5: gpu.shuffle
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @copies(%x: tensor<32xi32, #copies>) -> i32 {
  %s = tile.reduce (%x) axis 0 : (tensor<32xi32, #copies>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  return %s : i32
}

// An axis within registers: no other thread takes part.
// CHECK-LABEL: func.func @inside(
// CHECK-NOT: gpu.
// CHECK: arith.maxsi {{.*}} : vector<8xi32>
// CHECK: arith.maxsi {{.*}} : vector<4xi32>
// CHECK: arith.maxsi {{.*}} : vector<2xi32>
// CHECK: arith.maxsi {{.*}} : vector<1xi32>
// CHECK-NOT: gpu.
// CHECK: return
func.func @inside(%x: tensor<4x16xi32, #inside>) -> tensor<4xi32, #rows> {
  %s = tile.reduce (%x) axis 1 : (tensor<4x16xi32, #inside>) -> tensor<4xi32, #rows> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tile.yield %c : i32
  }
  return %s : tensor<4xi32, #rows>
}

// Three sixteens: the lanes' digits come first when the order counts. The lane with the
// smaller coordinate is on the left.
// CHECK-LABEL: func.func @ordered(
// CHECK-COUNT-6: gpu.shuffle
// CHECK: %[[BIT:.*]] = arith.cmpi ne
// CHECK: arith.select %[[BIT]], %[[OTHER:[^,]*]], %[[X:[^ ]*]] : vector<3xi32>
// CHECK: arith.select %[[BIT]], %[[X]], %[[OTHER]] : vector<3xi32>
// CHECK: arith.subi
// CHECK-COUNT-6: gpu.shuffle
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @ordered(%x: tensor<48xi32, #three>) -> i32 {
  %s = tile.reduce (%x) axis 0 : (tensor<48xi32, #three>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.subi %a, %b : i32
    tile.yield %c : i32
  }
  return %s : i32
}

// Registers above warps wait for them when the order counts: eight partial results.
// CHECK-LABEL: func.func @above(
// CHECK-COUNT-10: gpu.shuffle
// CHECK: gpu.barrier
// CHECK: llvm.load {{.*}} -> vector<4xi32>
// CHECK: llvm.load {{.*}} -> vector<4xi32>
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @above(%x: tensor<256xi32, #high>) -> i32 {
  %s = tile.reduce (%x) axis 0 : (tensor<256xi32, #high>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.subi %a, %b : i32
    tile.yield %c : i32
  }
  return %s : i32
}

// A register that counts along both dimensions: the tile goes through shared memory.
// CHECK-LABEL: func.func @mixed(
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.barrier
// CHECK-COUNT-32: llvm.load
// CHECK: return
func.func @mixed(%x: tensor<4x32xf32, #mixed>) -> tensor<4xf32, #four> {
  %s = tile.reduce (%x) axis 1 : (tensor<4x32xf32, #mixed>) -> tensor<4xf32, #four> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    tile.yield %c : f32
  }
  return %s : tensor<4xf32, #four>
}

// Tuples travel together.
// CHECK-LABEL: func.func @argmax(
// CHECK: arith.cmpf ogt
// CHECK-COUNT-10: gpu.shuffle
// CHECK: gpu.barrier
// CHECK: llvm.load {{.*}} -> vector<4xf32>
// CHECK: llvm.load {{.*}} -> vector<4xi32>
// CHECK: return {{.*}} : f32, i32
func.func @argmax(%x: tensor<512xf32, #line>, %i: tensor<512xi32, #line>) -> (f32, i32) {
  %v, %j = tile.reduce (%x, %i) axis 0 : (tensor<512xf32, #line>, tensor<512xi32, #line>) -> (f32, i32) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %c = arith.cmpf ogt, %b, %a : f32
    %m = arith.select %c, %b, %a : f32
    %k = arith.select %c, %bi, %ai : i32
    tile.yield %m, %k : f32, i32
  }
  return %v, %j : f32, i32
}
}
