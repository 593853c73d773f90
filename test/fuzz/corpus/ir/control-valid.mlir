module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  func.func @k(%arg0: !tile.ptr<i32> {tile.name = "out"}, %arg1: i32 {tile.name = "n"}, %arg2: i32 {tile.name = "m"}) attributes {tile.kernel} {
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %c0_i32_0 = arith.constant 0 : i32
    %0 = scf.for %arg3 = %c0_i32 to %arg1 step %c1_i32 iter_args(%arg4 = %c0_i32_0) -> (i32)  : i32 {
      %4 = arith.cmpi ne, %arg3, %arg2 : i32
      %c2_i32 = arith.constant 2 : i32
      %5 = tile.rem  signed %arg3, %c2_i32 : i32
      %c0_i32_1 = arith.constant 0 : i32
      %6 = arith.cmpi ne, %5, %c0_i32_1 : i32
      %7 = arith.andi %4, %6 : i1
      %8 = scf.if %7 -> (i32) {
        %10 = arith.addi %arg4, %arg3 : i32
        scf.yield %10 : i32
      } else {
        scf.yield %arg4 : i32
      }
      %c0_i32_2 = arith.constant 0 : i32
      %c2_i32_3 = arith.constant 2 : i32
      %9 = scf.for %arg5 = %c0_i32_2 to %arg3 step %c2_i32_3 iter_args(%arg6 = %8) -> (i32)  : i32 {
        %10 = arith.subi %arg6, %arg5 : i32
        scf.yield %10 : i32
      }
      scf.yield %9 : i32
    }
    %1 = scf.while (%arg3 = %0) : (i32) -> i32 {
      %c10_i32 = arith.constant 10 : i32
      %4 = arith.cmpi sgt, %arg3, %c10_i32 : i32
      %5 = arith.cmpi ne, %arg3, %arg2 : i32
      %6 = arith.andi %4, %5 : i1
      scf.condition(%6) %arg3 : i32
    } do {
    ^bb0(%arg3: i32):
      %c2_i32 = arith.constant 2 : i32
      %4 = tile.div  signed %arg3, %c2_i32 : i32
      scf.yield %4 : i32
    }
    %2 = arith.cmpi eq, %1, %arg2 : i32
    %true = arith.constant true
    %3 = arith.xori %2, %true : i1
    scf.if %3 {
      %c10_i32 = arith.constant 10 : i32
      %c-1_i32 = arith.constant -1 : i32
      %c3_i32 = arith.constant 3 : i32
      %c0_i32_1 = arith.constant 0 : i32
      %4 = arith.subi %c10_i32, %c-1_i32 : i32
      %5 = scf.for %arg3 = %c0_i32_1 to %4 step %c3_i32 iter_args(%arg4 = %1) -> (i32)  : i32 {
        %8 = arith.subi %c10_i32, %arg3 : i32
        %9 = arith.addi %arg4, %8 : i32
        scf.yield %9 : i32
      }
      %6 = arith.cmpi sgt, %arg1, %arg2 : i32
      %7 = scf.if %6 -> (i32) {
        scf.yield %5 : i32
      } else {
        %c0_i32_2 = arith.constant 0 : i32
        %8 = arith.subi %c0_i32_2, %5 : i32
        scf.yield %8 : i32
      }
      tile.store %arg0, %7 : !tile.ptr<i32>
    }
    return
  }
}

