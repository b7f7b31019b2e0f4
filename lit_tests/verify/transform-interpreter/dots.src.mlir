// A product whose sums may be in any order.

func.func @mm(%A: tensor<5x4xi32>, %B: tensor<4x3xi32>, %C: tensor<5x3xi32>) -> tensor<5x3xi32> {
  %r = linalg.matmul ins(%A, %B : tensor<5x4xi32>, tensor<4x3xi32>) outs(%C : tensor<5x3xi32>) -> tensor<5x3xi32>
  return %r : tensor<5x3xi32> }
