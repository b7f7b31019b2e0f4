// mlir-opt triangular.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-normalize))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/triangular.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/triangular.src.mlir %S/triangular.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @upper

#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> ((-d0 + 10) ceildiv 2)>
#map2 = affine_map<(d0, d1) -> (d0 + d1 * 2)>
module {
  func.func @upper(%arg0: memref<10x10xf32>, %arg1: f32) {
    affine.for %arg2 = 0 to 9 {
      %0 = affine.apply #map(%arg2)
      affine.for %arg3 = 0 to #map1(%0) {
        %1 = affine.apply #map2(%0, %arg3)
        %2 = affine.load %arg0[%0, %1] : memref<10x10xf32>
        %3 = arith.addf %2, %arg1 : f32
        affine.store %3, %arg0[%0, %1] : memref<10x10xf32>
      }
    }
    return
  }
}
