// mlir-opt loads.src.mlir --pass-pipeline='builtin.module(func.func(affine-raise-from-memref))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/loads.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/loads.src.mlir %S/loads.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @raised

module {
  func.func @raised(%arg0: memref<16x16xf32>, %arg1: memref<16x16xf32>) {
    affine.for %arg2 = 0 to 16 {
      affine.for %arg3 = 0 to 16 {
        %0 = affine.load %arg0[%arg2, %arg3] : memref<16x16xf32>
        affine.store %0, %arg1[%arg3, %arg2] : memref<16x16xf32>
      }
    }
    return
  }
}
