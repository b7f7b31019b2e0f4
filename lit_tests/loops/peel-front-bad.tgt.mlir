// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(lower-affine,scf-for-loop-peeling{peel-front=true}))', then changed by hand
// Verdict: not equivalent
// Changed: @symbolic: as the pass makes it: the first iteration of a loop that does not run
// Changed: @triangular: as the pass makes it: the first iteration of a loop that does not run
// Changed: @carried: as the pass makes it: the first iteration of a loop that does not run
// Changed: @stencil: as the pass makes it: the first iteration of a loop that does not run
// RUN: %exits 1 hecv check %S/shapes.src.mlir %s --func symbolic --func triangular --func carried --func stencil | FileCheck %s
// CHECK: {{^}}not equivalent: @symbolic
// CHECK: {{^}}not equivalent: @triangular
// CHECK: {{^}}not equivalent: @carried
// CHECK: {{^}}not equivalent: @stencil

func.func @symbolic(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>, %arg3: index, %arg4: index, %arg5: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %arg6 = %c0 to %c1 step %c1 {
    scf.for %arg7 = %c0 to %c1 step %c1 {
      scf.for %arg8 = %c0 to %c1 step %c1 {
        %0 = memref.load %arg0[%arg6, %arg8] : memref<?x?xf32>
        %1 = memref.load %arg1[%arg8, %arg7] : memref<?x?xf32>
        %2 = memref.load %arg2[%arg6, %arg7] : memref<?x?xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %arg2[%arg6, %arg7] : memref<?x?xf32>
      }
      scf.for %arg8 = %c1 to %arg5 step %c1 {
        %0 = memref.load %arg0[%arg6, %arg8] : memref<?x?xf32>
        %1 = memref.load %arg1[%arg8, %arg7] : memref<?x?xf32>
        %2 = memref.load %arg2[%arg6, %arg7] : memref<?x?xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %arg2[%arg6, %arg7] : memref<?x?xf32>
      }
    }
    scf.for %arg7 = %c1 to %arg4 step %c1 {
      scf.for %arg8 = %c0 to %c1 step %c1 {
        %0 = memref.load %arg0[%arg6, %arg8] : memref<?x?xf32>
        %1 = memref.load %arg1[%arg8, %arg7] : memref<?x?xf32>
        %2 = memref.load %arg2[%arg6, %arg7] : memref<?x?xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %arg2[%arg6, %arg7] : memref<?x?xf32>
      }
      scf.for %arg8 = %c1 to %arg5 step %c1 {
        %0 = memref.load %arg0[%arg6, %arg8] : memref<?x?xf32>
        %1 = memref.load %arg1[%arg8, %arg7] : memref<?x?xf32>
        %2 = memref.load %arg2[%arg6, %arg7] : memref<?x?xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %arg2[%arg6, %arg7] : memref<?x?xf32>
      }
    }
  }
  scf.for %arg6 = %c1 to %arg3 step %c1 {
    scf.for %arg7 = %c0 to %c1 step %c1 {
      scf.for %arg8 = %c0 to %c1 step %c1 {
        %0 = memref.load %arg0[%arg6, %arg8] : memref<?x?xf32>
        %1 = memref.load %arg1[%arg8, %arg7] : memref<?x?xf32>
        %2 = memref.load %arg2[%arg6, %arg7] : memref<?x?xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %arg2[%arg6, %arg7] : memref<?x?xf32>
      }
      scf.for %arg8 = %c1 to %arg5 step %c1 {
        %0 = memref.load %arg0[%arg6, %arg8] : memref<?x?xf32>
        %1 = memref.load %arg1[%arg8, %arg7] : memref<?x?xf32>
        %2 = memref.load %arg2[%arg6, %arg7] : memref<?x?xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %arg2[%arg6, %arg7] : memref<?x?xf32>
      }
    }
    scf.for %arg7 = %c1 to %arg4 step %c1 {
      scf.for %arg8 = %c0 to %c1 step %c1 {
        %0 = memref.load %arg0[%arg6, %arg8] : memref<?x?xf32>
        %1 = memref.load %arg1[%arg8, %arg7] : memref<?x?xf32>
        %2 = memref.load %arg2[%arg6, %arg7] : memref<?x?xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %arg2[%arg6, %arg7] : memref<?x?xf32>
      }
      scf.for %arg8 = %c1 to %arg5 step %c1 {
        %0 = memref.load %arg0[%arg6, %arg8] : memref<?x?xf32>
        %1 = memref.load %arg1[%arg8, %arg7] : memref<?x?xf32>
        %2 = memref.load %arg2[%arg6, %arg7] : memref<?x?xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %arg2[%arg6, %arg7] : memref<?x?xf32>
      }
    }
  }
  return
}

