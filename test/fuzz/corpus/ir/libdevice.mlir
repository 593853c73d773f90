module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  func.func @k(%arg0: !tile.ptr<f32> {tile.name = "x"}, %arg1: !tile.ptr<f32> {tile.name = "out"}, %arg2: !tile.ptr<i32> {tile.name = "bits"}) attributes {tile.kernel} {
    %0 = tile.range 0 to 8 : tensor<8xi32>
    %1 = tile.splat %arg0 : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
    %2 = tile.addptr %1, %0 : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    %3 = tile.load %2 : tensor<8x!tile.ptr<f32>>
    %4 = math.acos %3 : tensor<8xf32>
    %5 = math.atan2 %3, %3 : tensor<8xf32>
    %6 = arith.addf %4, %5 : tensor<8xf32>
    %cst = arith.constant dense<1.000000e+01> : tensor<8xf32>
    %7 = math.powf %cst, %3 : tensor<8xf32>
    %8 = arith.addf %6, %7 : tensor<8xf32>
    %cst_0 = arith.constant 5.000000e-01 : f32
    %9 = tile.splat %cst_0 : f32 -> tensor<8xf32>
    %10 = math.powf %3, %9 : tensor<8xf32>
    %11 = arith.addf %8, %10 : tensor<8xf32>
    %12 = math.log1p %11 : tensor<8xf32>
    %cst_1 = arith.constant -1.000000e+00 : f32
    %13 = tile.splat %cst_1 : f32 -> tensor<8xf32>
    %14 = math.copysign %11, %13 : tensor<8xf32>
    %15 = arith.addf %12, %14 : tensor<8xf32>
    %cst_2 = arith.constant 3.000000e+00 : f32
    %16 = tile.splat %cst_2 : f32 -> tensor<8xf32>
    %17 = arith.remf %11, %16 : tensor<8xf32>
    %18 = arith.addf %15, %17 : tensor<8xf32>
    %19 = arith.addf %11, %18 : tensor<8xf32>
    %20 = math.isnan %19 : tensor<8xf32>
    %21 = math.isinf %19 : tensor<8xf32>
    %22 = arith.ori %20, %21 : tensor<8xi1>
    %23 = tile.splat %arg1 : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
    %24 = tile.addptr %23, %0 : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    %cst_3 = arith.constant 0.000000e+00 : f32
    %25 = tile.splat %cst_3 : f32 -> tensor<8xf32>
    %26 = arith.select %22, %25, %19 : tensor<8xi1>, tensor<8xf32>
    tile.store %24, %26 : tensor<8x!tile.ptr<f32>>
    %27 = tile.splat %arg2 : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
    %28 = tile.addptr %27, %0 : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
    %29 = tile.load %28 : tensor<8x!tile.ptr<i32>>
    %30 = tile.splat %arg2 : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
    %31 = tile.addptr %30, %0 : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
    %32 = math.ctlz %29 : tensor<8xi32>
    %33 = math.ctpop %29 : tensor<8xi32>
    %34 = arith.addi %32, %33 : tensor<8xi32>
    tile.store %31, %34 : tensor<8x!tile.ptr<i32>>
    return
  }
}

