// mlir-opt selects.src.mlir --pass-pipeline='builtin.module(func.func(canonicalize))', then changed by hand
// Verdict: not equivalent
// Changed: line 18, the branches are exchanged; it was
//   %2 = arith.select %1, %0, %c3_i32 : i32
// RUN: %exits 1 hecv check %S/selects.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @selects
// SELF: {{^}}equivalent: @selects

module {
  func.func @selects(%arg0: memref<?xi32>, %arg1: memref<?xi1>) {
    %c3_i32 = arith.constant 3 : i32
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?xi32>
    affine.for %arg2 = 0 to %dim {
      %0 = affine.load %arg0[%arg2] : memref<?xi32>
      %1 = affine.load %arg1[%arg2] : memref<?xi1>
      %2 = arith.select %1, %c3_i32, %0 : i32
      affine.store %2, %arg0[%arg2] : memref<?xi32>
    }
    return
  }
}
