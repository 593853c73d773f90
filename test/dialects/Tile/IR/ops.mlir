// RUN: tegula-opt --no-plugins %s | tegula-opt --no-plugins | FileCheck %s
// RUN: tegula-opt --no-plugins %s -mlir-print-op-generic | tegula-opt --no-plugins | FileCheck %s

// CHECK-LABEL: func.func @program
func.func @program(%x: i32, %t: tensor<64x32xi32>, %c: i1) {
  // CHECK: tile.program_id 0 : i32
  %pid = tile.program_id 0 : i32
  // CHECK: tile.num_programs 2 : i32
  %n = tile.num_programs 2 : i32
  // CHECK: tile.range 0 to 64 : tensor<64xi32>
  %r = tile.range 0 to 64 : tensor<64xi32>
  // CHECK: tile.range -4 to 4 : tensor<8xi32>
  %s = tile.range -4 to 4 : tensor<8xi32>
  // CHECK: tile.hint %{{.*}} {divisibility = array<i64: 16>} : i32
  %0 = tile.hint %x {divisibility = array<i64: 16>} : i32
  // CHECK: tile.hint %{{.*}} {constancy = array<i64: 1, 4>, contiguity = array<i64: 8, 1>} : tensor<64x32xi32>
  %1 = tile.hint %t {contiguity = array<i64: 8, 1>, constancy = array<i64: 1, 4>} : tensor<64x32xi32>
  // CHECK: tile.assume %{{.*}} : i1
  tile.assume %c : i1
  // CHECK: tile.barrier
  tile.barrier
  return
}

