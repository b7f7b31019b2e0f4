// mlir-opt --pass-pipeline='builtin.module(func.func(affine-loop-coalescing))', then changed: not equivalent
// `affine.store %6, %arg1[%4, %3]` became `affine.store %6, %arg1[%3, %4]`: the store has its subscripts exchanged
// RUN: %exits 1 hecv check %S/coalesced.src.mlir %s --engine theorems | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @f
// SELF: {{^}}equivalent: @f

#map = affine_map<()[s0] -> (s0)>
#map1 = affine_map<(d0)[s0] -> (d0 * s0)>
#map2 = affine_map<(d0)[s0] -> (d0 mod s0)>
#map3 = affine_map<(d0)[s0] -> (d0 floordiv s0)>
module {
  func.func @f(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?xf32>
    %dim_0 = memref.dim %arg0, %c1 : memref<?x?xf32>
    %0 = affine.apply #map()[%dim]
    %1 = affine.apply #map()[%dim_0]
    %2 = affine.apply #map1(%0)[%1]
    affine.for %arg2 = 0 to %2 {
      %3 = affine.apply #map2(%arg2)[%1]
      %4 = affine.apply #map3(%arg2)[%1]
      %5 = affine.load %arg0[%4, %3] : memref<?x?xf32>
      %6 = arith.addf %5, %5 : f32
      affine.store %6, %arg1[%3, %4] : memref<?x?xf32>
    }
    return
  }
}

