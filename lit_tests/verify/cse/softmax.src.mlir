// Ops without semantics here: the exponentials are computed twice, in a branch too, and once for nothing.
func.func @softmax(%x: tensor<4x8xf32>, %plain: i1) -> tensor<4x8xf32> {
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %e = tosa.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %f = tosa.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %unused = tosa.log %f : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = scf.if %plain -> (tensor<4x8xf32>) {
    %g = tosa.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    scf.yield %g : tensor<4x8xf32>
  } else {
    %s = tosa.reduce_sum %f {axis = 1 : i32} : (tensor<4x8xf32>) -> tensor<4x1xf32>
    %o = tosa.reciprocal %s : (tensor<4x1xf32>) -> tensor<4x1xf32>
    %p = tosa.mul %e, %o, %shift : (tensor<4x8xf32>, tensor<4x1xf32>, tensor<1xi8>) -> tensor<4x8xf32>
    scf.yield %p : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}
