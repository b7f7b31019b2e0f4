// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=3}))', then changed by hand
// Verdict: not equivalent
// Changed: @symbolic: as the pass makes it: the clean-up loop runs from a multiple of 3 below a negative bound
// Changed: @imperfect: the clean-up loop starts where another loop would end
// Changed: @triangular: the clean-up loop ends one early
// Changed: @carried: the clean-up loop starts with what the loop around it carries
// Changed: @stencil: as the pass makes it: bounds cross
// RUN: %exits 1 hecv check %S/shapes.src.mlir %s --func symbolic --func imperfect --func triangular --func carried --func stencil | FileCheck %s
// CHECK: {{^}}not equivalent: @symbolic
// CHECK: {{^}}not equivalent: @imperfect
// CHECK: {{^}}not equivalent: @triangular
// CHECK: {{^}}not equivalent: @carried
// CHECK: {{^}}not equivalent: @stencil

func.func @symbolic(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>, %arg3: index, %arg4: index, %arg5: index) {
  affine.for %arg6 = 0 to %arg3 {
    affine.for %arg7 = 0 to %arg4 {
      affine.for %arg8 = 0 to affine_map<()[s0] -> ((s0 floordiv 3) * 3)>()[%arg5] step 3 {
        %0 = affine.load %arg0[%arg6, %arg8] : memref<?x?xf32>
        %1 = affine.load %arg1[%arg8, %arg7] : memref<?x?xf32>
        %2 = affine.load %arg2[%arg6, %arg7] : memref<?x?xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %arg2[%arg6, %arg7] : memref<?x?xf32>
        %5 = affine.apply affine_map<(d0) -> (d0 + 1)>(%arg8)
        %6 = affine.load %arg0[%arg6, %5] : memref<?x?xf32>
        %7 = affine.load %arg1[%5, %arg7] : memref<?x?xf32>
        %8 = affine.load %arg2[%arg6, %arg7] : memref<?x?xf32>
        %9 = arith.mulf %6, %7 : f32
        %10 = arith.addf %8, %9 : f32
        affine.store %10, %arg2[%arg6, %arg7] : memref<?x?xf32>
        %11 = affine.apply affine_map<(d0) -> (d0 + 2)>(%arg8)
        %12 = affine.load %arg0[%arg6, %11] : memref<?x?xf32>
        %13 = affine.load %arg1[%11, %arg7] : memref<?x?xf32>
        %14 = affine.load %arg2[%arg6, %arg7] : memref<?x?xf32>
        %15 = arith.mulf %12, %13 : f32
        %16 = arith.addf %14, %15 : f32
        affine.store %16, %arg2[%arg6, %arg7] : memref<?x?xf32>
      }
      affine.for %arg8 = affine_map<()[s0] -> ((s0 floordiv 3) * 3)>()[%arg5] to %arg5 {
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

func.func @imperfect(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index, %arg4: index) {
  %cst = arith.constant 0.000000e+00 : f32
  affine.for %arg5 = 0 to %arg3 {
    affine.store %cst, %arg2[%arg5] : memref<?xf32>
    affine.for %arg6 = 0 to affine_map<()[s0] -> ((s0 floordiv 3) * 3)>()[%arg4] step 3 {
      %2 = affine.load %arg0[%arg5, %arg6] : memref<?x?xf32>
      %3 = affine.load %arg1[%arg6] : memref<?xf32>
      %4 = affine.load %arg2[%arg5] : memref<?xf32>
      %5 = arith.mulf %2, %3 : f32
      %6 = arith.addf %4, %5 : f32
      affine.store %6, %arg2[%arg5] : memref<?xf32>
      %7 = affine.apply affine_map<(d0) -> (d0 + 1)>(%arg6)
      %8 = affine.load %arg0[%arg5, %7] : memref<?x?xf32>
      %9 = affine.load %arg1[%7] : memref<?xf32>
      %10 = affine.load %arg2[%arg5] : memref<?xf32>
      %11 = arith.mulf %8, %9 : f32
      %12 = arith.addf %10, %11 : f32
      affine.store %12, %arg2[%arg5] : memref<?xf32>
      %13 = affine.apply affine_map<(d0) -> (d0 + 2)>(%arg6)
      %14 = affine.load %arg0[%arg5, %13] : memref<?x?xf32>
      %15 = affine.load %arg1[%13] : memref<?xf32>
      %16 = affine.load %arg2[%arg5] : memref<?xf32>
      %17 = arith.mulf %14, %15 : f32
      %18 = arith.addf %16, %17 : f32
      affine.store %18, %arg2[%arg5] : memref<?xf32>
    }
    affine.for %arg6 = affine_map<()[s0] -> ((s0 floordiv 3) * 3)>()[%arg3] to %arg4 {
      %2 = affine.load %arg0[%arg5, %arg6] : memref<?x?xf32>
      %3 = affine.load %arg1[%arg6] : memref<?xf32>
      %4 = affine.load %arg2[%arg5] : memref<?xf32>
      %5 = arith.mulf %2, %3 : f32
      %6 = arith.addf %4, %5 : f32
      affine.store %6, %arg2[%arg5] : memref<?xf32>
    }
    %0 = affine.load %arg2[%arg5] : memref<?xf32>
    %1 = arith.addf %0, %0 : f32
    affine.store %1, %arg2[%arg5] : memref<?xf32>
  }
  return
}

func.func @triangular(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index) {
  affine.for %arg3 = 0 to %arg2 {
    affine.for %arg4 = 0 to affine_map<(d0) -> (((d0 + 1) floordiv 3) * 3)>(%arg3) step 3 {
      %0 = affine.load %arg0[%arg3, %arg4] : memref<?x?xf32>
      %1 = affine.load %arg1[%arg4] : memref<?xf32>
      %2 = arith.addf %0, %1 : f32
      affine.store %2, %arg0[%arg3, %arg4] : memref<?x?xf32>
      %3 = affine.apply affine_map<(d0) -> (d0 + 1)>(%arg4)
      %4 = affine.load %arg0[%arg3, %3] : memref<?x?xf32>
      %5 = affine.load %arg1[%3] : memref<?xf32>
      %6 = arith.addf %4, %5 : f32
      affine.store %6, %arg0[%arg3, %3] : memref<?x?xf32>
      %7 = affine.apply affine_map<(d0) -> (d0 + 2)>(%arg4)
      %8 = affine.load %arg0[%arg3, %7] : memref<?x?xf32>
      %9 = affine.load %arg1[%7] : memref<?xf32>
      %10 = arith.addf %8, %9 : f32
      affine.store %10, %arg0[%arg3, %7] : memref<?x?xf32>
    }
    affine.for %arg4 = affine_map<(d0) -> (((d0 + 1) floordiv 3) * 3)>(%arg3) to affine_map<(d0) -> (d0)>(%arg3) {
      %0 = affine.load %arg0[%arg3, %arg4] : memref<?x?xf32>
      %1 = affine.load %arg1[%arg4] : memref<?xf32>
      %2 = arith.addf %0, %1 : f32
      affine.store %2, %arg0[%arg3, %arg4] : memref<?x?xf32>
    }
  }
  return
}

func.func @carried(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index, %arg3: index) -> f32 {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = affine.for %arg4 = 0 to %arg2 iter_args(%arg5 = %cst) -> (f32) {
    %1 = affine.for %arg6 = 0 to affine_map<()[s0] -> ((s0 floordiv 3) * 3)>()[%arg3] step 3 iter_args(%arg7 = %arg5) -> (f32) {
      %3 = affine.load %arg0[%arg4, %arg6] : memref<?x?xf32>
      %4 = arith.addf %arg7, %3 : f32
      %5 = affine.apply affine_map<(d0) -> (d0 + 1)>(%arg6)
      %6 = affine.load %arg0[%arg4, %5] : memref<?x?xf32>
      %7 = arith.addf %4, %6 : f32
      %8 = affine.apply affine_map<(d0) -> (d0 + 2)>(%arg6)
      %9 = affine.load %arg0[%arg4, %8] : memref<?x?xf32>
      %10 = arith.addf %7, %9 : f32
      affine.yield %10 : f32
    }
    %2 = affine.for %arg6 = affine_map<()[s0] -> ((s0 floordiv 3) * 3)>()[%arg3] to %arg3 iter_args(%arg7 = %arg5) -> (f32) {
      %3 = affine.load %arg0[%arg4, %arg6] : memref<?x?xf32>
      %4 = arith.addf %arg7, %3 : f32
      affine.yield %4 : f32
    }
    affine.store %2, %arg1[%arg4] : memref<?xf32>
    affine.yield %2 : f32
  }
  return %0 : f32
}

func.func @stencil(%arg0: memref<?xf32>, %arg1: index, %arg2: index) {
  affine.for %arg3 = 0 to %arg1 {
    affine.for %arg4 = 1 to affine_map<()[s0] -> (((s0 - 2) floordiv 3) * 3 + 1)>()[%arg2] step 3 {
      %0 = affine.load %arg0[%arg4 - 1] : memref<?xf32>
      %1 = affine.load %arg0[%arg4] : memref<?xf32>
      %2 = affine.load %arg0[%arg4 + 1] : memref<?xf32>
      %3 = arith.addf %0, %1 : f32
      %4 = arith.addf %3, %2 : f32
      affine.store %4, %arg0[%arg4] : memref<?xf32>
      %5 = affine.apply affine_map<(d0) -> (d0 + 1)>(%arg4)
      %6 = affine.load %arg0[%5 - 1] : memref<?xf32>
      %7 = affine.load %arg0[%5] : memref<?xf32>
      %8 = affine.load %arg0[%5 + 1] : memref<?xf32>
      %9 = arith.addf %6, %7 : f32
      %10 = arith.addf %9, %8 : f32
      affine.store %10, %arg0[%5] : memref<?xf32>
      %11 = affine.apply affine_map<(d0) -> (d0 + 2)>(%arg4)
      %12 = affine.load %arg0[%11 - 1] : memref<?xf32>
      %13 = affine.load %arg0[%11] : memref<?xf32>
      %14 = affine.load %arg0[%11 + 1] : memref<?xf32>
      %15 = arith.addf %12, %13 : f32
      %16 = arith.addf %15, %14 : f32
      affine.store %16, %arg0[%11] : memref<?xf32>
    }
    affine.for %arg4 = affine_map<()[s0] -> (((s0 - 2) floordiv 3) * 3 + 1)>()[%arg2] to affine_map<(d0) -> (d0 - 1)>(%arg2) {
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
