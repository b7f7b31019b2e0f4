// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-unroll-jam{unroll-jam-factor=2}))', then changed by hand
// Verdict: not equivalent
// Changed: @symbolic: as the pass makes it: bounds cross
// Changed: @guarded: the first copy reads what the second one does
// Changed: @stencil: as the pass makes it: a dependence of distance (1, -1)
// RUN: %exits 1 hecv check %S/shapes.src.mlir %s --func symbolic --func guarded --func stencil | FileCheck %s
// CHECK: {{^}}not equivalent: @symbolic
// CHECK: {{^}}not equivalent: @guarded
// CHECK: {{^}}not equivalent: @stencil

func.func @symbolic(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>, %arg3: index, %arg4: index, %arg5: index) {
  affine.for %arg6 = 0 to affine_map<()[s0] -> ((s0 floordiv 2) * 2)>()[%arg3] step 2 {
    affine.for %arg7 = 0 to %arg4 {
      affine.for %arg8 = 0 to %arg5 {
        %0 = affine.load %arg0[%arg6, %arg8] : memref<?x?xf32>
        %1 = affine.load %arg1[%arg8, %arg7] : memref<?x?xf32>
        %2 = affine.load %arg2[%arg6, %arg7] : memref<?x?xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %arg2[%arg6, %arg7] : memref<?x?xf32>
        %5 = affine.apply affine_map<(d0) -> (d0 + 1)>(%arg6)
        %6 = affine.load %arg0[%5, %arg8] : memref<?x?xf32>
        %7 = affine.load %arg1[%arg8, %arg7] : memref<?x?xf32>
        %8 = affine.load %arg2[%5, %arg7] : memref<?x?xf32>
        %9 = arith.mulf %6, %7 : f32
        %10 = arith.addf %8, %9 : f32
        affine.store %10, %arg2[%5, %arg7] : memref<?x?xf32>
      }
    }
  }
  affine.for %arg6 = affine_map<()[s0] -> ((s0 floordiv 2) * 2)>()[%arg3] to %arg3 {
    affine.for %arg7 = 0 to %arg4 {
      affine.for %arg8 = 0 to %arg5 {
        %0 = affine.load %arg0[%arg6, %arg8] : memref<?x?xf32>
        %1 = affine.load %arg1[%arg8, %arg7] : memref<?x?xf32>
        %2 = affine.load %arg2[%arg6, %arg7] : memref<?x?xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %arg2[%arg6, %arg7] : memref<?x?xf32>
      }
    }
  }
  return
}

func.func @guarded(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: index) {
  affine.for %arg3 = 0 to affine_map<()[s0] -> ((s0 floordiv 2) * 2)>()[%arg2] step 2 {
    affine.for %arg4 = 0 to %arg2 {
      %0 = affine.load %arg0[%arg3, %arg4] : memref<?x?xf32>
      affine.if affine_set<(d0, d1) : (d0 - d1 - 1 >= 0)>(%arg3, %arg4) {
        %3 = affine.load %arg1[%arg3 + 1, %arg4] : memref<?x?xf32>
        %4 = arith.addf %0, %3 : f32
        affine.store %4, %arg1[%arg3, %arg4] : memref<?x?xf32>
      } else {
        affine.store %0, %arg1[%arg3, %arg4] : memref<?x?xf32>
      }
      %1 = affine.apply affine_map<(d0) -> (d0 + 1)>(%arg3)
      %2 = affine.load %arg0[%1, %arg4] : memref<?x?xf32>
      affine.if affine_set<(d0, d1) : (d0 - d1 - 1 >= 0)>(%1, %arg4) {
        %3 = affine.load %arg1[%1, %arg4] : memref<?x?xf32>
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %arg1[%1, %arg4] : memref<?x?xf32>
      } else {
        affine.store %2, %arg1[%1, %arg4] : memref<?x?xf32>
      }
    }
  }
  affine.for %arg3 = affine_map<()[s0] -> ((s0 floordiv 2) * 2)>()[%arg2] to %arg2 {
    affine.for %arg4 = 0 to %arg2 {
      %0 = affine.load %arg0[%arg3, %arg4] : memref<?x?xf32>
      affine.if affine_set<(d0, d1) : (d0 - d1 - 1 >= 0)>(%arg3, %arg4) {
        %1 = affine.load %arg1[%arg3, %arg4] : memref<?x?xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %arg1[%arg3, %arg4] : memref<?x?xf32>
      } else {
        affine.store %0, %arg1[%arg3, %arg4] : memref<?x?xf32>
      }
    }
  }
  return
}

func.func @stencil(%arg0: memref<?xf32>, %arg1: index, %arg2: index) {
  affine.for %arg3 = 0 to affine_map<()[s0] -> ((s0 floordiv 2) * 2)>()[%arg1] step 2 {
    affine.for %arg4 = 1 to affine_map<(d0) -> (d0 - 1)>(%arg2) {
      %0 = affine.load %arg0[%arg4 - 1] : memref<?xf32>
      %1 = affine.load %arg0[%arg4] : memref<?xf32>
      %2 = affine.load %arg0[%arg4 + 1] : memref<?xf32>
      %3 = arith.addf %0, %1 : f32
      %4 = arith.addf %3, %2 : f32
      affine.store %4, %arg0[%arg4] : memref<?xf32>
      %5 = affine.load %arg0[%arg4 - 1] : memref<?xf32>
      %6 = affine.load %arg0[%arg4] : memref<?xf32>
      %7 = affine.load %arg0[%arg4 + 1] : memref<?xf32>
      %8 = arith.addf %5, %6 : f32
      %9 = arith.addf %8, %7 : f32
      affine.store %9, %arg0[%arg4] : memref<?xf32>
    }
  }
  affine.for %arg3 = affine_map<()[s0] -> ((s0 floordiv 2) * 2)>()[%arg1] to %arg1 {
    affine.for %arg4 = 1 to affine_map<(d0) -> (d0 - 1)>(%arg2) {
      %0 = affine.load %arg0[%arg4 - 1] : memref<?xf32>
      %1 = affine.load %arg0[%arg4] : memref<?xf32>
      %2 = affine.load %arg0[%arg4 + 1] : memref<?xf32>
      %3 = arith.addf %0, %1 : f32
      %4 = arith.addf %3, %2 : f32
      affine.store %4, %arg0[%arg4] : memref<?xf32>
    }
  }
  return
}
