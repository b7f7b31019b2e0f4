// A matrix product, what a model does with it, and a factor that is made positive once more than it need be.
func.func @mlp(%x: tensor<1x4x8xf32>, %w: tensor<1x8x16xf32>) -> tensor<1x4x16xf32> {
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %a = tosa.abs %w : (tensor<1x8x16xf32>) -> tensor<1x8x16xf32>
  %b = tosa.abs %a : (tensor<1x8x16xf32>) -> tensor<1x8x16xf32>
  %p = tosa.matmul %x, %b, %zero, %zero : (tensor<1x4x8xf32>, tensor<1x8x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x16xf32>
  %s = tosa.sigmoid %p : (tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  %t = tosa.tanh %s : (tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  %c = tosa.ceil %t : (tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  return %c : tensor<1x4x16xf32>
}
