// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-tile{tile-size=4},affine-loop-normalize))', then changed by hand
// Verdict: not equivalent
// Changed: @imperfect: the trip count is rounded down
// Changed: @guarded: the rest of the last tile is added, not taken away
// RUN: %exits 1 hecv check %S/shapes.src.mlir %s --func imperfect --func guarded | FileCheck %s
// CHECK: {{^}}not equivalent: @imperfect
// CHECK: {{^}}not equivalent: @guarded

func.func @imperfect(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index, %arg4: index) {
  %cst = arith.constant 0.000000e+00 : f32
  affine.for %arg5 = 0 to affine_map<()[s0] -> (s0 floordiv 4)>()[%arg3] {
    %0 = affine.apply affine_map<(d0) -> (d0 * 4)>(%arg5)
    affine.for %arg6 = 0 to min affine_map<(d0)[s0] -> (4, -d0 + s0)>(%0)[%arg3] {
      %1 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%0, %arg6)
      affine.store %cst, %arg2[%1] : memref<?xf32>
      affine.for %arg7 = 0 to %arg4 {
        %4 = affine.load %arg0[%1, %arg7] : memref<?x?xf32>
        %5 = affine.load %arg1[%arg7] : memref<?xf32>
        %6 = affine.load %arg2[%1] : memref<?xf32>
        %7 = arith.mulf %4, %5 : f32
        %8 = arith.addf %6, %7 : f32
        affine.store %8, %arg2[%1] : memref<?xf32>
      }
      %2 = affine.load %arg2[%1] : memref<?xf32>
      %3 = arith.addf %2, %2 : f32
      affine.store %3, %arg2[%1] : memref<?xf32>
    }
  }
  return
}

func.func @guarded(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: index) {
  affine.for %arg3 = 0 to affine_map<()[s0] -> (s0 ceildiv 4)>()[%arg2] {
    %0 = affine.apply affine_map<(d0) -> (d0 * 4)>(%arg3)
    affine.for %arg4 = 0 to affine_map<()[s0] -> (s0 ceildiv 4)>()[%arg2] {
      %1 = affine.apply affine_map<(d0) -> (d0 * 4)>(%arg4)
      affine.for %arg5 = 0 to min affine_map<(d0)[s0] -> (4, d0 + s0)>(%0)[%arg2] {
        %2 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%0, %arg5)
        affine.for %arg6 = 0 to min affine_map<(d0)[s0] -> (4, -d0 + s0)>(%1)[%arg2] {
          %3 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%1, %arg6)
          %4 = affine.load %arg0[%2, %3] : memref<?x?xf32>
          affine.if affine_set<(d0, d1) : (d0 - d1 - 1 >= 0)>(%2, %3) {
            %5 = affine.load %arg1[%2, %3] : memref<?x?xf32>
            %6 = arith.addf %4, %5 : f32
            affine.store %6, %arg1[%2, %3] : memref<?x?xf32>
          } else {
            affine.store %4, %arg1[%2, %3] : memref<?x?xf32>
          }
        }
      }
    }
  }
  return
}
