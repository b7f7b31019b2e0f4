// Products of queries and keys, in two types.
func.func @scores(%q: tensor<1x4x8xf32>, %k: tensor<1x16x8xf32>) -> tensor<1x4x16xf32> {
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %kt = tosa.transpose %k {perms = array<i32: 0, 2, 1>} : (tensor<1x16x8xf32>) -> tensor<1x8x16xf32>
  %s = tosa.matmul %q, %kt, %zero, %zero : (tensor<1x4x8xf32>, tensor<1x8x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x16xf32>
  return %s : tensor<1x4x16xf32>
}

func.func @narrow_scores(%q: tensor<1x4x8xi8>, %k: tensor<1x16x8xi8>) -> tensor<1x4x16xi32> {
  %zero = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %kt = tosa.transpose %k {perms = array<i32: 0, 2, 1>} : (tensor<1x16x8xi8>) -> tensor<1x8x16xi8>
  %s = tosa.matmul %q, %kt, %zero, %zero : (tensor<1x4x8xi8>, tensor<1x8x16xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x16xi32>
  return %s : tensor<1x4x16xi32>
}
