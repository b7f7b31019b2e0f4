// mlir-opt calls.src.mlir --pass-pipeline='builtin.module(inline)'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/calls.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/calls.src.mlir %S/calls.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @caller

module {
  func.func @caller(%arg0: memref<16xi32>, %arg1: i32) {
    %c1_i32 = arith.constant 1 : i32
    affine.for %arg2 = 0 to 16 {
      %0 = affine.load %arg0[%arg2] : memref<16xi32>
      %1 = arith.muli %0, %arg1 : i32
      %2 = arith.addi %1, %c1_i32 : i32
      affine.store %2, %arg0[%arg2] : memref<16xi32>
    }
    return
  }
}
