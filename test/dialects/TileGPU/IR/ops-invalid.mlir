// RUN: tegula-opt --no-plugins %s -split-input-file -verify-diagnostics

// expected-error @below {{expected sizes that are powers of two, got 24 [tilegpu_mma_c1]}}
#m = #tilegpu.mma<mma_sync, 24, 8, 16, f16, f16, f32>

// -----

// expected-error @below {{expected a warp size of 32 or 64, got 48 [tilegpu_capabilities_c1]}}
#c = #tilegpu.capabilities<warp_size = 48, max_threads = 1024, shared_bytes = 1, max_access_bytes = 16, load_matrix = true>

// -----

// expected-error @below {{expected accesses of 4, 8 or 16 bytes, got 6 [tilegpu_capabilities_c1]}}
#c = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 1, max_access_bytes = 6, load_matrix = true>

// -----

#a = #tilegpu.linear<2, lane = [[1]]>
#b = #tilegpu.linear<4, lane = [[1], [2]]>
func.func @shapes(%x: tensor<2xf32, #a>) {
  // expected-error @below {{expected equal shapes and element types, got}}
  %0 = tilegpu.convert_layout %x : tensor<2xf32, #a> -> tensor<4xf32, #b>
  return
}

// -----

#a = #tilegpu.linear<2, lane = [[1]]>
func.func @layouts(%x: tensor<2xf32, #a>) {
  // expected-error @below {{expected types with a layout, got}}
  %0 = tilegpu.convert_layout %x : tensor<2xf32, #a> -> tensor<2xf32>
  return
}

// -----

func.func @loads(%p: !llvm.ptr<1>) {
  // expected-error @below {{expected 1, 2, 4, 8 or 16 bytes, got}}
  %0 = tilegpu.thread_load %p align 4 : !llvm.ptr<1> -> vector<3xf32>
  return
}

// -----

func.func @others(%p: !llvm.ptr<1>, %o: f32) {
  // expected-error @below {{expected a mask, and 'other' of the result's type}}
  %0 = tilegpu.thread_load %p other %o align 4 : !llvm.ptr<1>, f32 -> f32
  return
}

// -----

func.func @stores(%p: !llvm.ptr<1>, %x: vector<8xf32>) {
  // expected-error @below {{expected 1, 2, 4, 8 or 16 bytes, got}}
  tilegpu.thread_store %p, %x align 4 : !llvm.ptr<1>, vector<8xf32>
  return
}

// -----

func.func @products(%a: vector<4xf16>, %c: vector<4xf32>) {
  // expected-error @below {{expected vectors of 8, 4 and 4 elements (half of it in warps of 64), got 4, 4 and 4}}
  %0 = tilegpu.mma #tilegpu.mma<mma_sync, 16, 8, 16, f16, f16, f32> %a, %a, %c : vector<4xf16>, vector<4xf16>, vector<4xf32>
  return
}

// -----

func.func @matrices(%p: !llvm.ptr<3>) {
  // expected-error @below {{expected 1, 2 or 4 matrices and 32 bits of each, got}}
  %0 = tilegpu.load_matrix %p count 4 : !llvm.ptr<3> -> vector<4xf16>
  return
}

// -----

// expected-error @below {{expected sizes that are powers of two, got 12 [tilegpu_mma_c1]}}
#mma = #tilegpu.mma<mma_sync, 16, 12, 16, f16, f16, f32>

// -----

// expected-error @below {{expected a warp size of 32 or 64, got 16 [tilegpu_capabilities_c1]}}
#warp = #tilegpu.capabilities<warp_size = 16, max_threads = 1024, shared_bytes = 1024, max_access_bytes = 16, load_matrix = true, mma = [<mma_sync, 16, 8, 16, f16, f16, f32>]>

// -----

// expected-error @below {{expected accesses of 4, 8 or 16 bytes, got 2 [tilegpu_capabilities_c1]}}
#access = #tilegpu.capabilities<warp_size = 32, max_threads = 1024, shared_bytes = 1024, max_access_bytes = 2, load_matrix = true, mma = [<mma_sync, 16, 8, 16, f16, f16, f32>]>

// -----

#two = #tilegpu.linear<2, lane = [[1]]>
func.func @other_element(%x: tensor<2xf32, #two>) {
  // expected-error-re @below {{expected equal shapes and element types, got {{.+}} and {{.+}} [tilegpu_convert_layout_c1]}}
  %0 = tilegpu.convert_layout %x : tensor<2xf32, #two> -> tensor<2xi32, #two>
  return
}

// -----

#two = #tilegpu.linear<2, lane = [[1]]>
func.func @no_layout(%x: tensor<2xf32, #two>) {
  // expected-error @below {{expected types with a layout, got 'tensor<2xf32>' [tilegpu_convert_layout_c2]}}
  %0 = tilegpu.convert_layout %x : tensor<2xf32, #two> -> tensor<2xf32>
  return
}

// -----

func.func @wide_load(%p: !llvm.ptr<1>) {
  // expected-error @below {{expected 1, 2, 4, 8 or 16 bytes, got 'vector<8xf32>' [tilegpu_thread_load_c1]}}
  %0 = tilegpu.thread_load %p align 4 : !llvm.ptr<1> -> vector<8xf32>
  return
}

// -----

func.func @other_without_mask(%p: !llvm.ptr<1>, %x: f32) {
  // expected-error @below {{expected a mask, and 'other' of the result's type 'f32' [tilegpu_thread_load_c2]}}
  %0 = tilegpu.thread_load %p other %x align 4 : !llvm.ptr<1>, f32 -> f32
  return
}

// -----

func.func @wide_store(%p: !llvm.ptr<1>, %x: vector<3xf32>) {
  // expected-error @below {{expected 1, 2, 4, 8 or 16 bytes, got 'vector<3xf32>' [tilegpu_thread_store_c1]}}
  tilegpu.thread_store %p, %x align 4 : !llvm.ptr<1>, vector<3xf32>
  return
}

// -----

func.func @fragments(%a: vector<4xf16>, %b: vector<4xf16>, %c: vector<4xf32>) {
  // expected-error @below {{expected vectors of 8, 4 and 4 elements (half of it in warps of 64), got 4, 4 and 4 [tilegpu_mma_op_c1]}}
  %0 = tilegpu.mma <mma_sync, 16, 8, 16, f16, f16, f32> %a, %b, %c : vector<4xf16>, vector<4xf16>, vector<4xf32>
  return
}

// -----

func.func @matrices(%p: !llvm.ptr<3>) {
  // expected-error @below {{expected 1, 2 or 4 matrices and 32 bits of each, got 3 and 'vector<6xf16>' [tilegpu_load_matrix_c1]}}
  %0 = tilegpu.load_matrix %p count 3 : !llvm.ptr<3> -> vector<6xf16>
  return
}
