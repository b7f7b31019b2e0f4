// mlir-opt known-compares.src.mlir --pass-pipeline='builtin.module(int-range-optimizations)'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/known-compares.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/known-compares.src.mlir %S/known-compares.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @compares

module {
  func.func @compares(%arg0: memref<32xi32>, %arg1: memref<32xi32>) {
    %c15_i32 = arith.constant 15 : i32
    affine.for %arg2 = 0 to 32 {
      %0 = affine.load %arg0[%arg2] : memref<32xi32>
      %1 = arith.andi %0, %c15_i32 : i32
      affine.store %1, %arg1[%arg2] : memref<32xi32>
    }
    return
  }
}
