func.func @scale(%x: !tile.ptr<f32> {tile.name = "x"}, %n: i32) attributes {tile.kernel} {
  %range = tile.range 0 to 64 : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %at = tile.addptr %base, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %value = tile.load %at : tensor<64x!tile.ptr<f32>>
  %more = arith.addf %value, %value : tensor<64xf32>
  tile.store %at, %more : tensor<64x!tile.ptr<f32>>
  return
}
func.func @other() attributes {tile.kernel} {
  return
}
