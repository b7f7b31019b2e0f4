func.func @layer(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}
func.func @sum(%a: tensor<?xi32>, %b: tensor<?xi32>) -> (tensor<?xi32>, index) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xi32>
  %e = tensor.empty(%n) : tensor<?xi32>
  %r = linalg.add ins(%a, %b : tensor<?xi32>, tensor<?xi32>) outs(%e : tensor<?xi32>) -> tensor<?xi32>
  return %r, %n : tensor<?xi32>, index
}
func.func @keep(%t: tensor<8xi32>, %x: i32, %i: index, %j: index) -> (tensor<8xi32>, i32) {
  %u = tensor.insert %x into %t[%i] : tensor<8xi32>
  %old = tensor.extract %t[%j] : tensor<8xi32>
  return %u, %old : tensor<8xi32>, i32
}
