// A layer of a model from tosa on tensors to loops on memrefs, pass by pass: ops of tosa by what MLIR lowers them to, then
// bufferization, which changes the signature.
// RUN: %exits 0 hecv opt %s --pass-pipeline='builtin.module(func.func(tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith),one-shot-bufferize{bufferize-function-boundaries},func.func(convert-linalg-to-affine-loops,affine-loop-fusion),lower-affine,convert-scf-to-cf)' | FileCheck %s

// CHECK:  1  tosa-to-linalg-named {{ *}}equivalent
// CHECK:  2  tosa-to-linalg {{ *}}equivalent
// CHECK:  4  one-shot-bufferize{bufferize-function-boundaries} {{ *}}equivalent
// CHECK:  5  convert-linalg-to-affine-loops {{ *}}equivalent
// CHECK:  8  convert-scf-to-cf {{ *}}equivalent
// CHECK:   = assumes: ops of tosa are what MLIR lowers them to
// CHECK:   = assumes: the buffer of a tensor argument holds nothing else, and no one

func.func @layer(%a: tensor<1x4x8xf32>, %w: tensor<1x8x3xf32>, %b: tensor<1x1x3xf32>) -> tensor<1x4x3xf32> {
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %m = tosa.matmul %a, %w, %zero, %zero
    : (tensor<1x4x8xf32>, tensor<1x8x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x3xf32>
  %s = tosa.add %m, %b : (tensor<1x4x3xf32>, tensor<1x1x3xf32>) -> tensor<1x4x3xf32>
  %r = tosa.clamp %s {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x4x3xf32>) -> tensor<1x4x3xf32>
  return %r : tensor<1x4x3xf32>
}
