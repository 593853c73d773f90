// RUN: tegula-opt --no-plugins %s -tile-lower-views -canonicalize -cse | FileCheck %s

// CHECK-LABEL: func.func @checked
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f16>, %[[M:.*]]: i64, %[[N:.*]]: i64, %[[S:.*]]: i64, %[[I:.*]]: i64, %[[J:.*]]: i64
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<4x8xf16>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[SIZE:.*]] = arith.maxsi %[[N]], %[[C0]] : i64
// CHECK-DAG: %[[ROW:.*]] = arith.muli %[[I]], %[[S]] : i64
// CHECK: %[[START:.*]] = arith.addi %[[ROW]], %[[J]] : i64
// CHECK: %[[BASE:.*]] = tile.addptr %[[P]], %[[START]] : !tile.ptr<f16>, i64
// CHECK: %[[TILE:.*]] = tile.splat %[[BASE]] : !tile.ptr<f16> -> tensor<4x8x!tile.ptr<f16>>
// CHECK: %[[ROWS:.*]] = tile.addptr %[[TILE]], %{{.*}} : tensor<4x8x!tile.ptr<f16>>, tensor<4x8xi64>
// CHECK: %[[ALL:.*]] = tile.addptr %[[ROWS]], %{{.*}} : tensor<4x8x!tile.ptr<f16>>, tensor<4x8xi64>
// CHECK: %[[FROM:.*]] = arith.maxsi %[[J]], %[[C0]] : i64
// CHECK: %[[LEFT:.*]] = arith.subi %[[SIZE]], %[[FROM]] : i64
// CHECK: %[[SOME:.*]] = arith.maxsi %[[LEFT]], %[[C0]] : i64
// CHECK: %[[MOST:.*]] = arith.minsi %[[SOME]], %[[C8]] : i64
// CHECK: %[[COUNT:.*]] = arith.trunci %[[MOST]] : i64 to i32
// CHECK: %[[COUNTS:.*]] = tile.splat %[[COUNT]] : i32 -> tensor<8xi32>
// CHECK: arith.cmpi ult, %{{.*}}, %[[COUNTS]] : tensor<8xi32>
// CHECK: %[[MASK:.*]] = tile.broadcast %{{.*}} : tensor<1x8xi1> -> tensor<4x8xi1>
// CHECK: %[[X:.*]] = tile.load %[[ALL]] mask %[[MASK]] other %[[ZERO]] : tensor<4x8x!tile.ptr<f16>>
// CHECK: tile.store %[[ALL]], %[[X]] : tensor<4x8x!tile.ptr<f16>>
// CHECK-NOT: view
func.func @checked(%p: !tile.ptr<f16>, %m: i64, %n: i64, %s: i64, %i: i64, %j: i64) {
  %one = arith.constant 1 : i64
  %v = tile.make_view %p shape [%m, %n] strides [%s, %one] pad zero : !tile.view<4x8xf16>
  %x = tile.view_load %v[%i, %j] checked [1] : !tile.view<4x8xf16> -> tensor<4x8xf16>
  tile.view_store %v[%i, %j], %x checked [] : !tile.view<4x8xf16>, tensor<4x8xf16>
  return
}

// Known offsets and sizes leave no arithmetic.
// CHECK-LABEL: func.func @constant
// CHECK: arith.constant dense<5> : tensor<8xi32>
// CHECK-NOT: arith.subi
// CHECK: arith.cmpi ult, %{{.*}}, %{{.*}} : tensor<8xi32>
func.func @constant(%p: !tile.ptr<f16>) -> tensor<8xf16> {
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %eight = arith.constant 8 : i64
  %v = tile.make_view %p shape [%eight] strides [%one] pad zero : !tile.view<8xf16>
  %x = tile.view_load %v[%three] checked [0] : !tile.view<8xf16> -> tensor<8xf16>
  return %x : tensor<8xf16>
}

