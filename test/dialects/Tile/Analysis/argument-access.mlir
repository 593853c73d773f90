// RUN: tegula-opt --no-plugins %s -split-input-file -verify-diagnostics -tile-test-argument-access

// expected-remark @below {{access = [read, write, read-write, none, none]}}
func.func @scalars(%r: !tile.ptr<f32>, %w: !tile.ptr<f32>, %b: !tile.ptr<f32>,
                   %unused: !tile.ptr<f32>, %n: i32) {
  %x = tile.load %r : !tile.ptr<f32>
  %y = tile.load %b : !tile.ptr<f32>
  tile.store %w, %x : !tile.ptr<f32>
  tile.store %b, %y : !tile.ptr<f32>
  return
}

// -----

// expected-remark @below {{access = [read, write]}}
func.func @tiles(%p: !tile.ptr<f32>, %q: !tile.ptr<i8>) {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %pr = tile.addptr %ps, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %pr : tensor<64x!tile.ptr<f32>>
  %c = tile.ptr_cast %q : !tile.ptr<i8> -> !tile.ptr<f32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %cr = tile.addptr %cs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %cr, %x : tensor<64x!tile.ptr<f32>>
  return
}

// -----

// A store to one of two is a store to both.
// expected-remark @below {{access = [write, write, read, none]}}
func.func @select(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %r: !tile.ptr<f32>, %c: i1) {
  %x = tile.load %r : !tile.ptr<f32>
  %s = arith.select %c, %p, %q : !tile.ptr<f32>
  tile.store %s, %x : !tile.ptr<f32>
  return
}

// -----

// expected-remark @below {{access = [write, read, write, none]}}
func.func @loop(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %o: !tile.ptr<f32>, %c: i1) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i9 = arith.constant 9 : index
  %one = arith.constant 1 : i32
  %last:2 = scf.for %i = %i0 to %i9 step %i1 iter_args(%a = %p, %b = %q)
      -> (!tile.ptr<f32>, !tile.ptr<f32>) {
    %x = tile.load %b : !tile.ptr<f32>
    tile.store %a, %x : !tile.ptr<f32>
    %an = tile.addptr %a, %one : !tile.ptr<f32>, i32
    %bn = tile.addptr %b, %one : !tile.ptr<f32>, i32
    scf.yield %an, %bn : !tile.ptr<f32>, !tile.ptr<f32>
  }
  %z = arith.constant 0.0 : f32
  %to = scf.if %c -> (!tile.ptr<f32>) {
    scf.yield %last#0 : !tile.ptr<f32>
  } else {
    scf.yield %o : !tile.ptr<f32>
  }
  tile.store %to, %z : !tile.ptr<f32>
  return
}

// -----

// The two pointers change places on each trip.
// expected-remark @below {{access = [write, write, none]}}
func.func @swapped(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %n: i32) {
  %z = arith.constant 0.0 : f32
  %zero = arith.constant 0 : i32
  %last:2 = scf.while (%a = %p, %b = %q) : (!tile.ptr<f32>, !tile.ptr<f32>)
      -> (!tile.ptr<f32>, !tile.ptr<f32>) {
    %go = arith.cmpi sgt, %n, %zero : i32
    scf.condition(%go) %b, %a : !tile.ptr<f32>, !tile.ptr<f32>
  } do {
  ^bb0(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>):
    tile.store %a, %z : !tile.ptr<f32>
    scf.yield %a, %b : !tile.ptr<f32>, !tile.ptr<f32>
  }
  return
}

// -----

// expected-remark @below {{access = [write, read, none]}}
func.func @views(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %n: i64) {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %v = tile.make_view %p shape [%n] strides [%one] pad zero : !tile.view<64xf32>
  %w = tile.make_view %q shape [%n] strides [%one] pad zero : !tile.view<64xf32>
  %x = tile.view_load %w[%zero] checked [0] : !tile.view<64xf32> -> tensor<64xf32>
  tile.view_store %v[%zero], %x checked [0] : !tile.view<64xf32>, tensor<64xf32>
  return
}

// -----

// expected-remark @below {{access = [read, write, read-write, none, none, none]}}
func.func @rows(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %r: !tile.ptr<f32>, %n: i64, %i: tensor<8xi32>, %k: index) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.make_view %p shape [%n, %n] strides [%n, %one] pad zero : !tile.view<1x4xf32>
  %w = tile.make_view %q shape [%n, %n] strides [%n, %one] pad zero : !tile.view<1x4xf32>
  %u = tile.make_view %r shape [%n, %n] strides [%n, %one] pad zero : !tile.view<8x4xf32>
  %l = scf.for %j = %c0 to %k step %c1 iter_args(%a = %u) -> !tile.view<8x4xf32> {
    %x = tile.view_gather %v[%i, %n] : !tile.view<1x4xf32>, tensor<8xi32> -> tensor<8x4xf32>
    tile.view_scatter %w[%i, %n], %x : !tile.view<1x4xf32>, tensor<8xi32>, tensor<8x4xf32>
    tile.view_atomic fadd %a[%n, %n], %x checked [0, 1] : !tile.view<8x4xf32>, tensor<8x4xf32>
    scf.yield %a : !tile.view<8x4xf32>
  }
  return
}

// -----

// Addresses from memory: a store may go anywhere, except that %o has one for certain.
// expected-remark @below {{access = [unknown, unknown, read-write]}}
func.func @table(%t: !tile.ptr<i64>, %p: !tile.ptr<f32>, %o: !tile.ptr<f32>) {
  %z = arith.constant 0.0 : f32
  %a = tile.load %t : !tile.ptr<i64>
  %q = tile.int_to_ptr %a : i64 -> !tile.ptr<f32>
  %x = tile.load %q : !tile.ptr<f32>
  tile.store %q, %x : !tile.ptr<f32>
  tile.store %o, %z : !tile.ptr<f32>
  return
}

// -----

// Loads from anywhere leave certain that nothing is stored.
// expected-remark @below {{access = [read, read]}}
func.func @gather(%t: !tile.ptr<!tile.ptr<f32>>, %p: !tile.ptr<f32>) {
  %q = tile.load %t : !tile.ptr<!tile.ptr<f32>>
  %x = tile.load %q : !tile.ptr<f32>
  return
}

// -----

// expected-remark @below {{access = [unknown]}}
func.func private @callee(!tile.ptr<f32>)

// expected-remark @below {{access = [unknown, none]}}
func.func @caller(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) {
  func.call @callee(%p) : (!tile.ptr<f32>) -> ()
  tile.barrier
  return
}
