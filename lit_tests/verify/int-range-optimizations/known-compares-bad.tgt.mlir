// mlir-opt known-compares.src.mlir --pass-pipeline='builtin.module(int-range-optimizations)', then changed by hand
// Verdict: not equivalent
// Changed: line 12, the mask is the bound; it was
//   %c15_i32 = arith.constant 15 : i32
// RUN: %exits 1 hecv check %S/known-compares.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @compares
// SELF: {{^}}equivalent: @compares

module {
  func.func @compares(%arg0: memref<32xi32>, %arg1: memref<32xi32>) {
    %c15_i32 = arith.constant 16 : i32
    affine.for %arg2 = 0 to 32 {
      %0 = affine.load %arg0[%arg2] : memref<32xi32>
      %1 = arith.andi %0, %c15_i32 : i32
      affine.store %1, %arg1[%arg2] : memref<32xi32>
    }
    return
  }
}
