func.func @mv(%A: tensor<?x?xf32>, %B: tensor<?xf32>, %C: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.matvec ins(%A, %B : tensor<?x?xf32>, tensor<?xf32>) outs(%C : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
