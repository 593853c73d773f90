module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  func.func @k(%arg0: !tile.ptr<i32> {tile.name = "x"}, %arg1: !tile.ptr<i32> {tile.name = "out"}) attributes {tile.kernel} {
    %0 = tile.range 0 to 64 : tensor<64xi32>
    %1 = tile.reshape %0 : tensor<64xi32> -> tensor<4x16xi32>
    %2 = tile.reshape %1 : tensor<4x16xi32> -> tensor<2x2x16xi32>
    %3 = tile.transpose %2 order [2, 0, 1] : tensor<2x2x16xi32> -> tensor<16x2x2xi32>
    %4 = tile.reshape %1 allow_reorder : tensor<4x16xi32> -> tensor<16x4xi32>
    %5 = tile.transpose %4 order [1, 0] : tensor<16x4xi32> -> tensor<4x16xi32>
    %6 = tile.range 0 to 16 : tensor<16xi32>
    %7 = tile.expand_dims %6 axis 0 : tensor<16xi32> -> tensor<1x16xi32>
    %8 = tile.broadcast %7 : tensor<1x16xi32> -> tensor<4x16xi32>
    %9 = arith.addi %5, %8 : tensor<4x16xi32>
    %10 = tile.reshape %9 : tensor<4x16xi32> -> tensor<64xi32>
    %11 = tile.expand_dims %10 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %12 = tile.reshape %11 : tensor<1x64xi32> -> tensor<64xi32>
    %13 = tile.expand_dims %12 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %14 = tile.range 0 to 2 : tensor<2xi32>
    %15 = tile.expand_dims %14 axis 0 : tensor<2xi32> -> tensor<1x2xi32>
    %16 = tile.broadcast %13 : tensor<64x1xi32> -> tensor<64x2xi32>
    %17 = tile.broadcast %15 : tensor<1x2xi32> -> tensor<64x2xi32>
    %18 = tile.splat %arg1 : !tile.ptr<i32> -> tensor<4x16x!tile.ptr<i32>>
    %19 = tile.addptr %18, %1 : tensor<4x16x!tile.ptr<i32>>, tensor<4x16xi32>
    %20 = tile.transpose %9 order [1, 0] : tensor<4x16xi32> -> tensor<16x4xi32>
    %21 = tile.transpose %20 order [1, 0] : tensor<16x4xi32> -> tensor<4x16xi32>
    %c74_i32 = arith.constant 74 : i32
    %22 = tile.splat %c74_i32 : i32 -> tensor<4x16xi32>
    %23 = arith.addi %21, %22 : tensor<4x16xi32>
    tile.store %19, %23 : tensor<4x16x!tile.ptr<i32>>
    %24 = tile.splat %arg1 : !tile.ptr<i32> -> tensor<64x2x!tile.ptr<i32>>
    %25 = tile.addptr %24, %16 : tensor<64x2x!tile.ptr<i32>>, tensor<64x2xi32>
    %26 = tile.addptr %25, %17 : tensor<64x2x!tile.ptr<i32>>, tensor<64x2xi32>
    tile.store %26, %16 : tensor<64x2x!tile.ptr<i32>>
    %27 = tile.reshape %3 : tensor<16x2x2xi32> -> tensor<64xi32>
    %28 = tile.reduce(%27) axis 0 : (tensor<64xi32>) -> i32 {
    ^bb0(%arg2: i32, %arg3: i32):
      %31 = arith.addi %arg2, %arg3 : i32
      tile.yield %31 : i32
    }
    %29 = tile.splat %28 : i32 -> tensor<1xi32>
    %30 = tile.reduce(%29) axis 0 : (tensor<1xi32>) -> i32 {
    ^bb0(%arg2: i32, %arg3: i32):
      tile.yield %arg2 : i32
    }
    tile.store %arg0, %30 : !tile.ptr<i32>
    return
  }
}

