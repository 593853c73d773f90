module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  func.func @k(%arg0: !tile.ptr<i8> {tile.name = "a"}, %arg1: !tile.ptr<i8> {tile.name = "b"}, %arg2: !tile.ptr<i16> {tile.name = "c"}, %arg3: !tile.ptr<i1> {tile.name = "d"}) attributes {tile.kernel} {
    %0 = tile.range 0 to 16 : tensor<16xi32>
    %1 = tile.splat %arg0 : !tile.ptr<i8> -> tensor<16x!tile.ptr<i8>>
    %2 = tile.addptr %1, %0 : tensor<16x!tile.ptr<i8>>, tensor<16xi32>
    %3 = tile.load %2 : tensor<16x!tile.ptr<i8>>
    %4 = tile.splat %arg1 : !tile.ptr<i8> -> tensor<16x!tile.ptr<i8>>
    %5 = tile.addptr %4, %0 : tensor<16x!tile.ptr<i8>>, tensor<16xi32>
    %6 = tile.load %5 : tensor<16x!tile.ptr<i8>>
    %7 = tile.from_fp8  e5m2 %6 : tensor<16xi8> -> tensor<16xf32>
    %8 = arith.sitofp %3 : tensor<16xi8> to tensor<16xf16>
    %9 = arith.bitcast %8 : tensor<16xf16> to tensor<16xi16>
    %10 = tile.splat %arg2 : !tile.ptr<i16> -> tensor<16x!tile.ptr<i16>>
    %11 = tile.addptr %10, %0 : tensor<16x!tile.ptr<i16>>, tensor<16xi32>
    tile.store %11, %9 : tensor<16x!tile.ptr<i16>>
    %12 = tile.splat %arg3 : !tile.ptr<i1> -> tensor<16x!tile.ptr<i1>>
    %13 = tile.addptr %12, %0 : tensor<16x!tile.ptr<i1>>, tensor<16xi32>
    %cst = arith.constant 0.000000e+00 : f32
    %14 = tile.splat %cst : f32 -> tensor<16xf32>
    %15 = arith.cmpf une, %7, %14 : tensor<16xf32>
    %c0_i8 = arith.constant 0 : i8
    %16 = tile.splat %c0_i8 : i8 -> tensor<16xi8>
    %17 = arith.cmpi sgt, %3, %16 : tensor<16xi8>
    %18 = arith.andi %15, %17 : tensor<16xi1>
    tile.store %13, %18 : tensor<16x!tile.ptr<i1>>
    %19 = tile.splat %arg1 : !tile.ptr<i8> -> tensor<16x!tile.ptr<i8>>
    %20 = tile.addptr %19, %0 : tensor<16x!tile.ptr<i8>>, tensor<16xi32>
    %21 = tile.to_fp8  e5m2 %7 round  rtne : tensor<16xf32> -> tensor<16xi8>
    tile.store %20, %21 : tensor<16x!tile.ptr<i8>>
    %22 = arith.truncf %7 toward_zero : tensor<16xf32> to tensor<16xf16>
    %23 = tile.splat %arg0 : !tile.ptr<i8> -> tensor<16x!tile.ptr<i8>>
    %24 = tile.addptr %23, %0 : tensor<16x!tile.ptr<i8>>, tensor<16xi32>
    %c1_i8 = arith.constant 1 : i8
    %cst_0 = arith.constant dense<0> : tensor<16xi8>
    %25 = arith.cmpi ne, %3, %cst_0 : tensor<16xi8>
    %26 = arith.extui %25 : tensor<16xi1> to tensor<16xi8>
    %27 = tile.splat %c1_i8 : i8 -> tensor<16xi8>
    %28 = arith.addi %27, %26 : tensor<16xi8>
    %29 = tile.fp_to_int  signed %22 : tensor<16xf16> -> tensor<16xi8>
    %30 = arith.addi %28, %29 : tensor<16xi8>
    tile.store %24, %30 : tensor<16x!tile.ptr<i8>>
    %31 = tile.ptr_cast %arg2 : !tile.ptr<i16> -> !tile.ptr<i8>
    %32 = tile.splat %31 : !tile.ptr<i8> -> tensor<16x!tile.ptr<i8>>
    %33 = tile.addptr %32, %0 : tensor<16x!tile.ptr<i8>>, tensor<16xi32>
    %34 = tile.ptr_to_int %31 : !tile.ptr<i8> -> i64
    %35 = arith.trunci %34 : i64 to i8
    %36 = tile.splat %35 : i8 -> tensor<16xi8>
    tile.store %33, %36 : tensor<16x!tile.ptr<i8>>
    return
  }
}

