// RUN: tegula-opt --no-plugins %s -split-input-file -tilegpu-distribute -tilegpu-coalesce -tilegpu-propagate-layouts -cse | FileCheck %s

// Pointers, masks and constants are computed in the layout of the accesses.
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32,
    max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>,
    tile.num_warps = 4 : i32} {
// CHECK-LABEL: func @vector_add
// CHECK-NOT: convert_layout
// CHECK: return
func.func @vector_add(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                      %q: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                      %n: i32 {tile.divisibility = 16 : i32}) {
  %zero = arith.constant dense<0.0> : tensor<1024xf16>
  %size = arith.constant 1024 : i32
  %pid = tile.program_id 0 : i32
  %start = arith.muli %pid, %size : i32
  %0 = tile.splat %start : i32 -> tensor<1024xi32>
  %1 = tile.range 0 to 1024 : tensor<1024xi32>
  %r = arith.addi %0, %1 : tensor<1024xi32>
  %m = tile.splat %n : i32 -> tensor<1024xi32>
  %c = arith.cmpi slt, %r, %m : tensor<1024xi32>
  %s = tile.splat %p : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %a = tile.addptr %s, %r : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %x = tile.load %a mask %c other %zero : tensor<1024x!tile.ptr<f16>>
  %t = tile.splat %q : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %b = tile.addptr %t, %r : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %y = tile.load %b mask %c other %zero : tensor<1024x!tile.ptr<f16>>
  %z = arith.addf %x, %y : tensor<1024xf16>
  tile.store %b, %z mask %c : tensor<1024x!tile.ptr<f16>>
  return
}

// What reductions leave is where it is broadcast from; rows that belong to it are loaded there,
// and small tiles are stored from there.
// CHECK-LABEL: func @layer_norm
// CHECK-NOT: convert_layout
// CHECK: return
func.func @layer_norm(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                      %w: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                      %mean: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  %r = tile.range 0 to 32 : tensor<32xi32>
  %c = tile.range 0 to 256 : tensor<256xi32>
  %n = arith.constant dense<256> : tensor<32x1xi32>
  %count = arith.constant dense<256.0> : tensor<32xf32>
  %r1 = tile.expand_dims %r axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %c1 = tile.expand_dims %c axis 0 : tensor<256xi32> -> tensor<1x256xi32>
  %rn = arith.muli %r1, %n : tensor<32x1xi32>
  %rb = tile.broadcast %rn : tensor<32x1xi32> -> tensor<32x256xi32>
  %cb = tile.broadcast %c1 : tensor<1x256xi32> -> tensor<32x256xi32>
  %o = arith.addi %rb, %cb : tensor<32x256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<32x256x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %o : tensor<32x256x!tile.ptr<f32>>, tensor<32x256xi32>
  %v = tile.load %xp : tensor<32x256x!tile.ptr<f32>>
  %sum = tile.reduce (%v) axis 1 : (tensor<32x256xf32>) -> tensor<32xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.addf %a, %b : f32
    tile.yield %d : f32
  }
  %m = arith.divf %sum, %count : tensor<32xf32>
  %ms = tile.splat %mean : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %mp = tile.addptr %ms, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %mp, %m : tensor<32x!tile.ptr<f32>>
  %m1 = tile.expand_dims %m axis 1 : tensor<32xf32> -> tensor<32x1xf32>
  %mb = tile.broadcast %m1 : tensor<32x1xf32> -> tensor<32x256xf32>
  %d = arith.subf %v, %mb : tensor<32x256xf32>
  %ws = tile.splat %w : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>>
  %wp = tile.addptr %ws, %c : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %w0 = tile.load %wp : tensor<256x!tile.ptr<f16>>
  %w1 = arith.extf %w0 : tensor<256xf16> to tensor<256xf32>
  %w2 = tile.expand_dims %w1 axis 0 : tensor<256xf32> -> tensor<1x256xf32>
  %wb = tile.broadcast %w2 : tensor<1x256xf32> -> tensor<32x256xf32>
  %y = arith.mulf %d, %wb : tensor<32x256xf32>
  tile.store %xp, %y : tensor<32x256x!tile.ptr<f32>>
  return
}

