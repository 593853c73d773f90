module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  func.func @k(%arg0: !tile.ptr<i32> {tile.name = "out"}) attributes {tile.kernel} {
    %0 = tile.num_programs 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %1 = arith.addi %c1_i32, %0 : i32
    %2 = tile.program_id 2 : i32
    %3 = arith.addi %1, %2 : i32
    tile.store %arg0, %3 : !tile.ptr<i32>
    return
  }
}

