// mlir-opt may-overlap.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-invariant-code-motion))', then changed by hand
// Verdict: not equivalent
// Changed: line 23, the element; it was
//   %0 = affine.load %arg0[2] : memref<8xf32>
// RUN: %exits 1 hecv check --alias may %S/may-overlap.src.mlir %s | FileCheck %s
// CHECK: {{^}}not equivalent: @past_none
// CHECK: note: both were run on this input by the interpreter and by MLIR's JIT

module {
  func.func @past_another(%arg0: memref<8xf32>, %arg1: memref<8xf32>, %arg2: f32) {
    %0 = affine.load %arg0[2] : memref<8xf32>
    %1 = arith.addf %0, %arg2 : f32
    affine.for %arg3 = 0 to 8 {
      affine.store %1, %arg1[%arg3] : memref<8xf32>
    }
    return
  }
  func.func @past_none(%arg0: memref<8xf32>, %arg1: memref<8xf32>, %arg2: f32) -> f32 {
    affine.for %arg3 = 0 to 8 {
      affine.store %arg2, %arg1[%arg3] : memref<8xf32>
    }
    %cst = arith.constant 0.000000e+00 : f32
    %0 = affine.load %arg0[3] : memref<8xf32>
    %1 = affine.for %arg3 = 0 to 8 iter_args(%arg4 = %cst) -> (f32) {
      %2 = arith.addf %arg4, %0 : f32
      affine.yield %2 : f32
    }
    return %1 : f32
  }
}
