// mlir-opt triangular.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=2}))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/triangular.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/triangular.src.mlir %S/triangular.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @triangle

#map = affine_map<(d0) -> (((d0 + 1) floordiv 2) * 2)>
#map1 = affine_map<(d0) -> (d0 + 1)>
module {
  func.func @triangle(%arg0: memref<12x12xf32>, %arg1: f32) {
    affine.for %arg2 = 0 to 12 {
      affine.for %arg3 = 0 to #map(%arg2) step 2 {
        %0 = affine.load %arg0[%arg2, %arg3] : memref<12x12xf32>
        %1 = arith.addf %0, %arg1 : f32
        affine.store %1, %arg0[%arg2, %arg3] : memref<12x12xf32>
        %2 = affine.apply #map1(%arg3)
        %3 = affine.load %arg0[%arg2, %2] : memref<12x12xf32>
        %4 = arith.addf %3, %arg1 : f32
        affine.store %4, %arg0[%arg2, %2] : memref<12x12xf32>
      }
      affine.for %arg3 = #map(%arg2) to #map1(%arg2) {
        %0 = affine.load %arg0[%arg2, %arg3] : memref<12x12xf32>
        %1 = arith.addf %0, %arg1 : f32
        affine.store %1, %arg0[%arg2, %arg3] : memref<12x12xf32>
      }
    }
    return
  }
}