// CHECK-LABEL: func.func @attributes
// CHECK: tile.load {{.*}} cache cg evict evict_first volatile
// CHECK: tile.store {{.*}} cache wt evict evict_last
func.func @attributes(%p: !tile.ptr<f16>, %n: i64, %s: i64) {
  %v = tile.make_view %p shape [%n] strides [%s] pad zero : !tile.view<8xf16>
  %x = tile.view_load %v[%n] checked [] {cache = #tile<cache cg>, evict = #tile<evict evict_first>, is_volatile} : !tile.view<8xf16> -> tensor<8xf16>
  tile.view_store %v[%n], %x checked [] {cache = #tile<cache wt>, evict = #tile<evict evict_last>} : !tile.view<8xf16>, tensor<8xf16>
  return
}

// CHECK-LABEL: func.func @nan
// CHECK: arith.constant dense<0x7FC00000> : tensor<8xf32>
// CHECK: tile.load %{{.*}} mask %{{.*}} other %{{.*}} : tensor<8x!tile.ptr<f32>>
// CHECK: tile.store %{{.*}}, %{{.*}} mask %{{.*}} : tensor<8x!tile.ptr<f32>>
func.func @nan(%p: !tile.ptr<f32>, %n: i64, %s: i64, %i: i64) {
  %v = tile.make_view %p shape [%n] strides [%s] pad nan : !tile.view<8xf32>
  %x = tile.view_load %v[%i] checked [0] : !tile.view<8xf32> -> tensor<8xf32>
  tile.view_store %v[%i], %x checked [0] : !tile.view<8xf32>, tensor<8xf32>
  return
}

// NaN of 8-bit floats, by kind; of integers there is none.
// CHECK-LABEL: func.func @nan8
// CHECK-DAG: %[[A:.*]] = arith.constant dense<127> : tensor<8xi8>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<126> : tensor<8xi8>
// CHECK-DAG: %[[C:.*]] = arith.constant dense<-128> : tensor<8xi8>
// CHECK-DAG: %[[Z:.*]] = arith.constant dense<0> : tensor<8xi8>
// CHECK: tile.load {{.*}} other %[[A]]
// CHECK: tile.load {{.*}} other %[[B]]
// CHECK: tile.load {{.*}} other %[[C]]
// CHECK: tile.load {{.*}} other %[[Z]]
func.func @nan8(%p: !tile.ptr<i8>, %n: i64, %s: i64) {
  %a = tile.make_view %p shape [%n] strides [%s] pad nan e4m3fn : !tile.view<8xi8>
  %b = tile.make_view %p shape [%n] strides [%s] pad nan e5m2 : !tile.view<8xi8>
  %c = tile.make_view %p shape [%n] strides [%s] pad nan e4m3fnuz : !tile.view<8xi8>
  %d = tile.make_view %p shape [%n] strides [%s] pad nan e5m2fnuz : !tile.view<8xi8>
  %e = tile.make_view %p shape [%n] strides [%s] pad nan : !tile.view<8xi8>
  %0 = tile.view_load %a[%n] checked [0] : !tile.view<8xi8> -> tensor<8xi8>
  %1 = tile.view_load %b[%n] checked [0] : !tile.view<8xi8> -> tensor<8xi8>
  %2 = tile.view_load %c[%n] checked [0] : !tile.view<8xi8> -> tensor<8xi8>
  %3 = tile.view_load %d[%n] checked [0] : !tile.view<8xi8> -> tensor<8xi8>
  %4 = tile.view_load %e[%n] checked [0] : !tile.view<8xi8> -> tensor<8xi8>
  tile.view_store %a[%s], %0 checked [] : !tile.view<8xi8>, tensor<8xi8>
  tile.view_store %a[%s], %1 checked [] : !tile.view<8xi8>, tensor<8xi8>
  tile.view_store %a[%s], %2 checked [] : !tile.view<8xi8>, tensor<8xi8>
  tile.view_store %a[%s], %3 checked [] : !tile.view<8xi8>, tensor<8xi8>
  tile.view_store %a[%s], %4 checked [] : !tile.view<8xi8>, tensor<8xi8>
  return
}

// Pointers outside read as null.
// CHECK-LABEL: func.func @pointers
// CHECK: %[[NULL:.*]] = tile.int_to_ptr %{{.*}} : i64 -> !tile.ptr<f32>
// CHECK: %[[OTHER:.*]] = tile.splat %[[NULL]] : !tile.ptr<f32> ->
// CHECK: tile.load %{{.*}} mask %{{.*}} other %[[OTHER]]
func.func @pointers(%p: !tile.ptr<!tile.ptr<f32>>, %n: i64, %s: i64) -> tensor<8x!tile.ptr<f32>> {
  %v = tile.make_view %p shape [%n] strides [%s] pad nan : !tile.view<8x!tile.ptr<f32>>
  %x = tile.view_load %v[%n] checked [0] : !tile.view<8x!tile.ptr<f32>> -> tensor<8x!tile.ptr<f32>>
  return %x : tensor<8x!tile.ptr<f32>>
}

// Views travel through scf and select as their parts.
// CHECK-LABEL: func.func @control
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f32>, %[[Q:.*]]: !tile.ptr<f32>
// CHECK: %[[B:.*]] = arith.select %{{.*}}, %[[P]], %[[Q]] : !tile.ptr<f32>
// CHECK: %[[PAD:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK: scf.for
// CHECK: scf.while
// CHECK-NOT: view
func.func @control(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %n: i64, %s: i64, %c: i1, %d: i1, %k: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %v = tile.make_view %p shape [%n] strides [%s] pad zero : !tile.view<8xf32>
  %w = scf.if %c -> !tile.view<8xf32> {
    scf.yield %v : !tile.view<8xf32>
  } else {
    %a = tile.make_view %q shape [%n] strides [%s] pad nan : !tile.view<8xf32>
    scf.yield %a : !tile.view<8xf32>
  }
  %u = arith.select %d, %w, %v : !tile.view<8xf32>
  %r:3 = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero, %x = %u, %y = %v) -> (tensor<8xf32>, !tile.view<8xf32>, !tile.view<8xf32>) {
    %t = tile.view_load %x[%n] checked [0] : !tile.view<8xf32> -> tensor<8xf32>
    %sum = arith.addf %acc, %t : tensor<8xf32>
    scf.yield %sum, %y, %x : tensor<8xf32>, !tile.view<8xf32>, !tile.view<8xf32>
  }
  %e:2 = scf.while (%acc = %r#0, %x = %r#1) : (tensor<8xf32>, !tile.view<8xf32>) -> (tensor<8xf32>, !tile.view<8xf32>) {
    %pid = tile.program_id 0 : i32
    %go = arith.trunci %pid : i32 to i1
    scf.condition(%go) %acc, %x : tensor<8xf32>, !tile.view<8xf32>
  } do {
  ^bb0(%acc: tensor<8xf32>, %x: !tile.view<8xf32>):
    %t = tile.view_load %x[%n] checked [] : !tile.view<8xf32> -> tensor<8xf32>
    scf.yield %t, %x : tensor<8xf32>, !tile.view<8xf32>
  }
  return %e#0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @untouched
// CHECK-NEXT: tile.load
// CHECK-NEXT: return
func.func @untouched(%p: tensor<8x!tile.ptr<f32>>) -> tensor<8xf32> {
  %0 = tile.load %p : tensor<8x!tile.ptr<f32>>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @gather
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f16>, %[[M:.*]]: i64, %[[N:.*]]: i64, %[[S:.*]]: i64, %[[I:.*]]: tensor<4xi32>, %[[J:.*]]: i64
// CHECK: %[[BASE:.*]] = tile.addptr %[[P]], %[[J]] : !tile.ptr<f16>, i64
// CHECK: %[[ROWS:.*]] = arith.extsi %[[I]] : tensor<4xi32> to tensor<4xi64>
// CHECK: arith.muli %[[ROWS]], %{{.*}} : tensor<4xi64>
// CHECK: tile.addptr %{{.*}} : tensor<4x8x!tile.ptr<f16>>, tensor<4x8xi64>
// CHECK: %[[PTRS:.*]] = tile.addptr %{{.*}} : tensor<4x8x!tile.ptr<f16>>, tensor<4x8xi64>
// CHECK: %[[SIZE:.*]] = tile.splat %{{.*}} : i64 -> tensor<4xi64>
// CHECK: arith.cmpi ult, %[[ROWS]], %[[SIZE]] : tensor<4xi64>
// CHECK: %[[MASK:.*]] = arith.andi %{{.*}} : tensor<4x8xi1>
// CHECK: %[[X:.*]] = tile.load %[[PTRS]] mask %[[MASK]] other %{{.*}} : tensor<4x8x!tile.ptr<f16>>
// CHECK: tile.store %[[PTRS]], %[[X]] mask %[[MASK]] : tensor<4x8x!tile.ptr<f16>>
func.func @gather(%p: !tile.ptr<f16>, %m: i64, %n: i64, %s: i64, %i: tensor<4xi32>, %j: i64) {
  %one = arith.constant 1 : i64
  %v = tile.make_view %p shape [%m, %n] strides [%s, %one] pad zero : !tile.view<1x8xf16>
  %x = tile.view_gather %v[%i, %j] : !tile.view<1x8xf16>, tensor<4xi32> -> tensor<4x8xf16>
  tile.view_scatter %v[%i, %j], %x : !tile.view<1x8xf16>, tensor<4xi32>, tensor<4x8xf16>
  return
}

// Rows of one element, indices of 64 bits.
// CHECK-LABEL: func.func @column
// CHECK-SAME: %[[I:[a-z0-9]*]]: tensor<4xi64>
// CHECK: arith.cmpi ult, %[[I]], %{{.*}} : tensor<4xi64>
// CHECK: tile.load %{{.*}} mask %{{.*}} other %{{.*}} : tensor<4x1x!tile.ptr<f32>>
func.func @column(%p: !tile.ptr<f32>, %n: i64, %i: tensor<4xi64>) -> tensor<4x1xf32> {
  %v = tile.make_view %p shape [%n, %n] strides [%n, %n] pad nan : !tile.view<1x1xf32>
  %x = tile.view_gather %v[%i, %n] : !tile.view<1x1xf32>, tensor<4xi64> -> tensor<4x1xf32>
  return %x : tensor<4x1xf32>
}

// CHECK-LABEL: func.func @atomic
// CHECK: tile.atomic_rmw fadd relaxed device %{{.*}}, %{{.*}} mask %{{.*}} : tensor<8x!tile.ptr<f32>>, tensor<8xf32>, tensor<8xi1>
// CHECK: tile.atomic_rmw fmax relaxed device %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
// CHECK-NOT: view
func.func @atomic(%p: !tile.ptr<f32>, %n: i64, %s: i64, %x: tensor<8xf32>) {
  %v = tile.make_view %p shape [%n] strides [%s] pad zero : !tile.view<8xf32>
  tile.view_atomic fadd %v[%s], %x checked [0] : !tile.view<8xf32>, tensor<8xf32>
  tile.view_atomic fmax %v[%s], %x checked [] : !tile.view<8xf32>, tensor<8xf32>
  return
}

// What a loop carries beside a view comes along.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for {{.*}} iter_args(%[[X:[a-z0-9]+]] =
// CHECK: tile.atomic_rmw add relaxed device %{{.*}}, %[[X]]
func.func @loop(%p: !tile.ptr<i32>, %q: !tile.ptr<i32>, %n: i64, %s: i64, %x: tensor<8xi32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.make_view %p shape [%n] strides [%s] pad zero : !tile.view<8xi32>
  %w = tile.make_view %q shape [%n] strides [%s] pad zero : !tile.view<8xi32>
  %r:4 = scf.for %i = %c0 to %k step %c1 iter_args(%t = %x, %o = %n, %a = %v, %b = %w) -> (tensor<8xi32>, i64, !tile.view<8xi32>, !tile.view<8xi32>) {
    tile.view_atomic add %a[%o], %t checked [0] : !tile.view<8xi32>, tensor<8xi32>
    %u = tile.view_load %b[%o] checked [] : !tile.view<8xi32> -> tensor<8xi32>
    %next = arith.addi %o, %s : i64
    scf.yield %u, %next, %b, %a : tensor<8xi32>, i64, !tile.view<8xi32>, !tile.view<8xi32>
  }
  return
}
