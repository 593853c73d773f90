func.func @f(%a: tensor<64xi32>, %x: tensor<64xf32>) -> (tensor<64xi32>, tensor<64xf32>) {
  %0 = arith.divsi %a, %a : tensor<64xi32>
  %1 = math.exp %x : tensor<64xf32>
  %2 = arith.addf %1, %x : tensor<64xf32>
  return %0, %2 : tensor<64xi32>, tensor<64xf32>
}
