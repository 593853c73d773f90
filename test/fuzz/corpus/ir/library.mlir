module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  func.func @k(%arg0: !tile.ptr<f32> {tile.name = "x"}, %arg1: !tile.ptr<i32> {tile.name = "y"}) attributes {tile.kernel} {
    %0 = tile.range 0 to 32 : tensor<32xi32>
    %1 = tile.splat %arg0 : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
    %2 = tile.addptr %1, %0 : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
    %3 = tile.load %2 : tensor<32x!tile.ptr<f32>>
    %4 = tile.splat %arg0 : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
    %5 = tile.addptr %4, %0 : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
    %6 = tile.reduce(%3) axis 0 : (tensor<32xf32>) -> f32 {
    ^bb0(%arg2: f32, %arg3: f32):
      %52 = arith.maxnumf %arg2, %arg3 : f32
      tile.yield %52 : f32
    }
    %7 = tile.splat %6 : f32 -> tensor<1xf32>
    %8 = tile.broadcast %7 : tensor<1xf32> -> tensor<32xf32>
    %9 = arith.subf %3, %8 : tensor<32xf32>
    %10 = math.exp %9 : tensor<32xf32>
    %11 = tile.reduce(%10) axis 0 : (tensor<32xf32>) -> f32 {
    ^bb0(%arg2: f32, %arg3: f32):
      %52 = arith.addf %arg2, %arg3 : f32
      tile.yield %52 : f32
    }
    %12 = tile.splat %11 : f32 -> tensor<1xf32>
    %13 = tile.broadcast %12 : tensor<1xf32> -> tensor<32xf32>
    %14 = arith.divf %10, %13 : tensor<32xf32>
    %cst = arith.constant dense<0.000000e+00> : tensor<32xf32>
    %15 = arith.addf %14, %cst : tensor<32xf32>
    %16 = arith.negf %3 : tensor<32xf32>
    %17 = math.exp %16 : tensor<32xf32>
    %cst_0 = arith.constant 1.000000e+00 : f32
    %18 = tile.splat %cst_0 : f32 -> tensor<32xf32>
    %19 = arith.addf %18, %17 : tensor<32xf32>
    %cst_1 = arith.constant 1.000000e+00 : f32
    %20 = tile.splat %cst_1 : f32 -> tensor<32xf32>
    %21 = arith.divf %20, %19 : tensor<32xf32>
    %22 = arith.addf %15, %21 : tensor<32xf32>
    tile.store %5, %22 : tensor<32x!tile.ptr<f32>>
    %23 = tile.splat %arg1 : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>>
    %24 = tile.addptr %23, %0 : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
    %25 = tile.load %24 : tensor<32x!tile.ptr<i32>>
    %26 = tile.splat %arg1 : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>>
    %27 = tile.addptr %26, %0 : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
    %low, %high = arith.mului_extended %25, %25 : tensor<32xi32>
    %c0_i32 = arith.constant 0 : i32
    %28 = tile.splat %c0_i32 : i32 -> tensor<32xi32>
    %29 = arith.cmpi sgt, %25, %28 : tensor<32xi32>
    %c9_i32 = arith.constant 9 : i32
    %30 = tile.splat %c9_i32 : i32 -> tensor<32xi32>
    %31 = arith.cmpi slt, %25, %30 : tensor<32xi32>
    %32 = arith.andi %29, %31 : tensor<32xi1>
    %33 = arith.extui %32 : tensor<32xi1> to tensor<32xi32>
    %34 = arith.addi %high, %33 : tensor<32xi32>
    %c3_i32 = arith.constant 3 : i32
    %35 = tile.splat %c3_i32 : i32 -> tensor<32xi32>
    %36 = arith.addi %25, %35 : tensor<32xi32>
    %c1_i32 = arith.constant 1 : i32
    %37 = tile.splat %c1_i32 : i32 -> tensor<32xi32>
    %38 = arith.subi %36, %37 : tensor<32xi32>
    %c3_i32_2 = arith.constant 3 : i32
    %39 = tile.splat %c3_i32_2 : i32 -> tensor<32xi32>
    %40 = tile.div  signed %38, %39 : tensor<32xi32>
    %41 = arith.addi %34, %40 : tensor<32xi32>
    tile.store %27, %41 : tensor<32x!tile.ptr<i32>>
    %42 = tile.splat %arg1 : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>>
    %43 = tile.addptr %42, %0 : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
    %c1_i32_3 = arith.constant 1 : i32
    %44 = tile.splat %c1_i32_3 : i32 -> tensor<32xi32>
    %45 = arith.addi %25, %44 : tensor<32xi32>
    %c2_i32 = arith.constant 2 : i32
    %46 = tile.splat %c2_i32 : i32 -> tensor<32xi32>
    %47 = arith.muli %25, %46 : tensor<32xi32>
    %48 = arith.subi %45, %47 : tensor<32xi32>
    %c3_i32_4 = arith.constant 3 : i32
    %49 = tile.splat %c3_i32_4 : i32 -> tensor<32xi32>
    %50 = arith.subi %25, %49 : tensor<32xi32>
    %51 = arith.addi %48, %50 : tensor<32xi32>
    tile.store %43, %51 : tensor<32x!tile.ptr<i32>>
    return
  }
}

