// RUN: tegula-opt --no-plugins %s | tegula-opt --no-plugins | FileCheck %s
// RUN: tegula-opt --no-plugins %s -mlir-print-op-generic | tegula-opt --no-plugins | FileCheck %s

// CHECK-LABEL: func.func @scan
func.func @scan(%x: tensor<64xi32>, %y: tensor<4x8xf32>, %z: tensor<4x8xi64>) {
  // CHECK: tile.scan(%{{.*}}) axis 0 reverse : (tensor<64xi32>) -> tensor<64xi32>
  %s = tile.scan (%x) axis 0 reverse : (tensor<64xi32>) -> tensor<64xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    // CHECK: tile.yield %{{.*}} : i32
    tile.yield %c : i32
  }
  // CHECK: tile.scan(%{{.*}}, %{{.*}}) axis 1 : (tensor<4x8xf32>, tensor<4x8xi64>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  %t:2 = tile.scan (%y, %z) axis 1 : (tensor<4x8xf32>, tensor<4x8xi64>) -> (tensor<4x8xf32>, tensor<4x8xi64>) {
  ^bb0(%a: f32, %b: i64, %c: f32, %d: i64):
    tile.yield %c, %d : f32, i64
  }
  return
}

// CHECK-LABEL: func.func @map
func.func @map(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: tile.map(%{{.*}}) pack 1 : (tensor<64xf32>) -> tensor<64xf32>
  %y = tile.map (%x) pack 1 : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    tile.yield %b : f32
  }
  // CHECK: tile.map(%{{.*}}, %{{.*}}) pack 2 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %z = tile.map (%x, %y) pack 2 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %b, %c : f32, f32
  }
  return %z : tensor<64xf32>
}

// CHECK-LABEL: func.func @order
func.func @order(%x: tensor<64xf32>, %i: tensor<64xi32>, %m: tensor<64xi1>) {
  // CHECK: tile.sort(%{{.*}}, %{{.*}}) axis 0 ascending signed : (tensor<64xf32>, tensor<64xi32>) -> (tensor<64xf32>, tensor<64xi32>)
  %k, %v = tile.sort (%x, %i) axis 0 ascending signed
      : (tensor<64xf32>, tensor<64xi32>) -> (tensor<64xf32>, tensor<64xi32>)
  // CHECK: tile.sort(%{{.*}}) axis 0 descending unsigned : (tensor<64xi32>) -> tensor<64xi32>
  %u = tile.sort (%i) axis 0 descending unsigned : (tensor<64xi32>) -> tensor<64xi32>
  // CHECK: tile.histogram %{{.*}} mask %{{.*}} : tensor<64xi32>, tensor<64xi1> -> tensor<16xi32>
  %h = tile.histogram %i mask %m : tensor<64xi32>, tensor<64xi1> -> tensor<16xi32>
  // CHECK: tile.histogram %{{.*}} : tensor<64xi32> -> tensor<16xi32>
  %g = tile.histogram %i : tensor<64xi32> -> tensor<16xi32>
  return
}

// CHECK-LABEL: func.func @shape
func.func @shape(%x: tensor<64xf32>, %s: f32, %p: tensor<64x2xf32>, %i: tensor<16xi32>, %j: i64,
                 %m: tensor<64x32xf32>) {
  // CHECK: tile.join %{{.*}}, %{{.*}} : tensor<64xf32> -> tensor<64x2xf32>
  %0 = tile.join %x, %x : tensor<64xf32> -> tensor<64x2xf32>
  // CHECK: tile.join %{{.*}}, %{{.*}} : f32 -> tensor<2xf32>
  %1 = tile.join %s, %s : f32 -> tensor<2xf32>
  // CHECK: tile.split %{{.*}} : tensor<64x2xf32> -> tensor<64xf32>
  %2, %3 = tile.split %p : tensor<64x2xf32> -> tensor<64xf32>
  // CHECK: tile.split %{{.*}} : tensor<2xf32> -> f32
  %4, %5 = tile.split %1 : tensor<2xf32> -> f32
  // CHECK: tile.cat %{{.*}}, %{{.*}} axis 0 : tensor<64xf32>, tensor<64xf32> -> tensor<128xf32>
  %6 = tile.cat %x, %2 axis 0 : tensor<64xf32>, tensor<64xf32> -> tensor<128xf32>
  // CHECK: tile.gather %{{.*}}[%{{.*}}] axis 0 : tensor<64xf32>, tensor<16xi32> -> tensor<16xf32>
  %7 = tile.gather %x[%i] axis 0 : tensor<64xf32>, tensor<16xi32> -> tensor<16xf32>
  // CHECK: tile.slice %{{.*}} at [0, 31] step [1, -1] : tensor<64x32xf32> -> tensor<16x32xf32>
  %8 = tile.slice %m at [0, 31] step [1, -1] : tensor<64x32xf32> -> tensor<16x32xf32>
  // CHECK: tile.extract %{{.*}}[%{{.*}}, %{{.*}}] : tensor<64x32xf32> -> f32
  %9 = tile.extract %m[%j, %j] : tensor<64x32xf32> -> f32
  return
}

