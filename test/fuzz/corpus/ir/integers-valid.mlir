module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  func.func @k(%arg0: !tile.ptr<i32> {tile.name = "a"}, %arg1: !tile.ptr<i8> {tile.name = "b"}, %arg2: !tile.ptr<i64> {tile.name = "out"}, %arg3: i32 {tile.name = "n"}) attributes {tile.kernel} {
    %0 = tile.range 0 to 16 : tensor<16xi32>
    %1 = tile.splat %arg0 : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
    %2 = tile.addptr %1, %0 : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
    %3 = tile.load %2 : tensor<16x!tile.ptr<i32>>
    %4 = tile.splat %arg1 : !tile.ptr<i8> -> tensor<16x!tile.ptr<i8>>
    %5 = tile.addptr %4, %0 : tensor<16x!tile.ptr<i8>>, tensor<16xi32>
    %6 = tile.load %5 : tensor<16x!tile.ptr<i8>>
    %7 = arith.extui %6 : tensor<16xi8> to tensor<16xi32>
    %c1_i32 = arith.constant 1 : i32
    %8 = tile.splat %c1_i32 : i32 -> tensor<16xi32>
    %9 = arith.addi %7, %8 : tensor<16xi32>
    %10 = tile.div  signed %3, %9 : tensor<16xi32>
    %c7_i32 = arith.constant 7 : i32
    %11 = tile.splat %c7_i32 : i32 -> tensor<16xi32>
    %12 = tile.rem  signed %10, %11 : tensor<16xi32>
    %c2_i32 = arith.constant 2 : i32
    %13 = tile.splat %c2_i32 : i32 -> tensor<16xi32>
    %14 = tile.shl %3, %13 : tensor<16xi32>
    %15 = arith.addi %12, %14 : tensor<16xi32>
    %c1_i32_0 = arith.constant 1 : i32
    %16 = tile.splat %c1_i32_0 : i32 -> tensor<16xi32>
    %17 = tile.shr  signed %7, %16 : tensor<16xi32>
    %18 = arith.subi %15, %17 : tensor<16xi32>
    %19 = tile.splat %arg3 : i32 -> tensor<16xi32>
    %20 = arith.andi %3, %19 : tensor<16xi32>
    %21 = arith.xori %18, %20 : tensor<16xi32>
    %cst = arith.constant dense<-1> : tensor<16xi32>
    %22 = arith.xori %3, %cst : tensor<16xi32>
    %23 = arith.ori %21, %22 : tensor<16xi32>
    %cst_1 = arith.constant dense<0> : tensor<16xi32>
    %24 = arith.subi %cst_1, %3 : tensor<16xi32>
    %25 = arith.muli %23, %24 : tensor<16xi32>
    %26 = arith.addi %25, %7 : tensor<16xi32>
    %c3_i32 = arith.constant 3 : i32
    %27 = tile.splat %c3_i32 : i32 -> tensor<16xi32>
    %28 = tile.div  signed %26, %27 : tensor<16xi32>
    %c5_i32 = arith.constant 5 : i32
    %29 = tile.splat %c5_i32 : i32 -> tensor<16xi32>
    %30 = tile.rem  signed %28, %29 : tensor<16xi32>
    %c1_i32_2 = arith.constant 1 : i32
    %31 = tile.splat %c1_i32_2 : i32 -> tensor<16xi32>
    %32 = tile.shl %30, %31 : tensor<16xi32>
    %33 = tile.splat %arg3 : i32 -> tensor<16xi32>
    %34 = tile.shr  signed %32, %33 : tensor<16xi32>
    %c255_i32 = arith.constant 255 : i32
    %35 = tile.splat %c255_i32 : i32 -> tensor<16xi32>
    %36 = arith.andi %34, %35 : tensor<16xi32>
    %c1_i32_3 = arith.constant 1 : i32
    %37 = tile.splat %c1_i32_3 : i32 -> tensor<16xi32>
    %38 = arith.ori %36, %37 : tensor<16xi32>
    %39 = arith.xori %38, %3 : tensor<16xi32>
    %c1_i32_4 = arith.constant 1 : i32
    %40 = tile.splat %c1_i32_4 : i32 -> tensor<16xi32>
    %41 = arith.subi %39, %40 : tensor<16xi32>
    %42 = tile.splat %arg2 : !tile.ptr<i64> -> tensor<16x!tile.ptr<i64>>
    %43 = tile.addptr %42, %0 : tensor<16x!tile.ptr<i64>>, tensor<16xi32>
    %44 = arith.extsi %41 : tensor<16xi32> to tensor<16xi64>
    tile.store %43, %44 : tensor<16x!tile.ptr<i64>>
    return
  }
}

