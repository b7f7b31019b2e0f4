// mlir-opt constant-cleanup.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=4}))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/constant-cleanup.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/constant-cleanup.src.mlir %S/constant-cleanup.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @scale

#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 2)>
#map2 = affine_map<(d0) -> (d0 + 3)>
module {
  func.func @scale(%arg0: memref<10xf32>, %arg1: f32) {
    affine.for %arg2 = 0 to 8 step 4 {
      %0 = affine.load %arg0[%arg2] : memref<10xf32>
      %1 = arith.mulf %0, %arg1 : f32
      affine.store %1, %arg0[%arg2] : memref<10xf32>
      %2 = affine.apply #map(%arg2)
      %3 = affine.load %arg0[%2] : memref<10xf32>
      %4 = arith.mulf %3, %arg1 : f32
      affine.store %4, %arg0[%2] : memref<10xf32>
      %5 = affine.apply #map1(%arg2)
      %6 = affine.load %arg0[%5] : memref<10xf32>
      %7 = arith.mulf %6, %arg1 : f32
      affine.store %7, %arg0[%5] : memref<10xf32>
      %8 = affine.apply #map2(%arg2)
      %9 = affine.load %arg0[%8] : memref<10xf32>
      %10 = arith.mulf %9, %arg1 : f32
      affine.store %10, %arg0[%8] : memref<10xf32>
    }
    affine.for %arg2 = 8 to 10 {
      %0 = affine.load %arg0[%arg2] : memref<10xf32>
      %1 = arith.mulf %0, %arg1 : f32
      affine.store %1, %arg0[%arg2] : memref<10xf32>
    }
    return
  }
}