// CHECK-LABEL: func.func @shape
func.func @shape(%x: f32, %p: !tile.ptr<f32>, %m: tensor<64x32xf32>, %v: tensor<64xf32>, %o: tensor<64x1xf32>) {
  // CHECK: tile.splat %{{.*}} : f32 -> tensor<64x32xf32>
  %t = tile.splat %x : f32 -> tensor<64x32xf32>
  // CHECK: tile.splat %{{.*}} : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  // CHECK: tile.broadcast %{{.*}} : tensor<64x1xf32> -> tensor<64x32xf32>
  %b = tile.broadcast %o : tensor<64x1xf32> -> tensor<64x32xf32>
  // CHECK: tile.expand_dims %{{.*}} axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %e = tile.expand_dims %v axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  // CHECK: tile.reshape %{{.*}} : tensor<64x32xf32> -> tensor<2048xf32>
  %r = tile.reshape %m : tensor<64x32xf32> -> tensor<2048xf32>
  // CHECK: tile.reshape %{{.*}} allow_reorder : tensor<64x32xf32> -> tensor<2048xf32>
  %a = tile.reshape %m allow_reorder : tensor<64x32xf32> -> tensor<2048xf32>
  // CHECK: tile.transpose %{{.*}} order [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
  %tr = tile.transpose %m order [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
  return
}

// CHECK-LABEL: func.func @memory
func.func @memory(%s: !tile.ptr<f32>, %p: tensor<64x!tile.ptr<f32>>, %o: tensor<64xi32>, %m: tensor<64xi1>, %v: tensor<64xf32>, %i: i64, %c: i1, %f: f32) {
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %q = tile.addptr %p, %o : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : !tile.ptr<f32>, i64
  %q2 = tile.addptr %s, %i : !tile.ptr<f32>, i64
  // CHECK: tile.ptr_to_int %{{.*}} : !tile.ptr<f32> -> i64
  %a = tile.ptr_to_int %s : !tile.ptr<f32> -> i64
  // CHECK: tile.int_to_ptr %{{.*}} : i64 -> !tile.ptr<f32>
  %b = tile.int_to_ptr %i : i64 -> !tile.ptr<f32>
  // CHECK: tile.ptr_cast %{{.*}} : !tile.ptr<f32> -> !tile.ptr<i8>
  %k = tile.ptr_cast %s : !tile.ptr<f32> -> !tile.ptr<i8>
  // CHECK: tile.load %{{.*}} mask %{{.*}} other %{{.*}} : tensor<64x!tile.ptr<f32>>
  %x = tile.load %p mask %m other %v : tensor<64x!tile.ptr<f32>>
  // CHECK: tile.load %{{.*}} mask %{{.*}} : !tile.ptr<f32>
  %y = tile.load %s mask %c : !tile.ptr<f32>
  // CHECK: tile.load %{{.*}} cache cg evict evict_last volatile {foo = 1 : i32} : tensor<64x!tile.ptr<f32>>
  %z = tile.load %p cache cg evict evict_last volatile {foo = 1 : i32} : tensor<64x!tile.ptr<f32>>
  // CHECK: tile.store %{{.*}}, %{{.*}} mask %{{.*}} : tensor<64x!tile.ptr<f32>>
  tile.store %p, %x mask %m : tensor<64x!tile.ptr<f32>>
  // CHECK: tile.store %{{.*}}, %{{.*}} cache wb evict evict_first {foo = 1 : i32} : !tile.ptr<f32>
  tile.store %s, %f cache wb evict evict_first {foo = 1 : i32} : !tile.ptr<f32>
  return
}

// CHECK-LABEL: func.func @compute
func.func @compute(%a: tensor<64xi32>, %n: tensor<64xi32>, %s: i32, %x: tensor<64xf32>, %h: tensor<64xi8>) {
  // CHECK: tile.div signed %{{.*}}, %{{.*}} : tensor<64xi32>
  %q = tile.div signed %a, %n : tensor<64xi32>
  // CHECK: tile.rem unsigned %{{.*}}, %{{.*}} : i32
  %r = tile.rem unsigned %s, %s : i32
  // CHECK: tile.shl %{{.*}}, %{{.*}} : tensor<64xi32>
  %l = tile.shl %a, %n : tensor<64xi32>
  // CHECK: tile.shr signed %{{.*}}, %{{.*}} : tensor<64xi32>
  %t = tile.shr signed %a, %n : tensor<64xi32>
  // CHECK: tile.fp_to_int signed %{{.*}} : tensor<64xf32> -> tensor<64xi32>
  %i = tile.fp_to_int signed %x : tensor<64xf32> -> tensor<64xi32>
  // CHECK: tile.from_fp8 e4m3fn %{{.*}} : tensor<64xi8> -> tensor<64xf32>
  %y = tile.from_fp8 e4m3fn %h : tensor<64xi8> -> tensor<64xf32>
  // CHECK: tile.to_fp8 e4m3fn %{{.*}} round rtne : tensor<64xf32> -> tensor<64xi8>
  %z = tile.to_fp8 e4m3fn %x round rtne : tensor<64xf32> -> tensor<64xi8>
  return
}

// CHECK-LABEL: func.func @dot
func.func @dot(%a: tensor<16x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16x16xf32>, %e: tensor<2x16x32xi8>, %f: tensor<2x32x8xi8>, %g: tensor<2x16x8xi32>, %h: tensor<2x16x8xf32>) {
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} precision ieee : tensor<16x32xf16>, tensor<32x16xf16>, tensor<16x16xf32>
  %d = tile.dot %a, %b, %c precision ieee : tensor<16x32xf16>, tensor<32x16xf16>, tensor<16x16xf32>
  // CHECK: tile.dot {{.*}} precision tf32 {signedness = #tile<signedness unsigned>} : tensor<2x16x32xi8>
  %i = tile.dot %e, %f, %g precision tf32 {signedness = #tile<signedness unsigned>} : tensor<2x16x32xi8>, tensor<2x32x8xi8>, tensor<2x16x8xi32>
  // CHECK: tile.dot {{.*}} {a_fp8 = #tile<fp8 e4m3fn>, b_fp8 = #tile<fp8 e5m2>}
  %j = tile.dot %e, %f, %h precision ieee {a_fp8 = #tile<fp8 e4m3fn>, b_fp8 = #tile<fp8 e5m2>} : tensor<2x16x32xi8>, tensor<2x32x8xi8>, tensor<2x16x8xf32>
  return
}

// CHECK-LABEL: func.func @reduce
func.func @reduce(%x: tensor<64x32xf32>, %v: tensor<64xf32>, %i: tensor<64xi32>) {
  // CHECK: tile.reduce(%{{.*}}) axis 0 : (tensor<64x32xf32>) -> tensor<32xf32> {
  // CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK: tile.yield %{{.*}} : f32
  %s = tile.reduce (%x) axis 0 : (tensor<64x32xf32>) -> tensor<32xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  // CHECK: tile.reduce(%{{.*}}, %{{.*}}) axis 0 : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32) {
  %m:2 = tile.reduce (%v, %i) axis 0 : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %c = arith.cmpf ogt, %a, %b : f32
    %d = arith.select %c, %a, %b : f32
    %e = arith.select %c, %ai, %bi : i32
    tile.yield %d, %e : f32, i32
  }
  return
}

// CHECK-LABEL: func.func @views
func.func @views(%p: !tile.ptr<f16>, %q: !tile.ptr<f16, 3>, %m: i64, %n: i64, %s: i64, %one: i64) {
  // CHECK: tile.make_view %{{.*}} shape [%{{.*}}, %{{.*}}] strides [%{{.*}}, %{{.*}}] pad zero : !tile.view<64x32xf16>
  %v = tile.make_view %p shape [%m, %n] strides [%s, %one] pad zero : !tile.view<64x32xf16>
  // CHECK: tile.make_view %{{.*}} shape [%{{.*}}] strides [%{{.*}}] pad nan {foo} : !tile.ptr<f16, 3> -> !tile.view<8xf16>
  %w = tile.make_view %q shape [%m] strides [%s] pad nan {foo} : !tile.ptr<f16, 3> -> !tile.view<8xf16>
  // CHECK: tile.view_load %{{.*}}[%{{.*}}, %{{.*}}] checked [0, 1] : !tile.view<64x32xf16> -> tensor<64x32xf16>
  %t = tile.view_load %v[%m, %n] checked [0, 1] : !tile.view<64x32xf16> -> tensor<64x32xf16>
  // CHECK: tile.view_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} checked [] : !tile.view<64x32xf16>, tensor<64x32xf16>
  tile.view_store %v[%m, %n], %t checked [] : !tile.view<64x32xf16>, tensor<64x32xf16>
  return
}

// CHECK-LABEL: func.func @more_views
func.func @more_views(%p: !tile.ptr<i8>, %q: !tile.ptr<f32>, %m: i64, %n: i64, %i: tensor<8xi16>, %t: tensor<8x32xf32>, %u: tensor<1x32xf32>) {
  // CHECK: tile.make_view %{{.*}} shape [%{{.*}}] strides [%{{.*}}] pad nan e5m2 : !tile.view<8xi8>
  %v = tile.make_view %p shape [%m] strides [%n] pad nan e5m2 : !tile.view<8xi8>
  // CHECK: tile.view_load %{{.*}}[%{{.*}}] checked [0] {cache = #tile<cache ca>, evict = #tile<evict evict_last>, is_volatile} : !tile.view<8xi8> -> tensor<8xi8>
  %b = tile.view_load %v[%m] checked [0] {cache = #tile<cache ca>, evict = #tile<evict evict_last>, is_volatile} : !tile.view<8xi8> -> tensor<8xi8>
  // CHECK: tile.view_store %{{.*}}[%{{.*}}], %{{.*}} checked [0] {cache = #tile<cache wb>} : !tile.view<8xi8>, tensor<8xi8>
  tile.view_store %v[%m], %b checked [0] {cache = #tile<cache wb>} : !tile.view<8xi8>, tensor<8xi8>
  %w = tile.make_view %q shape [%m, %n] strides [%m, %n] pad zero : !tile.view<1x32xf32>
  // CHECK: tile.view_gather %{{.*}}[%{{.*}}, %{{.*}}] : !tile.view<1x32xf32>, tensor<8xi16> -> tensor<8x32xf32>
  %g = tile.view_gather %w[%i, %n] : !tile.view<1x32xf32>, tensor<8xi16> -> tensor<8x32xf32>
  // CHECK: tile.view_scatter %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tile.view<1x32xf32>, tensor<8xi16>, tensor<8x32xf32>
  tile.view_scatter %w[%i, %n], %t : !tile.view<1x32xf32>, tensor<8xi16>, tensor<8x32xf32>
  // CHECK: tile.view_atomic fmin %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} checked [0, 1] : !tile.view<1x32xf32>, tensor<1x32xf32>
  tile.view_atomic fmin %w[%m, %n], %u checked [0, 1] : !tile.view<1x32xf32>, tensor<1x32xf32>
  return
}

// CHECK-LABEL: func.func @kernel
// CHECK-SAME: tile.divisibility = 16 : i32, tile.name = "x", tile.noalias
// CHECK-SAME: attributes {tile.kernel}
func.func @kernel(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.noalias, tile.name = "x"}, %n: i32 {tile.divisibility = 8 : i32}) attributes {tile.kernel} {
  return
}
