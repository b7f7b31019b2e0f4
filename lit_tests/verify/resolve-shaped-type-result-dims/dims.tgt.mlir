// mlir-opt dims.src.mlir --pass-pipeline='builtin.module(resolve-shaped-type-result-dims)'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/dims.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/dims.src.mlir %S/dims.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @fill

module {
  func.func @fill(%arg0: memref<?x?xf32>, %arg1: index, %arg2: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?xf32>
    %subview = memref.subview %arg0[0, 1] [%dim, %arg1] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: 1>>
    scf.for %arg3 = %c0 to %dim step %c1 {
      scf.for %arg4 = %c0 to %arg1 step %c1 {
        memref.store %arg2, %subview[%arg3, %arg4] : memref<?x?xf32, strided<[?, 1], offset: 1>>
      }
    }
    return
  }
}
