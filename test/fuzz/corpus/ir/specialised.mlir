module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  func.func @k(%arg0: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "x"}, %arg1: i32 {tile.divisibility = 16 : i32, tile.name = "n"}) attributes {tile.kernel} {
    %0 = tile.range 0 to 8 : tensor<8xi32>
    %c1_i32 = arith.constant 1 : i32
    %1 = tile.splat %c1_i32 : i32 -> tensor<8xi32>
    %2 = arith.muli %0, %1 : tensor<8xi32>
    %3 = tile.splat %arg0 : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
    %4 = tile.addptr %3, %2 : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    %5 = tile.splat %arg1 : i32 -> tensor<8xi32>
    %6 = arith.cmpi slt, %2, %5 : tensor<8xi32>
    %7 = tile.load %4 mask %6 : tensor<8x!tile.ptr<f32>>
    %cst = arith.constant 1.500000e+00 : f32
    %8 = tile.splat %cst : f32 -> tensor<8xf32>
    %9 = arith.mulf %7, %8 : tensor<8xf32>
    %cst_0 = arith.constant -1.000000e+00 : f32
    %10 = tile.splat %cst_0 : f32 -> tensor<8xf32>
    %11 = arith.subf %9, %10 : tensor<8xf32>
    %12 = tile.splat %arg0 : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
    %13 = tile.addptr %12, %2 : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    tile.store %13, %11 : tensor<8x!tile.ptr<f32>>
    return
  }
}

