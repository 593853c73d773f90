module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  func.func @k(%arg0: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "x"}, %arg1: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "y"}, %arg2: !tile.ptr<f32> {tile.name = "out"}, %arg3: i32 {tile.name = "n"}) attributes {tile.kernel} {
    %0 = tile.program_id 0 : i32
    %c128_i32 = arith.constant 128 : i32
    %1 = arith.muli %0, %c128_i32 : i32
    %2 = tile.range 0 to 128 : tensor<128xi32>
    %3 = tile.splat %1 : i32 -> tensor<128xi32>
    %4 = arith.addi %3, %2 : tensor<128xi32>
    %5 = tile.splat %arg3 : i32 -> tensor<128xi32>
    %6 = arith.cmpi slt, %4, %5 : tensor<128xi32>
    %7 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
    %8 = tile.addptr %7, %4 : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %9 = tile.splat %arg0 : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
    %10 = tile.addptr %9, %4 : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %cst = arith.constant dense<0.000000e+00> : tensor<128xf32>
    %11 = tile.load %10 mask %6 other %cst : tensor<128x!tile.ptr<f32>>
    %12 = tile.splat %arg1 : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
    %13 = tile.addptr %12, %4 : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %14 = tile.load %13 mask %6 : tensor<128x!tile.ptr<f32>>
    %15 = arith.addf %11, %14 : tensor<128xf32>
    tile.store %8, %15 mask %6 : tensor<128x!tile.ptr<f32>>
    return
  }
}

