// RUN: tegula-opt %s -cpu-form-loops="vector-bits=128" -split-input-file | FileCheck %s

// Two vectors make one of twice the size.
// CHECK-LABEL: func.func @join
// CHECK:       tile_cpu.alloc 512
// CHECK:       scf.for
// CHECK:         vector.shuffle %{{.*}}, %{{.*}} [0, 8, 1, 9,
// CHECK:         llvm.store %{{.*}} : vector<16xi32>
func.func @join(%x: i32) {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %xs = tile.splat %x : i32 -> tensor<64xi32>
  %a = arith.addi %r, %xs : tensor<64xi32>
  %j = tile.join %r, %a : tensor<64xi32> -> tensor<64x2xi32>
  return
}

// -----

// Halves of a joined tile are read where they are used; nothing else is kept.
// CHECK-LABEL: func.func @split
// CHECK-COUNT-1: tile_cpu.alloc
// CHECK-NOT:   tile_cpu.alloc
// CHECK:       scf.for
// CHECK:       scf.for
// CHECK:         llvm.load %{{.*}} -> vector<32xi32>
// CHECK:         vector.shuffle %{{.*}}, %{{.*}} [0, 2, 4, 6,
// CHECK:         vector.shuffle %{{.*}}, %{{.*}} [1, 3, 5, 7,
// CHECK:       llvm.store
func.func @split(%p: !tile.ptr<i32>) {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %pp = tile.addptr %ps, %r : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %x = tile.load %pp : tensor<64x!tile.ptr<i32>>
  %s = tile.reshape %x : tensor<64xi32> -> tensor<32x2xi32>
  %a, %b = tile.split %s : tensor<32x2xi32> -> tensor<32xi32>
  %d = arith.subi %a, %b : tensor<32xi32>
  %h = tile.range 0 to 32 : tensor<32xi32>
  %qs = tile.splat %p : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>>
  %qp = tile.addptr %qs, %h : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
  tile.store %qp, %d : tensor<32x!tile.ptr<i32>>
  return
}

// -----

// CHECK-LABEL: func.func @cat
// CHECK:       tile_cpu.alloc 384
// CHECK:       scf.for
// CHECK:       scf.for
// CHECK:         arith.addi %{{.*}}, %c64_i64
func.func @cat(%x: i32) {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %s = tile.range 7 to 39 : tensor<32xi32>
  %c = tile.cat %r, %s axis 0 : tensor<64xi32>, tensor<32xi32> -> tensor<96xi32>
  return
}

// -----

// Elements that do not exist are 0 and not read.
// CHECK-LABEL: func.func @gather
// CHECK:       tile_cpu.alloc 256
// CHECK:       scf.for
// CHECK:         %[[FITS:.*]] = arith.cmpi ult, %{{.*}}, %cst{{.*}} : vector<[[N:.*]]xi64>
// CHECK:         arith.select %[[FITS]]
// CHECK:         llvm.intr.masked.gather %{{.*}}, %[[FITS]], %{{.*}}
func.func @gather(%p: !tile.ptr<i32>, %x: i32) {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %xs = tile.splat %x : i32 -> tensor<64xi32>
  %i = arith.muli %r, %xs : tensor<64xi32>
  %g = tile.gather %i[%r] axis 0 : tensor<64xi32>, tensor<64xi32> -> tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %pp = tile.addptr %ps, %r : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  tile.store %pp, %g : tensor<64x!tile.ptr<i32>>
  return
}

// -----

// Backwards is one load and a shuffle.
// CHECK-LABEL: func.func @flip
// CHECK:       scf.for
// CHECK:       scf.for
// CHECK:         llvm.load %{{.*}} -> vector<[[N:.*]]xi32>
// CHECK:         vector.shuffle
// CHECK-NOT:   gather
func.func @flip(%p: !tile.ptr<i32>, %x: i32) {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %xs = tile.splat %x : i32 -> tensor<64xi32>
  %i = arith.muli %r, %xs : tensor<64xi32>
  %s = tile.slice %i at [63] step [-1] : tensor<64xi32> -> tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %pp = tile.addptr %ps, %r : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  tile.store %pp, %s : tensor<64x!tile.ptr<i32>>
  return
}

// -----

// One element is computed alone; an index that does not exist gives 0.
// CHECK-LABEL: func.func @extract
// CHECK-NOT:   scf.for
// CHECK:       %[[FITS:.*]] = arith.cmpi ult, %arg1, %c64_i64 : i64
// CHECK:       %[[AT:.*]] = arith.select %[[FITS]], %arg1, %c0_i64
// CHECK:       arith.trunci %[[AT]]
// CHECK:       arith.muli
// CHECK:       arith.select %[[FITS]], %{{.*}}, %c0_i32
func.func @extract(%x: i32, %i: i64) -> i32 {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %xs = tile.splat %x : i32 -> tensor<64xi32>
  %m = arith.muli %r, %xs : tensor<64xi32>
  %e = tile.extract %m[%i] : tensor<64xi32> -> i32
  return %e : i32
}
