// RUN: tegula-opt %s -split-input-file -remarks-filter=.* -tilegpu-explain 2>&1 | FileCheck %s
// Nobody listens: nothing is said, and nothing changes.
// RUN: tegula-opt %s -split-input-file -tilegpu-explain 2>&1 | FileCheck %s --check-prefix=SILENT
// SILENT-NOT: remark

#wide = #tilegpu.linear<1024, register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>
#far = #tilegpu.linear<1024, register = [[128], [256], [512]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
#lanes = #tilegpu.linear<1024, register = [[1], [2], [512]], lane = [[8], [4], [16], [32], [64]], warp = [[128], [256]]>
#registers = #tilegpu.linear<1024, register = [[2], [1], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>

module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 65536, max_access_bytes = 16, load_matrix = false>, tile.num_warps = 4 : i32} {

// Within warps, between warps; what stays in a thread costs nothing and is not told.
// CHECK: tile of 1024 f32 moves to other threads by shuffles within warps
// CHECK: tile of 1024 f32 moves to other threads through 4096 bytes of shared memory, swizzled, no bank conflicts
// CHECK-NOT: moves
func.func @conversions(%x: tensor<1024xf32, #wide>) -> (tensor<1024xf32, #lanes>, tensor<1024xf32, #far>, tensor<1024xf32, #registers>) {
  %a = tilegpu.convert_layout %x : tensor<1024xf32, #wide> -> tensor<1024xf32, #lanes>
  %b = tilegpu.convert_layout %x : tensor<1024xf32, #wide> -> tensor<1024xf32, #far>
  %c = tilegpu.convert_layout %x : tensor<1024xf32, #wide> -> tensor<1024xf32, #registers>
  return %a, %b, %c : tensor<1024xf32, #lanes>, tensor<1024xf32, #far>, tensor<1024xf32, #registers>
}

// Nothing is known of addresses that come from outside; a store that was not found to be
// apart is checked, one in order is told apart.
// CHECK: load of 1024 f32: 4 bytes at a time, 8 accesses of each thread, since
// CHECK: store of 1024 f32: 4 bytes at a time, 8 accesses of each thread, since {{.*}}; read back and checked, as elements may have one address
// CHECK: store of 1024 f32: has a second form, one element after the other
// CHECK: store of 1024 f32: 16 bytes at a time, 2 accesses of each thread"
func.func @accesses(%p: tensor<1024x!tile.ptr<f32>, #wide>) {
  %v = tile.load %p : tensor<1024x!tile.ptr<f32>, #wide>
  tile.store %p, %v : tensor<1024x!tile.ptr<f32>, #wide>
  tile.store %p, %v {tilegpu.in_order} : tensor<1024x!tile.ptr<f32>, #wide>
  tile.store %p, %v {tilegpu.access = array<i64: 0, 4, 16>, tilegpu.distinct} : tensor<1024x!tile.ptr<f32>, #wide>
  return
}
}

// -----

#acc = #tilegpu.linear<32x32, register = [[0, 1], [8, 0], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 8]]>

// A target without instructions; a product of one with them.
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 65536, max_access_bytes = 16, load_matrix = false>, tile.num_warps = 4 : i32} {
// CHECK: product of 32x32 f16 and 32x32 f16: element by element, since the target has no matrix instructions
// CHECK: product of 32x32 f16 and 32x32 f16: mma_sync 16x8x16 of f16 and f16, sums in f32; 16 instructions for 4 warps
func.func @products(%a: tensor<32x32xf16, #acc>, %b: tensor<32x32xf16, #acc>, %c: tensor<32x32xf32, #acc>) -> (tensor<32x32xf32, #acc>, tensor<32x32xf32, #acc>) {
  %0 = tile.dot %a, %b, %c precision ieee : tensor<32x32xf16, #acc>, tensor<32x32xf16, #acc>, tensor<32x32xf32, #acc>
  %1 = tile.dot %a, %b, %c precision ieee {tilegpu.mma = #tilegpu.mma<mma_sync, 16, 8, 16, f16, f16, f32>} : tensor<32x32xf16, #acc>, tensor<32x32xf16, #acc>, tensor<32x32xf32, #acc>
  return %0, %1 : tensor<32x32xf32, #acc>, tensor<32x32xf32, #acc>
}
}

// -----

// Types and accumulators that no instruction has.
#acc = #tilegpu.linear<32x32, register = [[0, 1], [8, 0], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 8]]>
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 65536, max_access_bytes = 16, load_matrix = false, mma = [<mma_sync, 16, 8, 16, f16, f16, f16>]>, tile.num_warps = 4 : i32} {
// CHECK: product of 32x32 f64 and 32x32 f64: element by element, since no instruction reads f64
// CHECK: product of 32x32 f16 and 32x32 f16: element by element, since no instruction adds to f32
func.func @types(%a: tensor<32x32xf64, #acc>, %c: tensor<32x32xf64, #acc>, %h: tensor<32x32xf16, #acc>, %s: tensor<32x32xf32, #acc>) -> (tensor<32x32xf64, #acc>, tensor<32x32xf32, #acc>) {
  %0 = tile.dot %a, %a, %c precision ieee : tensor<32x32xf64, #acc>, tensor<32x32xf64, #acc>, tensor<32x32xf64, #acc>
  %1 = tile.dot %h, %h, %s precision ieee : tensor<32x32xf16, #acc>, tensor<32x32xf16, #acc>, tensor<32x32xf32, #acc>
  return %0, %1 : tensor<32x32xf64, #acc>, tensor<32x32xf32, #acc>
}
}
