// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=3}))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/shapes.src.mlir %s --assume nonneg --func constant --func symbolic --func imperfect --func triangular --func substitution --func guarded --func carried --func local | FileCheck %s
// CHECK: {{^}}equivalent: @constant
// CHECK: {{^}}equivalent: @symbolic
// CHECK: {{^}}equivalent: @imperfect
// CHECK: {{^}}equivalent: @triangular
// CHECK: {{^}}equivalent: @substitution
// CHECK: {{^}}equivalent: @guarded
// CHECK: {{^}}equivalent: @carried
// CHECK: {{^}}equivalent: @local

func.func @constant(%arg0: memref<13x7xf32>, %arg1: memref<7x11xf32>, %arg2: memref<13x11xf32>) {
  %c6 = arith.constant 6 : index
  affine.for %arg3 = 0 to 13 {
    affine.for %arg4 = 0 to 11 {
      affine.for %arg5 = 0 to 6 step 3 {
        %5 = affine.load %arg0[%arg3, %arg5] : memref<13x7xf32>
        %6 = affine.load %arg1[%arg5, %arg4] : memref<7x11xf32>
        %7 = affine.load %arg2[%arg3, %arg4] : memref<13x11xf32>
        %8 = arith.mulf %5, %6 : f32
        %9 = arith.addf %7, %8 : f32
        affine.store %9, %arg2[%arg3, %arg4] : memref<13x11xf32>
        %10 = affine.apply affine_map<(d0) -> (d0 + 1)>(%arg5)
        %11 = affine.load %arg0[%arg3, %10] : memref<13x7xf32>
        %12 = affine.load %arg1[%10, %arg4] : memref<7x11xf32>
        %13 = affine.load %arg2[%arg3, %arg4] : memref<13x11xf32>
        %14 = arith.mulf %11, %12 : f32
        %15 = arith.addf %13, %14 : f32
        affine.store %15, %arg2[%arg3, %arg4] : memref<13x11xf32>
        %16 = affine.apply affine_map<(d0) -> (d0 + 2)>(%arg5)
        %17 = affine.load %arg0[%arg3, %16] : memref<13x7xf32>
        %18 = affine.load %arg1[%16, %arg4] : memref<7x11xf32>
        %19 = affine.load %arg2[%arg3, %arg4] : memref<13x11xf32>
        %20 = arith.mulf %17, %18 : f32
        %21 = arith.addf %19, %20 : f32
        affine.store %21, %arg2[%arg3, %arg4] : memref<13x11xf32>
      }
      %0 = affine.load %arg0[%arg3, %c6] : memref<13x7xf32>
      %1 = affine.load %arg1[%c6, %arg4] : memref<7x11xf32>
      %2 = affine.load %arg2[%arg3, %arg4] : memref<13x11xf32>
      %3 = arith.mulf %0, %1 : f32
      %4 = arith.addf %2, %3 : f32
      affine.store %4, %arg2[%arg3, %arg4] : memref<13x11xf32>
    }
  }
  return
}

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
    affine.for %arg6 = affine_map<()[s0] -> ((s0 floordiv 3) * 3)>()[%arg4] to %arg4 {
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
    affine.for %arg4 = affine_map<(d0) -> (((d0 + 1) floordiv 3) * 3)>(%arg3) to affine_map<(d0) -> (d0 + 1)>(%arg3) {
      %0 = affine.load %arg0[%arg3, %arg4] : memref<?x?xf32>
      %1 = affine.load %arg1[%arg4] : memref<?xf32>
      %2 = arith.addf %0, %1 : f32
      affine.store %2, %arg0[%arg3, %arg4] : memref<?x?xf32>
    }
  }
  return
}

