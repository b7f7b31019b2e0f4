func.func @scaled(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %m = linalg.mul ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%A : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e = linalg.add ins(%m, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%A : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}
