// mlir-opt three-loops.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-coalescing))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/three-loops.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/three-loops.src.mlir %S/three-loops.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @reduce

#map = affine_map<() -> (2)>
#map1 = affine_map<() -> (3)>
#map2 = affine_map<(d0)[s0] -> (d0 * s0)>
#map3 = affine_map<() -> (4)>
#map4 = affine_map<(d0)[s0] -> (d0 mod s0)>
#map5 = affine_map<(d0)[s0] -> (d0 floordiv s0)>
module {
  func.func @reduce(%arg0: memref<2x3x4xf32>, %arg1: memref<2xf32>) {
    %0 = affine.apply #map()
    %1 = affine.apply #map1()
    %2 = affine.apply #map2(%0)[%1]
    %3 = affine.apply #map3()
    %4 = affine.apply #map2(%2)[%3]
    affine.for %arg2 = 0 to %4 {
      %5 = affine.apply #map4(%arg2)[%3]
      %6 = affine.apply #map5(%arg2)[%3]
      %7 = affine.apply #map4(%6)[%1]
      %8 = affine.apply #map5(%6)[%1]
      %9 = affine.load %arg0[%8, %7, %5] : memref<2x3x4xf32>
      %10 = affine.load %arg1[%8] : memref<2xf32>
      %11 = arith.addf %10, %9 : f32
      affine.store %11, %arg1[%8] : memref<2xf32>
    }
    return
  }
}