func.func @substitution(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index) {
  affine.for %arg4 = 0 to %arg3 {
    %0 = affine.load %arg1[%arg4] : memref<?xf32>
    affine.store %0, %arg2[%arg4] : memref<?xf32>
    affine.for %arg5 = 0 to affine_map<(d0) -> ((d0 floordiv 3) * 3)>(%arg4) step 3 {
      %4 = affine.load %arg0[%arg4, %arg5] : memref<?x?xf32>
      %5 = affine.load %arg2[%arg5] : memref<?xf32>
      %6 = affine.load %arg2[%arg4] : memref<?xf32>
      %7 = arith.mulf %4, %5 : f32
      %8 = arith.subf %6, %7 : f32
      affine.store %8, %arg2[%arg4] : memref<?xf32>
      %9 = affine.apply affine_map<(d0) -> (d0 + 1)>(%arg5)
      %10 = affine.load %arg0[%arg4, %9] : memref<?x?xf32>
      %11 = affine.load %arg2[%9] : memref<?xf32>
      %12 = affine.load %arg2[%arg4] : memref<?xf32>
      %13 = arith.mulf %10, %11 : f32
      %14 = arith.subf %12, %13 : f32
      affine.store %14, %arg2[%arg4] : memref<?xf32>
      %15 = affine.apply affine_map<(d0) -> (d0 + 2)>(%arg5)
      %16 = affine.load %arg0[%arg4, %15] : memref<?x?xf32>
      %17 = affine.load %arg2[%15] : memref<?xf32>
      %18 = affine.load %arg2[%arg4] : memref<?xf32>
      %19 = arith.mulf %16, %17 : f32
      %20 = arith.subf %18, %19 : f32
      affine.store %20, %arg2[%arg4] : memref<?xf32>
    }
    affine.for %arg5 = affine_map<(d0) -> ((d0 floordiv 3) * 3)>(%arg4) to affine_map<(d0) -> (d0)>(%arg4) {
      %4 = affine.load %arg0[%arg4, %arg5] : memref<?x?xf32>
      %5 = affine.load %arg2[%arg5] : memref<?xf32>
      %6 = affine.load %arg2[%arg4] : memref<?xf32>
      %7 = arith.mulf %4, %5 : f32
      %8 = arith.subf %6, %7 : f32
      affine.store %8, %arg2[%arg4] : memref<?xf32>
    }
    %1 = affine.load %arg0[%arg4, %arg4] : memref<?x?xf32>
    %2 = affine.load %arg2[%arg4] : memref<?xf32>
    %3 = arith.divf %2, %1 : f32
    affine.store %3, %arg2[%arg4] : memref<?xf32>
  }
  return
}

