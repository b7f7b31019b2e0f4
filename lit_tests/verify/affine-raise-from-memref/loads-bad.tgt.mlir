// mlir-opt loads.src.mlir --pass-pipeline='builtin.module(func.func(affine-raise-from-memref))', then changed by hand
// Verdict: not equivalent
// Changed: line 15, the transposition is lost; it was
//   affine.store %0, %arg1[%arg3, %arg2] : memref<16x16xf32>
// RUN: %exits 1 hecv check %S/loads.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @raised
// SELF: {{^}}equivalent: @raised

module {
  func.func @raised(%arg0: memref<16x16xf32>, %arg1: memref<16x16xf32>) {
    affine.for %arg2 = 0 to 16 {
      affine.for %arg3 = 0 to 16 {
        %0 = affine.load %arg0[%arg2, %arg3] : memref<16x16xf32>
        affine.store %0, %arg1[%arg2, %arg3] : memref<16x16xf32>
      }
    }
    return
  }
}
