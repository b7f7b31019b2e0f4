// mlir-opt softmax.src.mlir --pass-pipeline='builtin.module(func.func(cse))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/softmax.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/softmax.src.mlir %S/softmax.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @softmax (proved; 0 runs;
// CHECK: assumes: ops without semantics here are functions of their operands and{{[[:space:]]+}}attributes: tosa.const, tosa.exp

module {
  func.func @softmax(%arg0: tensor<4x8xf32>, %arg1: i1) -> tensor<4x8xf32> {
    %0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %1 = tosa.exp %arg0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = scf.if %arg1 -> (tensor<4x8xf32>) {
      scf.yield %1 : tensor<4x8xf32>
    } else {
      %3 = tosa.reduce_sum %1 {axis = 1 : i32} : (tensor<4x8xf32>) -> tensor<4x1xf32>
      %4 = tosa.reciprocal %3 : (tensor<4x1xf32>) -> tensor<4x1xf32>
      %5 = tosa.mul %1, %4, %0 : (tensor<4x8xf32>, tensor<4x1xf32>, tensor<1xi8>) -> tensor<4x8xf32>
      scf.yield %5 : tensor<4x8xf32>
    }
    return %2 : tensor<4x8xf32>
  }
}

