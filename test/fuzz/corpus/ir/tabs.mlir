module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  func.func @k(%arg0: !tile.ptr<f32> {tile.name = "x"}, %arg1: i32 {tile.name = "n"}) attributes {tile.kernel} {
    %0 = tile.addptr %arg0, %arg1 : !tile.ptr<f32>, i32
    %1 = tile.load %0 : !tile.ptr<f32>
    %c0_i32 = arith.constant 0 : i32
    %2 = arith.cmpi ne, %arg1, %c0_i32 : i32
    scf.if %2 {
      tile.store %arg0, %1 : !tile.ptr<f32>
    } else {
      %3 = arith.negf %1 : f32
      tile.store %arg0, %3 : !tile.ptr<f32>
    }
    return
  }
}

