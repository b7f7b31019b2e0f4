func.func @conv(%a: tensor<1x4x4x2xf32>, %b: tensor<1x3x3x2xf32>, %c: tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32> {
  %0 = linalg.conv_2d_nhwc_fhwc ins(%a, %b : tensor<1x4x4x2xf32>, tensor<1x3x3x2xf32>) outs(%c : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  return %0 : tensor<1x2x2x1xf32>
}
