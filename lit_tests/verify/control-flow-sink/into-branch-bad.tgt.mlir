// mlir-opt into-branch.src.mlir --pass-pipeline='builtin.module(func.func(control-flow-sink))', then changed by hand
// Verdict: not equivalent
// Changed: line 19, one factor is the element; it was
//   %4 = arith.muli %3, %3 : i32
// RUN: %exits 1 hecv check %S/into-branch.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @sink
// SELF: {{^}}equivalent: @sink

module {
  func.func @sink(%arg0: memref<8xi32>, %arg1: memref<8xi32>) {
    %c0_i32 = arith.constant 0 : i32
    affine.for %arg2 = 0 to 8 {
      %0 = affine.load %arg0[%arg2] : memref<8xi32>
      %1 = affine.load %arg1[%arg2] : memref<8xi32>
      %2 = arith.cmpi sgt, %0, %c0_i32 : i32
      scf.if %2 {
        %3 = arith.addi %0, %1 : i32
        %4 = arith.muli %3, %0 : i32
        affine.store %4, %arg1[%arg2] : memref<8xi32>
      }
    }
    return
  }
}
