// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(lower-affine,scf-for-loop-peeling{peel-front=true}))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/shapes.src.mlir %s --assume nonneg --func constant | FileCheck %s
// CHECK: {{^}}equivalent: @constant

func.func @constant(%arg0: memref<13x7xf32>, %arg1: memref<7x11xf32>, %arg2: memref<13x11xf32>) {
  %c7 = arith.constant 7 : index
  %c11 = arith.constant 11 : index
  %c0 = arith.constant 0 : index
  %c13 = arith.constant 13 : index
  %c1 = arith.constant 1 : index
  scf.for %arg3 = %c0 to %c1 step %c1 {
    scf.for %arg4 = %c0 to %c1 step %c1 {
      scf.for %arg5 = %c0 to %c1 step %c1 {
        %0 = memref.load %arg0[%arg3, %arg5] : memref<13x7xf32>
        %1 = memref.load %arg1[%arg5, %arg4] : memref<7x11xf32>
        %2 = memref.load %arg2[%arg3, %arg4] : memref<13x11xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %arg2[%arg3, %arg4] : memref<13x11xf32>
      }
      scf.for %arg5 = %c1 to %c7 step %c1 {
        %0 = memref.load %arg0[%arg3, %arg5] : memref<13x7xf32>
        %1 = memref.load %arg1[%arg5, %arg4] : memref<7x11xf32>
        %2 = memref.load %arg2[%arg3, %arg4] : memref<13x11xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %arg2[%arg3, %arg4] : memref<13x11xf32>
      }
    }
    scf.for %arg4 = %c1 to %c11 step %c1 {
      scf.for %arg5 = %c0 to %c1 step %c1 {
        %0 = memref.load %arg0[%arg3, %arg5] : memref<13x7xf32>
        %1 = memref.load %arg1[%arg5, %arg4] : memref<7x11xf32>
        %2 = memref.load %arg2[%arg3, %arg4] : memref<13x11xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %arg2[%arg3, %arg4] : memref<13x11xf32>
      }
      scf.for %arg5 = %c1 to %c7 step %c1 {
        %0 = memref.load %arg0[%arg3, %arg5] : memref<13x7xf32>
        %1 = memref.load %arg1[%arg5, %arg4] : memref<7x11xf32>
        %2 = memref.load %arg2[%arg3, %arg4] : memref<13x11xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %arg2[%arg3, %arg4] : memref<13x11xf32>
      }
    }
  }
  scf.for %arg3 = %c1 to %c13 step %c1 {
    scf.for %arg4 = %c0 to %c1 step %c1 {
      scf.for %arg5 = %c0 to %c1 step %c1 {
        %0 = memref.load %arg0[%arg3, %arg5] : memref<13x7xf32>
        %1 = memref.load %arg1[%arg5, %arg4] : memref<7x11xf32>
        %2 = memref.load %arg2[%arg3, %arg4] : memref<13x11xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %arg2[%arg3, %arg4] : memref<13x11xf32>
      }
      scf.for %arg5 = %c1 to %c7 step %c1 {
        %0 = memref.load %arg0[%arg3, %arg5] : memref<13x7xf32>
        %1 = memref.load %arg1[%arg5, %arg4] : memref<7x11xf32>
        %2 = memref.load %arg2[%arg3, %arg4] : memref<13x11xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %arg2[%arg3, %arg4] : memref<13x11xf32>
      }
    }
    scf.for %arg4 = %c1 to %c11 step %c1 {
      scf.for %arg5 = %c0 to %c1 step %c1 {
        %0 = memref.load %arg0[%arg3, %arg5] : memref<13x7xf32>
        %1 = memref.load %arg1[%arg5, %arg4] : memref<7x11xf32>
        %2 = memref.load %arg2[%arg3, %arg4] : memref<13x11xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %arg2[%arg3, %arg4] : memref<13x11xf32>
      }
      scf.for %arg5 = %c1 to %c7 step %c1 {
        %0 = memref.load %arg0[%arg3, %arg5] : memref<13x7xf32>
        %1 = memref.load %arg1[%arg5, %arg4] : memref<7x11xf32>
        %2 = memref.load %arg2[%arg3, %arg4] : memref<13x11xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %arg2[%arg3, %arg4] : memref<13x11xf32>
      }
    }
  }
  return
}
