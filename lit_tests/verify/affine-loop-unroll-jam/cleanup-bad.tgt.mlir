// mlir-opt cleanup.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-unroll-jam{unroll-jam-factor=2}))', then changed by hand
// Verdict: not equivalent
// Changed: line 25, both stores write the first sum; it was
//   affine.store %1#1, %arg1[%2] : memref<7xf32>
// RUN: %exits 1 hecv check %S/cleanup.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @rows
// SELF: {{^}}equivalent: @rows

#map = affine_map<(d0) -> (d0 + 1)>
module {
  func.func @rows(%arg0: memref<7x?xf32>, %arg1: memref<7xf32>, %arg2: index, %arg3: f32) {
    %c6 = arith.constant 6 : index
    affine.for %arg4 = 0 to 6 step 2 {
      %1:2 = affine.for %arg5 = 0 to %arg2 iter_args(%arg6 = %arg3, %arg7 = %arg3) -> (f32, f32) {
        %3 = affine.load %arg0[%arg4, %arg5] : memref<7x?xf32>
        %4 = arith.addf %arg6, %3 : f32
        %5 = affine.apply #map(%arg4)
        %6 = affine.load %arg0[%5, %arg5] : memref<7x?xf32>
        %7 = arith.addf %arg7, %6 : f32
        affine.yield %4, %7 : f32, f32
      }
      affine.store %1#0, %arg1[%arg4] : memref<7xf32>
      %2 = affine.apply #map(%arg4)
      affine.store %1#0, %arg1[%2] : memref<7xf32>
    }
    %0 = affine.for %arg4 = 0 to %arg2 iter_args(%arg5 = %arg3) -> (f32) {
      %1 = affine.load %arg0[%c6, %arg4] : memref<7x?xf32>
      %2 = arith.addf %arg5, %1 : f32
      affine.yield %2 : f32
    }
    affine.store %0, %arg1[%c6] : memref<7xf32>
    return
  }
}