func.func @triangular(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %arg3 = %c0 to %c1 step %c1 {
    %0 = arith.addi %arg3, %c1 : index
    scf.for %arg4 = %c0 to %c1 step %c1 {
      %1 = memref.load %arg0[%arg3, %arg4] : memref<?x?xf32>
      %2 = memref.load %arg1[%arg4] : memref<?xf32>
      %3 = arith.addf %1, %2 : f32
      memref.store %3, %arg0[%arg3, %arg4] : memref<?x?xf32>
    }
    scf.for %arg4 = %c1 to %0 step %c1 {
      %1 = memref.load %arg0[%arg3, %arg4] : memref<?x?xf32>
      %2 = memref.load %arg1[%arg4] : memref<?xf32>
      %3 = arith.addf %1, %2 : f32
      memref.store %3, %arg0[%arg3, %arg4] : memref<?x?xf32>
    }
  }
  scf.for %arg3 = %c1 to %arg2 step %c1 {
    %0 = arith.addi %arg3, %c1 : index
    scf.for %arg4 = %c0 to %c1 step %c1 {
      %1 = memref.load %arg0[%arg3, %arg4] : memref<?x?xf32>
      %2 = memref.load %arg1[%arg4] : memref<?xf32>
      %3 = arith.addf %1, %2 : f32
      memref.store %3, %arg0[%arg3, %arg4] : memref<?x?xf32>
    }
    scf.for %arg4 = %c1 to %0 step %c1 {
      %1 = memref.load %arg0[%arg3, %arg4] : memref<?x?xf32>
      %2 = memref.load %arg1[%arg4] : memref<?xf32>
      %3 = arith.addf %1, %2 : f32
      memref.store %3, %arg0[%arg3, %arg4] : memref<?x?xf32>
    }
  }
  return
}

func.func @carried(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index, %arg3: index) -> f32 {
  %cst = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %arg4 = %c0 to %c1 step %c1 iter_args(%arg5 = %cst) -> (f32) {
    %2 = scf.for %arg6 = %c0 to %c1 step %c1 iter_args(%arg7 = %arg5) -> (f32) {
      %4 = memref.load %arg0[%arg4, %arg6] : memref<?x?xf32>
      %5 = arith.addf %arg7, %4 : f32
      scf.yield %5 : f32
    }
    %3 = scf.for %arg6 = %c1 to %arg3 step %c1 iter_args(%arg7 = %2) -> (f32) {
      %4 = memref.load %arg0[%arg4, %arg6] : memref<?x?xf32>
      %5 = arith.addf %arg7, %4 : f32
      scf.yield %5 : f32
    }
    memref.store %3, %arg1[%arg4] : memref<?xf32>
    scf.yield %3 : f32
  }
  %1 = scf.for %arg4 = %c1 to %arg2 step %c1 iter_args(%arg5 = %0) -> (f32) {
    %2 = scf.for %arg6 = %c0 to %c1 step %c1 iter_args(%arg7 = %arg5) -> (f32) {
      %4 = memref.load %arg0[%arg4, %arg6] : memref<?x?xf32>
      %5 = arith.addf %arg7, %4 : f32
      scf.yield %5 : f32
    }
    %3 = scf.for %arg6 = %c1 to %arg3 step %c1 iter_args(%arg7 = %2) -> (f32) {
      %4 = memref.load %arg0[%arg4, %arg6] : memref<?x?xf32>
      %5 = arith.addf %arg7, %4 : f32
      scf.yield %5 : f32
    }
    memref.store %3, %arg1[%arg4] : memref<?xf32>
    scf.yield %3 : f32
  }
  return %1 : f32
}

func.func @stencil(%arg0: memref<?xf32>, %arg1: index, %arg2: index) {
  %c2 = arith.constant 2 : index
  %c-1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %arg3 = %c0 to %c1 step %c1 {
    %0 = arith.addi %arg2, %c-1 : index
    scf.for %arg4 = %c1 to %c2 step %c1 {
      %1 = arith.addi %arg4, %c-1 : index
      %2 = memref.load %arg0[%1] : memref<?xf32>
      %3 = memref.load %arg0[%arg4] : memref<?xf32>
      %4 = arith.addi %arg4, %c1 : index
      %5 = memref.load %arg0[%4] : memref<?xf32>
      %6 = arith.addf %2, %3 : f32
      %7 = arith.addf %6, %5 : f32
      memref.store %7, %arg0[%arg4] : memref<?xf32>
    }
    scf.for %arg4 = %c2 to %0 step %c1 {
      %1 = arith.addi %arg4, %c-1 : index
      %2 = memref.load %arg0[%1] : memref<?xf32>
      %3 = memref.load %arg0[%arg4] : memref<?xf32>
      %4 = arith.addi %arg4, %c1 : index
      %5 = memref.load %arg0[%4] : memref<?xf32>
      %6 = arith.addf %2, %3 : f32
      %7 = arith.addf %6, %5 : f32
      memref.store %7, %arg0[%arg4] : memref<?xf32>
    }
  }
  scf.for %arg3 = %c1 to %arg1 step %c1 {
    %0 = arith.addi %arg2, %c-1 : index
    scf.for %arg4 = %c1 to %c2 step %c1 {
      %1 = arith.addi %arg4, %c-1 : index
      %2 = memref.load %arg0[%1] : memref<?xf32>
      %3 = memref.load %arg0[%arg4] : memref<?xf32>
      %4 = arith.addi %arg4, %c1 : index
      %5 = memref.load %arg0[%4] : memref<?xf32>
      %6 = arith.addf %2, %3 : f32
      %7 = arith.addf %6, %5 : f32
      memref.store %7, %arg0[%arg4] : memref<?xf32>
    }
    scf.for %arg4 = %c2 to %0 step %c1 {
      %1 = arith.addi %arg4, %c-1 : index
      %2 = memref.load %arg0[%1] : memref<?xf32>
      %3 = memref.load %arg0[%arg4] : memref<?xf32>
      %4 = arith.addi %arg4, %c1 : index
      %5 = memref.load %arg0[%4] : memref<?xf32>
      %6 = arith.addf %2, %3 : f32
      %7 = arith.addf %6, %5 : f32
      memref.store %7, %arg0[%arg4] : memref<?xf32>
    }
  }
  return
}
