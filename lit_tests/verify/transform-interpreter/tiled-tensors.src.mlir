func.func @mm(%A: tensor<4x8xf32>, %B: tensor<8x6xf32>, %C: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<4x8xf32>, tensor<8x6xf32>) outs(%C : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}
