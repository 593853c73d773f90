module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  func.func @k(%arg0: !tile.ptr<f16> {tile.name = "a"}, %arg1: !tile.ptr<bf16> {tile.name = "b"}, %arg2: !tile.ptr<f64> {tile.name = "out"}, %arg3: f32 {tile.name = "s"}) attributes {tile.kernel} {
    %0 = tile.range 0 to 16 : tensor<16xi32>
    %1 = tile.splat %arg0 : !tile.ptr<f16> -> tensor<16x!tile.ptr<f16>>
    %2 = tile.addptr %1, %0 : tensor<16x!tile.ptr<f16>>, tensor<16xi32>
    %3 = tile.load %2 : tensor<16x!tile.ptr<f16>>
    %4 = tile.splat %arg1 : !tile.ptr<bf16> -> tensor<16x!tile.ptr<bf16>>
    %5 = tile.addptr %4, %0 : tensor<16x!tile.ptr<bf16>>, tensor<16xi32>
    %6 = tile.load %5 : tensor<16x!tile.ptr<bf16>>
    %7 = arith.extf %6 : tensor<16xbf16> to tensor<16xf32>
    %8 = arith.extf %3 : tensor<16xf16> to tensor<16xf32>
    %9 = arith.divf %8, %7 : tensor<16xf32>
    %10 = tile.splat %arg3 : f32 -> tensor<16xf32>
    %11 = arith.mulf %9, %10 : tensor<16xf32>
    %12 = arith.cmpf oeq, %11, %11 : tensor<16xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %13 = tile.splat %cst : f32 -> tensor<16xf32>
    %14 = arith.select %12, %11, %13 : tensor<16xi1>, tensor<16xf32>
    %cst_0 = arith.constant 2.500000e+00 : f32
    %15 = tile.splat %cst_0 : f32 -> tensor<16xf32>
    %16 = arith.remf %14, %15 : tensor<16xf32>
    %cst_1 = arith.constant 1.000000e-03 : f32
    %17 = tile.splat %cst_1 : f32 -> tensor<16xf32>
    %18 = arith.divf %16, %17 : tensor<16xf32>
    %cst_2 = arith.constant 1.000000e+00 : f32
    %19 = tile.splat %cst_2 : f32 -> tensor<16xf32>
    %20 = math.fma %18, %11, %19 : tensor<16xf32>
    %21 = arith.divf %11, %18 : tensor<16xf32>
    %22 = arith.addf %20, %21 : tensor<16xf32>
    %cst_3 = arith.constant 3.000000e+00 : f32
    %23 = tile.splat %cst_3 : f32 -> tensor<16xf32>
    %24 = arith.divf %11, %23 : tensor<16xf32>
    %25 = arith.addf %22, %24 : tensor<16xf32>
    %26 = tile.splat %arg2 : !tile.ptr<f64> -> tensor<16x!tile.ptr<f64>>
    %27 = tile.addptr %26, %0 : tensor<16x!tile.ptr<f64>>, tensor<16xi32>
    %cst_4 = arith.constant 0.000000e+00 : f32
    %28 = arith.cmpf ogt, %arg3, %cst_4 : f32
    %29 = scf.if %28 -> (tensor<16xf64>) {
      %30 = arith.extf %25 : tensor<16xf32> to tensor<16xf64>
      scf.yield %30 : tensor<16xf64>
    } else {
      %cst_5 = arith.constant 0.000000e+00 : f64
      %30 = tile.splat %cst_5 : f64 -> tensor<16xf64>
      scf.yield %30 : tensor<16xf64>
    }
    tile.store %27, %29 : tensor<16x!tile.ptr<f64>>
    return
  }
}

