// One head of attention as torch-mlir lowers it to tosa.
func.func @attention(%q: tensor<1x16x8xf32>, %k: tensor<1x16x8xf32>, %v: tensor<1x16x8xf32>) -> tensor<1x16x8xf32> {
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %scale = "tosa.const"() <{values = dense<0.353553385> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %kt = tosa.transpose %k {perms = array<i32: 0, 2, 1>} : (tensor<1x16x8xf32>) -> tensor<1x8x16xf32>
  %qk = tosa.matmul %q, %kt, %zero, %zero : (tensor<1x16x8xf32>, tensor<1x8x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x16x16xf32>
  %s = tosa.mul %qk, %scale, %shift : (tensor<1x16x16xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x16x16xf32>
  %max = tosa.reduce_max %s {axis = 2 : i32} : (tensor<1x16x16xf32>) -> tensor<1x16x1xf32>
  %less = tosa.sub %s, %max : (tensor<1x16x16xf32>, tensor<1x16x1xf32>) -> tensor<1x16x16xf32>
  %exp = tosa.exp %less : (tensor<1x16x16xf32>) -> tensor<1x16x16xf32>
  %sum = tosa.reduce_sum %exp {axis = 2 : i32} : (tensor<1x16x16xf32>) -> tensor<1x16x1xf32>
  %over = tosa.reciprocal %sum : (tensor<1x16x1xf32>) -> tensor<1x16x1xf32>
  %p = tosa.mul %exp, %over, %shift : (tensor<1x16x16xf32>, tensor<1x16x1xf32>, tensor<1xi8>) -> tensor<1x16x16xf32>
  %o = tosa.matmul %p, %v, %zero, %zero : (tensor<1x16x16xf32>, tensor<1x16x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x16x8xf32>
  return %o : tensor<1x16x8xf32>
}
