// mlir-opt tile-bound.src.mlir --pass-pipeline='builtin.module(func.func(affine-simplify-min-max))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/tile-bound.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/tile-bound.src.mlir %S/tile-bound.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @extrema

#map = affine_map<(d0)[s0] -> (s0, d0)>
#map1 = affine_map<(d0) -> (0, d0)>
module {
  func.func @extrema(%arg0: memref<?xf32>, %arg1: index) {
    affine.for %arg2 = 0 to %arg1 {
      %0 = affine.min #map(%arg2)[%arg1]
      %1 = affine.max #map1(%0)
      %2 = memref.load %arg0[%1] : memref<?xf32>
      %3 = arith.negf %2 : f32
      memref.store %3, %arg0[%1] : memref<?xf32>
    }
    return
  }
}
