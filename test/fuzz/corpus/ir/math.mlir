module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  func.func @k(%arg0: !tile.ptr<f32> {tile.name = "x"}, %arg1: !tile.ptr<f32> {tile.name = "out"}) attributes {tile.kernel} {
    %0 = tile.range 0 to 32 : tensor<32xi32>
    %1 = tile.splat %arg0 : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
    %2 = tile.addptr %1, %0 : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
    %3 = tile.load %2 : tensor<32x!tile.ptr<f32>>
    %4 = math.exp %3 : tensor<32xf32>
    %5 = math.exp2 %3 : tensor<32xf32>
    %6 = arith.addf %4, %5 : tensor<32xf32>
    %7 = math.log %3 : tensor<32xf32>
    %8 = arith.addf %6, %7 : tensor<32xf32>
    %9 = math.log2 %3 : tensor<32xf32>
    %10 = arith.addf %8, %9 : tensor<32xf32>
    %11 = math.sin %3 : tensor<32xf32>
    %12 = arith.addf %10, %11 : tensor<32xf32>
    %13 = math.cos %3 : tensor<32xf32>
    %14 = arith.addf %12, %13 : tensor<32xf32>
    %15 = math.sqrt %14 : tensor<32xf32>
    %16 = math.sqrt %14 : tensor<32xf32>
    %17 = arith.addf %15, %16 : tensor<32xf32>
    %18 = math.rsqrt %14 : tensor<32xf32>
    %19 = arith.addf %17, %18 : tensor<32xf32>
    %20 = math.erf %14 : tensor<32xf32>
    %21 = arith.addf %19, %20 : tensor<32xf32>
    %22 = math.floor %14 : tensor<32xf32>
    %23 = arith.addf %21, %22 : tensor<32xf32>
    %24 = math.ceil %14 : tensor<32xf32>
    %25 = arith.addf %23, %24 : tensor<32xf32>
    %26 = math.absf %25 : tensor<32xf32>
    %27 = math.absf %25 : tensor<32xf32>
    %28 = arith.addf %26, %27 : tensor<32xf32>
    %29 = arith.negf %25 : tensor<32xf32>
    %30 = math.exp %29 : tensor<32xf32>
    %cst = arith.constant 1.000000e+00 : f32
    %31 = tile.splat %cst : f32 -> tensor<32xf32>
    %32 = arith.addf %31, %30 : tensor<32xf32>
    %cst_0 = arith.constant 1.000000e+00 : f32
    %33 = tile.splat %cst_0 : f32 -> tensor<32xf32>
    %34 = arith.divf %33, %32 : tensor<32xf32>
    %35 = arith.addf %28, %34 : tensor<32xf32>
    %cst_1 = arith.constant -1.000000e+00 : f32
    %36 = tile.splat %cst_1 : f32 -> tensor<32xf32>
    %37 = arith.maxnumf %25, %36 : tensor<32xf32>
    %cst_2 = arith.constant 1.000000e+00 : f32
    %38 = tile.splat %cst_2 : f32 -> tensor<32xf32>
    %39 = arith.minnumf %37, %38 : tensor<32xf32>
    %40 = arith.addf %35, %39 : tensor<32xf32>
    %cst_3 = arith.constant 2.000000e+00 : f32
    %41 = tile.splat %cst_3 : f32 -> tensor<32xf32>
    %42 = arith.maxnumf %25, %41 : tensor<32xf32>
    %43 = arith.addf %40, %42 : tensor<32xf32>
    %44 = math.exp %43 : tensor<32xf32>
    %45 = math.tanh %43 : tensor<32xf32>
    %46 = arith.addf %44, %45 : tensor<32xf32>
    %cst_4 = arith.constant 2.000000e+00 : f32
    %47 = tile.splat %cst_4 : f32 -> tensor<32xf32>
    %48 = math.powf %43, %47 : tensor<32xf32>
    %49 = arith.addf %46, %48 : tensor<32xf32>
    %cst_5 = arith.constant 3.000000e+00 : f32
    %50 = tile.splat %cst_5 : f32 -> tensor<32xf32>
    %51 = arith.minimumf %43, %50 : tensor<32xf32>
    %52 = arith.addf %49, %51 : tensor<32xf32>
    %53 = tile.splat %arg1 : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
    %54 = tile.addptr %53, %0 : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
    tile.store %54, %52 : tensor<32x!tile.ptr<f32>>
    return
  }
}

