// mlir-opt symbolic-three.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-coalescing))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/symbolic-three.src.mlir %s --assume nonneg | FileCheck %s
// RUN: %exits 0 hecv check %S/symbolic-three.src.mlir %S/symbolic-three.src.mlir --assume nonneg | FileCheck %s
// RUN: %exits 0 hecv check %s %s --assume nonneg | FileCheck %s
// CHECK: {{^}}equivalent: @reduce

#map = affine_map<()[s0] -> (s0)>
#map1 = affine_map<(d0) -> (d0 - 1)>
#map2 = affine_map<(d0)[s0] -> (d0 * s0)>
#map3 = affine_map<() -> (4)>
#map4 = affine_map<(d0)[s0] -> (d0 mod s0)>
#map5 = affine_map<(d0)[s0] -> (d0 floordiv s0)>
module {
  func.func @reduce(%arg0: memref<?x?x4xf32>, %arg1: memref<?xf32>, %arg2: index, %arg3: index) {
    %0 = affine.apply #map()[%arg2]
    %1 = affine.apply #map1(%arg3)
    %2 = affine.apply #map2(%0)[%1]
    %3 = affine.apply #map3()
    %4 = affine.apply #map2(%2)[%3]
    affine.for %arg4 = 0 to %4 {
      %5 = affine.apply #map4(%arg4)[%3]
      %6 = affine.apply #map5(%arg4)[%3]
      %7 = affine.apply #map4(%6)[%1]
      %8 = affine.apply #map5(%6)[%1]
      %9 = affine.load %arg0[%8, %7, %5] : memref<?x?x4xf32>
      %10 = affine.load %arg1[%8] : memref<?xf32>
      %11 = arith.addf %10, %9 : f32
      affine.store %11, %arg1[%8] : memref<?xf32>
    }
    return
  }
}
