// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-tile{tile-size=4 separate}))', then changed by hand
// Verdict: not equivalent
// Changed: @imperfect: a tile of three rows counts as full
// Changed: @stencil: as the pass makes it: a dependence of distance (1, -1)
// RUN: %exits 1 hecv check %S/shapes.src.mlir %s --func imperfect --func stencil | FileCheck %s
// CHECK: {{^}}not equivalent: @imperfect
// CHECK: {{^}}not equivalent: @stencil

func.func @imperfect(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index, %arg4: index) {
  %cst = arith.constant 0.000000e+00 : f32
  affine.for %arg5 = 0 to %arg3 step 4 {
    affine.if affine_set<(d0)[s0] : (-d0 + s0 - 3 >= 0)>(%arg5)[%arg3] {
      affine.for %arg6 = affine_map<(d0) -> (d0)>(%arg5) to affine_map<(d0) -> (d0 + 4)>(%arg5) {
        affine.store %cst, %arg2[%arg6] : memref<?xf32>
        affine.for %arg7 = 0 to %arg4 {
          %2 = affine.load %arg0[%arg6, %arg7] : memref<?x?xf32>
          %3 = affine.load %arg1[%arg7] : memref<?xf32>
          %4 = affine.load %arg2[%arg6] : memref<?xf32>
          %5 = arith.mulf %2, %3 : f32
          %6 = arith.addf %4, %5 : f32
          affine.store %6, %arg2[%arg6] : memref<?xf32>
        }
        %0 = affine.load %arg2[%arg6] : memref<?xf32>
        %1 = arith.addf %0, %0 : f32
        affine.store %1, %arg2[%arg6] : memref<?xf32>
      }
    } else {
      affine.for %arg6 = affine_map<(d0) -> (d0)>(%arg5) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%arg5)[%arg3] {
        affine.store %cst, %arg2[%arg6] : memref<?xf32>
        affine.for %arg7 = 0 to %arg4 {
          %2 = affine.load %arg0[%arg6, %arg7] : memref<?x?xf32>
          %3 = affine.load %arg1[%arg7] : memref<?xf32>
          %4 = affine.load %arg2[%arg6] : memref<?xf32>
          %5 = arith.mulf %2, %3 : f32
          %6 = arith.addf %4, %5 : f32
          affine.store %6, %arg2[%arg6] : memref<?xf32>
        }
        %0 = affine.load %arg2[%arg6] : memref<?xf32>
        %1 = arith.addf %0, %0 : f32
        affine.store %1, %arg2[%arg6] : memref<?xf32>
      }
    }
  }
  return
}

func.func @stencil(%arg0: memref<?xf32>, %arg1: index, %arg2: index) {
  affine.for %arg3 = 0 to %arg1 step 4 {
    affine.for %arg4 = 1 to affine_map<(d0) -> (d0 - 1)>(%arg2) step 4 {
      affine.if affine_set<(d0, d1)[s0, s1] : (-d0 + s0 - 4 >= 0, -d1 + s1 - 5 >= 0)>(%arg3, %arg4)[%arg1, %arg2] {
        affine.for %arg5 = affine_map<(d0) -> (d0)>(%arg3) to affine_map<(d0) -> (d0 + 4)>(%arg3) {
          affine.for %arg6 = affine_map<(d0) -> (d0)>(%arg4) to affine_map<(d0) -> (d0 + 4)>(%arg4) {
            %0 = affine.load %arg0[%arg6 - 1] : memref<?xf32>
            %1 = affine.load %arg0[%arg6] : memref<?xf32>
            %2 = affine.load %arg0[%arg6 + 1] : memref<?xf32>
            %3 = arith.addf %0, %1 : f32
            %4 = arith.addf %3, %2 : f32
            affine.store %4, %arg0[%arg6] : memref<?xf32>
          }
        }
      } else {
        affine.for %arg5 = affine_map<(d0) -> (d0)>(%arg3) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%arg3)[%arg1] {
          affine.for %arg6 = affine_map<(d0) -> (d0)>(%arg4) to min affine_map<(d0, d1) -> (d1 + 4, d0 - 1)>(%arg2, %arg4) {
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
  }
  return
}
