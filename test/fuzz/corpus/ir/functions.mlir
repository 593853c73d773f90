module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  func.func @k(%arg0: !tile.ptr<f32> {tile.name = "out"}, %arg1: f32 {tile.name = "x"}, %arg2: i32 {tile.name = "n"}) attributes {tile.kernel} {
    %c3_i32 = arith.constant 3 : i32
    %0 = arith.cmpi sgt, %arg2, %c3_i32 : i32
    %1 = scf.if %0 -> (f32) {
      scf.yield %arg1 : f32
    } else {
      %c0_i32 = arith.constant 0 : i32
      %13 = arith.cmpi slt, %arg2, %c0_i32 : i32
      %14 = scf.if %13 -> (f32) {
        %15 = arith.negf %arg1 : f32
        scf.yield %15 : f32
      } else {
        %cst_4 = arith.constant 2.000000e+00 : f32
        %15 = arith.mulf %arg1, %cst_4 : f32
        scf.yield %15 : f32
      }
      scf.yield %14 : f32
    }
    %c1_i32 = arith.constant 1 : i32
    %2 = arith.addi %arg2, %c1_i32 : i32
    %c3_i32_0 = arith.constant 3 : i32
    %3 = arith.cmpi sgt, %2, %c3_i32_0 : i32
    %4 = scf.if %3 -> (f32) {
      scf.yield %1 : f32
    } else {
      %c0_i32 = arith.constant 0 : i32
      %13 = arith.cmpi slt, %2, %c0_i32 : i32
      %14 = scf.if %13 -> (f32) {
        %15 = arith.negf %1 : f32
        scf.yield %15 : f32
      } else {
        %cst_4 = arith.constant 2.000000e+00 : f32
        %15 = arith.mulf %1, %cst_4 : f32
        scf.yield %15 : f32
      }
      scf.yield %14 : f32
    }
    %5 = arith.addf %arg1, %4 : f32
    %c3_i32_1 = arith.constant 3 : i32
    %6 = arith.cmpi sgt, %arg2, %c3_i32_1 : i32
    %7 = scf.if %6 -> (f32) {
      scf.yield %arg1 : f32
    } else {
      %c0_i32 = arith.constant 0 : i32
      %13 = arith.cmpi slt, %arg2, %c0_i32 : i32
      %14 = scf.if %13 -> (f32) {
        %15 = arith.negf %arg1 : f32
        scf.yield %15 : f32
      } else {
        %cst_4 = arith.constant 2.000000e+00 : f32
        %15 = arith.mulf %arg1, %cst_4 : f32
        scf.yield %15 : f32
      }
      scf.yield %14 : f32
    }
    %c1_i32_2 = arith.constant 1 : i32
    %8 = arith.addi %arg2, %c1_i32_2 : i32
    %c3_i32_3 = arith.constant 3 : i32
    %9 = arith.cmpi sgt, %8, %c3_i32_3 : i32
    %10 = scf.if %9 -> (f32) {
      scf.yield %7 : f32
    } else {
      %c0_i32 = arith.constant 0 : i32
      %13 = arith.cmpi slt, %8, %c0_i32 : i32
      %14 = scf.if %13 -> (f32) {
        %15 = arith.negf %7 : f32
        scf.yield %15 : f32
      } else {
        %cst_4 = arith.constant 2.000000e+00 : f32
        %15 = arith.mulf %7, %cst_4 : f32
        scf.yield %15 : f32
      }
      scf.yield %14 : f32
    }
    %11 = arith.addf %5, %10 : f32
    %cst = arith.constant 3.000000e+00 : f32
    %12 = arith.addf %11, %cst : f32
    tile.store %arg0, %12 : !tile.ptr<f32>
    return
  }
}

