// mlir-opt maps.src.mlir --pass-pipeline='builtin.module(func.func(affine-simplify-structures))', then changed by hand
// Verdict: not equivalent
// Changed: line 14, the floor does not cancel the remainder; it was
//   %0 = affine.load %arg0[%arg2, %arg3] : memref<16x16xf32>
// RUN: %exits 1 hecv check %S/maps.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @maps
// SELF: {{^}}equivalent: @maps

module {
  func.func @maps(%arg0: memref<16x16xf32>, %arg1: memref<16x16xf32>) {
    affine.for %arg2 = 0 to 16 {
      affine.for %arg3 = 0 to 16 {
        %0 = affine.load %arg0[%arg2 mod 4, %arg3] : memref<16x16xf32>
        affine.store %0, %arg1[%arg3, %arg2] : memref<16x16xf32>
      }
    }
    return
  }
}
