// RUN: tegula-opt --no-plugins %s | tegula-opt --no-plugins | FileCheck %s
// RUN: tegula-opt --no-plugins -mlir-print-op-generic %s | tegula-opt --no-plugins | FileCheck %s

#a = #tilegpu.linear<2, lane = [[1]]>
#b = #tilegpu.linear<2, register = [[1]], lane = [[0]]>

// CHECK: module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 64, max_access_bytes = 8, load_matrix = false, mma = [<mma_sync, 16, 8, 16, f16, f16, f32>]>}
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 64, max_access_bytes = 8, load_matrix = false, mma = [<mma_sync, 16, 8, 16, f16, f16, f32>]>} {
  // CHECK-LABEL: func.func @tiles
  func.func @tiles(%x: tensor<2xf32, #a>) -> tensor<2xf32, #b> {
    // CHECK: tilegpu.convert_layout %arg0 : tensor<2xf32, #{{.+}}> -> tensor<2xf32, #{{.+}}>
    %0 = tilegpu.convert_layout %x : tensor<2xf32, #a> -> tensor<2xf32, #b>
    return %0 : tensor<2xf32, #b>
  }
  // CHECK-LABEL: func.func @threads
  func.func @threads(%p: !llvm.ptr<1>, %m: i1, %o: vector<4xf32>, %f: f32, %i: i32,
                     %h: vector<8xf16>, %k: vector<4xf16>) {
    // CHECK: tilegpu.thread_load %arg0 mask %arg1 other %arg2 align 16
    %0 = tilegpu.thread_load %p mask %m other %o align 16 : !llvm.ptr<1>, vector<4xf32> -> vector<4xf32>
    // CHECK: tilegpu.thread_store %arg0, %{{.+}} mask %arg1 align 16
    tilegpu.thread_store %p, %0 mask %m align 16 : !llvm.ptr<1>, vector<4xf32>
    // CHECK: tilegpu.thread_atomic_rmw fadd relaxed device %arg0, %arg3 mask %arg1
    %1 = tilegpu.thread_atomic_rmw fadd relaxed device %p, %f mask %m : !llvm.ptr<1>, f32
    // CHECK: tilegpu.thread_atomic_cas acq_rel system %arg0, %arg4, %arg4
    %2 = tilegpu.thread_atomic_cas acq_rel system %p, %i, %i : !llvm.ptr<1>, i32
    // CHECK: tilegpu.shared_base : <3>
    %3 = tilegpu.shared_base : !llvm.ptr<3>
    // CHECK: tilegpu.load_matrix %{{.+}} count 4 trans
    %4 = tilegpu.load_matrix %3 count 4 trans : !llvm.ptr<3> -> vector<8xf16>
    // CHECK: tilegpu.mma <mma_sync, 16, 8, 16, f16, f16, f32>
    %5 = tilegpu.mma #tilegpu.mma<mma_sync, 16, 8, 16, f16, f16, f32> %4, %k, %0
        : vector<8xf16>, vector<4xf16>, vector<4xf32>
    // CHECK: tilegpu.thread_print "x: " hex operand 0 signed[%arg4] %arg3 mask %arg1 : f32
    tilegpu.thread_print "x: " hex operand 0 signed [%i] %f mask %m : f32
    // CHECK: tilegpu.thread_assert %arg1, %arg4, "too large"
    tilegpu.thread_assert %m, %i, "too large"
    return
  }
}
