// mlir-opt local-buffer.src.mlir --pass-pipeline='builtin.module(func.func(affine-scalrep))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/local-buffer.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/local-buffer.src.mlir %S/local-buffer.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @local

module {
  func.func @local(%arg0: memref<?xf32>, %arg1: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?xf32>
    affine.for %arg2 = 0 to %dim {
      %0 = affine.load %arg0[%arg2] : memref<?xf32>
      %1 = arith.mulf %0, %0 : f32
      %2 = arith.addf %1, %0 : f32
      affine.store %2, %arg1[%arg2] : memref<?xf32>
    }
    return
  }
}