// Values that loops carry take the layout of what is added to them.
// CHECK-LABEL: func @loop
// CHECK-NOT: convert_layout
// CHECK: return
func.func @loop(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: index, %w: i1) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %init = arith.constant dense<0.0> : tensor<1024xf16>
  %step = arith.constant dense<1024> : tensor<1024xi32>
  %r = tile.range 0 to 1024 : tensor<1024xi32>
  %s = tile.splat %p : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %a = tile.addptr %s, %r : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %sum:2 = scf.for %i = %zero to %n step %one iter_args(%acc = %init, %q = %a)
      -> (tensor<1024xf16>, tensor<1024x!tile.ptr<f16>>) {
    %x = tile.load %q : tensor<1024x!tile.ptr<f16>>
    %y = scf.if %w -> tensor<1024xf16> {
      scf.yield %init : tensor<1024xf16>
    } else {
      %z = arith.addf %acc, %x : tensor<1024xf16>
      scf.yield %z : tensor<1024xf16>
    }
    %next = tile.addptr %q, %step : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
    scf.yield %y, %next : tensor<1024xf16>, tensor<1024x!tile.ptr<f16>>
  }
  %last = scf.while (%b = %sum#0) : (tensor<1024xf16>) -> tensor<1024xf16> {
    scf.condition(%w) %b : tensor<1024xf16>
  } do {
  ^bb0(%b: tensor<1024xf16>):
    %c = arith.negf %b : tensor<1024xf16>
    scf.yield %c : tensor<1024xf16>
  }
  tile.store %a, %last : tensor<1024x!tile.ptr<f16>>
  return
}
}

// -----

// What is left is converted once, outside the loop, in the narrow type; pointers are not.
module attributes {tilegpu.capabilities = #tilegpu.capabilities<warp_size = 32,
    max_threads = 1024, shared_bytes = 232448, max_access_bytes = 16, load_matrix = true>,
    tile.num_warps = 4 : i32} {
// CHECK-LABEL: func @transposed
func.func @transposed(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                      %q: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = arith.constant dense<64> : tensor<64x1xi32>
  %r = tile.range 0 to 64 : tensor<64xi32>
  %i = tile.expand_dims %r axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %j = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %k = arith.muli %i, %size : tensor<64x1xi32>
  %a = tile.broadcast %k : tensor<64x1xi32> -> tensor<64x64xi32>
  %b = tile.broadcast %j : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %a, %b : tensor<64x64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %pp = tile.addptr %ps, %o : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %qs = tile.splat %q : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %qp = tile.addptr %qs, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  // CHECK-NOT: convert_layout
  // CHECK: %[[X:.*]] = tile.load
  %x = tile.load %pp : tensor<64x64x!tile.ptr<f32>>
  // CHECK: %[[T:.*]] = tile.transpose %[[X]]
  %t = tile.transpose %x order [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  // CHECK: %[[H:.*]] = arith.truncf %[[T]]
  %h = arith.truncf %t : tensor<64x64xf32> to tensor<64x64xf16>
  // CHECK: %[[C:.*]] = tilegpu.convert_layout %[[H]] : tensor<64x64xf16
  // CHECK-NOT: convert_layout
  // CHECK: scf.for
  scf.for %l = %zero to %n step %one {
    // CHECK: tile.store %{{.*}}, %[[C]]
    tile.store %qp, %h : tensor<64x64x!tile.ptr<f16>>
  }
  return
}

// Each user of a tile of constants has it in its own layout.
// CHECK-LABEL: func @twice
// CHECK-DAG: tile.range 0 to 64 : tensor<64xi32, #[[A:.*]]>
// CHECK-DAG: tile.range 0 to 64 : tensor<64xi32, #[[B:.*]]>
// CHECK-DAG: tile.expand_dims %{{.*}} axis 1 : tensor<64xi32, #[[A]]>
// CHECK-DAG: tile.expand_dims %{{.*}} axis 0 : tensor<64xi32, #[[B]]>
// CHECK-NOT: convert_layout
// CHECK: return
func.func @twice(%p: !tile.ptr<i32>) {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %i = tile.expand_dims %r axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %j = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %a = tile.broadcast %i : tensor<64x1xi32> -> tensor<64x64xi32>
  %b = tile.broadcast %j : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.muli %a, %b : tensor<64x64xi32>
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<64x64x!tile.ptr<i32>>
  %q = tile.addptr %s, %o : tensor<64x64x!tile.ptr<i32>>, tensor<64x64xi32>
  tile.store %q, %o : tensor<64x64x!tile.ptr<i32>>
  return
}

// Arguments of functions and results of calls stay as they are.
// CHECK-LABEL: func @outside
// CHECK-SAME: tensor<64x64xf32, #[[IN:[a-z0-9]*]]>
func.func @outside(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK: call @callee(%{{.*}}) : (tensor<64x64xf32, #[[IN]]>) -> tensor<64x64xf32, #[[IN]]>
  %y = func.call @callee(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %t = tile.transpose %y order [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  // CHECK: convert_layout
  // CHECK: return %{{.*}} : tensor<64x64xf32, #[[IN]]>
  return %t : tensor<64x64xf32>
}
func.func private @callee(tensor<64x64xf32>) -> tensor<64x64xf32>

// Two elements are split into scalars, which have no layout.
// CHECK-LABEL: func @two_scalars
// CHECK: tile.split %{{.*}} : tensor<2xf32, #{{.*}}> -> f32
func.func @two_scalars(%p: !tile.ptr<f32>, %x: tensor<2xf32>) {
  %y = arith.addf %x, %x : tensor<2xf32>
  %a, %b = tile.split %y : tensor<2xf32> -> f32
  tile.store %p, %b : !tile.ptr<f32>
  return
}
}
