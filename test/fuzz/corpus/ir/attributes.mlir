module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  func.func @k(%arg0: !tile.ptr<f16> {tile.name = "x"}, %arg1: i64 {tile.name = "n"}) attributes {tile.kernel} {
    %0 = tile.range 0 to 8 : tensor<8xi32>
    %1 = tile.splat %arg0 : !tile.ptr<f16> -> tensor<8x!tile.ptr<f16>>
    %2 = tile.addptr %1, %0 : tensor<8x!tile.ptr<f16>>, tensor<8xi32>
    %3 = tile.load %2 : tensor<8x!tile.ptr<f16>>
    %4 = arith.extf %3 : tensor<8xf16> to tensor<8xf32>
    %5 = tile.reduce(%4) axis 0 : (tensor<8xf32>) -> f32 {
    ^bb0(%arg2: f32, %arg3: f32):
      %12 = arith.addf %arg2, %arg3 : f32
      tile.yield %12 : f32
    }
    %6 = tile.fp_to_int  signed %5 : f32 -> i32
    %c8_i32 = arith.constant 8 : i32
    %7 = arith.addi %c8_i32, %6 : i32
    %c10_i32 = arith.constant 10 : i32
    %8 = arith.addi %c10_i32, %7 : i32
    %9 = arith.extsi %8 : i32 to i64
    %10 = arith.addi %9, %arg1 : i64
    %11 = arith.sitofp %10 : i64 to f16
    tile.store %arg0, %11 : !tile.ptr<f16>
    %cst = arith.constant 1.000000e+00 : f16
    tile.store %arg0, %cst : !tile.ptr<f16>
    return
  }
}

