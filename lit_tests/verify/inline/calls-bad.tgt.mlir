// mlir-opt calls.src.mlir --pass-pipeline='builtin.module(inline)', then changed by hand
// Verdict: not equivalent
// Changed: line 15, the factor is the element; it was
//   %1 = arith.muli %0, %arg1 : i32
// RUN: %exits 1 hecv check %S/calls.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @caller
// SELF: {{^}}equivalent: @caller

module {
  func.func @caller(%arg0: memref<16xi32>, %arg1: i32) {
    %c1_i32 = arith.constant 1 : i32
    affine.for %arg2 = 0 to 16 {
      %0 = affine.load %arg0[%arg2] : memref<16xi32>
      %1 = arith.muli %0, %0 : i32
      %2 = arith.addi %1, %c1_i32 : i32
      affine.store %2, %arg0[%arg2] : memref<16xi32>
    }
    return
  }
}