// CHECK-LABEL: func.func @scaled
func.func @scaled(%a: tensor<16x64xi8>, %as: tensor<16x2xi8>, %b: tensor<64x16xi8>,
                  %bs: tensor<16x2xi8>, %c: tensor<16x16xf32>, %h: tensor<64x16xbf16>) {
  // CHECK: tile.dot_scaled %{{.*}} e4m3 scale %{{.*}}, %{{.*}} e4m3 scale %{{.*}}, %{{.*}} : tensor<16x64xi8> scale tensor<16x2xi8>, tensor<64x16xi8> scale tensor<16x2xi8>, tensor<16x16xf32>
  %d = tile.dot_scaled %a e4m3 scale %as, %b e4m3 scale %bs, %c
      : tensor<16x64xi8> scale tensor<16x2xi8>, tensor<64x16xi8> scale tensor<16x2xi8>,
        tensor<16x16xf32>
  // CHECK: tile.dot_scaled %{{.*}} e5m2 scale %{{.*}}, %{{.*}} bf16, %{{.*}} : tensor<16x64xi8> scale tensor<16x2xi8>, tensor<64x16xbf16>, tensor<16x16xf32>
  %e = tile.dot_scaled %a e5m2 scale %as, %h bf16, %c
      : tensor<16x64xi8> scale tensor<16x2xi8>, tensor<64x16xbf16>, tensor<16x16xf32>
  return
}

// CHECK-LABEL: func.func @foreign
func.func @foreign(%x: tensor<64xi32>, %f: f32) {
  // CHECK: tile.inline_asm "mov.b32 $0, $1;" constraints "=r,r" pack 1(%{{.*}}) pure : (tensor<64xi32>) -> tensor<64xi32>
  %0 = tile.inline_asm "mov.b32 $0, $1;" constraints "=r,r" pack 1 (%x) pure
      : (tensor<64xi32>) -> tensor<64xi32>
  // CHECK: tile.extern "__nv_erff" library "libdevice"(%{{.*}}) pure : (f32) -> f32
  %1 = tile.extern "__nv_erff" library "libdevice" (%f) pure : (f32) -> f32
  return
}

// CHECK-LABEL: func.func @atomic
func.func @atomic(%p: tensor<64x!tile.ptr<f32>>, %x: tensor<64xf32>, %m: tensor<64xi1>,
                  %q: !tile.ptr<i32>, %i: i32) {
  // CHECK: tile.atomic_rmw fadd relaxed device %{{.*}}, %{{.*}} mask %{{.*}} : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi1>
  %0 = tile.atomic_rmw fadd relaxed device %p, %x mask %m
      : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi1>
  // CHECK: tile.atomic_rmw umax acq_rel system %{{.*}}, %{{.*}} : !tile.ptr<i32>, i32
  %1 = tile.atomic_rmw umax acq_rel system %q, %i : !tile.ptr<i32>, i32
  // CHECK: tile.atomic_cas acquire program %{{.*}}, %{{.*}}, %{{.*}} : !tile.ptr<i32>, i32
  %2 = tile.atomic_cas acquire program %q, %i, %1 : !tile.ptr<i32>, i32
  return
}

// CHECK-LABEL: func.func @debug
func.func @debug(%x: tensor<64xi32>, %f: f32, %c: tensor<64xi1>) {
  // CHECK: tile.print "x: " hex(%{{.*}}) signs [true] : tensor<64xi32>
  tile.print "x: " hex (%x) signs [true] : tensor<64xi32>
  // CHECK: tile.print "both"(%{{.*}}, %{{.*}}) signs [false, true] : tensor<64xi32>, f32
  tile.print "both" (%x, %f) signs [false, true] : tensor<64xi32>, f32
  // CHECK: tile.print "nothing"() signs []
  tile.print "nothing" () signs []
  // CHECK: tile.assert %{{.*}}, "x is too large" : tensor<64xi1>
  tile.assert %c, "x is too large" : tensor<64xi1>
  return
}
