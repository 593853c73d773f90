module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  func.func @k(%arg0: !tile.ptr<f16> {tile.name = "a"}, %arg1: !tile.ptr<f16> {tile.name = "b"}, %arg2: !tile.ptr<f32> {tile.name = "c"}) attributes {tile.kernel} {
    %0 = tile.range 0 to 16 : tensor<16xi32>
    %1 = tile.expand_dims %0 axis 1 : tensor<16xi32> -> tensor<16x1xi32>
    %c16_i32 = arith.constant 16 : i32
    %2 = tile.splat %c16_i32 : i32 -> tensor<16x1xi32>
    %3 = arith.muli %1, %2 : tensor<16x1xi32>
    %4 = tile.expand_dims %0 axis 0 : tensor<16xi32> -> tensor<1x16xi32>
    %5 = tile.broadcast %3 : tensor<16x1xi32> -> tensor<16x16xi32>
    %6 = tile.broadcast %4 : tensor<1x16xi32> -> tensor<16x16xi32>
    %7 = arith.addi %5, %6 : tensor<16x16xi32>
    %8 = tile.splat %arg0 : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    %9 = tile.addptr %8, %7 : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
    %10 = tile.load %9 : tensor<16x16x!tile.ptr<f16>>
    %11 = tile.splat %arg1 : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    %12 = tile.addptr %11, %7 : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
    %13 = tile.load %12 : tensor<16x16x!tile.ptr<f16>>
    %cst = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
    %c0_i32 = arith.constant 0 : i32
    %c4_i32 = arith.constant 4 : i32
    %c1_i32 = arith.constant 1 : i32
    %14 = scf.for %arg3 = %c0_i32 to %c4_i32 step %c1_i32 iter_args(%arg4 = %cst) -> (tensor<16x16xf32>)  : i32 {
      %20 = tile.transpose %13 order [1, 0] : tensor<16x16xf16> -> tensor<16x16xf16>
      %21 = tile.dot %10, %20, %arg4 precision  tf32 : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
      scf.yield %21 : tensor<16x16xf32>
    }
    %15 = tile.transpose %13 order [1, 0] : tensor<16x16xf16> -> tensor<16x16xf16>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
    %16 = tile.dot %10, %15, %cst_0 precision  ieee : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %17 = arith.addf %14, %16 : tensor<16x16xf32>
    %18 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
    %19 = tile.addptr %18, %7 : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
    tile.store %19, %17 : tensor<16x16x!tile.ptr<f32>>
    return
  }
}

