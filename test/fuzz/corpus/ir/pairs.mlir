module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  func.func @k(%arg0: !tile.ptr<f32> {tile.name = "x"}, %arg1: !tile.ptr<i32> {tile.name = "out"}) attributes {tile.kernel} {
    %0 = tile.range 0 to 64 : tensor<64xi32>
    %1 = tile.splat %arg0 : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    %2 = tile.addptr %1, %0 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %3 = tile.load %2 : tensor<64x!tile.ptr<f32>>
    %4:2 = tile.reduce(%3, %0) axis 0 : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32) {
    ^bb0(%arg2: f32, %arg3: i32, %arg4: f32, %arg5: i32):
      %5 = arith.cmpf ogt, %arg2, %arg4 : f32
      %6 = arith.cmpf oeq, %arg2, %arg4 : f32
      %7 = arith.cmpi slt, %arg3, %arg5 : i32
      %8 = arith.andi %6, %7 : i1
      %9 = arith.ori %5, %8 : i1
      %10 = arith.select %9, %arg2, %arg4 : f32
      %11 = arith.select %9, %arg3, %arg5 : i32
      tile.yield %10, %11 : f32, i32
    }
    tile.store %arg1, %4#1 : !tile.ptr<i32>
    tile.store %arg0, %4#0 : !tile.ptr<f32>
    return
  }
}

