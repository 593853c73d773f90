// Kernels for locations.test: a loop that carries tiles, a dot, reductions, masked
// accesses, mathematics and constants that passes merge.

func.func @softmax(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id 0 : i32
  %r = tile.range 0 to 128 : tensor<128xi32>
  %ns = tile.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<128xi32>
  %row = arith.muli %pid, %n : i32
  %start = tile.addptr %p, %row : !tile.ptr<f32>, i32
  %ps = tile.splat %start : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %pp = tile.addptr %ps, %r : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %o = arith.constant dense<0xFF800000> : tensor<128xf32>
  %x = tile.load %pp mask %m other %o : tensor<128x!tile.ptr<f32>>
  %top = tile.reduce (%x) axis 0 : (tensor<128xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }
  %tops = tile.splat %top : f32 -> tensor<128xf32>
  %d = arith.subf %x, %tops : tensor<128xf32>
  %e = math.exp %d : tensor<128xf32>
  %sum = tile.reduce (%e) axis 0 : (tensor<128xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %sums = tile.splat %sum : f32 -> tensor<128xf32>
  %y = arith.divf %e, %sums : tensor<128xf32>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %qq = tile.addptr %qs, %r : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %qq, %y mask %m : tensor<128x!tile.ptr<f32>>
  return
}

func.func @matmul(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %r = tile.range 0 to 16 : tensor<16xi32>
  %column = tile.expand_dims %r axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %line = tile.expand_dims %r axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %w = arith.constant dense<16> : tensor<16x1xi32>
  %rows = arith.muli %column, %w : tensor<16x1xi32>
  %i2 = tile.broadcast %rows : tensor<16x1xi32> -> tensor<16x16xi32>
  %j2 = tile.broadcast %line : tensor<1x16xi32> -> tensor<16x16xi32>
  %at = arith.addi %i2, %j2 : tensor<16x16xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %pp = tile.addptr %ps, %at : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %by = arith.constant dense<256> : tensor<16x16xi32>
  %acc:2 = scf.for %i = %c0 to %n step %c1 iter_args(%c = %z, %ptr = %pp) -> (tensor<16x16xf32>, tensor<16x16x!tile.ptr<f16>>) : i32 {
    %a = tile.load %ptr : tensor<16x16x!tile.ptr<f16>>
    %b = tile.transpose %a order [1, 0] : tensor<16x16xf16> -> tensor<16x16xf16>
    %d = tile.dot %a, %b, %c precision ieee : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %next = tile.addptr %ptr, %by : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
    scf.yield %d, %next : tensor<16x16xf32>, tensor<16x16x!tile.ptr<f16>>
  }
  %half = arith.constant dense<0.5> : tensor<16x16xf32>
  %scaled = arith.mulf %acc#0, %half : tensor<16x16xf32>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %qq = tile.addptr %qs, %at : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  tile.store %qq, %scaled : tensor<16x16x!tile.ptr<f32>>
  return
}

func.func @corners(%p: !tile.ptr<i32>, %n: i32, %x: f32) attributes {tile.kernel} {
  %five = arith.constant dense<5> : tensor<64xi32>
  %r = tile.range 0 to 64 : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %d = tile.div signed %r, %ns : tensor<64xi32>
  %m = tile.rem signed %d, %five : tensor<64xi32>
  %xs = tile.splat %x : f32 -> tensor<64xf32>
  %f = tile.fp_to_int signed %xs : tensor<64xf32> -> tensor<64xi32>
  %l = tile.shl %m, %f : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %pp = tile.addptr %ps, %m : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %c = arith.cmpi sgt, %n, %n : i32
  %y = scf.if %c -> tensor<64xi32> {
    scf.yield %l : tensor<64xi32>
  } else {
    scf.yield %five : tensor<64xi32>
  }
  tile.store %pp, %y : tensor<64x!tile.ptr<i32>>
  tile.store %pp, %five : tensor<64x!tile.ptr<i32>>
  return
}
