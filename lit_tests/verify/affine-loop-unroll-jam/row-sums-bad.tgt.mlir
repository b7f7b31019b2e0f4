// mlir-opt row-sums.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-unroll-jam{unroll-jam-factor=2}))', then changed by hand
// Verdict: not equivalent
// Changed: line 20, the second copy reads the row of the first; it was
//   %4 = affine.load %arg0[%3, %arg3] : memref<6x8xf32>
// RUN: %exits 1 hecv check %S/row-sums.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @rows
// SELF: {{^}}equivalent: @rows

#map = affine_map<(d0) -> (d0 + 1)>
module {
  func.func @rows(%arg0: memref<6x8xf32>, %arg1: memref<6xf32>) {
    affine.for %arg2 = 0 to 6 step 2 {
      affine.for %arg3 = 0 to 8 {
        %0 = affine.load %arg0[%arg2, %arg3] : memref<6x8xf32>
        %1 = affine.load %arg1[%arg2] : memref<6xf32>
        %2 = arith.addf %1, %0 : f32
        affine.store %2, %arg1[%arg2] : memref<6xf32>
        %3 = affine.apply #map(%arg2)
        %4 = affine.load %arg0[%arg2, %arg3] : memref<6x8xf32>
        %5 = affine.load %arg1[%3] : memref<6xf32>
        %6 = arith.addf %5, %4 : f32
        affine.store %6, %arg1[%3] : memref<6xf32>
      }
    }
    return
  }
}
