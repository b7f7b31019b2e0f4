func.func @mm(%A: tensor<8x6xf32>, %B: tensor<6x10xf32>, %C: tensor<8x10xf32>) -> tensor<8x10xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<8x6xf32>, tensor<6x10xf32>) outs(%C : tensor<8x10xf32>) -> tensor<8x10xf32>
  return %r : tensor<8x10xf32> }
