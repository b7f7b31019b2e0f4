// mlir-opt symbolic.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-coalescing))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/symbolic.src.mlir %s --assume 'arg1 >= 0' | FileCheck %s
// RUN: %exits 0 hecv check %S/symbolic.src.mlir %S/symbolic.src.mlir --assume 'arg1 >= 0' | FileCheck %s
// RUN: %exits 0 hecv check %s %s --assume 'arg1 >= 0' | FileCheck %s
// CHECK: {{^}}equivalent: @double

#map = affine_map<()[s0] -> (s0)>
#map1 = affine_map<(d0)[s0] -> (d0 * s0)>
#map2 = affine_map<(d0)[s0] -> (d0 mod s0)>
#map3 = affine_map<(d0)[s0] -> (d0 floordiv s0)>
module {
  func.func @double(%arg0: memref<?x?xf32>, %arg1: index, %arg2: index) {
    %0 = affine.apply #map()[%arg1]
    %1 = affine.apply #map()[%arg2]
    %2 = affine.apply #map1(%0)[%1]
    affine.for %arg3 = 0 to %2 {
      %3 = affine.apply #map2(%arg3)[%1]
      %4 = affine.apply #map3(%arg3)[%1]
      %5 = affine.load %arg0[%4, %3] : memref<?x?xf32>
      %6 = arith.addf %5, %5 : f32
      affine.store %6, %arg0[%4, %3] : memref<?x?xf32>
    }
    return
  }
}
