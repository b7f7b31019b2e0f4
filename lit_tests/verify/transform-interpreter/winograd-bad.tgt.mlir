// transform.structured.winograd_conv2d of the convolution, then changed by hand
// Verdict: not equivalent
// Changed: the output that is added to is zero, not what was given
// RUN: %exits 1 hecv check %S/winograd.src.mlir %s --fp real | FileCheck %s
// RUN: %exits 0 hecv check %s %s --fp real | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @conv
// SELF: {{^}}equivalent: @conv

func.func @conv(%arg0: tensor<1x4x4x2xf32>, %arg1: tensor<1x3x3x2xf32>, %arg2: tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32> {
  %0 = tensor.empty() : tensor<4x4x2x1xf32>
  %1 = linalg.winograd_filter_transform fmr(F_2_3) ins(%arg1 : tensor<1x3x3x2xf32>) outs(%0 : tensor<4x4x2x1xf32>) -> tensor<4x4x2x1xf32>
  %2 = tensor.empty() : tensor<4x4x1x1x1x2xf32>
  %3 = linalg.winograd_input_transform fmr(F_2_3) ins(%arg0 : tensor<1x4x4x2xf32>) outs(%2 : tensor<4x4x1x1x1x2xf32>) -> tensor<4x4x1x1x1x2xf32>
  %collapsed = tensor.collapse_shape %1 [[0, 1], [2], [3]] : tensor<4x4x2x1xf32> into tensor<16x2x1xf32>
  %collapsed_0 = tensor.collapse_shape %3 [[0, 1], [2, 3, 4], [5]] : tensor<4x4x1x1x1x2xf32> into tensor<16x1x2xf32>
  %4 = tensor.empty() : tensor<16x1x1xf32>
  %cst = arith.constant 0.000000e+00 : f32
  %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<16x1x1xf32>) -> tensor<16x1x1xf32>
  %6 = linalg.batch_matmul ins(%collapsed_0, %collapsed : tensor<16x1x2xf32>, tensor<16x2x1xf32>) outs(%5 : tensor<16x1x1xf32>) -> tensor<16x1x1xf32>
  %expanded = tensor.expand_shape %6 [[0, 1], [2, 3, 4], [5]] output_shape [4, 4, 1, 1, 1, 1] : tensor<16x1x1xf32> into tensor<4x4x1x1x1x1xf32>
  %e = tensor.empty() : tensor<1x2x2x1xf32>
  %z = linalg.fill ins(%cst : f32) outs(%e : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  %7 = linalg.winograd_output_transform fmr(F_2_3) ins(%expanded : tensor<4x4x1x1x1x1xf32>) outs(%z : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  return %7 : tensor<1x2x2x1xf32>
}
