// What laws of their own do not decide of `tosa` and `stablehlo` is decided of what MLIR lowers them to.
// RUN: split-file %s %t
// RUN: %exits 0 hecv check %t/src.mlir %t/tgt.mlir | FileCheck %s
// RUN: %exits 1 hecv check %t/src.mlir %t/bad.mlir | FileCheck %s --check-prefix=BAD

// CHECK: {{^}}equivalent: @normalized
// CHECK: {{^}}equivalent: @doubled
// CHECK-EMPTY:
// CHECK:   = assumes: ops of tosa are what MLIR lowers them to [@normalized]
// CHECK:   = assumes: ops of stablehlo are what MLIR lowers them to [@doubled]

// BAD: {{^}}not equivalent: @normalized
// BAD:   = note: both were run on this input by the interpreter and by MLIR's JIT
// BAD: {{^}}not equivalent: @doubled
// BAD:   = note: both were run on this input by the interpreter and by MLIR's JIT
// BAD:   = assumes: ops of tosa are what MLIR lowers them to [@normalized]

//--- src.mlir
func.func @normalized(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %zero = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %sum = tosa.add %a, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %t = tosa.tanh %sum : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %all = tosa.reduce_sum %t {axis = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %r = tosa.mul %t, %all, %zero : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<1xi8>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @doubled(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %r = stablehlo.add %p, %p : tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

//--- tgt.mlir
func.func @normalized(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %zero = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %sum = tosa.add %b, %a : (tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %t = tosa.tanh %sum : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %all = tosa.reduce_sum %t {axis = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %r = tosa.mul %all, %t, %zero : (tensor<2x1xf32>, tensor<2x3xf32>, tensor<1xi8>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @doubled(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<2x2xf32>
  %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %r = stablehlo.multiply %p, %two : tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

//--- bad.mlir
func.func @normalized(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %zero = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %sum = tosa.add %a, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %t = tosa.tanh %sum : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %all = tosa.reduce_max %t {axis = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %r = tosa.mul %t, %all, %zero : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<1xi8>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @doubled(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %two = stablehlo.constant dense<[[2.0, 2.0], [2.0, 1.0]]> : tensor<2x2xf32>
  %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %r = stablehlo.multiply %p, %two : tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
