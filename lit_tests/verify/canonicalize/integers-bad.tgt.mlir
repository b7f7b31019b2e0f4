// mlir-opt integers.src.mlir --pass-pipeline='builtin.module(func.func(canonicalize))', then changed by hand
// Verdict: not equivalent
// Changed: line 12, the constants were subtracted; it was
//   %c12_i32 = arith.constant 12 : i32
// RUN: %exits 1 hecv check %S/integers.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @integers
// SELF: {{^}}equivalent: @integers

module {
  func.func @integers(%arg0: memref<?xi32>, %arg1: i32) {
    %c12_i32 = arith.constant 2 : i32
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?xi32>
    affine.for %arg2 = 0 to %dim {
      %0 = affine.load %arg0[%arg2] : memref<?xi32>
      %1 = arith.addi %0, %c12_i32 : i32
      affine.store %1, %arg0[%arg2] : memref<?xi32>
    }
    return
  }
}
