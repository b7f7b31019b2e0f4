// Products over padding that zeros fill.

func.func @padded(%A: tensor<8x6xi32>, %B: tensor<6x10xi32>, %C: tensor<8x10xi32>) -> tensor<8x10xi32> {
  %r = linalg.matmul ins(%A, %B : tensor<8x6xi32>, tensor<6x10xi32>) outs(%C : tensor<8x10xi32>) -> tensor<8x10xi32>
  return %r : tensor<8x10xi32>
}

func.func @packed(%A: tensor<8x6xi32>, %B: tensor<6x10xi32>, %C: tensor<8x10xi32>) -> tensor<8x10xi32> {
  %r = linalg.matmul ins(%A, %B : tensor<8x6xi32>, tensor<6x10xi32>) outs(%C : tensor<8x10xi32>) -> tensor<8x10xi32>
  return %r : tensor<8x10xi32>
}
