// mlir-opt softmax.src.mlir --pass-pipeline='builtin.module(func.func(cse))', then changed by hand
// Verdict: unknown: what a function gives elsewhere is not known, so nothing can be refuted
// Changed: line 16, the axis was 1
// RUN: %exits 3 hecv check %S/softmax.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}unknown: @softmax (0 runs;
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

