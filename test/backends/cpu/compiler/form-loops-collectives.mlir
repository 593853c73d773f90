// RUN: tegula-opt %s -cpu-form-loops="vector-bits=512" -split-input-file | FileCheck %s

// Along the inner dimension one element after the other, each stored.
// CHECK-LABEL: func.func @scan_inner
// CHECK:       tile_cpu.alloc
// CHECK:       scf.for
// CHECK:         llvm.store
// CHECK:         scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (i32)
// CHECK:           %[[NEXT:.*]] = arith.addi %[[SUM]], %{{.*}} : i32
// CHECK:           llvm.store %[[NEXT]]
// CHECK:           scf.yield %[[NEXT]]
func.func @scan_inner(%x: i32) {
  %r = tile.range 0 to 16 : tensor<16xi32>
  %e = tile.expand_dims %r axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %b = tile.broadcast %e : tensor<1x16xi32> -> tensor<48x16xi32>
  %s = tile.scan (%b) axis 1 : (tensor<48x16xi32>) -> tensor<48x16xi32> {
  ^bb0(%p: i32, %q: i32):
    %c = arith.addi %p, %q : i32
    tile.yield %c : i32
  }
  return
}

// -----

// Along an outer dimension in vectors, from the end where it is reversed.
// CHECK-LABEL: func.func @scan_outer
// CHECK:       scf.for
// CHECK:         scf.for %[[I:.*]] = {{.*}} iter_args
// CHECK:           %[[BACK:.*]] = arith.muli %[[I]], %c-1_i64
// CHECK:           arith.addi %[[BACK]], %c47_i64
// CHECK:           arith.subi %{{.*}} : vector<16xi32>
func.func @scan_outer(%x: i32) {
  %r = tile.range 0 to 768 : tensor<768xi32>
  %b = tile.reshape %r : tensor<768xi32> -> tensor<48x16xi32>
  %s = tile.scan (%b) axis 0 reverse : (tensor<48x16xi32>) -> tensor<48x16xi32> {
  ^bb0(%p: i32, %q: i32):
    %c = arith.subi %p, %q : i32
    tile.yield %c : i32
  }
  return
}

// -----

// The size of a sort shows in its constants only.
// CHECK-LABEL: func.func @sort
// CHECK:       scf.for {{.*}} to %c10_i64
// CHECK:         arith.shli
// CHECK:         scf.for {{.*}} to %c1000_i64
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             arith.cmpf ult
// CHECK:             arith.cmpf ord
// CHECK-NOT:   arith.cmpf
func.func @sort(%p: !tile.ptr<f32>) {
  %r = tile.range 0 to 1000 : tensor<1000xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1000x!tile.ptr<f32>>
  %pp = tile.addptr %ps, %r : tensor<1000x!tile.ptr<f32>>, tensor<1000xi32>
  %x = tile.load %pp : tensor<1000x!tile.ptr<f32>>
  %k, %i = tile.sort (%x, %r) axis 0 descending signed
      : (tensor<1000xf32>, tensor<1000xi32>) -> (tensor<1000xf32>, tensor<1000xi32>)
  return
}

// -----

// No branches: what does not count adds 0.
// CHECK-LABEL: func.func @histogram
// CHECK:       llvm.store
// CHECK:       scf.for
// CHECK:         %[[IN:.*]] = arith.cmpi ult, %{{.*}}, %c16_i64
// CHECK:         arith.extui %[[IN]] : i1 to i32
// CHECK-NOT:   scf.if
func.func @histogram(%x: i32) {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %h = tile.histogram %r : tensor<64xi32> -> tensor<16xi32>
  return
}

// -----

// The body of a map may hold control flow; `pack` elements a trip.
// CHECK-LABEL: func.func @map
// CHECK:       scf.for {{.*}} step %c2_i64
// CHECK:         scf.if
// CHECK:         llvm.store
// CHECK:         llvm.store
func.func @map(%x: i32) {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %m = tile.map (%r) pack 2 : (tensor<64xi32>) -> tensor<64xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.cmpi slt, %a, %x : i32
    %d = scf.if %c -> i32 {
      %s = arith.subi %a, %b : i32
      scf.yield %s : i32
    } else {
      scf.yield %b : i32
    }
    tile.yield %d, %a : i32, i32
  }
  return
}
