module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  func.func @k(%arg0: !tile.ptr<f32> {tile.name = "out"}, %arg1: i32 {tile.name = "n"}) attributes {tile.kernel} {
    %cst = arith.constant dense<1.500000e+00> : tensor<4xf32>
    %c3_i32 = arith.constant 3 : i32
    %0 = arith.cmpi sgt, %arg1, %c3_i32 : i32
    %1:2 = scf.if %0 -> (tensor<4xf32>, i32) {
      %cst_0 = arith.constant 1.000000e+00 : f32
      %8 = tile.splat %cst_0 : f32 -> tensor<4xf32>
      %9 = arith.addf %cst, %8 : tensor<4xf32>
      %c2_i32 = arith.constant 2 : i32
      scf.yield %9, %c2_i32 : tensor<4xf32>, i32
    } else {
      %c-3_i32 = arith.constant -3 : i32
      %8 = arith.cmpi slt, %arg1, %c-3_i32 : i32
      %c0_i32 = arith.constant 0 : i32
      %9 = arith.cmpi ne, %arg1, %c0_i32 : i32
      %true = arith.constant true
      %10 = arith.xori %9, %true : i1
      %11 = arith.ori %8, %10 : i1
      %12:2 = scf.if %11 -> (tensor<4xf32>, i32) {
        %cst_0 = arith.constant 2.000000e+00 : f32
        %13 = tile.splat %cst_0 : f32 -> tensor<4xf32>
        %14 = arith.mulf %cst, %13 : tensor<4xf32>
        %c3_i32_1 = arith.constant 3 : i32
        scf.yield %14, %c3_i32_1 : tensor<4xf32>, i32
      } else {
        %c4_i32 = arith.constant 4 : i32
        scf.yield %cst, %c4_i32 : tensor<4xf32>, i32
      }
      scf.yield %12#0, %12#1 : tensor<4xf32>, i32
    }
    %2 = arith.sitofp %1#1 : i32 to f32
    %3 = tile.splat %2 : f32 -> tensor<4xf32>
    %4 = arith.addf %1#0, %3 : tensor<4xf32>
    %5 = tile.range 0 to 4 : tensor<4xi32>
    %6 = tile.splat %arg0 : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
    %7 = tile.addptr %6, %5 : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
    tile.store %7, %4 : tensor<4x!tile.ptr<f32>>
    return
  }
}

