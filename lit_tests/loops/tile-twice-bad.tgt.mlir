// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-tile{tile-size=8},affine-loop-tile{tile-sizes=1,1,1,2,2,2}))', then changed by hand
// Verdict: not equivalent
// Changed: @stencil: as the pass makes it: a dependence of distance (1, -1)
// RUN: %exits 1 hecv check %S/shapes.src.mlir %s --func stencil | FileCheck %s
// CHECK: {{^}}not equivalent: @stencil

func.func @stencil(%arg0: memref<?xf32>, %arg1: index, %arg2: index) {
  affine.for %arg3 = 0 to %arg1 step 8 {
    affine.for %arg4 = 1 to affine_map<(d0) -> (d0 - 1)>(%arg2) step 8 {
      affine.for %arg5 = affine_map<(d0) -> (d0)>(%arg3) to min affine_map<(d0)[s0] -> (d0 + 8, s0)>(%arg3)[%arg1] {
        affine.for %arg6 = affine_map<(d0) -> (d0)>(%arg4) to min affine_map<(d0, d1) -> (d1 + 8, d0 - 1)>(%arg2, %arg4) {
          %0 = affine.load %arg0[%arg6 - 1] : memref<?xf32>
          %1 = affine.load %arg0[%arg6] : memref<?xf32>
          %2 = affine.load %arg0[%arg6 + 1] : memref<?xf32>
          %3 = arith.addf %0, %1 : f32
          %4 = arith.addf %3, %2 : f32
          affine.store %4, %arg0[%arg6] : memref<?xf32>
        }
      }
    }
  }
  return
}
