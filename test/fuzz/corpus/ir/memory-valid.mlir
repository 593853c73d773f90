module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  func.func @k(%arg0: !tile.ptr<f32> {tile.name = "x"}, %arg1: !tile.ptr<f32> {tile.name = "out"}, %arg2: i32 {tile.name = "n"}) attributes {tile.kernel} {
    %0 = tile.range 0 to 32 : tensor<32xi32>
    %c8_i32 = arith.constant 8 : i32
    %1 = tile.splat %c8_i32 : i32 -> tensor<32xi32>
    %2 = arith.muli %0, %1 : tensor<32xi32>
    %3 = tile.hint %2 {divisibility = array<i64: 8>} : tensor<32xi32>
    %4 = tile.hint %3 {contiguity = array<i64: 1>} : tensor<32xi32>
    %c0_i32 = arith.constant 0 : i32
    %5 = arith.cmpi sgt, %arg2, %c0_i32 : i32
    tile.assume %5 : i1
    %6 = tile.splat %arg0 : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
    %7 = tile.addptr %6, %4 : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
    %8 = tile.splat %arg2 : i32 -> tensor<32xi32>
    %9 = arith.cmpi slt, %4, %8 : tensor<32xi32>
    %cst = arith.constant dense<-1.000000e+00> : tensor<32xf32>
    %10 = tile.load %7 mask %9 other %cst cache cg evict evict_last : tensor<32x!tile.ptr<f32>>
    %11 = tile.load %arg0 volatile : !tile.ptr<f32>
    tile.barrier
    %12 = tile.splat %arg1 : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
    %13 = tile.addptr %12, %4 : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
    %14 = tile.splat %11 : f32 -> tensor<32xf32>
    %15 = arith.addf %10, %14 : tensor<32xf32>
    %16 = tile.splat %arg2 : i32 -> tensor<32xi32>
    %17 = arith.cmpi slt, %4, %16 : tensor<32xi32>
    tile.store %13, %15 mask %17 cache cs evict evict_first : tensor<32x!tile.ptr<f32>>
    %c0_i32_0 = arith.constant 0 : i32
    %18 = arith.cmpi ne, %arg2, %c0_i32_0 : i32
    %19 = scf.if %18 -> (f32) {
      %20 = tile.addptr %arg1, %arg2 : !tile.ptr<f32>, i32
      %21 = tile.load %20 : !tile.ptr<f32>
      scf.yield %21 : f32
    } else {
      %cst_2 = arith.constant 0.000000e+00 : f32
      scf.yield %cst_2 : f32
    }
    tile.store %arg1, %19 : !tile.ptr<f32>
    %c0_i32_1 = arith.constant 0 : i32
    return
  }
}

