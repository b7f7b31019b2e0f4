// mlir-opt softmax.src.mlir --pass-pipeline='builtin.module(func.func(cse))', then changed by hand
// Verdict: not equivalent, by what MLIR lowers the ops to
// Changed: line 18, the axis was 1
// RUN: %exits 1 hecv check %S/softmax.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @softmax
// CHECK:   = note: both were run on this input by the interpreter and by MLIR's JIT
// CHECK:   = assumes: ops of tosa are what MLIR lowers them to
// SELF: {{^}}equivalent: @softmax

module {
  func.func @softmax(%arg0: tensor<4x8xf32>, %arg1: i1) -> tensor<4x8xf32> {
    %0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %1 = tosa.exp %arg0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = scf.if %arg1 -> (tensor<4x8xf32>) {
      scf.yield %1 : tensor<4x8xf32>
    } else {
      %3 = tosa.reduce_sum %1 {axis = 0 : i32} : (tensor<4x8xf32>) -> tensor<1x8xf32>
      %4 = tosa.reciprocal %3 : (tensor<1x8xf32>) -> tensor<1x8xf32>
      %5 = tosa.mul %1, %4, %0 : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<1xi8>) -> tensor<4x8xf32>
      scf.yield %5 : tensor<4x8xf32>
    }
    return %2 : tensor<4x8xf32>
  }
}

