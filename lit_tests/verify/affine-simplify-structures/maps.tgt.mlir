// mlir-opt maps.src.mlir --pass-pipeline='builtin.module(func.func(affine-simplify-structures))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/maps.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/maps.src.mlir %S/maps.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @maps

module {
  func.func @maps(%arg0: memref<16x16xf32>, %arg1: memref<16x16xf32>) {
    affine.for %arg2 = 0 to 16 {
      affine.for %arg3 = 0 to 16 {
        %0 = affine.load %arg0[%arg2, %arg3] : memref<16x16xf32>
        affine.store %0, %arg1[%arg3, %arg2] : memref<16x16xf32>
      }
    }
    return
  }
}