func.func @guarded(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: index) {
  affine.for %arg3 = 0 to %arg2 {
    affine.for %arg4 = 0 to affine_map<()[s0] -> ((s0 floordiv 3) * 3)>()[%arg2] step 3 {
      %0 = affine.load %arg0[%arg3, %arg4] : memref<?x?xf32>
      affine.if affine_set<(d0, d1) : (d0 - d1 - 1 >= 0)>(%arg3, %arg4) {
        %5 = affine.load %arg1[%arg3, %arg4] : memref<?x?xf32>
        %6 = arith.addf %0, %5 : f32
        affine.store %6, %arg1[%arg3, %arg4] : memref<?x?xf32>
      } else {
        affine.store %0, %arg1[%arg3, %arg4] : memref<?x?xf32>
      }
      %1 = affine.apply affine_map<(d0) -> (d0 + 1)>(%arg4)
      %2 = affine.load %arg0[%arg3, %1] : memref<?x?xf32>
      affine.if affine_set<(d0, d1) : (d0 - d1 - 1 >= 0)>(%arg3, %1) {
        %5 = affine.load %arg1[%arg3, %1] : memref<?x?xf32>
        %6 = arith.addf %2, %5 : f32
        affine.store %6, %arg1[%arg3, %1] : memref<?x?xf32>
      } else {
        affine.store %2, %arg1[%arg3, %1] : memref<?x?xf32>
      }
      %3 = affine.apply affine_map<(d0) -> (d0 + 2)>(%arg4)
      %4 = affine.load %arg0[%arg3, %3] : memref<?x?xf32>
      affine.if affine_set<(d0, d1) : (d0 - d1 - 1 >= 0)>(%arg3, %3) {
        %5 = affine.load %arg1[%arg3, %3] : memref<?x?xf32>
        %6 = arith.addf %4, %5 : f32
        affine.store %6, %arg1[%arg3, %3] : memref<?x?xf32>
      } else {
        affine.store %4, %arg1[%arg3, %3] : memref<?x?xf32>
      }
    }
    affine.for %arg4 = affine_map<()[s0] -> ((s0 floordiv 3) * 3)>()[%arg2] to %arg2 {
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
    %2 = affine.for %arg6 = affine_map<()[s0] -> ((s0 floordiv 3) * 3)>()[%arg3] to %arg3 iter_args(%arg7 = %1) -> (f32) {
      %3 = affine.load %arg0[%arg4, %arg6] : memref<?x?xf32>
      %4 = arith.addf %arg7, %3 : f32
      affine.yield %4 : f32
    }
    affine.store %2, %arg1[%arg4] : memref<?xf32>
    affine.yield %2 : f32
  }
  return %0 : f32
}

func.func @local(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index) {
  %c15 = arith.constant 15 : index
  %c15_0 = arith.constant 15 : index
  affine.for %arg3 = 0 to %arg2 {
    %alloc = memref.alloc() : memref<16xf32>
    affine.for %arg4 = 0 to 15 step 3 {
      %5 = affine.load %arg0[%arg3, %arg4] : memref<?x?xf32>
      %6 = arith.mulf %5, %5 : f32
      affine.store %6, %alloc[%arg4] : memref<16xf32>
      %7 = affine.apply affine_map<(d0) -> (d0 + 1)>(%arg4)
      %8 = affine.load %arg0[%arg3, %7] : memref<?x?xf32>
      %9 = arith.mulf %8, %8 : f32
      affine.store %9, %alloc[%7] : memref<16xf32>
      %10 = affine.apply affine_map<(d0) -> (d0 + 2)>(%arg4)
      %11 = affine.load %arg0[%arg3, %10] : memref<?x?xf32>
      %12 = arith.mulf %11, %11 : f32
      affine.store %12, %alloc[%10] : memref<16xf32>
    }
    %0 = affine.load %arg0[%arg3, %c15_0] : memref<?x?xf32>
    %1 = arith.mulf %0, %0 : f32
    affine.store %1, %alloc[%c15_0] : memref<16xf32>
    affine.for %arg4 = 0 to 15 step 3 {
      %5 = affine.load %alloc[-%arg4 + 15] : memref<16xf32>
      %6 = affine.load %arg1[%arg3] : memref<?xf32>
      %7 = arith.addf %5, %6 : f32
      affine.store %7, %arg1[%arg3] : memref<?xf32>
      %8 = affine.apply affine_map<(d0) -> (d0 + 1)>(%arg4)
      %9 = affine.load %alloc[-%8 + 15] : memref<16xf32>
      %10 = affine.load %arg1[%arg3] : memref<?xf32>
      %11 = arith.addf %9, %10 : f32
      affine.store %11, %arg1[%arg3] : memref<?xf32>
      %12 = affine.apply affine_map<(d0) -> (d0 + 2)>(%arg4)
      %13 = affine.load %alloc[-%12 + 15] : memref<16xf32>
      %14 = affine.load %arg1[%arg3] : memref<?xf32>
      %15 = arith.addf %13, %14 : f32
      affine.store %15, %arg1[%arg3] : memref<?xf32>
    }
    %2 = affine.load %alloc[-%c15 + 15] : memref<16xf32>
    %3 = affine.load %arg1[%arg3] : memref<?xf32>
    %4 = arith.addf %2, %3 : f32
    affine.store %4, %arg1[%arg3] : memref<?xf32>
    memref.dealloc %alloc : memref<16xf32>
  }
  return
}
