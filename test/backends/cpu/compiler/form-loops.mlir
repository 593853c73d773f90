// RUN: tegula-opt %s -cpu-form-loops="vector-bits=512" -split-input-file | FileCheck %s
// RUN: tegula-opt %s -cpu-form-loops="vector-bits=128 masked-access=false" -split-input-file | FileCheck %s --check-prefix=NARROW

// A masked store of a computed tile is one loop; nothing is kept.
// CHECK-LABEL: func.func @iota
// CHECK-NOT:   tile_cpu.alloc
// CHECK:       scf.for
// CHECK:         llvm.intr.masked.store
// CHECK-NOT:   scf.for
// NARROW-LABEL: func.func @iota
// NARROW:       vector.reduction <and>
// NARROW:       scf.if
func.func @iota(%p: !tile.ptr<i32>, %n: i32) {
  %r = tile.range 0 to 256 : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %pp = tile.addptr %ps, %r : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  tile.store %pp, %r mask %m : tensor<256x!tile.ptr<i32>>
  return
}

// -----

// Noalias arguments: load and store share one loop without a check.
// CHECK-LABEL: func.func @noalias
// CHECK-NOT:   tile_cpu.alloc
// CHECK:       scf.for
// CHECK:         llvm.load
// CHECK:         llvm.store
// CHECK-NOT:   scf.for
func.func @noalias(%p: !tile.ptr<f32> {tile.noalias}, %q: !tile.ptr<f32>) {
  %r = tile.range 0 to 256 : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %pp = tile.addptr %ps, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %qp = tile.addptr %qs, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %pp : tensor<256x!tile.ptr<f32>>
  tile.store %qp, %x : tensor<256x!tile.ptr<f32>>
  return
}

// -----

// Arguments that may alias: the tile goes to scratch when they do.
// CHECK-LABEL: func.func @overlap
// CHECK:       tile_cpu.alloc 1024
// CHECK:       scf.for
// CHECK:         arith.select
// CHECK:         llvm.store
// CHECK:       scf.if
// CHECK:         scf.for
// CHECK:           llvm.store
func.func @overlap(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) {
  %r = tile.range 0 to 256 : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %pp = tile.addptr %ps, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %qp = tile.addptr %qs, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %pp : tensor<256x!tile.ptr<f32>>
  tile.store %qp, %x : tensor<256x!tile.ptr<f32>>
  return
}

// -----

// A tile used by a reduction and a store is loaded once, by the reduction's loop.
// CHECK-LABEL: func.func @shared
// CHECK:       tile_cpu.alloc 4096
// CHECK:       scf.for {{.*}} iter_args
// CHECK:         llvm.load
// CHECK:         llvm.store
// CHECK:         arith.maximumf
// CHECK:       vector.shuffle
func.func @shared(%p: !tile.ptr<f32> {tile.noalias}, %q: !tile.ptr<f32>) {
  %r = tile.range 0 to 1024 : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %pp = tile.addptr %ps, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %qp = tile.addptr %qs, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %pp : tensor<1024x!tile.ptr<f32>>
  %m = tile.reduce (%x) axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }
  %ms = tile.splat %m : f32 -> tensor<1024xf32>
  %y = arith.subf %x, %ms : tensor<1024xf32>
  tile.store %qp, %y : tensor<1024x!tile.ptr<f32>>
  return
}

// -----

// The accumulator of a loop is one buffer, updated in place by the dot.
// CHECK-LABEL: func.func @accumulate
// CHECK:       tile_cpu.alloc 1024
// CHECK:       scf.for
// CHECK:         tile_cpu.alloc 1024
// CHECK:         tile_cpu.alloc 1024
// CHECK:       tile_cpu.alloc 64
// CHECK-NOT:   tile_cpu.alloc
// NARROW-LABEL: func.func @accumulate
func.func @accumulate(%q: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %acc = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> (tensor<16x16xf32>) : i32 {
    %f = arith.sitofp %i : i32 to f32
    %s = tile.splat %f : f32 -> tensor<16x16xf32>
    %e = math.exp %s : tensor<16x16xf32>
    %d = tile.dot %s, %e, %a precision ieee : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  %m = tile.reduce (%acc) axis 1 : (tensor<16x16xf32>) -> tensor<16xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %t = tile.reduce (%m) axis 0 : (tensor<16xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %q, %t : !tile.ptr<f32>
  return
}

// -----

// Operands wider than the accumulator are cut: sums wrap alike.
// CHECK-LABEL: func.func @wide_dot
// CHECK:       arith.trunci {{.*}} : vector<16xi64> to vector<16xi32>
// CHECK-NOT:   arith.extsi
func.func @wide_dot(%p: !tile.ptr<i32>, %x: i64) {
  %a = tile.splat %x : i64 -> tensor<16x16xi64>
  %z = arith.constant dense<0> : tensor<16x16xi32>
  %d = tile.dot %a, %a, %z precision ieee : tensor<16x16xi64>, tensor<16x16xi64>, tensor<16x16xi32>
  %q = tile.splat %p : !tile.ptr<i32> -> tensor<16x16x!tile.ptr<i32>>
  tile.store %q, %d : tensor<16x16x!tile.ptr<i32>>
  return
}

// -----

// Products of double width are taken apart, but for index, whose width is open.
// CHECK-LABEL: func.func @wide_products
// CHECK:       arith.mului_extended {{.*}} : index
// CHECK-NOT:   arith.mului_extended
// CHECK:       arith.muli {{.*}} : i128
func.func @wide_products(%i: index, %x: i64) -> (index, i64) {
  %l, %h = arith.mului_extended %i, %i : index
  %m, %n = arith.mului_extended %x, %x : i64
  return %h, %n : index, i64
}

// -----

// A tile without dimensions is one element.
// CHECK-LABEL: func.func @rank_zero
// CHECK:       llvm.store
func.func @rank_zero(%p: !tile.ptr<f32>, %x: f32) {
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<!tile.ptr<f32>>
  %t = tile.splat %x : f32 -> tensor<f32>
  tile.store %q, %t : tensor<!tile.ptr<f32>>
  return
}
