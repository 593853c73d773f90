// Products and sums may be fused in 32 and 64 bits, never in 16, nor a product that
// is rounded before it is used.
// RUN: tegula-opt %s -cpu-form-loops="vector-bits=512" | FileCheck %s

// CHECK-LABEL: func.func @wide
// CHECK: arith.mulf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
func.func @wide(%p: !tile.ptr<f32>) {
  %r = tile.range 0 to 16 : tensor<16xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %q = tile.addptr %s, %r : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %x = tile.load %q : tensor<16x!tile.ptr<f32>>
  %y = arith.mulf %x, %x : tensor<16xf32>
  %z = arith.addf %y, %x : tensor<16xf32>
  tile.store %q, %z : tensor<16x!tile.ptr<f32>>
  return
}

// CHECK-LABEL: func.func @narrow
// CHECK-NOT: contract
// CHECK: return
func.func @narrow(%p: !tile.ptr<f16>) {
  %r = tile.range 0 to 16 : tensor<16xi32>
  %s = tile.splat %p : !tile.ptr<f16> -> tensor<16x!tile.ptr<f16>>
  %q = tile.addptr %s, %r : tensor<16x!tile.ptr<f16>>, tensor<16xi32>
  %x = tile.load %q : tensor<16x!tile.ptr<f16>>
  %y = arith.mulf %x, %x : tensor<16xf16>
  %z = arith.addf %y, %x : tensor<16xf16>
  tile.store %q, %z : tensor<16x!tile.ptr<f16>>
  return
}

// CHECK-LABEL: func.func @rounded_on_the_way
// CHECK: %[[PRODUCT:.*]] = arith.mulf %{{[^ ]*}}, %{{[^ ]*}} : vector<16xf32>
// CHECK: arith.truncf %[[PRODUCT]]
// CHECK: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
func.func @rounded_on_the_way(%p: !tile.ptr<f16>) {
  %r = tile.range 0 to 16 : tensor<16xi32>
  %s = tile.splat %p : !tile.ptr<f16> -> tensor<16x!tile.ptr<f16>>
  %q = tile.addptr %s, %r : tensor<16x!tile.ptr<f16>>, tensor<16xi32>
  %h = tile.load %q : tensor<16x!tile.ptr<f16>>
  %x = arith.extf %h : tensor<16xf16> to tensor<16xf32>
  %y = arith.mulf %x, %x : tensor<16xf32>
  %k = arith.truncf %y : tensor<16xf32> to tensor<16xf16>
  %w = arith.extf %k : tensor<16xf16> to tensor<16xf32>
  %z = arith.addf %w, %x : tensor<16xf32>
  %o = arith.truncf %z : tensor<16xf32> to tensor<16xf16>
  tile.store %q, %o : tensor<16x!tile.ptr<f16>>
  return
}
