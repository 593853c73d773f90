func.func @huge(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<2097152x!tile.ptr<f32>>
  %value = tile.load %base : tensor<2097152x!tile.ptr<f32>>
  tile.store %base, %value : tensor<2097152x!tile.ptr<f32>>
  return
}
