module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  func.func @k(%arg0: !tile.ptr<f32> {tile.name = "x"}, %arg1: i64 {tile.name = "n"}, %arg2: i32 {tile.name = "m"}) attributes {tile.kernel} {
    %cst = arith.constant dense<0.000000e+00> : tensor<16xf32>
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %cst_0 = arith.constant 0.000000e+00 : f32
    %0:2 = scf.for %arg3 = %c0_i64 to %arg1 step %c1_i64 iter_args(%arg4 = %cst, %arg5 = %cst_0) -> (tensor<16xf32>, f32)  : i64 {
      %c16_i64 = arith.constant 16 : i64
      %10 = arith.muli %arg3, %c16_i64 : i64
      %11 = tile.addptr %arg0, %10 : !tile.ptr<f32>, i64
      %12 = tile.range 0 to 16 : tensor<16xi32>
      %13 = tile.splat %11 : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
      %14 = tile.addptr %13, %12 : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
      %15 = tile.load %14 : tensor<16x!tile.ptr<f32>>
      %16 = arith.addf %arg4, %15 : tensor<16xf32>
      %17 = tile.reduce(%15) axis 0 : (tensor<16xf32>) -> f32 {
      ^bb0(%arg6: f32, %arg7: f32):
        %19 = arith.maxnumf %arg6, %arg7 : f32
        tile.yield %19 : f32
      }
      %18 = arith.maxnumf %arg5, %17 : f32
      scf.yield %16, %18 : tensor<16xf32>, f32
    } {tile.loop_unroll_factor = 2 : i32, tile.num_stages = 3 : i32}
    %1 = arith.extui %arg2 : i32 to i64
    %c0_i64_1 = arith.constant 0 : i64
    %c1_i64_2 = arith.constant 1 : i64
    %c0_i64_3 = arith.constant 0 : i64
    %2 = arith.subi %1, %c0_i64_1 : i64
    %3:2 = scf.for %arg3 = %c0_i64_3 to %2 step %c1_i64_2 iter_args(%arg4 = %0#0, %arg5 = %0#1) -> (tensor<16xf32>, f32)  : i64 {
      %10 = arith.subi %1, %arg3 : i64
      %11 = arith.trunci %10 : i64 to i32
      %cst_4 = arith.constant 1.500000e+00 : f32
      %12 = tile.splat %cst_4 : f32 -> tensor<16xf32>
      %13 = arith.mulf %arg4, %12 : tensor<16xf32>
      %14 = scf.while (%arg6 = %arg5) : (f32) -> f32 {
        %cst_5 = arith.constant 2.000000e+00 : f32
        %15 = arith.cmpf ogt, %arg6, %cst_5 : f32
        %c1_i32 = arith.constant 1 : i32
        %16 = arith.cmpi ugt, %11, %c1_i32 : i32
        %17 = arith.andi %15, %16 : i1
        scf.condition(%17) %arg6 : f32
      } do {
      ^bb0(%arg6: f32):
        %cst_5 = arith.constant 1.000000e+00 : f32
        %15 = arith.subf %arg6, %cst_5 : f32
        scf.yield %15 : f32
      }
      scf.yield %13, %14 : tensor<16xf32>, f32
    }
    %4 = scf.while (%arg3 = %3#1) : (f32) -> f32 {
      %10 = arith.sitofp %arg1 : i64 to f32
      %11 = arith.cmpf olt, %arg3, %10 : f32
      scf.condition(%11) %arg3 : f32
    } do {
    ^bb0(%arg3: f32):
      %cst_4 = arith.constant 1.000000e+00 : f32
      %10 = arith.addf %arg3, %cst_4 : f32
      scf.yield %10 : f32
    }
    %5 = tile.range 0 to 16 : tensor<16xi32>
    %6 = tile.splat %arg0 : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
    %7 = tile.addptr %6, %5 : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    %8 = tile.splat %4 : f32 -> tensor<16xf32>
    %9 = arith.addf %3#0, %8 : tensor<16xf32>
    tile.store %7, %9 : tensor<16x!tile.ptr<f32>>
    return
  }
}

