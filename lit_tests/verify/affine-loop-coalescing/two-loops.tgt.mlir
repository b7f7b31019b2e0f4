// mlir-opt two-loops.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-coalescing))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/two-loops.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/two-loops.src.mlir %S/two-loops.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @double

#map = affine_map<() -> (6)>
#map1 = affine_map<() -> (5)>
#map2 = affine_map<(d0)[s0] -> (d0 * s0)>
#map3 = affine_map<(d0)[s0] -> (d0 mod s0)>
#map4 = affine_map<(d0)[s0] -> (d0 floordiv s0)>
module {
  func.func @double(%arg0: memref<6x5xf32>) {
    %0 = affine.apply #map()
    %1 = affine.apply #map1()
    %2 = affine.apply #map2(%0)[%1]
    affine.for %arg1 = 0 to %2 {
      %3 = affine.apply #map3(%arg1)[%1]
      %4 = affine.apply #map4(%arg1)[%1]
      %5 = affine.load %arg0[%4, %3] : memref<6x5xf32>
      %6 = arith.addf %5, %5 : f32
      affine.store %6, %arg0[%4, %3] : memref<6x5xf32>
    }
    return
  }
}
