module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  func.func @k(%arg0: !tile.ptr<i32> {tile.name = "out"}, %arg1: i32 {tile.name = "n"}) attributes {tile.kernel} {
    %c720_i32 = arith.constant 720 : i32
    %0 = arith.addi %c720_i32, %arg1 : i32
    tile.store %arg0, %0 : !tile.ptr<i32>
    return
  }
}

