// GELU by erf and by tanh, as torch-mlir lowers them to tosa.
func.func @gelu(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %half = "tosa.const"() <{values = dense<5.000000e-01> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %root = "tosa.const"() <{values = dense<0.707106769> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %one = "tosa.const"() <{values = dense<1.000000e+00> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %three = "tosa.const"() <{values = dense<3.000000e+00> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %cubic = "tosa.const"() <{values = dense<4.471500e-02> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %slope = "tosa.const"() <{values = dense<0.797884583> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %h = tosa.mul %x, %half, %shift : (tensor<4x8xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<4x8xf32>
  %0 = tosa.mul %x, %root, %shift : (tensor<4x8xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<4x8xf32>
  %1 = tosa.erf %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = tosa.add %1, %one : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xf32>
  %erf = tosa.mul %h, %2, %shift : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<1xi8>) -> tensor<4x8xf32>
  %3 = tosa.pow %x, %three : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xf32>
  %4 = tosa.mul %3, %cubic, %shift : (tensor<4x8xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<4x8xf32>
  %5 = tosa.add %x, %4 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %6 = tosa.mul %5, %slope, %shift : (tensor<4x8xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<4x8xf32>
  %7 = tosa.tanh %6 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %8 = tosa.add %7, %one : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xf32>
  %tanh = tosa.mul %h, %8, %shift : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<1xi8>) -> tensor<4x8xf32>
  return %erf, %tanh : tensor<4x8xf32>, tensor<4x8xf32>
}
